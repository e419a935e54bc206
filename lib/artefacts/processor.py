"""The kinds of processor and GPU: other instructions add numbers in another order, so results differ in their last bits."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_INSTRUCTIONS = ("sse4_2", "avx", "avx2", "fma", "avx512", "avx_vnni", "amx", "asimd", "sve")
"""First letters of the names of those instruction sets between which libraries of linear algebra choose."""


@cache
def processor() -> str:
    """This machine's processor by its model's name."""
    return _described().get("model name") or platform.processor() or platform.machine()


@cache
def instructions() -> str:
    """The sets of vector instructions that this machine's processor has; empty where the system does not list them."""
    described = _described()
    flags = (described.get("flags") or described.get("Features") or "").split()
    return " ".join(sorted(flag for flag in flags if flag.startswith(_INSTRUCTIONS)))


def made_on(record: Mapping[str, Any]) -> str:
    """The kind of processor that an artefact was made on, with its instructions, or the GPU's name, by the artefact's record."""
    if gpu := record.get("gpu"):
        return str(gpu)
    name, flags = record.get("processor", ""), record.get("instructions", "")
    return f"{name} ({flags})" if name else "an unknown processor"


def cores_of_this_machine() -> int:
    """CPU cores that this process may use; where the system does not tell (macOS), all."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def gpus_of_this_machine() -> list[str]:
    """NVIDIA's GPUs that this process may use, as ``CUDA_VISIBLE_DEVICES`` names them; CUDA is not started in this process."""
    if shutil.which("nvidia-smi") is None:
        return []
    listed = subprocess.run(
        ["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"], capture_output=True, text=True, check=False
    )
    there = [] if listed.returncode else listed.stdout.split()
    named = os.environ.get("CUDA_VISIBLE_DEVICES", ",".join(there)) if there else ""
    return [name.strip() for name in named.split(",") if name.strip() not in {"", "-1"}]


def _described() -> dict[str, str]:
    """Linux's description of the first processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    except OSError:
        return {}
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
