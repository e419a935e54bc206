"""Labels and colours of methods in tables and figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pseudogec.noise import METHODS, Method, SpellingErrors

BASELINE_COLOUR = "#000000"

_labels: dict[str, str] = {}
METHOD_COLOURS: dict[str, str] = {}
"""Name -> colour, in the order of legends: the baseline (``none``), a profile's methods, the
registered ones.
"""


def show_methods(entries: Mapping[str, Method]) -> None:
    """Set labels and colours of a profile's methods for all tables and figures of this process.

    A second entry of one class has its name in its label, such as ``Random noise (sparse)`` of
    ``random_sparse``, and no colour of its own.
    """
    _labels.clear()
    METHOD_COLOURS.clear()
    _labels["none"], METHOD_COLOURS["none"] = "Baseline", BASELINE_COLOUR
    for name, method in entries.items():
        label = label_of(method)
        _labels[name] = (
            f"{label} ({name.removeprefix(f'{method.known_as()}_')})"
            if label in _labels.values()
            else label
        )
        colour = method.colour_with_sse if method.sse_rate else method.colour
        if colour and colour not in METHOD_COLOURS.values():
            METHOD_COLOURS[name] = colour
    for kind in METHODS:
        _labels.setdefault(kind.name, kind.label)
        if kind.colour not in METHOD_COLOURS.values():
            METHOD_COLOURS.setdefault(kind.name, kind.colour)


def label_of(method: Method) -> str:
    on_top = method.sse_rate and not isinstance(method, SpellingErrors)
    return f"{method.label} + {SpellingErrors.label}" if on_top else method.label


def method_label(name: str) -> str:
    """The label of a profile's or a paper's name of a method, or of ``none``; an unknown name as
    :func:`readable` has it.
    """
    return _labels.get(name) or readable(name)


_WORDS = {
    "wi": "W&I",
    "fce": "FCE",
    "jfleg": "JFLEG",
    "conll": "CoNLL",
    "pretlarge": "PretLarge",
    "dae": "DAE",
    "ua": "UA",
    "gec": "GEC",
}
_WORDS |= {name: name.upper() for name in ("sse", "r2l", "sed", "lm")}


def readable(name: str) -> str:
    """A profile's name as people write it: ``pretlarge+sse`` is PretLarge + SSE, ``fce-test`` FCE
    test.
    """
    if name != name.lower():  # a name that a paper prints
        return name
    parts = re.split(r"[_ -]|(?<=.)(?=\+)|(?<=\+)", name)
    return re.sub(r"^\+ ", "+", " ".join(_WORDS.get(part, part) for part in parts if part))


def listed(names: Iterable[str]) -> str:
    return ", ".join(map(readable, dict.fromkeys(names)))


show_methods({})
