"""ERRANT's scores (Bryant et al. 2017), by the definition of its ``errant_compare``."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from importlib.metadata import version
from typing import Literal

from pydantic import Field

from pseudogec.artefacts.errors import UserError
from pseudogec.edits import Annotator, Edit, SentenceProgress
from pseudogec.evaluate.gold import Gold
from pseudogec.evaluate.metric import METRICS, EditMetric, Score, precision_recall_f05
from pseudogec.text import Tokens

Mode = Literal["span_correction", "span_detection", "token_detection"]

Key = tuple[int, int, str]
"""The part of an edit that must agree for it to be right: span and correction, or the span alone
with empty text.
"""
Keyed = Mapping[Key, Sequence[str]]
"""Error types of the edits of one annotator, by key."""
Counts = tuple[int, int, int]
"""True positives, false positives, false negatives."""


@METRICS.register
class Errant(EditMetric):
    """Edits that ERRANT finds in the hypotheses, compared with the references' edits.

    Of several references, the one that gives the corpus the highest F0.5 so far is taken for each
    sentence, as ``errant_compare`` does: higher F0.5 rounded to 4 decimals, then more true
    positives, fewer false positives, fewer false negatives.
    """

    name = "errant"
    label = "ERRANT"
    needs_annotator = True
    knows_types = True

    mode: Mode = Field(
        default="span_correction",
        description="what counts as right: `span_correction` (span and correction agree), "
        "`span_detection` (the span agrees) or "
        "`token_detection` (each token that an edit touches counts)",
    )

    @property
    def implementation(self) -> str:
        return version("errant")

    def score(
        self,
        gold: Gold,
        hypotheses: Sequence[Tokens],
        annotator: Annotator | None = None,
        *,
        name: str = "the hypothesis",
        progress: SentenceProgress | None = None,
    ) -> Score:
        """Find the edits of corrections and score them; see `Metric.score`."""
        if annotator is None:
            raise UserError(
                "ERRANT needs an annotator to find the edits of hypotheses; give it "
                "one from load_annotator"
            )
        gold.check(hypotheses, name)
        edits = annotator.annotate(gold.sources, hypotheses, progress)
        beyond_bound = annotator.beyond_bound(gold.sources, hypotheses)
        gold.warn_of_bound(beyond_bound, name)
        types = {
            edit.type
            for sentence in gold.sentences
            for edits in sentence.annotators.values()
            for edit in edits
        }
        if types == {"UNK"} and self.mode == "span_correction":
            remark = (
                "has no edits but UNK, errors without a correction, which ERRANT leaves out: "
                "each correction counts as wrong"
            )
            warnings.warn(f"{gold.name} {remark}", stacklevel=2)
        return self._compare(gold, edits, annotator.signature, beyond_bound)

    def compare(
        self, gold: Gold, edits: Sequence[Sequence[Edit]], *, name: str = "the hypothesis"
    ) -> Score:
        """Score edits that are given, such as those of an M2 file.

        Raises:
            UserError: the numbers of sentences differ.
        """
        gold.check_length(len(edits), name)
        return self._compare(gold, edits, "given")

    def _compare(
        self,
        gold: Gold,
        hypothesis_edits: Sequence[Sequence[Edit]],
        annotator: str,
        beyond_bound: int = 0,
    ) -> Score:
        totals = (0, 0, 0)
        rows: list[tuple[int, str, int, int, int]] = []
        for number, (edits, reference) in enumerate(
            zip(hypothesis_edits, gold.sentences, strict=True)
        ):
            hypothesis = _by_key(edits, self.mode)
            annotations = [
                _by_key(annotation, self.mode) for annotation in reference.annotators.values()
            ] or [{}]
            candidates = [_count(hypothesis, annotation) for annotation in annotations]
            counts, by_type = candidates[0]
            if len(candidates) > 1:  # max keeps the first of equals, as errant_compare does
                counts, by_type = max(
                    candidates, key=lambda candidate: _preference(candidate[0], totals)
                )
            totals = _sum(totals, counts)
            rows.extend(
                (number, error_type, *type_counts) for error_type, type_counts in by_type.items()
            )
        return Score.from_rows(
            self, self._signature(gold, annotator), len(gold.sentences), rows, beyond_bound
        )


ERRANT = Errant()
"""The metric of all tables, for the first test set and for tuning."""


def _by_key(edits: Sequence[Edit], mode: Mode) -> dict[Key, list[str]]:
    """Error types by the parts that the mode compares; edits that only detect an error are ignored
    in correction.
    """
    keyed: dict[Key, list[str]] = {}
    for edit in edits:
        if mode == "span_correction":
            keys = [] if edit.type == "UNK" else [(edit.start, edit.end, edit.correction)]
        elif mode == "span_detection":
            keys = [(edit.start, edit.end, "")]
        else:
            # An insertion touches the token on its right.
            keys = [
                (token, token + 1, "") for token in range(edit.start, max(edit.end, edit.start + 1))
            ]
        for key in keys:
            keyed.setdefault(key, []).append(edit.type)
    return keyed


def _count(hypothesis: Keyed, reference: Keyed) -> tuple[Counts, dict[str, Counts]]:
    made = Counter(
        (error_type, key in reference)
        for key, types in hypothesis.items()
        for error_type in reference.get(key, types)
    )
    missed = Counter(
        error_type
        for key, types in reference.items()
        if key not in hypothesis
        for error_type in types
    )
    by_type = {
        error_type: (made[error_type, True], made[error_type, False], missed[error_type])
        for error_type in [*(error_type for error_type, _ in made), *missed]
    }
    return reduce(_sum, by_type.values(), (0, 0, 0)), by_type


def _preference(counts: Counts, before: Counts) -> tuple[float, int, int, int]:
    f05 = float(precision_recall_f05(*_sum(before, counts))[2])
    tp, fp, fn = counts
    return round(f05, 4), tp, -fp, -fn


def _sum(first: Counts, second: Counts) -> Counts:
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]
