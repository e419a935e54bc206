"""A system at work on any text."""

from __future__ import annotations

from collections.abc import Sequence

from artefacts.errors import UserError, nearest
from artefacts.recipe import Recipe
from pseudogec.correct import Trace, run
from pseudogec.correct.step import SentenceProgress, Tokens
from pseudogec.study.grid import Pipeline
from pseudogec.study.planning import pipelines
from pseudogec.study.study import Study


def find_system(study: Study, name: str, seed: int | None = None) -> Pipeline:
    """A system of the profile by its name.

    Args:
        study: gives the profile.
        name: a key of the profile's ``systems``.
        seed: which of its versions, where it has one for each seed; the first by default.

    Raises:
        UserError: there is no such system (the nearest are offered) or seed.
    """
    if name not in study.profile.systems:
        known = ", ".join(study.profile.systems) or "none"
        raise UserError(
            f"profile {study.profile.name}: there is no system `{name}`{nearest(name, study.profile.systems)}; it has: {known}"
        )
    versions = {pipeline.seed: pipeline for pipeline in pipelines(study.profile, name)}
    if seed is None:
        return next(iter(versions.values()))
    if seed not in versions:
        seeds = ", ".join(map(str, versions)) if 0 not in versions else "none: it is an ensemble"
        raise UserError(f"the system `{name}` has no model of seed {seed}; seeds: {seeds}")
    return versions[seed]


def needed(study: Study, pipeline: Pipeline) -> list[Recipe]:
    """The models and searches that a system corrects any text with."""
    corrections = study.planner.correction(pipeline, study.test).steps
    return [parent for recipe in corrections for parent in recipe.parents if parent not in {recipe.corpus, recipe.before}]


class Corrector:
    """The steps of a system, ready for any sentences. What they need is built first if the store lacks it.

    Args:
        study: where models come from.
        pipeline: the system.
    """

    def __init__(self, study: Study, pipeline: Pipeline) -> None:
        study.build(needed(study, pipeline), in_full=True)
        corrections = study.planner.correction(pipeline, study.test).steps
        self._steps = [(recipe.title, recipe.prepare(study.store)) for recipe in corrections]

    def __call__(self, sentences: Sequence[Tokens], progress: SentenceProgress | None = None) -> list[Trace]:
        """Correct tokenised sentences.

        Returns:
            For each sentence what every step made of it.
        """
        return run(self._steps, sentences, progress)
