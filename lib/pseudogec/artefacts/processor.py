"""The kinds of processor and GPU: other instructions add numbers in another order, so results
differ in their last bits.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path


@cache
def processor() -> str:
    """This machine's processor by its model's name."""
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        described = ""
    model = re.search(r"^model name\s*: (.+)$", described, re.MULTILINE)
    return model[1] if model else platform.processor() or platform.machine()


def cores_of_this_machine() -> int:
    """CPU cores that this process may use; where the system does not tell (macOS), all."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def gpus_of_this_machine() -> list[str]:
    """NVIDIA's GPUs that this process may use, as ``CUDA_VISIBLE_DEVICES`` names them; CUDA is not
    started in this process.
    """
    if shutil.which("nvidia-smi") is None:
        return []
    listed = subprocess.run(
        ["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"],
        capture_output=True,
        text=True,
        check=False,
    )
    there = [] if listed.returncode else listed.stdout.split()
    named = os.environ.get("CUDA_VISIBLE_DEVICES", ",".join(there)) if there else ""
    return [name.strip() for name in named.split(",") if name.strip() not in {"", "-1"}]
