"""The environment is the one that requirements.lock pins, and every route to it pins the same."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
# Its own pins of hydra and omegaconf cannot be met, so it has a route of its own
FAIRSEQ = "fairseq"


def read_lock() -> dict[str, str]:
    """Canonical package name -> pinned version."""
    pins: dict[str, str] = {}
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, version = line.partition("==")
            assert re.fullmatch(r"[\w.+!-]+", version), (
                f"requirements.lock: {line!r} is not of the form name==version"
            )
            pins[canonicalize_name(name)] = version
    return pins


LOCK = read_lock()
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
DECLARED = [
    Requirement(text)
    for text in (
        *PYPROJECT["build-system"]["requires"],
        *PYPROJECT["project"]["dependencies"],
        *(
            need
            for extra in ("spelling", "errant", "study", "dev")
            for need in PYPROJECT["project"]["optional-dependencies"][extra]
        ),
    )
    if not text.startswith("pseudogec")
]


def requirements_of(name: str, extras: frozenset[str] = frozenset()) -> list[Requirement]:
    """What an installed package needs on this machine under any of the supported Pythons."""
    settings = [
        {"extra": extra, "python_version": python}
        for extra in ("", *extras)
        for python in ("3.11", "3.12")
    ]
    needs = [Requirement(text) for text in importlib.metadata.requires(name) or []]
    return [
        need
        for need in needs
        if need.marker is None or any(need.marker.evaluate(setting) for setting in settings)
    ]


def test_installed_versions_are_the_locked_ones() -> None:
    # A local part (2.13.0+cpu, 2.13.0+cu130) tells the build, not the release.
    installed: dict[str, str] = {
        canonicalize_name(each.name): Version(each.version).public
        for each in importlib.metadata.distributions()
    }
    wrong = [
        f"{name} {installed.get(name)} (locked: {pin})"
        for name, pin in LOCK.items()
        if installed.get(name) != pin
    ]
    assert not wrong, f"installed, yet not as locked: {', '.join(wrong)}; run `make env`"


def test_fairseq_is_the_one_that_the_makefile_names() -> None:
    [pinned] = re.findall(
        r"^FAIRSEQ\s*=\s*fairseq==(\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE
    )
    assert importlib.metadata.version(FAIRSEQ) == pinned


@pytest.mark.parametrize("need", DECLARED, ids=str)
def test_declared_dependency_is_locked_within_its_range(need: Requirement) -> None:
    pinned = LOCK.get(canonicalize_name(need.name))
    assert pinned is not None, (
        f"pyproject.toml asks for {need}, which requirements.lock does not pin"
    )
    assert need.specifier.contains(pinned), (
        f"pyproject.toml asks for {need}, requirements.lock pins {pinned}"
    )


def test_lock_holds_what_is_needed_and_nothing_else() -> None:
    needed: set[tuple[str, frozenset[str]]] = set()
    waiting = [
        *DECLARED,
        *(need for need in requirements_of(FAIRSEQ) if canonicalize_name(need.name) in LOCK),
    ]
    problems = []
    while waiting:
        need = waiting.pop()
        key = (canonicalize_name(need.name), frozenset(need.extras))
        if key in needed or is_cuda(key[0]):
            continue
        needed.add(key)
        if key[0] not in LOCK:
            problems.append(f"{need} is needed and not locked")
            continue
        waiting.extend(requirements_of(*key))
    problems += [
        f"{name} is locked and nothing needs it"
        for name in sorted(set(LOCK) - {name for name, _ in needed})
    ]
    assert not problems, "requirements.lock: " + "; ".join(problems)


def test_locked_packages_agree_with_each_other() -> None:
    clashes = [
        f"{name} asks for {need} (locked: {LOCK[key]})"
        for name in LOCK
        for need in requirements_of(name)
        if (key := canonicalize_name(need.name)) in LOCK
        and not need.specifier.contains(LOCK[key], prereleases=True)
    ]
    assert not clashes, "; ".join(clashes)


def is_cuda(name: str) -> bool:
    """Whether a package belongs to torch's CUDA build, which pins it itself."""
    return name == "triton" or name.startswith(("nvidia-", "cuda-", "pytorch-triton"))


def test_lock_serves_machines_with_and_without_gpu() -> None:
    assert not [name for name in LOCK if is_cuda(name)], (
        "CUDA packages belong to torch's own build, not to the lock"
    )
    assert Version(LOCK["torch"]).local is None, (
        "a local build such as +cpu would shut out machines with a GPU"
    )


def test_conda_environment_takes_the_same_lock() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    [pip] = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
    conda = dict(
        entry.partition("=")[::2] for entry in environment["dependencies"] if isinstance(entry, str)
    )
    assert [entry for entry in pip if not entry.startswith("--")] == ["-r requirements.lock"]
    assert SpecifierSet(PYPROJECT["project"]["requires-python"]).contains(conda["python"])
    assert set(conda) == {"python", "pip", "make", "spacy-model-en_core_web_sm"}, (
        "anything else belongs into requirements.lock"
    )
    # A spaCy model serves the spaCy of its own major and minor version.
    model = conda["spacy-model-en_core_web_sm"]
    assert Version(model).release[:2] == Version(LOCK["spacy"]).release[:2]
    assert f"en_core_web_sm-{model}" in (ROOT / "Makefile").read_text(), (
        "`make model` and environment.yml must agree"
    )


def test_makefile_accepts_the_pythons_that_the_metadata_allows() -> None:
    [code] = re.findall(r"^SUPPORTED\s*=\s*(.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    allowed = [
        minor
        for minor in range(20)
        if SpecifierSet(PYPROJECT["project"]["requires-python"]).contains(f"3.{minor}")
    ]
    assert re.findall(r"\(3, (\d+)\)", code) == [str(allowed[0]), str(allowed[-1])]


def imported_distributions() -> dict[str, set[str]]:
    """Third-party distribution -> the files of the library and its programs that import it."""
    providers = importlib.metadata.packages_distributions()
    users: dict[str, set[str]] = {}
    for path in [
        *(ROOT / "lib").rglob("*.py"),
        *ROOT.glob("*.py"),
        *(ROOT / "tests").rglob("*.py"),
    ]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names.append(node.module)
            for module in {name.partition(".")[0] for name in names}:
                for distribution in providers.get(module, []):
                    users.setdefault(canonicalize_name(distribution), set()).add(
                        str(path.relative_to(ROOT))
                    )
    return users


def test_every_import_is_a_declared_dependency() -> None:
    optional = [
        Requirement(text)
        for needs in PYPROJECT["project"]["optional-dependencies"].values()
        for text in needs
    ]
    declared = {canonicalize_name(need.name) for need in [*DECLARED, *optional]} | {
        FAIRSEQ,
        "pseudogec",
    }
    hidden = {
        name: sorted(files)
        for name, files in imported_distributions().items()
        if name not in declared
    }
    assert not hidden, f"imported, yet not in pyproject.toml's dependencies: {hidden}"
