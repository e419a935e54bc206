"""Correcting any text with a system."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from artefacts import missing
from artefacts.errors import UserError, nearest
from artefacts.recipe import Recipe
from pseudogec.correct import Built, ConfidentEdits, Trace, as_readers_want, run
from pseudogec.correct.step import ReadyStep
from pseudogec.study.grid import Pipeline
from pseudogec.study.models import CompactModel
from pseudogec.study.planning import pipelines
from pseudogec.study.study import Study
from pseudogec.text import Tokens


def find_system(study: Study, name: str, seed: int | None = None) -> Pipeline:
    """A system of the profile by its name, and by its seed where it has a version for each; UserError if there is none."""
    if name not in study.profile.systems:
        raise UserError(f"profile {study.profile.name}: there is no system `{name}`{nearest(name, study.profile.systems)}")
    versions = {pipeline.seed: pipeline for pipeline in pipelines(study.profile, name)}
    if seed is None:
        return next(iter(versions.values()))
    if seed not in versions:
        seeds = ", ".join(map(str, versions)) if 0 not in versions else "none: it is the same for all seeds"
        raise UserError(f"the system `{name}` has no model of seed {seed}; seeds: {seeds}")
    return versions[seed]


def default_system(study: Study) -> str:
    """The best of the profile's systems for readers' own sentences; UserError if it names none."""
    if not study.profile.own_text:
        raise UserError(f"profile {study.profile.name} names no system for your own text; choose one (--list shows them)")
    return study.profile.own_text[-1]


def needed(study: Study, pipeline: Pipeline) -> list[Recipe]:
    """The models and searches with which a system corrects readers' own sentences."""
    return list(map(study.planner.for_readers, _parents(study, pipeline)))


def to_train(study: Study, pipeline: Pipeline) -> list[Recipe]:
    """The recipes to build before a system can correct readers' own sentences, without compact forms, which take a second."""
    absent = missing(needed(study, pipeline), study.store, in_full=True)
    return [recipe for recipe in absent if not isinstance(recipe, CompactModel)]


def _parents(study: Study, pipeline: Pipeline) -> list[Recipe]:
    corrections = study.planner.correction(pipeline, study.test).steps
    return [parent for recipe in corrections for parent in recipe.parents if parent not in {recipe.corpus, recipe.before}]


class Corrector:
    """The steps of a system, ready for any sentences. What they need is built first if the store lacks it.

    Args:
        as_scored: with the models that were scored. By default models in the pack are used in compact form, so that a
            sentence gets the same correction wherever the results are opened, and edits that harm a text are undone at the end.
        all_edits: without the steps that keep only edits of which the models are sure.
    """

    def __init__(self, study: Study, pipeline: Pipeline, as_scored: bool = False, all_edits: bool = False) -> None:
        study.build(_parents(study, pipeline) if as_scored else needed(study, pipeline), in_full=True)

        def folder(need: Recipe) -> Path:
            return study.store.folder(need if as_scored else study.planner.for_readers(need))

        corrections = study.planner.correction(pipeline, study.test).steps
        self._steps: list[tuple[str, ReadyStep]] = [
            (recipe.step.describe(), recipe.step.prepare(Built(recipe.needs, folder)))
            for recipe in corrections
            if not (all_edits and isinstance(recipe.step, ConfidentEdits))
        ]
        if not as_scored:
            self._steps.append(("numbers, ends and unknown words as typed", as_readers_want))

    def __call__(self, sentences: Sequence[Tokens]) -> list[Trace]:
        """Correct tokenised sentences; returns for each the output of every step."""
        return run(self._steps, sentences)
