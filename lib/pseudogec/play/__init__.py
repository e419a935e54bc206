"""Interactive cells: sentences are noised, searched and corrected at once, while sliders move and
people type.

Functions of `cells` give a `Panel`: widgets where a notebook is open, and the output of their first
values where it is only read. Nothing here trains: a message names missing models. `check` checks
the answer to an exercise.
"""

from pseudogec.play.cells import every_method, noise_sliders, own_text
from pseudogec.play.exercises import check
from pseudogec.play.panel import Panel

__all__ = ["Panel", "check", "every_method", "noise_sliders", "own_text"]
