"""Packages that only a part of the project needs: which extra of the installation has them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pseudogec.artefacts.errors import UserError

_MODULES = {
    "spelling": (
        "HanTa",
        "blingfire",
        "hunspell",
        "jellyfish",
        "lemminflect",
        "markdown_it",
        "wordfreq",
    ),
    "errant": ("errant", "spacy"),
    "study": tuple(
        "IPython ctranslate2 dask distributed fairseq matplotlib nbformat pandas papermill pooch "
        "psutil pyarrow regex requests "
        "rich safetensors seaborn sphinx subword_nmt torch zstandard".split()
    ),
}


@contextmanager
def naming_extras() -> Iterator[None]:
    """Say in one sentence what to install, where a package is missing.

    Raises:
        UserError: a package of an extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        for extra, modules in _MODULES.items():
            if package in modules:
                raise UserError(
                    f"{package} is not installed; in a clone of the project: pip "
                    f"install '.[{extra}]'"
                ) from None
        raise
