"""No noise: a control for what a model gains from reading text and being updated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pseudogec.noise.method import METHODS, Operation, TextMethod, keep


@METHODS.register
class CopiedText(TextMethod):
    """A sentence and itself: the text and the updates of pseudo data, without the noise."""

    name = "copy"
    label = "Copied text"
    colour = "#9966FF"
    summary = "the sentence itself, without errors: a control"
    learns: ClassVar[bool] = False

    def draw(
        self, tokens: Sequence[str], learnt: None, random: np.random.Generator
    ) -> list[Operation]:
        return list(map(keep, tokens))
