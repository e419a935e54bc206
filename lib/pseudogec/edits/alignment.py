"""ERRANT's token alignment, computed faster.

The definition is ERRANT's (Felice et al. 2016: Damerau-Levenshtein distance with a linguistic
substitution cost); only the computation differs, and a test compares the two. ERRANT gets a new
token object from spaCy for every comparison and sorts both windows for every possible
transposition; here each attribute is read once for each token, all substitution costs come from one
call of RapidFuzz, windows are compared by counting, and equal tokens at both ends are skipped where
that is safe.

The time is bounded, for outputs of models that have hardly learnt. Few pairs of real sentences come
near the bounds; beyond them tokens are aligned by plain Levenshtein distance, and a long run of
changes is merged in pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, groupby

import numpy as np
from errant.alignment import Alignment
from rapidfuzz.distance import Indel, Levenshtein
from rapidfuzz.process import cdist
from spacy.attrs import LEMMA, LOWER, ORTH, POS
from spacy.tokens import Doc

Step = tuple[str, int, int, int, int]
"""One step of an alignment: operation (M, S, D, I, T2, T3, ...), source start and end, target start
and end.
"""

_CHANGES = frozenset("SDI")

_MOST_WORK = 500_000
"""Cells of the matrices and steps of the search for transpositions: a third of a second."""
_LONGEST_RUN, _PIECE = 40, 10
"""Changes in a row that ERRANT's rules merge in a fifth of a second; of a longer run, changes that
they merge at once.

The time of the rules grows with the fourth power of a run's length, and several runs share one such
time.
"""

_LEMMA_COST, _OPEN_CLASS_COST, _OTHER_CLASS_COST = 0.499, 0.25, 0.5


class FastAlignment(Alignment):
    """The alignment of two parsed sentences; ``align_seq`` equals that of ERRANT's own class.

    The cost and operation matrices cover only what lies between ``shared_start`` and
    ``shared_end``, the numbers of tokens left out at both ends.
    """

    beyond_bound: bool = False
    """Whether the time was bounded, so that ERRANT's own edits may be others."""

    def align(self, lev: bool) -> tuple[list[list[float]], list[list[str]]]:
        """Fill the cost and operation matrices of the part in which the sentences differ.

        Raises:
            ValueError: plain Levenshtein costs (ERRANT's ``-lev``) were asked for, which this study
                never uses.
        """
        if lev:
            raise ValueError("only ERRANT's default costs are computed here")
        source_orths, target_orths = (
            self.orig.to_array(ORTH).tolist(),
            self.cor.to_array(ORTH).tolist(),
        )
        source_lower, target_lower = (
            self.orig.to_array(LOWER).tolist(),
            self.cor.to_array(LOWER).tolist(),
        )
        self.shared_end = _shared_end(source_orths, target_orths)
        self.shared_start = _shared_start(
            source_lower, target_lower, source_orths, target_orths, self.shared_end
        )
        source = slice(self.shared_start, len(source_orths) - self.shared_end)
        target = slice(self.shared_start, len(target_orths) - self.shared_end)
        filled = None
        if len(source_orths[source]) * len(target_orths[target]) <= _MOST_WORK:
            substitution = _substitution_costs(self.orig, self.cor, source, target)
            filled = _fill(
                source_orths[source],
                target_orths[target],
                source_lower[source],
                target_lower[target],
                substitution,
            )
        self.beyond_bound = filled is None
        return filled or ([], [])

    def get_cheapest_align_seq(self) -> list[Step]:
        if self.beyond_bound:
            return list(
                _plain_steps(self.orig.to_array(ORTH).tolist(), self.cor.to_array(ORTH).tolist())
            )
        shift = self.shared_start
        middle = [
            (step[0], *(offset + shift for offset in step[1:]))
            for step in super().get_cheapest_align_seq()
        ]
        start = [("M", i, i + 1, i, i + 1) for i in range(shift)]
        behind = zip(range(-self.shared_end, 0), range(-self.shared_end, 0), strict=True)
        end = [(len(self.orig) + i, len(self.cor) + j) for i, j in behind]
        return [*start, *middle, *(("M", i, i + 1, j, j + 1) for i, j in end)]

    def parts(self) -> list[list[Step]]:
        """The steps in parts that are merged one after the other: all together or, beyond the
        bound, in pieces.
        """
        grouped = [
            (is_run, list(steps))
            for is_run, steps in groupby(self.align_seq, lambda step: step[0] in _CHANGES)
        ]
        # The rules merge a run of insertions alone, or of deletions, at once.
        long = (
            len(run)
            for is_run, run in grouped
            if is_run and {step[0] for step in run} not in ({"D"}, {"I"})
        )
        if sum(length**4 for length in long) <= _LONGEST_RUN**4:
            return [self.align_seq]
        self.beyond_bound = True
        return [
            steps[first : first + _PIECE]
            for _, steps in grouped
            for first in range(0, len(steps), _PIECE)
        ]


def _shared_end(source: list[int], target: list[int]) -> int:
    """The number of equal last tokens.

    ERRANT always matches equal tokens, and seeks its steps from the end, so these matches are
    certain.
    """
    length = 0
    while length < min(len(source), len(target)) and source[-1 - length] == target[-1 - length]:
        length += 1
    return length


def _shared_start(
    source_lower: list[int],
    target_lower: list[int],
    source: list[int],
    target: list[int],
    shared_end: int,
) -> int:
    """The number of first tokens that may be matched without changing any step after them.

    These are equal tokens none of which occurs again, in upper or lower case, before the shared
    end: without a second partner, no match, transposition or free change of case can cross them,
    and every other path costs more.
    """
    equal = 0
    while equal < min(len(source), len(target)) - shared_end and source[equal] == target[equal]:
        equal += 1
    last_place = {
        word: place for place, word in enumerate(source_lower[: len(source) - shared_end])
    }
    for place, word in enumerate(target_lower[: len(target) - shared_end]):
        last_place[word] = max(place, last_place.get(word, 0))
    reach = accumulate((last_place[word] for word in source_lower[:equal]), max)
    return max(
        (length for length, furthest in enumerate(reach, start=1) if furthest < length), default=0
    )


def _substitution_costs(
    source: Doc, target: Doc, in_source: slice, in_target: slice
) -> list[list[float]]:
    """The cost of replacing each source token by each target token: 0 for a change of case only."""
    source_lemma, source_pos, source_lower = source.to_array([LEMMA, POS, LOWER])[in_source].T[
        :, :, None
    ]
    target_lemma, target_pos, target_lower = target.to_array([LEMMA, POS, LOWER])[in_target].T[
        :, None, :
    ]
    open_classes = list(Alignment._open_pos)
    both_open = np.isin(source_pos, open_classes) & np.isin(target_pos, open_classes)
    lemma_cost = np.where(source_lemma == target_lemma, 0.0, _LEMMA_COST)
    pos_cost = np.where(
        source_pos == target_pos, 0.0, np.where(both_open, _OPEN_CLASS_COST, _OTHER_CLASS_COST)
    )
    source_texts, target_texts = (
        [token.text for token in source[in_source]],
        [token.text for token in target[in_target]],
    )
    letters = cdist(source_texts, target_texts, scorer=Indel.normalized_distance, dtype=np.float64)
    return np.where(source_lower == target_lower, 0.0, lemma_cost + pos_cost + letters).tolist()


def _fill(
    source: list[int],
    target: list[int],
    source_lower: list[int],
    target_lower: list[int],
    substitution: list[list[float]],
) -> tuple[list[list[float]], list[list[str]]] | None:
    """Cost and operation matrices, each (source length + 1) x (target length + 1), from token ids
    and substitution costs.

    None if that is too much work.
    """
    first_in_source = {word: place for place, word in reversed([*enumerate(source_lower)])}
    first_in_target = {word: place for place, word in reversed([*enumerate(target_lower)])}
    nowhere = len(source) + len(target)
    target_partners = [first_in_source.get(word, nowhere) for word in target_lower]
    work = len(source) * len(target)
    above = [float(j) for j in range(len(target) + 1)]
    costs, operations = [above], [["O", *["I"] * len(target)]]
    for i, orth in enumerate(source):
        row, row_operations = [i + 1.0], ["D"]
        costs.append(row)
        row_substitution = substitution[i]
        partner = first_in_target.get(source_lower[i], nowhere)
        for j, target_orth in enumerate(target):
            if orth == target_orth:
                row.append(above[j])
                row_operations.append("M")
                continue
            # Ties go to a transposition, then a substitution, an insertion, a deletion.
            cost, operation = above[j] + row_substitution[j], "S"
            if row[j] + 1 < cost:
                cost, operation = row[j] + 1, "I"
            if above[j + 1] + 1 < cost:
                cost, operation = above[j + 1] + 1, "D"
            if partner <= j and target_partners[j] <= i:
                shift, steps = _transposition(costs, source_lower, target_lower, i, j)
                work += steps
                if shift and costs[i - shift][j - shift] + shift <= cost:
                    cost, operation = costs[i - shift][j - shift] + shift, f"T{shift + 1}"
            row.append(cost)
            row_operations.append(operation)
        operations.append(row_operations)
        above = row
        if work > _MOST_WORK:
            return None
    return costs, operations


def _transposition(
    costs: list[list[float]], source: list[int], target: list[int], i: int, j: int
) -> tuple[int, int]:
    """The length of the shortest window before source token i and target token j with the same
    words on both sides, and the work.

    The length is 0 when there is none. As in ERRANT, windows have at least 2 tokens and do not
    extend beyond a match, where the cost stays the same on the diagonal.
    """
    surplus: dict[int, int] = {}
    unbalanced = 0
    shift = 0
    while True:
        for word, step in ((source[i - shift], 1), (target[j - shift], -1)):
            before = surplus.get(word, 0)
            surplus[word] = before + step
            unbalanced += (before + step != 0) - (before != 0)
        if shift and not unbalanced:
            return shift, shift
        shift += 1
        if (
            shift > i
            or shift > j
            or costs[i - shift + 1][j - shift + 1] == costs[i - shift][j - shift]
        ):
            return 0, shift


def _plain_steps(source: list[int], target: list[int]) -> Iterator[Step]:
    for run in Levenshtein.opcodes(source, target):
        operation = {"equal": "M", "replace": "S", "delete": "D", "insert": "I"}[run.tag]
        read, written = int(operation != "I"), int(operation != "D")
        for place in range(max(run.src_end - run.src_start, run.dest_end - run.dest_start)):
            i, j = run.src_start + place * read, run.dest_start + place * written
            yield operation, i, i + read, j, j + written
