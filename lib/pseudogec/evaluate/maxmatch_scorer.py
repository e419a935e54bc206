"""The MaxMatch (M2) score of Dahlmeier and Ng (2012), as the scorer of the CoNLL shared tasks defines it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.evaluate.edit_lattice import EditLattice, GoldEdit
from pseudogec.evaluate.inputs import Tokens, check_hypotheses, check_references, describe_references
from pseudogec.evaluate.score import Score

MAX_UNCHANGED_WORDS = 2
_BETA_SQUARED = 0.25


class MaxMatchScorer:
    """Scores corrections by the edits that agree best with the references'.

    Of several annotators, the one that gives the corpus the highest F0.5 so far is taken for each sentence; then the one with
    more right edits, then the one with fewer proposed and gold edits.

    Args:
        references: annotated sentences; a sentence that nobody annotated counts as one without errors. Edits that only detect an
            error count as missed, as in the published scorer.
        reference_name: what the references are called in messages.
    """

    def __init__(self, references: Sequence[AnnotatedSentence], reference_name: str = "the reference") -> None:
        self._references = list(references)
        self._reference_name = reference_name
        check_references(self._references, reference_name)

    def score(self, hypotheses: Sequence[Tokens], *, name: str = "the hypothesis") -> Score:
        """Score tokenised corrections. Error types are not told apart: MaxMatch knows no types of proposed edits.

        Args:
            hypotheses: the tokens of each corrected sentence.
            name: what the hypotheses are called in messages.

        Raises:
            UserError: the numbers of sentences differ.
        """
        check_hypotheses([sentence.source for sentence in self._references], hypotheses, name, self._reference_name)
        correct, proposed, gold = 0, 0, 0
        rows = []
        for number, (reference, hypothesis) in enumerate(zip(self._references, hypotheses, strict=True)):
            candidates = _compare(reference, tuple(hypothesis))
            chosen = max(candidates, key=lambda counts: _preference(correct + counts[0], proposed + counts[1], gold + counts[2]))
            correct, proposed, gold = correct + chosen[0], proposed + chosen[1], gold + chosen[2]
            rows.append((number, "", chosen[0], chosen[1] - chosen[0], chosen[2] - chosen[0]))
        scorer = f"maxmatch:pseudogec{version('pseudogec')}|max_unchanged_words:{MAX_UNCHANGED_WORDS}"
        signature = f"{scorer}|tokens:as given|{describe_references(self._references)}"
        return Score.from_rows("maxmatch", signature, len(self._references), rows)


def _compare(reference: AnnotatedSentence, hypothesis: tuple[str, ...]) -> list[tuple[int, int, int]]:
    """Right, proposed and gold edits of one sentence against each annotator, in the order of their numbers."""
    annotations = [edits for _, edits in sorted(reference.annotators.items())] or [()]
    if hypothesis == reference.source:
        return [(0, 0, len(edits)) for edits in annotations]
    lattice = EditLattice(reference.source, hypothesis, MAX_UNCHANGED_WORDS)
    counts = []
    for edits in annotations:
        proposed, matched = lattice.best_path([_gold_edit(edit) for edit in edits])
        counts.append((_count_in_order(matched), proposed, len(edits)))
    return counts


def _gold_edit(edit: Edit) -> GoldEdit:
    return GoldEdit(edit.start, edit.end, tuple(tuple(correction.split()) for correction in edit.alternatives))


def _count_in_order(matched: Sequence[int]) -> int:
    """How many matched edits the published scorer counts: it reads the annotator's list once, from the first edit to the last."""
    count, next_number = 0, 0
    for number in matched:
        if number >= next_number:
            count, next_number = count + 1, number + 1
    return count


def _preference(correct: int, proposed: int, gold: int) -> tuple[float, int, float]:
    size = proposed + _BETA_SQUARED * gold
    return (1 + _BETA_SQUARED) * correct / size if size else 1.0, correct, -size
