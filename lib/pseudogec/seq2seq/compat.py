"""Changes that let fairseq 0.12.2, of 2022, run on today's Python, torch and numpy, with or without
its compiled modules.

Call `apply` before anything imports fairseq. Changes beyond fairseq's own modules act for fairseq
alone. Each function that makes one says what breaks without it. `isolated` and `quiet` keep
fairseq's effects on the process from its caller.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import importlib
import importlib.machinery
import importlib.util
import io
import logging
import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pseudogec.artefacts.errors import UserError
from pseudogec.seq2seq import checkpoints, compiled

_applied = False

_COPIED_WEIGHTS = tuple(
    f"{part}_{kind}"
    for part in ("in_proj", "out_proj", "fc1", "fc2")
    for kind in ("weight", "bias")
)


def apply() -> None:
    """Prepare this process for fairseq, import it, and register the models of this package. Further
    calls do nothing.

    Raises:
        RuntimeError: fairseq was imported before, so it is too late.
    """
    global _applied
    if _applied:
        return
    if "fairseq" in sys.modules:
        raise RuntimeError(
            "pseudogec.seq2seq.compat.apply() must run before the first import of fairseq"
        )
    _keep_dataclasses_hashable()
    _load_without_executing()
    _restore_numpy_names()
    _supply_missing_modules()
    _import_quietly()
    _know_meters()
    _keep_one_copy_of_encoder_weights()
    _take_bf16_for_gpus()
    _compose_once()
    importlib.import_module("pseudogec.seq2seq.copy_transformer")  # registers its architecture
    _applied = True


def configuration(arguments: list[str]) -> Any:
    """fairseq's configuration of a training with the given arguments of ``fairseq-train``.

    Raises:
        UserError: fairseq knows one of them not, or not its value.
    """
    apply()
    from fairseq import options
    from fairseq.dataclass.utils import convert_namespace_to_omegaconf

    with quiet(), contextlib.redirect_stderr(io.StringIO()) as stderr:
        try:
            return convert_namespace_to_omegaconf(
                options.parse_args_and_arch(options.get_training_parser(), arguments)
            )
        except SystemExit:  # as programs end for which argparse reads arguments
            problem = stderr.getvalue().rpartition("error: ")[2].partition(" (choose from")[0]
    raise UserError(f"fairseq-train: {problem.strip()}")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress warnings of hydra and torch that only fairseq's authors could act on."""
    with warnings.catch_warnings():
        for category in (UserWarning, FutureWarning, DeprecationWarning):
            warnings.simplefilter("ignore", category)
        # For an empty line fairseq computes the subword before the last, which is not used.
        warnings.filterwarnings("ignore", "overflow encountered in scalar subtract", RuntimeWarning)
        yield


@contextlib.contextmanager
def isolated() -> Iterator[None]:
    """Restore what fairseq changes: numpy's and torch's global generators, its global meters, the
    level of its log.
    """
    apply()
    import numpy as np
    import torch
    from fairseq.logging import metrics

    log = logging.getLogger("fairseq")
    level, numpy_state = log.level, np.random.get_state()
    log.setLevel(logging.WARNING)
    metrics.reset()
    try:
        with torch.random.fork_rng(), quiet():
            yield
    finally:
        metrics.reset()
        np.random.set_state(numpy_state)
        log.setLevel(level)


def _called_by_fairseq(depth: int) -> bool:
    """Whether the function ``depth`` frames up belongs to fairseq."""
    name = sys._getframe(depth + 1).f_globals.get("__name__", "")
    return name.partition(".")[0] in {"fairseq", "fairseq_cli"}


def _keep_dataclasses_hashable() -> None:
    """Python 3.11 refuses unhashable default values, and fairseq's configurations have each other's
    instances as defaults.

    fairseq's own dataclasses, and those derived from its base class, get the identity hash of plain
    objects.
    """
    process_class = dataclasses._process_class  # type: ignore[attr-defined]

    @functools.wraps(process_class)
    def process(cls: type, *arguments: Any, **options: Any) -> type:
        cls = process_class(cls, *arguments, **options)
        of_fairseq = cls.__module__.partition(".")[0] == "fairseq" or any(
            b.__name__ == "FairseqDataclass" for b in cls.__mro__
        )
        if cls.__hash__ is None and of_fairseq:
            cls.__hash__ = object.__hash__
        return cls

    dataclasses._process_class = process  # type: ignore[attr-defined]


def _load_without_executing() -> None:
    """fairseq does not tell torch how to read its checkpoints, which hold an `argparse.Namespace`
    beside the weights.
    """
    import torch

    load = torch.load

    @functools.wraps(load)
    def load_safely(*arguments: Any, **options: Any) -> Any:
        if _called_by_fairseq(depth=1):
            return checkpoints.load_for_fairseq(load, *arguments, **options)
        return load(*arguments, **options)

    checkpoints.allow_plain_types()
    torch.load = load_safely


def _restore_numpy_names() -> None:
    """fairseq uses names that numpy 1.24 and numpy 2 removed."""
    import numpy as np

    removed = {
        "float": float,
        "int": int,
        "bool": bool,
        "object": object,
        "compat": types.SimpleNamespace(long=np.int64),
    }
    for name, meaning in removed.items():
        if name not in vars(np):
            setattr(np, name, meaning)


def _supply_missing_modules() -> None:
    """The pure wheel lacks the compiled batch maker and block cutter; numpy versions take their
    names.
    """
    specification = importlib.util.find_spec("fairseq")
    if specification is None or not specification.submodule_search_locations:
        raise ImportError(
            "fairseq is not installed; README.md says how to install the release "
            "that this project uses"
        )
    folders = [
        str(Path(location) / "data") for location in specification.submodule_search_locations
    ]
    for name in ("data_utils_fast", "token_block_utils_fast"):
        if importlib.machinery.PathFinder.find_spec(name, folders) is None:
            sys.modules[f"fairseq.data.{name}"] = compiled


def _import_quietly() -> None:
    """A task of fairseq sets up the root logger when it is imported; and old syntax and uses of
    torch give warnings.
    """
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    # Logging.basicConfig does nothing where a handler stands
    root.addHandler(logging.NullHandler())
    logging.disable(logging.INFO)
    try:
        with warnings.catch_warnings():
            for category in (DeprecationWarning, FutureWarning, SyntaxWarning, UserWarning):
                warnings.simplefilter("ignore", category)
            importlib.import_module("fairseq")
    finally:
        logging.disable(logging.NOTSET)
        root.handlers[:] = handlers
        root.setLevel(level)


def _know_meters() -> None:
    """Checkpoints of fairseq up to 0.8 contain its meters, plain records of sums and times, under
    an earlier name.
    """
    import torch
    from fairseq.logging.meters import AverageMeter, StopwatchMeter, TimeMeter

    meters = (AverageMeter, StopwatchMeter, TimeMeter)
    torch.serialization.add_safe_globals(
        [(meter, f"fairseq.meters.{meter.__name__}") for meter in meters]
    )


def _keep_one_copy_of_encoder_weights() -> None:
    """Remove the encoder layer's second copy of its weights and the fast path that reads it.

    Generation would fail, as the path calls a private function of torch whose arguments have
    changed; and the copies enlarge every checkpoint and the optimiser's state by a third of a
    Transformer. Checkpoints with them still load.
    """
    import torch
    from fairseq.modules.transformer_layer import TransformerEncoderLayerBase as EncoderLayer

    build = EncoderLayer.__init__

    @functools.wraps(build)
    def build_without_copies(layer: Any, *arguments: Any, **options: Any) -> None:
        build(layer, *arguments, **options)
        for name in _COPIED_WEIGHTS:
            layer._parameters.pop(name, None)
        layer.BT_version = layer.can_use_fastpath = layer.load_to_BT = False

    def load_without_copies(
        layer: Any, state: dict[str, Any], prefix: str, *arguments: Any
    ) -> None:
        for name in _COPIED_WEIGHTS:
            state.pop(prefix + name, None)
        torch.nn.Module._load_from_state_dict(layer, state, prefix, *arguments)

    EncoderLayer.__init__ = build_without_copies
    EncoderLayer._load_from_state_dict = load_without_copies


def _take_bf16_for_gpus() -> None:
    """fairseq's programs interpret ``--bf16`` as training on a TPU, and fail if its library is not
    installed.
    """
    from fairseq import options

    parse = options.parse_args_and_arch

    @functools.wraps(parse)
    def parse_without_tpu(*arguments: Any, parse_known: bool = False, **further: Any) -> Any:
        parsed = parse(*arguments, parse_known=parse_known, **further)
        (parsed[0] if parse_known else parsed).tpu = False
        return parsed

    options.parse_args_and_arch = parse_without_tpu


def _compose_once() -> None:
    """Cache hydra's composition for one choice of task, model and so on, and its parsed values.

    fairseq has hydra do both anew for each training, with some 250 values. That takes half a
    second, a third of a small training.
    """
    import fairseq.dataclass.utils
    from hydra._internal.config_loader_impl import ConfigLoaderImpl
    from hydra.core.override_parser.overrides_parser import OverridesParser

    compose = fairseq.dataclass.utils.compose

    @functools.cache
    def composed(name: str, choices: tuple[str, ...], strict: bool) -> Any:
        return compose(name, overrides=list(choices), strict=strict)

    @functools.lru_cache(maxsize=10_000)
    def parsed(override: str) -> Any:
        return OverridesParser.create().parse_override(override)

    def compose_from_kept(name: str, overrides: list[str], strict: bool) -> Any:
        of_values = ["." in override.partition("=")[0] for override in overrides]
        choices = tuple(
            override
            for override, of_value in zip(overrides, of_values, strict=True)
            if not of_value
        )
        config = copy.deepcopy(composed(name, choices, strict))
        values = [
            parsed(override)
            for override, of_value in zip(overrides, of_values, strict=True)
            if of_value
        ]
        ConfigLoaderImpl._apply_overrides_to_config(values, config)
        return config

    fairseq.dataclass.utils.compose = compose_from_kept
