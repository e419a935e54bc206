"""The MaxMatch (M2) score of Dahlmeier and Ng (2012), as the scorer of the CoNLL shared tasks
defines it.

A lattice holds all alignments of source and hypothesis with the least Levenshtein distance (two
lattices are joined, with substitutions at costs 1 and 2). Adjacent steps with at most so many
unchanged words among them may be joined into one edit. Of all paths through the lattice the one
with most edits of the annotator is taken, then that with fewest steps beside these, then that with
fewest other edits.

The published scorer lists every edit that joining can make before it seeks the path, which takes
hours on long or repetitive sentences. Here joined edits are never listed: dynamic programming finds
the path, with the number of unchanged words in the open edit as state, so that time grows with the
product of both lengths. For a long hypothesis that is unlike its source, beyond `_MOST_CELLS` or
`_MOST_STEPS`, the runs of changes of one alignment are its edits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import Field
from rapidfuzz.distance import Levenshtein

from pseudogec import __version__
from pseudogec.edits import AnnotatedSentence, Annotator, Edit, SentenceProgress
from pseudogec.evaluate.gold import Gold
from pseudogec.evaluate.metric import METRICS, EditMetric, Score
from pseudogec.text import Tokens

_BETA_SQUARED = 0.25
_MOST_CELLS, _MOST_STEPS = 1_000_000, 50_000
"""Of a lattice, and of all annotators together: half a second. Sentences that learners write have
some hundreds of steps.
"""


@METRICS.register
class MaxMatch(EditMetric):
    """The edits between source and hypothesis that agree best with the references' edits.

    Of several annotators, the one that gives the corpus the highest F0.5 so far is taken for each
    sentence; then the one with more right edits, then the one with fewer proposed and gold edits.
    Edits that only detect an error (``-NONE-``) count as deletions, which a hypothesis mostly
    misses, as in the published scorer. There are no scores by type: proposed edits have no types in
    MaxMatch.
    """

    name = "maxmatch"
    also_called = ("m2",)
    label = "M2"

    max_unchanged_words: int = Field(
        default=2, ge=0, description="unchanged words that one edit may hold"
    )

    @property
    def implementation(self) -> str:
        return f"pseudogec{__version__}"

    def score(
        self,
        gold: Gold,
        hypotheses: Sequence[Tokens],
        annotator: Annotator | None = None,
        *,
        name: str = "the hypothesis",
        progress: SentenceProgress | None = None,
    ) -> Score:
        """Compare corrections with the references' edits; see `Metric.score`."""
        gold.check(hypotheses, name)
        correct = proposed = needed = beyond_bound = 0
        rows: list[tuple[int, str, int, int, int]] = []
        for number, (reference, hypothesis) in enumerate(
            zip(gold.sentences, hypotheses, strict=True)
        ):
            candidates, is_beyond = self._compare(reference, tuple(hypothesis))
            beyond_bound += is_beyond
            best = max(
                candidates,
                key=lambda counts: _preference(
                    correct + counts[0], proposed + counts[1], needed + counts[2]
                ),
            )
            correct, proposed, needed = correct + best[0], proposed + best[1], needed + best[2]
            rows.append((number, "", best[0], best[1] - best[0], best[2] - best[0]))
            if progress is not None:
                progress(number + 1, len(hypotheses))
        gold.warn_of_bound(beyond_bound, name)
        return Score.from_rows(self, self._signature(gold), len(rows), rows, beyond_bound)

    def _compare(
        self, reference: AnnotatedSentence, hypothesis: tuple[str, ...]
    ) -> tuple[list[tuple[int, int, int]], bool]:
        """Right, proposed and gold edits of one sentence against each annotator, in the order of
        their numbers; whether it is beyond the bound."""
        annotations = [edits for _, edits in sorted(reference.annotators.items())] or [()]
        if hypothesis == reference.source:
            return [(0, 0, len(edits)) for edits in annotations], False
        lattice = None
        if len(reference.source) * len(hypothesis) <= _MOST_CELLS:
            whole = EditLattice(reference.source, hypothesis, self.max_unchanged_words)
            lattice = whole if whole.steps * len(annotations) <= _MOST_STEPS else None
        counts = []
        for edits in annotations:
            gold = [_gold_edit(edit) for edit in edits]
            proposed, matched = (
                lattice.best_path(gold)
                if lattice
                else _plain_path(reference.source, hypothesis, gold)
            )
            counts.append((_count_in_order(matched), proposed, len(edits)))
        return counts, lattice is None


def _gold_edit(edit: Edit) -> GoldEdit:
    return GoldEdit(
        edit.start, edit.end, tuple(tuple(correction.split()) for correction in edit.alternatives)
    )


def _count_in_order(matched: Sequence[int]) -> int:
    """How many matched edits the published scorer counts: it reads the annotator's list once, from
    the first edit to the last.
    """
    count, next_number = 0, 0
    for number in matched:
        if number >= next_number:
            count, next_number = count + 1, number + 1
    return count


def _preference(correct: int, proposed: int, gold: int) -> tuple[float, int, float]:
    size = proposed + _BETA_SQUARED * gold
    return (1 + _BETA_SQUARED) * correct / size if size else 1.0, correct, -size


class GoldEdit(NamedTuple):
    """An annotator's edit: a span of the source and the corrections, as tokens, that are held
    equally good.
    """

    start: int
    end: int
    corrections: tuple[tuple[str, ...], ...]


class Agreement(NamedTuple):
    """The best path: its number of edits, and the places in the annotator's list of those that it
    shares with the annotator.
    """

    proposed: int
    matched: tuple[int, ...]


class _Path(NamedTuple):
    """The cost of a way to a vertex, compared from left to right, and the gold edits on it."""

    gold_edits: int
    """Negative, since more are better."""
    steps: int
    other_edits: int
    matched: tuple[int, ...] = ()


class _State(NamedTuple):
    """The state of a path, besides its vertex."""

    unchanged: int
    """Unchanged words in the open edit; ``_NO_EDIT`` when none is open."""
    insertions: int
    """The first of the annotator's insertions at this place of the source that is not yet
    behind.
    """


_NO_EDIT = -1
_States = dict[_State, _Path]


class EditLattice:
    """The alignments of least distance of a source and a hypothesis.

    A vertex says how many tokens of each have been read; from it, at most four steps lead on (keep,
    replace, delete, insert).
    """

    def __init__(self, source: Tokens, hypothesis: Tokens, max_unchanged_words: int = 2) -> None:
        self._source, self._hypothesis = tuple(source), tuple(hypothesis)
        self._max_unchanged = max_unchanged_words
        equal = _equal_tokens(self._source, self._hypothesis)
        first, second = (_shortest_steps(equal, cost) for cost in (1, 2))
        deletions, insertions, diagonals = (
            one | other for one, other in zip(first, second, strict=True)
        )
        self._delete, self._insert = deletions.tolist(), insertions.tolist()
        self._keep, self._replace = (diagonals & equal).tolist(), (diagonals & ~equal).tolist()
        self.steps = int(deletions.sum() + insertions.sum() + diagonals.sum())

    def best_path(self, gold: Sequence[GoldEdit]) -> Agreement:
        """The path that agrees best with an annotator's edits, which are given in the order of the
        file.
        """
        gold_at: dict[int, list[int]] = defaultdict(list)
        for number, edit in enumerate(gold):
            gold_at[edit.start].append(number)
        # By source position and then hypothesis position; every step leads to a later vertex.
        rows: list[dict[int, _States]] = [{} for _ in range(len(self._source) + 1)]
        rows[0][0] = {_State(_NO_EDIT, 0): _Path(0, 0, 0)}
        for i, row in enumerate(rows):
            for j in range(len(self._hypothesis) + 1):
                if j in row:
                    self._step(i, j, rows)
                    for state, path in list(row[j].items()):
                        if state.unchanged == _NO_EDIT:
                            self._step_over_gold(
                                i,
                                j,
                                state,
                                path,
                                [(number, gold[number]) for number in gold_at[i]],
                                rows,
                            )
        best = min(rows[-1][len(self._hypothesis)].values())
        return Agreement(best.other_edits + len(best.matched), best.matched)

    def _step(self, i: int, j: int, rows: list[dict[int, _States]]) -> None:
        states = rows[i][j]
        for state, path in list(states.items()):
            _offer(states, _State(_NO_EDIT, state.insertions), path)
        for state, path in states.items():
            is_open = state.unchanged != _NO_EDIT
            longer = path._replace(steps=path.steps + 1)
            if self._keep[i][j]:
                kept = state.unchanged + 1 if is_open else _NO_EDIT
                if kept <= self._max_unchanged:
                    _offer(rows[i + 1].setdefault(j + 1, {}), _State(kept, 0), longer)
            changed = longer if is_open else longer._replace(other_edits=path.other_edits + 1)
            unchanged = max(state.unchanged, 0)
            if self._replace[i][j]:
                _offer(rows[i + 1].setdefault(j + 1, {}), _State(unchanged, 0), changed)
            if self._delete[i][j]:
                _offer(rows[i + 1].setdefault(j, {}), _State(unchanged, 0), changed)
            if self._insert[i][j]:
                _offer(rows[i].setdefault(j + 1, {}), _State(unchanged, state.insertions), changed)

    def _step_over_gold(
        self,
        i: int,
        j: int,
        state: _State,
        path: _Path,
        gold: Sequence[tuple[int, GoldEdit]],
        rows: list[dict[int, _States]],
    ) -> None:
        """Follow the annotator's edits that start at a vertex; each insertion at most once, and in
        the annotator's order.
        """
        for number, edit in gold:
            is_insertion = edit.start == edit.end
            if is_insertion and number < state.insertions:
                continue
            for correction in edit.corrections:
                end = j + len(correction)
                if self._hypothesis[j:end] == correction and self._can_be_one_edit(
                    edit, correction, j
                ):
                    matched = path._replace(
                        gold_edits=path.gold_edits - 1, matched=(*path.matched, number)
                    )
                    _offer(
                        rows[edit.end].setdefault(end, {}),
                        _State(_NO_EDIT, number + 1 if is_insertion else 0),
                        matched,
                    )

    def _can_be_one_edit(self, edit: GoldEdit, correction: tuple[str, ...], j: int) -> bool:
        """Whether a path with few enough unchanged words makes this edit from hypothesis position j
        on.
        """
        if correction == self._source[edit.start : edit.end]:
            return False
        fewest = {(edit.start, j): 0}
        for row in range(edit.start, edit.end + 1):
            for column in range(j, j + len(correction) + 1):
                unchanged = fewest.get((row, column))
                if unchanged is None:
                    continue
                for vertex, cost in self._steps_within(row, column):
                    fewest[vertex] = min(fewest.get(vertex, unchanged + cost), unchanged + cost)
        return (
            fewest.get((edit.end, j + len(correction)), self._max_unchanged + 1)
            <= self._max_unchanged
        )

    def _steps_within(self, i: int, j: int) -> Iterator[tuple[tuple[int, int], int]]:
        """The vertices one step away, and whether the step keeps a word unchanged (1) or not
        (0).
        """
        if self._keep[i][j] or self._replace[i][j]:
            yield (i + 1, j + 1), int(self._keep[i][j])
        if self._delete[i][j]:
            yield (i + 1, j), 0
        if self._insert[i][j]:
            yield (i, j + 1), 0


def _plain_path(source: Tokens, hypothesis: Tokens, gold: Sequence[GoldEdit]) -> Agreement:
    proposed, matched = 0, []
    end = end_there = 0
    for start, start_there, length in Levenshtein.opcodes(source, hypothesis).as_matching_blocks():
        if (start, start_there) != (end, end_there):
            proposed += 1
            correction = tuple(hypothesis[end_there:start_there])
            same = (
                edit.start == end and edit.end == start and correction in edit.corrections
                for edit in gold
            )
            matched += [number for number, is_same in enumerate(same) if is_same][:1]
        end, end_there = start + length, start_there + length
    return Agreement(proposed, tuple(matched))


def _offer(states: _States, state: _State, path: _Path) -> None:
    known = states.get(state)
    if known is None or path < known:
        states[state] = path


def _equal_tokens(source: Tokens, hypothesis: Tokens) -> np.ndarray:
    """Which tokens are equal, (source length + 1, hypothesis length + 1); the last row and column
    are false.
    """
    first, second = (np.array(tokens, dtype=object) for tokens in (source, hypothesis))
    equal = np.zeros((len(source) + 1, len(hypothesis) + 1), dtype=bool)
    equal[:-1, :-1] = first[:, None] == second
    return equal


def _shortest_steps(
    equal: np.ndarray, substitution_cost: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """From which vertices a deletion, an insertion, a diagonal step lies on a shortest path; each
    of ``equal``'s shape.
    """
    before = _distances(equal[:-1, :-1], substitution_cost)
    behind = _distances(equal[-2::-1, -2::-1], substitution_cost)[::-1, ::-1]
    least = before[-1, -1]
    deletions, insertions, diagonals = (np.zeros_like(equal) for _ in range(3))
    deletions[:-1] = before[:-1] + 1 + behind[1:] == least
    insertions[:, :-1] = before[:, :-1] + 1 + behind[:, 1:] == least
    cost = np.where(equal[:-1, :-1], 0, substitution_cost)
    diagonals[:-1, :-1] = before[:-1, :-1] + cost + behind[1:, 1:] == least
    return deletions, insertions, diagonals


def _distances(equal: np.ndarray, substitution_cost: int) -> np.ndarray:
    """Levenshtein distances of all prefixes, (source length + 1, hypothesis length + 1)."""
    positions = np.arange(equal.shape[1] + 1)
    rows = [positions]
    for equal_row in equal:
        above = rows[-1]
        row = above + 1
        row[1:] = np.minimum(row[1:], above[:-1] + np.where(equal_row, 0, substitution_cost))
        # Insertions run along the row: the least of each earlier cost plus the distance to it.
        rows.append(np.minimum.accumulate(row - positions) + positions)
    return np.array(rows)
