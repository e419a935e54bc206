"""How similar corrected sentences are to those of Write & Improve (W&I): lengths, edits and error
types.

``wi_statistics.csv`` holds W&I's numbers by level, of train and dev together, and no sentence of
it. Its edits are those that the offline annotator finds between source and target, not those of its
own M2 files, since types of different annotators cannot be compared. ``python
tests/bench/fit_learners.py measure FOLDER`` writes the file again from the corpus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pseudogec.edits import DETECTION_TYPES, AnnotatedSentence, type_distance
from pseudogec.evaluate.error_types import main_type

LENGTHS = (
    "tokens a sentence",
    "without edits",
    "edits a token",
    "tokens of an edit",
    "tokens of a correction",
)
"""The statistics whose aim is a tenth: the mean length of the source, the share of sentences
without edits, all edits over all tokens, and the mean numbers of tokens that an edit replaces and
writes."""

_QUANTILES = (5, 25, 50, 75, 95)
_TYPE = "type "


@dataclass(frozen=True)
class TextStatistics:
    # ``LENGTHS``, ``sentences``, ``edits``, and quantiles of the tokens a sentence, by name
    values: Mapping[str, float]
    types: Mapping[str, int]  # main ERRANT type -> number of its edits

    @classmethod
    def of(cls, sentences: Iterable[AnnotatedSentence]) -> TextStatistics:
        """Measure sentences by the edits of their first annotators; masked sentences suffice.

        Raises:
            ValueError: there is no edit.
        """
        tokens, counts, replaced, written = [], [], [], []
        types: Counter[str] = Counter()
        for sentence in sentences:
            edits = [
                edit for edit in sentence.annotators.get(0, ()) if edit.type not in DETECTION_TYPES
            ]
            tokens.append(len(sentence.source))
            counts.append(len(edits))
            replaced += [edit.end - edit.start for edit in edits]
            written += [len(edit.correction.split()) for edit in edits]
            types.update(main_type(edit.type) for edit in edits)
        if not replaced:
            raise ValueError("sentences without edits have no statistics of edits")
        means = (
            np.mean(tokens),
            np.mean(np.equal(counts, 0)),
            sum(counts) / sum(tokens),
            np.mean(replaced),
            np.mean(written),
        )
        quantiles = zip(
            (f"tokens a sentence, {share}%" for share in _QUANTILES),
            np.percentile(tokens, _QUANTILES),
            strict=True,
        )
        sizes = {"sentences": len(tokens), "edits": sum(counts)}
        values = {**sizes, **dict(zip(LENGTHS, means, strict=True)), **dict(quantiles)}
        return cls(
            {name: float(value) for name, value in values.items()}, dict(types.most_common())
        )

    def distance(self, other: TextStatistics) -> float:
        """Jensen-Shannon distance (base 2: 0 to 1) between the distributions of main error
        types.
        """
        return type_distance(self.types, other.types)

    def yardstick(self, edits: int, draws: int = 50) -> float:
        """The mean distance of these types from a sample of so many edits that is drawn from them
        at random.

        The distance is due to chance; samples of few edits have a large one.
        """
        names, counts = list(self.types), np.array(list(self.types.values()), dtype=float)
        samples = np.random.default_rng(1).multinomial(edits, counts / counts.sum(), size=draws)
        return float(
            np.mean(
                [
                    type_distance(dict(zip(names, each.tolist(), strict=True)), self.types)
                    for each in samples
                ]
            )
        )


def wi_statistics() -> dict[str, TextStatistics]:
    """W&I's statistics by level (A, B, C)."""
    import pandas as pd

    table = pd.read_csv(Path(__file__).with_name("wi_statistics.csv"), index_col="statistic")
    is_type = table.index.str.startswith(_TYPE)
    types = table[is_type].rename(lambda name: name.removeprefix(_TYPE)).astype(int).to_dict()
    values = table[~is_type].to_dict()
    return {str(level): TextStatistics(values[level], types[level]) for level in values}
