"""Sentences that notebooks show, or instructions to fetch those that may not be passed on."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from itertools import islice
from typing import ParamSpec, TypeVar

from pseudogec.report.display import Finding, Html, Nothing
from pseudogec.report.markup import marked_edits, marked_operations, typical_example
from pseudogec.report.texts import annotated_sentences, examples
from pseudogec.study import MissingSentencesError, Study, System
from pseudogec.study.corpora import Corpus

P = ParamSpec("P")
Shown = TypeVar("Shown")


def or_what_to_fetch(show: Callable[P, Shown]) -> Callable[P, Shown | Finding]:
    """Decorate a function that shows sentences: if they are missing, it names the files to
    fetch.
    """

    @functools.wraps(show)
    def shown(*arguments: P.args, **options: P.kwargs) -> Shown | Finding:
        try:
            return show(*arguments, **options)
        except MissingSentencesError as error:
            return Nothing(f"*{error}*")

    return shown


@or_what_to_fetch
def reference_edits(study: Study, corpus: Corpus, most: int = 10) -> Html:
    """The first sentences of a corpus that need a correction, under their writers' levels, with
    their first annotator's edits.
    """
    sentences = zip(study.levels(corpus), annotated_sentences(study, corpus), strict=True)
    return marked_edits(
        islice(
            ((level, sentence) for level, sentence in sentences if sentence.annotators.get(0)), most
        )
    )


@or_what_to_fetch
def corrupted(study: Study, systems: Iterable[System], parameter: str, number: int = 1) -> Html:
    """One sentence as each system's noise corrupts it, once for each value of a parameter of its
    method, under that value.

    Args:
        number: which of the examples of a shard, from 0.
    """
    shards = study.planner.first_shards(systems := list(systems))
    by_value = {
        system.parameters[parameter]: examples(study, shards[system.name]) for system in systems
    }
    return marked_operations(
        (value, sentences[number]["operations"]) for value, sentences in by_value.items()
    )


@or_what_to_fetch
def corrupted_by_method(study: Study, systems: Iterable[System]) -> Html:
    """A typical sentence as each system's method corrupts it; the systems differ in their
    methods.
    """
    shards = study.planner.first_shards(systems := list(systems))
    by_method = {system.method: examples(study, shards[system.name]) for system in systems}
    shown = typical_example(by_method)
    return marked_operations(
        (method, sentences[shown]["operations"]) for method, sentences in by_method.items()
    )


@or_what_to_fetch
def seed_sentences(study: Study, most: int = 3) -> Finding:
    """The first sentences of each seed corpus."""
    lines = [
        f"{name:14}{line}"
        for name in study.profile.corpora.seeds
        for line in study.lines(study.planner.seed_text(name, 0), "sentences.txt")[:most]
    ]
    return Finding("\n".join(["```", *lines, "```"]))
