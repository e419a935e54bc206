"""The names of the profiles in ``params/``, for tests of each."""

import pytest

from pseudogec.study import PROJECT

FULL_SCALE = ("choe2019", "paper", "paper-emnlp2019")
"""Planning one takes seconds."""

NAMES = sorted({path.stem for path in (PROJECT / "params").glob("*.yaml")} - {"design"})
SHIPPED = [
    pytest.param(name, marks=pytest.mark.slow) if name in FULL_SCALE else name for name in NAMES
]
