"""fairseq's programs on today's Python, to compare with: ``python tests/helpers/fairseq_programs.py
train ARGUMENTS``.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from pseudogec.seq2seq import compat

FAIRSEQ = [sys.executable, str(Path(__file__))]
"""The words before a program's name, such as ``train`` or ``interactive``, and its arguments."""


def main(program: str, *arguments: str) -> None:
    """Run one of fairseq's programs."""
    compat.apply()
    sys.argv = [f"fairseq-{program}", *arguments]
    importlib.import_module(f"fairseq_cli.{program}").cli_main()


if __name__ == "__main__":
    main(*sys.argv[1:])
