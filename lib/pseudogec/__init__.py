"""A reproducible study of pseudo data for grammatical error correction (GEC).

Other programs import `noised`, `score`, `compare` and `corrected` (`pseudogec.api`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pseudogec.api import compare, corrected, noised, score

__all__ = ["__version__", "compare", "corrected", "noised", "score"]
__version__ = "0.1.0"

METADATA = "pseudogec"
"""Key of our metadata of a notebook's output: ``figure`` and ``caption``, ``caption_of``, or
``while_running``.
"""


def __getattr__(name: str) -> Any:
    """The public functions, imported when they are first asked for: most parts of the project need
    none of them.
    """
    if name in __all__:
        from pseudogec import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
