"""One training or decoding inside this process: fairseq's configuration, and its global state kept apart from the caller's."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterator
from typing import Any

from pseudogec.seq2seq import compat


def configuration(arguments: list[str]) -> Any:
    """fairseq's configuration of a training with the given arguments of ``fairseq-train``."""
    compat.apply()
    from fairseq import options
    from fairseq.dataclass.utils import convert_namespace_to_omegaconf

    from pseudogec.seq2seq import plugins

    plugins.register()
    with quiet():
        return convert_namespace_to_omegaconf(options.parse_args_and_arch(options.get_training_parser(), arguments))


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep back warnings that hydra and torch give fairseq's authors; the reader of a notebook can do nothing about them."""
    with warnings.catch_warnings():
        for category in (UserWarning, FutureWarning, DeprecationWarning):
            warnings.simplefilter("ignore", category)
        # For a text's empty line fairseq computes the piece before last, which nobody uses.
        warnings.filterwarnings("ignore", "overflow encountered in scalar subtract", RuntimeWarning)
        yield


@contextlib.contextmanager
def isolated() -> Iterator[None]:
    """Run fairseq without lasting effects on the caller.

    fairseq seeds numpy's and torch's global generators, keeps its meters in a global, and logs every step; all three are put
    back.
    """
    compat.apply()
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
