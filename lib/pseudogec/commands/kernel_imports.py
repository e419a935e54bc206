"""What most notebooks import; the process from which their kernels are forked imports it once for all of them."""

from __future__ import annotations

import contextlib
import gc
import os
import signal

from pseudogec.commands.kernels import INLINE_BACKEND
from pseudogec.quick_imports import without_collection

# Matplotlib reads its backend when it is imported. No import may look for a GPU: a forked process cannot use one after that.
os.environ |= {"MPLBACKEND": INLINE_BACKEND, "CUDA_VISIBLE_DEVICES": ""}
handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt from the terminal is for the batch program
# What cannot be imported here fails in the notebook that needs it.
with contextlib.suppress(Exception), without_collection():
    import ipykernel.ipkernel  # noqa: F401
    import matplotlib.pyplot  # noqa: F401
    import scipy.stats  # noqa: F401
    import seaborn  # noqa: F401
    import spacy  # noqa: F401
    import torch  # noqa: F401

    import pseudogec.play  # noqa: F401
signal.signal(signal.SIGINT, handler)
gc.freeze()  # the garbage collector would write to the memory of these modules, which kernels share until then
