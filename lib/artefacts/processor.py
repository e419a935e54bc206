"""The kinds of processor and GPU: other instructions add numbers in another order, so results differ in their last bits."""

from __future__ import annotations

import platform
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


def _described() -> dict[str, str]:
    """Linux's description of the first processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    except OSError:
        return {}
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
