"""MaxMatch against the published scorer's figures, the paper's example and its definition by
exhaustive search.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pseudogec.edits import AnnotatedSentence, Edit, read_m2
from pseudogec.evaluate import Gold, MaxMatch, Score
from pseudogec.evaluate.maxmatch import EditLattice, GoldEdit

SHARED = Path(__file__).parents[2] / "shared"
SAMPLE = Path(__file__).parent / "data" / "scored_sample"


def sentence(text: str, *annotators: tuple[Edit, ...]) -> AnnotatedSentence:
    return AnnotatedSentence(tuple(text.split()), dict(enumerate(annotators)))


def score_of(references: list[AnnotatedSentence], hypotheses: list[list[str]]) -> Score:
    return MaxMatch().score(Gold.annotated(references, "dev.m2"), hypotheses, name="out.txt")


def counts(references: list[AnnotatedSentence], hypotheses: list[list[str]]) -> tuple[float, ...]:
    """True positives, false positives, false negatives."""
    score = score_of(references, hypotheses)
    return tuple(score[name] for name in ("tp", "fp", "fn"))


def figures_of(references: list[AnnotatedSentence], output: Path) -> tuple[float, ...]:
    score = score_of(references, [line.split() for line in output.read_text().splitlines()])
    return tuple(round(score[name], 4) for name in ("precision", "recall", "f05"))


@pytest.mark.parametrize(
    ("system", "figures"),
    [("baseline", (0.4348, 0.5882, 0.4587)), ("ensemble", (0.8864, 0.8298, 0.8744))],
)
def test_the_sample_s_figures_equal_the_published_scorer_s(system, figures):
    assert (
        figures_of(list(read_m2(SAMPLE / "references.m2")), SAMPLE / f"hypothesis_{system}.txt")
        == figures
    )


@pytest.mark.slow
@pytest.mark.skipif(
    not (SHARED / "expected").is_dir(),
    reason=f"the reference scorer's figures are not at {SHARED}/expected",
)
@pytest.mark.parametrize(
    ("system", "figures"),
    [
        ("pretlarge+sse+r2l", (0.6505, 0.3905, 0.5740)),
        ("pretlarge+sse+r2l+sed", (0.6807, 0.3577, 0.5766)),
    ],
)
def test_figures_equal_the_published_scorer_s(system, figures):
    references = [
        one
        for level in "ABC"
        for one in read_m2(SHARED / "data" / "wi" / f"{level}.dev.gold.bea19.m2")
    ]
    assert (
        figures_of(references, SHARED / "data" / "outputs" / f"wi.dev.ABC.{system}.txt") == figures
    )


def test_the_paper_s_example():
    """Dahlmeier and Ng 2012, figure 1: the insertion of *a* joins with the unchanged *word* to
    agree with the annotator.
    """
    reference = sentence(
        "Our baseline system feeds word into PB-SMT pipeline .",
        (Edit(4, 5, "a word||words", "Nn"),),
    )
    hypothesis = "Our baseline system feeds a word into PB-SMT pipeline ."
    assert counts([reference], [hypothesis.split()]) == (1, 0, 0)


@pytest.mark.parametrize(("most", "right"), [(0, 0), (1, 1), (2, 1)])
def test_an_edit_holds_as_many_unchanged_words_as_allowed(most, right):
    reference = sentence("we feeds word in", (Edit(2, 3, "a word", "Nn"),))
    score = MaxMatch(max_unchanged_words=most).score(
        Gold.annotated([reference]), ["we feeds a word in".split()]
    )
    assert score["tp"] == right


def test_edits_are_counted_in_the_annotator_s_order():
    """The published scorer reads the annotator's list once: behind the second edit it does not find
    the first.
    """
    first, second = Edit(0, 1, "x"), Edit(2, 3, "z")
    assert counts([sentence("a b c", (first, second))], [["x", "b", "z"]]) == (2, 0, 0)
    assert counts([sentence("a b c", (second, first))], [["x", "b", "z"]]) == (1, 1, 1)


# Sentences with one and with two annotators, as files with alternative annotations have them; the
# metrics say so.
pytestmark = pytest.mark.filterwarnings("ignore:.*lack an annotator")

REFERENCES = [
    sentence("The cat sat at mat .", (Edit(3, 4, "on", "Prep"), Edit(4, 4, "the||a", "ArtOrDet"))),
    sentence("The dog .", (Edit(1, 2, "dogs", "Nn"),), ()),
    sentence(
        "Giant otters is an apex predator .",
        (Edit(2, 3, "are", "SVA"), Edit(3, 4, "-NONE-", "ArtOrDet"), Edit(5, 6, "predators", "Nn")),
        (Edit(1, 2, "otter", "Nn"),),
    ),
]


@pytest.mark.parametrize(
    ("first", "totals"),
    # on and the are right, A is not; the second annotator wants no change; are and the deletion are
    # right, predators is missed.
    [
        ("A cat sat on the mat .", (4, 1, 1)),
        ("A cat sat on a mat .", (4, 1, 1)),
        ("A cat sat on mat .", (3, 1, 2)),
    ],
)
def test_annotators_and_alternatives(first, totals):
    hypotheses = [first.split(), ["The", "dog", "."], "Giant otters are apex predator .".split()]
    assert counts(REFERENCES, hypotheses) == totals


@pytest.mark.parametrize(
    ("hypothesis", "totals"),
    [("a b c", (0, 0, 1)), ("", (0, 1, 1)), ("a b", (0, 1, 1)), ("a b z", (1, 0, 0))],
)
def test_unchanged_empty_and_shortened_output(hypothesis, totals):
    references = [sentence("a b c", (Edit(2, 3, "z"),))]
    if hypothesis:
        assert counts(references, [hypothesis.split()]) == totals
    else:
        with pytest.warns(UserWarning, match="empty"):
            assert counts(references, [[]]) == totals


def test_the_time_of_a_pair_is_bounded():
    """Beyond the bound the runs of changes of one alignment are the edits, and the score says for
    how many pairs.
    """
    words = [f"w{number}" for number in range(400)]
    right = [*words[:3], "x", *words[4:]]
    references = [AnnotatedSentence(tuple(words), {0: (Edit(3, 4, "x"),)})] * 3
    began = time.process_time()
    with pytest.warns(UserWarning, match="2 of 3 hypotheses"):
        score = score_of(references, [right, [",", *right, *[","] * 6000], [","] * 800])
    assert time.process_time() - began < 1
    assert (score["tp"], score["fp"], score["fn"]) == (2, 3, 1)
    assert Score.from_json(score.to_json()).caption == f"{score.signature}|cut_short:2"


# The definition, by exhaustive search over short sentences.


def all_paths(
    source: tuple[str, ...], hypothesis: tuple[str, ...]
) -> list[list[tuple[int, int, int, int]]]:
    """All ways through the joined lattice, as steps (i, j) to (i', j')."""
    steps: set[tuple[int, int, int, int]] = set()
    for substitution in (1, 2):

        @cache
        def alignments(i: int, j: int, substitution: int = substitution) -> tuple[int, frozenset]:
            """Least cost from (i, j) to the end, and the steps of all ways of this cost."""
            if (i, j) == (len(source), len(hypothesis)):
                return 0, frozenset()
            ways = []
            for a, b in ((1, 1), (1, 0), (0, 1)):
                if i + a <= len(source) and j + b <= len(hypothesis):
                    step_cost = (
                        (0 if source[i] == hypothesis[j] else substitution) if a and b else 1
                    )
                    cost, rest = alignments(i + a, j + b)
                    ways.append((cost + step_cost, rest | {(i, j, i + a, j + b)}))
            least = min(cost for cost, _ in ways)
            return least, frozenset().union(*(way for cost, way in ways if cost == least))

        steps |= alignments(0, 0)[1]

    def walk(i: int, j: int) -> Iterator[list[tuple[int, int, int, int]]]:
        if (i, j) == (len(source), len(hypothesis)):
            yield []
        for step in steps:
            if step[:2] == (i, j):
                for rest in walk(*step[2:]):
                    yield [step, *rest]

    return list(walk(0, 0))


def best_by_search(
    source: tuple[str, ...], hypothesis: tuple[str, ...], gold: list[GoldEdit]
) -> tuple[int, int]:
    """Most agreeing edits, and fewest proposed ones, over all paths and all ways to join their
    steps.
    """

    def is_kept(step: tuple[int, int, int, int]) -> bool:
        return step[2] > step[0] and step[3] > step[1] and source[step[0]] == hypothesis[step[1]]

    def costs(
        path: list[tuple[int, int, int, int]], used: tuple[int, ...]
    ) -> Iterator[tuple[int, int, int]]:
        if not path:
            yield 0, 0, 0
            return
        if is_kept(path[0]):
            for matched, length, others in costs(path[1:], used):
                yield matched, length + 1, others
        for size in range(1, len(path) + 1):
            group = path[:size]
            if sum(map(is_kept, group)) > 2 or all(map(is_kept, group)):
                continue
            (i, j), (i_end, j_end) = group[0][:2], group[-1][2:]
            for matched, length, others in costs(path[size:], used):
                yield matched, length + size, others + 1
            for number, edit in enumerate(gold):
                span_and_text = (edit.start, edit.end) == (i, i_end) and hypothesis[
                    j:j_end
                ] in edit.corrections
                in_order = edit.start < edit.end or all(
                    before < number
                    for before in used
                    if gold[before].start == i == gold[before].end
                )
                if span_and_text and in_order and number not in used:
                    for matched, length, others in costs(path[size:], (*used, number)):
                        yield matched - 1, length, others

    matched, _, others = min(min(costs(path, ())) for path in all_paths(source, hypothesis))
    return -matched, others - matched


def test_the_search_finds_what_exhaustive_search_finds():
    stream = random.Random(3)
    for _ in range(150):
        source, hypothesis = (
            tuple(stream.choices("abc", k=stream.randrange(1, 5))) for _ in range(2)
        )
        gold = []
        for start in range(len(source) + 1):
            for end in range(start, min(start + 3, len(source) + 1)):
                correction = tuple(stream.choices("abc", k=stream.randrange(3)))
                if stream.random() < 0.4 and correction != source[start:end]:
                    gold.append(GoldEdit(start, end, (correction,)))
        found = EditLattice(source, hypothesis).best_path(gold)
        assert (len(found.matched), found.proposed) == best_by_search(source, hypothesis, gold), (
            source,
            hypothesis,
            gold,
        )
