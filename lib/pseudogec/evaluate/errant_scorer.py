"""ERRANT's scores (Bryant et al. 2017), by the definition of its ``errant_compare``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Literal, get_args

from artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence, Annotator, Edit
from pseudogec.evaluate.inputs import Tokens, check_hypotheses, check_references, describe_references
from pseudogec.evaluate.score import Score, precision_recall_f05

Mode = Literal["span_correction", "span_detection", "token_detection"]

Key = tuple[int, int, str]
"""What must agree for an edit to be right: span and correction, or span alone with empty text."""
Keyed = Mapping[Key, Sequence[str]]
"""Error types of the edits of one annotator, by key."""
Counts = tuple[int, int, int]
"""True positives, false positives, false negatives."""


class ErrantScorer:
    """Scores corrections against edits.

    Of several references, the one that gives the corpus the highest F0.5 so far is taken for each sentence, as ``errant_compare``
    does: higher F0.5 rounded to 4 decimals, then more true positives, fewer false positives, fewer false negatives.

    Args:
        references: annotated sentences; a sentence that nobody annotated counts as one without errors.
        annotator: finds the hypotheses' edits; not needed where edits are given.
        reference_name: what the references are called in messages.
    """

    def __init__(
        self,
        references: Sequence[AnnotatedSentence],
        annotator: Annotator | None = None,
        reference_name: str = "the reference",
    ) -> None:
        self._references = list(references)
        self._annotator = annotator
        self._reference_name = reference_name
        check_references(self._references, reference_name)

    def score(
        self, hypotheses: Sequence[Tokens], mode: Mode = "span_correction", *, workers: int = 1, name: str = "the hypothesis"
    ) -> Score:
        """Find the edits of tokenised corrections and score them.

        Args:
            hypotheses: the tokens of each corrected sentence.
            mode: what counts as right: ``span_correction`` (span and correction agree), ``span_detection`` (the span agrees) or
                ``token_detection`` (each token that an edit touches counts).
            workers: processes for the search of edits.
            name: what the hypotheses are called in messages.

        Raises:
            UserError: there is no annotator, or the numbers of sentences differ.
        """
        if self._annotator is None:
            raise UserError("this scorer has no annotator, so it can only compare edits; give it one from load_annotator")
        sources = [sentence.source for sentence in self._references]
        check_hypotheses(sources, hypotheses, name, self._reference_name)
        edits = self._annotator.annotate(sources, hypotheses, workers=workers)
        return self._compare(edits, mode, self._annotator.signature)

    def compare(
        self, hypothesis_edits: Sequence[Sequence[Edit]], mode: Mode = "span_correction", *, name: str = "the hypothesis"
    ) -> Score:
        """Score edits that are given, such as those of an M2 file.

        Raises:
            UserError: the numbers of sentences differ.
        """
        if len(hypothesis_edits) != len(self._references):
            raise UserError(
                f"{name} has {len(hypothesis_edits)} sentences and {self._reference_name} has {len(self._references)}; "
                "line for line they must correspond"
            )
        return self._compare(hypothesis_edits, mode, "given")

    def _compare(self, hypothesis_edits: Sequence[Sequence[Edit]], mode: Mode, annotator: str) -> Score:
        if mode not in get_args(Mode):
            raise UserError(f"no mode is called {mode!r}; choose one of {', '.join(get_args(Mode))}")
        totals = (0, 0, 0)
        rows: list[tuple[int, str, int, int, int]] = []
        for number, (edits, reference) in enumerate(zip(hypothesis_edits, self._references, strict=True)):
            hypothesis = _by_key(edits, mode)
            annotations = [_by_key(annotation, mode) for annotation in reference.annotators.values()] or [{}]
            candidates = [_count(hypothesis, annotation) for annotation in annotations]
            # max keeps the first of equals, as errant_compare does.
            counts, by_type = max(candidates, key=lambda candidate: _preference(candidate[0], totals))
            totals = _sum(totals, counts)
            rows.extend((number, error_type, *type_counts) for error_type, type_counts in by_type.items())
        scorer = f"errant:{version('errant')}|mode:{mode}|annotator:{annotator}"
        signature = f"{scorer}|tokens:as given|{describe_references(self._references)}"
        return Score.from_rows("errant", signature, len(self._references), rows)


def _by_key(edits: Sequence[Edit], mode: Mode) -> dict[Key, list[str]]:
    """Error types by what the mode compares. Edits that only detect an error take no part in correction."""
    keyed: dict[Key, list[str]] = {}
    for edit in edits:
        if mode == "span_correction":
            keys = [] if edit.type == "UNK" else [(edit.start, edit.end, edit.correction)]
        elif mode == "span_detection":
            keys = [(edit.start, edit.end, "")]
        else:
            # An insertion touches the token on its right.
            keys = [(token, token + 1, "") for token in range(edit.start, max(edit.end, edit.start + 1))]
        for key in keys:
            keyed.setdefault(key, []).append(edit.type)
    return keyed


def _count(hypothesis: Keyed, reference: Keyed) -> tuple[Counts, dict[str, Counts]]:
    """Counts of one sentence against one annotator: in all, and by error type."""
    by_type: dict[str, Counts] = {}
    tallies: list[tuple[str, Counts]] = []
    for key, types in hypothesis.items():
        if key in reference:
            tallies.extend((error_type, (1, 0, 0)) for error_type in reference[key])
        else:
            tallies.extend((error_type, (0, 1, 0)) for error_type in types)
    for key, types in reference.items():
        if key not in hypothesis:
            tallies.extend((error_type, (0, 0, 1)) for error_type in types)
    total = (0, 0, 0)
    for error_type, counts in tallies:
        by_type[error_type] = _sum(by_type.get(error_type, (0, 0, 0)), counts)
        total = _sum(total, counts)
    return total, by_type


def _preference(counts: Counts, before: Counts) -> tuple[float, int, int, int]:
    """How much ``errant_compare`` likes these counts after those of the sentences before."""
    f05 = float(precision_recall_f05(*_sum(before, counts))[2])
    tp, fp, fn = counts
    return round(f05, 4), tp, -fp, -fn


def _sum(first: Counts, second: Counts) -> Counts:
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]
