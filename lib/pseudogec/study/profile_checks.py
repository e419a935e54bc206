"""Whether the parts of a profile fit together: every name that one part uses is given by another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from pydantic import ValidationError

from artefacts import refuse_unknown
from pseudogec.correct import Step
from pseudogec.evaluate import ERRANT, METRICS
from pseudogec.noise import Method, explain
from pseudogec.study.profile_sections import GridAxes, MorePseudoData, StageOfTraining
from pseudogec.study.profile_systems import ModelChoice

if TYPE_CHECKING:
    from pseudogec.study.profile import Profile

RESERVED_NAMES = {"genuine", "validation", "in_domain", "development"}


def check_corpora(profile: Profile) -> None:
    """Refuse test sets that cannot be told from other corpora, or that cannot be scored as they say.

    Raises:
        ValueError: says which and why.
    """
    for number, (name, test) in enumerate(profile.corpora.tests.items()):
        where = f"corpora.tests.{name}"
        if name in RESERVED_NAMES:
            raise ValueError(f"{where}: the name belongs to another part of the corpora; choose another")
        if test.pairs.rewritten and any(metric.references != "rewrites" for metric in test.metrics):
            able = ", ".join(f"`{metric.name}`" for metric in METRICS if metric.references == "rewrites")
            raise ValueError(f"{where}: these are rewrites, not edits; under `metrics`, name only metrics of rewrites ({able})")
        if number == 0 and ERRANT not in test.metrics:
            raise ValueError(
                f"{where}: the first test set is the one of all tables, which ERRANT scores; add `errant` to `metrics`"
            )


def check_settings(profile: Profile) -> None:
    """Refuse curricula that name what the profile does not have, or that cannot be trained.

    Raises:
        ValueError: says which and why.
    """
    for setting, stages in profile.settings.items():
        for stage in stages:
            _check_stage(profile, f"settings.{setting}", stage)
    for stage in profile.first_stages:
        _check_stage(profile, "first_stages", stage)
    for stage in profile.reverse_model:
        _check_stage(profile, "reverse_model", stage)
    for part, stages in [("first_stages", profile.first_stages), ("reverse_model", profile.reverse_model)]:
        if any(not {"genuine", "in_domain", "copies"}.issuperset(stage.data) for stage in stages):
            raise ValueError(f"{part}: they are trained before there are pseudo data; such stages take genuine data alone")
    if "baseline" not in profile.settings:
        raise ValueError("settings: a setting `baseline` (genuine data only) is needed")
    if any("pseudo" in stage.data for stage in profile.settings["baseline"]):
        raise ValueError("settings.baseline: it is trained without pseudo data; every grid compares its methods with it")
    for name in profile.architectures:
        if name == "default":
            raise ValueError("architectures.default: the name stands for `architecture`; choose another")
        try:
            profile.architecture_of(name)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, (name, *first["loc"])))
            raise ValueError(f"architectures.{place}: {first['msg'].removeprefix('Value error, ')}") from None


def _check_stage(profile: Profile, where: str, stage: StageOfTraining) -> None:
    if stage.upsample and stage.data[0] != "genuine":
        raise ValueError(f"{where}: `upsample` repeats the first part of `data`, which must be `genuine`")
    refuse_unknown(where, "optimisation", [stage.optimisation], profile.optimisations)
    if "in_domain" in stage.data and profile.corpora.in_domain is None:
        raise ValueError(f"{where}: trains on in_domain data, and corpora.in_domain does not say which they are")
    for part in stage.data:
        if isinstance(part, MorePseudoData):
            refuse_unknown(where, "method", [part.method], profile.methods)
            refuse_unknown(where, "seed_corpus", [part.seed_corpus], profile.corpora.seeds)
            _check_size(profile, where, part.pseudo_pairs)


def _check_size(profile: Profile, where: str, pairs: int, what: str = "pseudo_pairs") -> None:
    if pairs <= 0 or pairs % profile.pseudo_data.shard:
        raise ValueError(f"{where}.{what}: {pairs} is not a multiple of pseudo_data.shard ({profile.pseudo_data.shard})")


def check_grid(profile: Profile, where: str, grid: GridAxes) -> None:
    """Refuse a grid that names what the profile does not have.

    Args:
        profile: the profile.
        where: what messages call the grid.
        grid: the axes.

    Raises:
        ValueError: an unknown name (the nearest is offered), a missing axis, or a size that is not a number of whole shards.
    """
    refuse_unknown(where, "method", grid.method, ["none", *profile.methods])
    refuse_unknown(where, "seed_corpus", grid.seed_corpus, profile.corpora.seeds)
    refuse_unknown(where, "setting", grid.setting, profile.settings)
    refuse_unknown(where, "architecture", grid.architecture, ["default", *profile.architectures])
    refuse_unknown(where, "track", grid.track, ["restricted", *profile.tracks])
    if any(method != "none" for method in grid.method) and not (grid.seed_corpus and grid.setting and grid.pseudo_pairs):
        raise ValueError(f"{where}: a method that makes pseudo data needs seed_corpus, setting and pseudo_pairs")
    for name in grid.method:
        if name != "none":
            _check_sweep(f"{where}.parameters", name, profile.methods[name], grid.parameters)
    for pairs in grid.pseudo_pairs:
        _check_size(profile, where, pairs)
    for setting in grid.setting:
        stages = profile.settings[setting]
        if not any("pseudo" in stage.data for stage in stages):
            raise ValueError(f"{where}: the setting `{setting}` has no stage with pseudo data, so methods would not differ in it")
        if grid.upsample != (1,) and not any(stage.upsample for stage in stages):
            raise ValueError(
                f"{where}: no stage of the setting `{setting}` has `upsample: true`, so repeating would change nothing"
            )
        if grid.track != ("restricted",) and any("in_domain" in stage.data for stage in stages):
            raise ValueError(f"{where}: the setting `{setting}` trains on in_domain data, which only the track `restricted` has")


def _check_sweep(where: str, name: str, method: Method, values: Mapping[str, Sequence[float]]) -> None:
    refuse_unknown(where, f"number among the parameters of {name} that is called", values, method.numbers)
    for point in product(*values.values()):
        try:
            method.changed(**dict(zip(values, point, strict=True)))
        except ValidationError as error:
            raise ValueError(f"{where}: {name}: {explain(error, type(method))}") from None


def check_systems(profile: Profile) -> None:
    """Refuse systems whose steps name what the profile does not have, or that cannot follow one another.

    Raises:
        ValueError: says which and why.
    """
    for name, choice in profile.models.items():
        check_grid(profile, f"models.{name}", grid_of(choice))
    language_model = profile.language_model
    if language_model is not None:
        refuse_unknown("language_model", "seed_corpus", [language_model.seed_corpus], profile.corpora.seeds)
        refuse_unknown("language_model", "optimisation", [language_model.optimisation], profile.optimisations)
        _check_size(profile, "language_model", language_model.sentences, "sentences")
    for name in profile.systems:
        steps = all_steps(profile, name)
        if len(tracks := tracks_of(profile, steps)) > 1:
            raise ValueError(f"systems.{name}: its models are of the tracks {' and '.join(sorted(tracks))}; name models of one")
        for place, step in enumerate(steps):
            _check_step(profile, f"systems.{name}: the step `{step.known_as()}`", step, steps[:place])
    for name, systems in profile.comparisons.items():
        if name in profile.grids:
            raise ValueError(f"comparisons.{name}: a grid has this name; choose another")
        refuse_unknown(f"comparisons.{name}", "system", systems, profile.systems)


def grid_of(choice: ModelChoice) -> GridAxes:
    """The grid whose only point is one kind of model.

    Raises:
        ValidationError: the choices are impossible.
    """
    values = choice.model_dump()
    if choice.method == "none":
        values = {name: values[name] for name in ("method", "architecture", "track")}
    return GridAxes.model_validate({name: value for name, value in values.items() if value is not None})


def all_steps(profile: Profile, system: str) -> list[Step]:
    """The steps of a system, those of the systems that it goes on from first.

    Raises:
        ValueError: it goes on from a system that does not exist, or from itself.
    """
    names = [system]
    while (earlier := profile.systems[names[-1]].after) is not None:
        refuse_unknown(f"systems.{names[-1]}.after", "system", [earlier], profile.systems)
        if earlier in names:
            raise ValueError(f"systems.{system}: goes on from itself: {' -> '.join([*names, earlier])}")
        names.append(earlier)
    return [step for name in reversed(names) for step in profile.systems[name].steps]


def tracks_of(profile: Profile, steps: Sequence[Step]) -> set[str]:
    """The tracks of the models that steps name; names that the profile does not have are passed over."""
    named = [name for step in steps for name in step.model_names]
    return {profile.models[name].track for name in named if name in profile.models}


def _check_step(profile: Profile, where: str, step: Step, before: Sequence[Step]) -> None:
    refuse_unknown(where, "model", step.model_names, profile.models)
    if step.uses_language_model and profile.language_model is None:
        raise ValueError(f"{where}: needs a language model, and the profile's `language_model` does not say which")
    try:
        step.check(before)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def check_notebooks(profile: Profile) -> None:
    """Refuse notebooks that show what the profile does not have.

    Raises:
        ValueError: an unknown grid or comparison; the nearest is offered.
    """
    for notebook, grids in profile.notebooks.items():
        refuse_unknown(f"notebooks.{notebook}", "grid or comparison", grids, [*profile.grids, *profile.comparisons])
