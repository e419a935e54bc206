"""Reproduce the study in one command: ``python run_all.py [--profile classroom]``; see ``--help``."""

import sys

if __name__ == "__main__":
    # Not at the top: each worker process imports this file and needs nothing of it.
    from pseudogec.commands.run_all import main

    sys.exit(main())
