"""How many edits correct a text, and of which error types: what a corpus or a noising method is known by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pseudogec.edits.edit import Edit


@dataclass(frozen=True)
class EditProfile:
    """Counts over an ungrammatical text and its edits.

    Attributes:
        sentences: how many sentences.
        tokens: how many tokens they have, errors included.
        edits: how many edits correct them.
        types: ERRANT type to how many edits are of it, the most frequent first.
    """

    sentences: int
    tokens: int
    edits: int
    types: dict[str, int]

    @classmethod
    def of(cls, text: Iterable[tuple[Sequence[str], Sequence[Edit]]]) -> EditProfile:
        """Count the edits of a text, read once.

        Args:
            text: each ungrammatical sentence with its edits.
        """
        sentences = tokens = 0
        types: Counter[str] = Counter()
        for source, edits in text:
            sentences += 1
            tokens += len(source)
            types.update(edit.type for edit in edits)
        return cls(sentences, tokens, types.total(), dict(types.most_common()))

    @property
    def edits_per_token(self) -> float:
        """Edits per token of the ungrammatical text."""
        return self.edits / self.tokens if self.tokens else 0.0


def type_distance(first: Mapping[str, int], second: Mapping[str, int]) -> float:
    """Jensen-Shannon distance (base 2) of two distributions of error types: 0 for equal ones, 1 for those that share no type.

    Not a number where a text has no edits, and so no distribution.

    Args:
        first: type to count.
        second: the same of the other text.
    """
    import numpy as np
    from scipy.spatial.distance import jensenshannon

    if not (first and second):
        return float("nan")
    types = sorted({*first, *second})
    counts = [np.array([text.get(name, 0) for name in types], dtype=float) for text in (first, second)]
    return float(jensenshannon(counts[0], counts[1], base=2))
