"""The part of a preflight that looks at the machine: disk, memory, cores, GPUs, packages, the annotator."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from artefacts.errors import UserError
from pseudogec.edits import annotator_signature
from pseudogec.study.preflight_rows import Row, format_size, shown
from pseudogec.study.profile import Profile

_PACKAGES = ("torch", "fairseq", "ctranslate2", "errant", "spacy")


def machine_rows(profile: Profile, store: Path, disk_needed: int | None, elsewhere: bool) -> Iterator[Row]:
    """Look at disk, memory, cores and GPUs.

    Args:
        profile: a checked profile.
        store: the folder of artefacts; it need not exist.
        disk_needed: bytes that the study will write, where that is known.
        elsewhere: other machines do the work, so that this one's GPUs do not matter.
    """
    import dask.system
    import distributed.system

    yield _disk_row(store, disk_needed)
    cores, memory = dask.system.CPU_COUNT, distributed.system.MEMORY_LIMIT
    yield Row("machine", "cores and memory", "ok", f"{cores} cores, {format_size(memory)}")
    precisions = sorted({optimisation.precision for optimisation in profile.optimisations.values()} - {"fp32"})
    yield _gpu_row(precisions, elsewhere)


def _disk_row(store: Path, needed: int | None) -> Row:
    place = next(folder for folder in (store, *store.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    finding = f"{format_size(free)} free at {shown(place)}"
    if needed is None:
        return Row("machine", "disk", "ok", finding)
    finding += f"; about {format_size(needed)} are needed"
    if needed <= free:
        return Row("machine", "disk", "ok", finding)
    return Row("machine", "disk", "missing", finding, "make room, or choose another disk with --store FOLDER")


def _gpu_row(precisions: Sequence[str], elsewhere: bool) -> Row:
    import torch

    names = [torch.cuda.get_device_properties(number) for number in range(torch.cuda.device_count())]
    asked = f"; the profile trains in {' and '.join(precisions)}" if precisions else ""
    if names:
        finding = ", ".join(f"{each.name} ({format_size(each.total_memory)})" for each in names)
        if "bf16" in precisions and not torch.cuda.is_bf16_supported() and not elsewhere:
            remedy = "--set the precision of its optimisations to fp16"
            return Row("machine", "GPUs", "missing", f"{finding}; they cannot compute in bf16{asked}", remedy)
        return Row("machine", "GPUs", "ok", f"{len(names)}: {finding}{asked}")
    if elsewhere:
        return Row("machine", "GPUs", "ok", f"none here{asked}; the workers' machines must have them" if asked else "none here")
    if precisions:
        remedy = "run it where there are GPUs, name a cluster (--scheduler ADDRESS), or set the optimisations' precision to fp32"
        if torch.version.cuda is None:
            remedy += "; where there is a GPU: this build of torch is for CPUs, make env TORCH=cuda takes the other"
        return Row("machine", "GPUs", "missing", f"none{asked}", remedy)
    return Row("machine", "GPUs", "ok", "none, and none is needed")


def software_rows(profile: Profile, hugging_face: Sequence[str]) -> Iterator[Row]:
    """Look at Python's and the packages' versions, the annotator, and classifiers from Hugging Face.

    Args:
        profile: a checked profile.
        hugging_face: names or folders of the classifiers that its systems use.
    """
    found = {name: _version(name) for name in _PACKAGES}
    lacking = [name for name, number in found.items() if number is None]
    listed = ", ".join([f"python {platform.python_version()}", *(f"{name} {number}" for name, number in found.items() if number)])
    if lacking:
        yield Row("software", "packages", "missing", f"{listed}; no {', '.join(lacking)}", "make env installs them")
    else:
        yield Row("software", "packages", "ok", listed)
    yield _annotator_row(profile.annotator, compared=not profile.simulation)
    for name in hugging_face:
        yield _hugging_face_row(name)


def _annotator_row(name: Literal["auto", "en_core_web_sm", "offline"], compared: bool) -> Row:
    try:
        signature = annotator_signature(name)
    except UserError as error:
        return Row("software", "annotator", "missing", str(error), "make model installs it")
    if "offline" in signature and compared:
        finding = f"{signature}; the papers' scores come from en_core_web_sm and differ by some tenths of a point"
        return Row("software", "annotator", "note", finding, "make model installs en_core_web_sm")
    return Row("software", "annotator", "ok", signature)


def _hugging_face_row(name: str) -> Row:
    if _version("transformers") is None:
        remedy = "pip install 'pseudogec[hugging-face]'"
        return Row("software", name, "missing", "needs the package transformers", remedy)
    if (Path(name) / "config.json").is_file() or _is_cached(name):
        return Row("software", name, "ok", "there")
    remedy = f"fetch it once where there is a network (hf download {name}), or name the folder of a model"
    return Row("software", name, "missing", "neither a folder nor fetched from Hugging Face before", remedy)


def _is_cached(name: str) -> bool:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        return isinstance(try_to_load_from_cache(name, "config.json"), str)
    except HFValidationError:  # a path, which cannot be a name
        return False


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
