"""Reproduce the study in one command: ``python run_all.py [--profile classroom]``; see ``--help``."""

import sys

from pseudogec.commands.run_all import main

if __name__ == "__main__":
    sys.exit(main())
