"""Correcting any text with a system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from pseudogec.artefacts import missing
from pseudogec.artefacts.errors import UserError, nearest
from pseudogec.artefacts.recipe import Recipe
from pseudogec.correct import Built, ConfidentEdits, Trace, as_readers_want, run, sentences_of
from pseudogec.correct.step import ReadyStep
from pseudogec.study.grid import Pipeline
from pseudogec.study.models import CompactModel
from pseudogec.study.planning import missing_files, pipelines
from pseudogec.study.study import Study
from pseudogec.text import Tokens

PROFILES = ("learners", "public", "classroom")
"""The profiles whose systems correct by default, the best first."""


def find_system(study: Study, name: str, seed: int | None = None) -> Pipeline:
    """A system of the profile by its name, and by its seed where it has a version for each;
    UserError if there is none.
    """
    if name not in study.profile.systems:
        raise UserError(
            f"profile {study.profile.name}: there is no system "
            f"`{name}`{nearest(name, study.profile.systems)}"
        )
    versions = {pipeline.seed: pipeline for pipeline in pipelines(study.profile, name)}
    if seed is None:
        return next(iter(versions.values()))
    if seed not in versions:
        seeds = (
            ", ".join(map(str, versions))
            if 0 not in versions
            else ("none: it is the same for all seeds")
        )
        raise UserError(f"the system `{name}` has no model of seed {seed}; seeds: {seeds}")
    return versions[seed]


def default_system(study: Study) -> str:
    """The best of the profile's systems for readers' own sentences; UserError if it names none."""
    if not study.profile.own_text:
        raise UserError(
            f"profile {study.profile.name} names no system for your own text; choose "
            "one (--list shows them)"
        )
    return study.profile.own_text[-1]


def choose(
    studies: Iterable[Study], system: str | None = None, seed: int | None = None
) -> tuple[Study, str, list[Recipe]]:
    """Of several studies the first that has a system and its models, or else the last that has the
    system.

    Returns:
        The study, the system's name (the study's default where none is given), and what it lacks
        (:func:`to_train`).

    Raises:
        UserError: no study has the system.
    """
    chosen: tuple[Study, str, list[Recipe]] | None = None
    named = []
    for study in studies:
        named.append(study.profile.name)
        if system is None or system in study.profile.systems:
            name = system or default_system(study)
            chosen = study, name, to_train(study, find_system(study, name, seed))
            if not chosen[2]:
                break
    if chosen is None:
        raise UserError(f"profile {', '.join(named)}: there is no system `{system}`")
    return chosen


def lacking(study: Study, system: str, absent: Sequence[Recipe]) -> str:
    """What a system needs that is not here, and how to get it."""
    kinds = Counter(recipe.kind for recipe in absent)
    files = missing_files(absent)
    name = study.profile.name
    return (
        f"the system {system} of the profile {name} is not here; it needs "
        + ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        + (f", and of corpora {', '.join(map(str, files))}" if files else "")
        + f". --train builds all of this; `python run_all.py --profile {name} --plan` says how "
        "long it takes"
    )


def needed(study: Study, pipeline: Pipeline) -> list[Recipe]:
    """The models and searches with which a system corrects readers' own sentences."""
    return list(map(study.planner.for_readers, _parents(study, pipeline)))


def to_train(study: Study, pipeline: Pipeline) -> list[Recipe]:
    """The recipes to build before a system can correct readers' own sentences, without compact
    forms, which take a second.
    """
    absent = missing(needed(study, pipeline), study.store, in_full=True)
    return [recipe for recipe in absent if not isinstance(recipe, CompactModel)]


def _parents(study: Study, pipeline: Pipeline) -> list[Recipe]:
    corrections = study.planner.correction(pipeline, study.test).steps
    return [
        parent
        for recipe in corrections
        for parent in recipe.parents
        if parent not in {recipe.corpus, recipe.before}
    ]


class Corrector:
    """The steps of a system, ready for any sentences. What they need is built first if the store
    lacks it.

    Args:
        as_scored: with the models that were scored. By default models in the pack are used in
            compact form, so that a sentence gets the same correction wherever the results are
            opened, and edits that harm a text are undone at the end.
        all_edits: without the steps that keep only edits of which the models are sure.
    """

    def __init__(
        self, study: Study, pipeline: Pipeline, as_scored: bool = False, all_edits: bool = False
    ) -> None:
        study.build(
            _parents(study, pipeline) if as_scored else needed(study, pipeline), in_full=True
        )

        def folder(need: Recipe) -> Path:
            return study.store.folder(need if as_scored else study.planner.for_readers(need))

        corrections = study.planner.correction(pipeline, study.test).steps
        self._steps: list[tuple[str, ReadyStep]] = [
            (recipe.step.describe(), recipe.step.prepare(Built(recipe.needs, folder)))
            for recipe in corrections
            if not (all_edits and isinstance(recipe.step, ConfidentEdits))
        ]
        self.language = study.profile.language
        if not as_scored and self.language.handbook:
            self._steps.append(("numbers, ends and unknown words as typed", as_readers_want))

    def lines(self, lines: Sequence[str]) -> list[str]:
        """Correct lines of running text, read as Markdown; every character that no correction
        replaces stays.
        """
        split = sentences_of(lines, self.language)
        traces = iter(self([sentence.tokens for sentences in split for sentence in sentences]))
        return [
            "".join(sentence.corrected(next(traces)) for sentence in sentences)
            for sentences in split
        ]

    def __call__(self, sentences: Sequence[Tokens]) -> list[Trace]:
        """Correct tokenised sentences; returns for each the output of every step."""
        return run(self._steps, sentences)
