"""The programs: each parses its arguments and calls the stages."""

import sys

# jsonschema, which nbformat imports, would take a second or two to compile a grammar of internationalised addresses, and no
# notebook has such an address. Without this module it leaves that check out.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
