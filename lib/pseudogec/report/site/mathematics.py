"""LaTeX formulas as MathML, which browsers draw by themselves, without a script or a network."""

from __future__ import annotations

import re
from html import escape

_KNOWN_OTHERWISE = {
    r"\arg": r"\operatorname{arg}",
    r"\textsc": r"\text",
}
"""Commands that the converter does not know -> what stands for them."""

_LONG = 60
"""Characters of LaTeX from which a formula within a line may be wider than a small screen, and scrolls by itself."""

_COMMAND = re.compile(r"\\[A-Za-z]+")

_UNREAD = re.compile(rf'{_COMMAND.pattern}|<mi>&</mi>|linebreak="newline"')
"""What the converter leaves of commands and environments (``aligned``) that it does not know; no browser breaks such lines."""


def mathml(formula: str, block: bool) -> str:
    """A formula as MathML; as code where it cannot be converted.

    Args:
        formula: LaTeX, without the dollars around it.
        block: whether it stands on lines of its own.
    """
    from latex2mathml.converter import convert

    known = _COMMAND.sub(lambda command: _KNOWN_OTHERWISE.get(command[0], command[0]), formula.strip())
    try:
        converted = convert(known, display="block" if block else "inline")
    except Exception:  # whatever a typing error in a formula may lead to
        converted = None
    if converted is None or _UNREAD.search(converted):
        return f"<code class='formula'>{escape(formula.strip())}</code>"
    if block:
        return f"<div class='formula' tabindex='0' role='group' aria-label='Formula'>{converted}</div>"
    if len(formula) > _LONG:
        return f"<span class='formula long' tabindex='0' role='group' aria-label='Formula'>{converted}</span>"
    return converted
