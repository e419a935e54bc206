"""What most notebooks import; the process from which their kernels are forked imports it once for all of them."""

from __future__ import annotations

import gc
import os

from pseudogec.commands.kernels import INLINE

os.environ["MPLBACKEND"] = INLINE  # which matplotlib reads when it is imported
gc.disable()

import ipykernel.ipkernel  # noqa: E402, F401
import matplotlib.pyplot  # noqa: E402, F401
import scipy.stats  # noqa: E402, F401
import seaborn  # noqa: E402, F401
import spacy  # noqa: E402, F401
import torch  # noqa: E402, F401

import pseudogec.play  # noqa: E402, F401

# Kernels share these modules' memory until they write to it, which looking for garbage in it would do.
gc.freeze()
gc.enable()
