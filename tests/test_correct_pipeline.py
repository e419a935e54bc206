"""A system at work: one step after the other, with what each of them did."""

from __future__ import annotations

from collections.abc import Sequence

from pseudogec.correct import Corrected, run
from pseudogec.text import Tokens


class Append:
    """A step that adds a token to each sentence, and a note."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(
        self, sources: Sequence[Tokens], before: Sequence[Corrected], progress=None
    ) -> list[Corrected]:
        if progress is not None:
            progress(len(before), len(sources))
        return [
            Corrected((*sentence.tokens, self._token), f"added {self._token}")
            for sentence in before
        ]


def compare_with_source(
    sources: Sequence[Tokens], before: Sequence[Corrected], progress=None
) -> list[Corrected]:
    return [
        Corrected((*source, "|", *sentence.tokens))
        for source, sentence in zip(sources, before, strict=True)
    ]


def test_each_step_goes_on_from_the_one_before_and_sees_the_source():
    traces = run(
        [("one", Append("1")), ("two", Append("2")), ("both", compare_with_source)],
        [["a"], [], ["a"]],
    )
    assert [trace.tokens for trace in traces] == [
        ("a", "|", "a", "1", "2"),
        ("|", "1", "2"),
        ("a", "|", "a", "1", "2"),
    ]
    assert traces[0] == traces[2]
    assert traces[1].source == ()
    assert traces[0].steps == (
        ("one", Corrected(("a", "1"), "added 1")),
        ("two", Corrected(("a", "1", "2"), "added 2")),
        ("both", Corrected(("a", "|", "a", "1", "2"))),
    )
