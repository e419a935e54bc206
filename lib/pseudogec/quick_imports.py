"""What other packages import at length and nothing here needs."""

from __future__ import annotations

import sys


def skip_address_grammars() -> None:
    """Have jsonschema do without the grammars of web addresses, before it is first imported.

    Jupyter brings `rfc3987_syntax`, from which jsonschema then builds 38 grammars: two seconds of every process that reads a
    notebook. They check the formats of addresses, which no schema of notebooks asks for.
    """
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # how Python says that a module cannot be imported
