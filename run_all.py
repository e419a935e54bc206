"""Reproduce the study: ``python run_all.py [--profile classroom]``; see ``--help``."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

if __name__ == "__main__":
    if find_spec("pseudogec") is None:  # another Python than the environment's
        own = Path(__file__).with_name(".venv") / "bin" / "python"
        if not own.exists():
            sys.exit("the environment is missing; `make env` sets it up")
        os.execv(own, [str(own), *sys.argv])
    # Not at the top: each worker process imports this file and needs nothing of it.
    from pseudogec.commands.run_all import main

    sys.exit(main())
