"""The interface for notebooks: open a study, get a grid, read its scores."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, lru_cache
from itertools import product
from math import log, nan
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pandas as pd
from pydantic import ValidationError

from pseudogec import __version__
from pseudogec.artefacts import FileDigests, Pack, merge, missing, write_pack
from pseudogec.artefacts.engine import Engine
from pseudogec.artefacts.errors import Stopped, UserError, nearest
from pseudogec.artefacts.files import MEMORY
from pseudogec.artefacts.kinds import import_from
from pseudogec.artefacts.pack import Source
from pseudogec.artefacts.progress import ProgressLine
from pseudogec.artefacts.recipe import Recipe, with_ancestors
from pseudogec.artefacts.store import Store
from pseudogec.corpora import load_catalogue
from pseudogec.correct import THRESHOLDS
from pseudogec.evaluate import (
    ERRANT,
    METRICS,
    Contrast,
    Curve,
    Metric,
    MetricChoice,
    Score,
    Side,
    contrast,
)
from pseudogec.study.corpora import Corpus
from pseudogec.study.grid import Grid, Pipeline, System, expand
from pseudogec.study.leakage import Check, CheckResult, checks_of, refuse
from pseudogec.study.loading import load_profile, names_of_extended
from pseudogec.study.planning import Planner, compared, missing_files, pipelines
from pseudogec.study.profile import GridAxes, Profile, check_grid, problems_in
from pseudogec.study.results import By, ScoredCorrection, tidy

PROJECT = Path(__file__).resolve().parents[3]
"""The project's root: the folder of ``params/``, ``notebooks/`` and ``outputs/``."""

PACK = "pack"
"""The folder of the pack, within a folder of results."""


class Stock(NamedTuple):
    """How many artefacts some results need, how many of them are in the store or else in a pack,
    and the missing ones.
    """

    needed: int
    stored: int
    packed: int
    to_build: list[Recipe]

    def __str__(self) -> str:
        where = (
            f"{self.stored:,} in the store, {self.packed:,} in the pack, "
            f"{len(self.to_build):,} to build"
        )
        return f"{self.needed:,} artefacts: {where}"


class MissingSentencesError(UserError):
    """Sentences are needed that are neither here nor in a pack: they may not be passed on or are
    too many.
    """


UNKNOWN_LEVEL = "unknown"
"""Stands for the proficiency level of writers whose level is not known."""


YAML = (".yaml", ".yml")
"""The endings that tell the path of a profile from the name of one in ``params/``."""


def open_profile(profile: str | Path, overrides: Sequence[str] = ()) -> Profile:
    """Load a profile: a name from ``params/`` or the path of a YAML file, with overrides; errors
    are those of `load_profile`.

    Modules that it names, as in ``module:Class``, may lie beside it or in the project's root.
    """
    path = Path(profile)
    if path.suffix not in YAML:
        path = PROJECT / "params" / f"{profile}.yaml"
    # Here, so that every program and the kernels of notebooks do it
    import_from(path.absolute().parent, PROJECT)
    return load_profile(path, overrides, PROJECT / "params")


class Study:
    """A profile, its store, and the engine that builds missing artefacts.

    Use :meth:`open`. The environment variables ``PSEUDOGEC_STORE``, ``PSEUDOGEC_OUTPUTS`` and
    ``PSEUDOGEC_SCHEDULER`` give defaults for the store's and the results' folders and for the
    address of a running Dask scheduler.
    """

    def __init__(
        self,
        profile: Profile,
        store: Store,
        engine: Engine,
        outputs: Path,
        without_data: bool = False,
    ) -> None:
        self.profile, self.store, self.engine, self.outputs = profile, store, engine, outputs
        self._checked: set[str] = set()
        # Tables, their marks, figures and claims read the same scores.
        self._read = lru_cache(maxsize=256)(lambda result: result.read(store))
        self.planner = Planner(
            profile, PROJECT, without_data, FileDigests(store.root / MEMORY), store.packs
        )

    @classmethod
    def open(
        cls,
        profile: str | Path = "classroom",
        overrides: Sequence[str] = (),
        *,
        store: Path | str | None = None,
        scheduler: str | None = None,
        workers: int | None = None,
        display: ProgressLine | None = None,
        outputs: Path | None = None,
        without_data: bool = False,
        packs: bool | Sequence[Pack] | None = None,
    ) -> Study:
        """Open a study.

        Args:
            profile: a name from ``params/`` or the path of a YAML file.
            overrides: changes such as ``"corpora.genuine.sentences=500"``.
            store: folder of artefacts; ``outputs/store`` by default.
            scheduler: address of a running Dask scheduler; by default a local cluster is started
                when it is needed.
            workers: processes of the local cluster; one a core by default.
            outputs: folder for tables and figures; by default ``outputs/<profile>``, or
                ``outputs/<profile>-changed`` with overrides and of a file elsewhere with the name
                of a profile in ``params/``: the profile's own results stay.
            without_data: open it even if corpus files are missing, in order to plan it; such a
                study cannot be built.
            packs: whether artefacts that the store lacks are read from the pack in ``outputs``, in
                ``outputs/<profile>``, or, for a profile of one's own, in ``outputs`` of those that
                it extends. They are, unless the environment variable ``PSEUDOGEC_PACKS`` is ``no``.
                Or the packs to take in their place.

        Raises:
            UserError: the profile is wrong, its data folder or a corpus file is missing, the store
                cannot be written, or a pack is damaged.
        """
        loaded = open_profile(profile, overrides)
        data = PROJECT / loaded.data_folder
        if "data_folder" in loaded.model_fields_set and not data.is_dir():
            # Without this a pack would stand in for what is missing, as it does where nobody names
            # a folder.
            raise UserError(
                f"profile {profile}: data_folder: there is no folder {data}; name the "
                "one that holds the corpora"
            )
        shipped = PROJECT / "params" / f"{loaded.name}.yaml"
        is_own = Path(profile).suffix in YAML and not (
            shipped.exists() and shipped.samefile(profile)
        )
        name = (
            f"{loaded.name}-changed" if overrides or (is_own and shipped.exists()) else loaded.name
        )
        folder = Path(
            outputs or os.environ.get("PSEUDOGEC_OUTPUTS") or PROJECT / "outputs" / name
        ).absolute()
        others = names_of_extended(Path(profile), PROJECT / "params") if is_own else []
        places = dict.fromkeys(
            [folder / PACK, *(PROJECT / "outputs" / each / PACK for each in (loaded.name, *others))]
        )
        if packs is None:
            packs = os.environ.get("PSEUDOGEC_PACKS") != "no"
        read = (
            packs
            if not isinstance(packs, bool)
            else [part for place in places if packs for part in Pack.parts(place)]
        )
        opened = Store(
            store or os.environ.get("PSEUDOGEC_STORE") or PROJECT / "outputs" / "store", read
        )
        address = scheduler or os.environ.get("PSEUDOGEC_SCHEDULER")
        engine = Engine(
            opened, address, workers, display or ProgressLine(sys.stdout), loaded.cluster
        )
        return cls(loaded, opened, engine, folder, without_data)

    def grid(self, name: str | None = None, *, notebook: str | None = None, **axes: Any) -> Grid:
        """The systems of a grid that the profile names, or of axes given here; given axes replace
        the named grid's.

        Args:
            notebook: a notebook's name, such as ``06_error_types``: the grid is empty where the
                profile does not list it there.
            axes: the keys of a grid in a profile, such as ``method``, ``setting`` or ``seeds``;
                single values or lists. In the entries of the named grid's ``also`` they replace the
                values, too. UserError if they are wrong.
        """
        content: dict[str, Any] = {}
        if notebook is not None and name not in self.profile.notebooks.get(notebook, ()):
            return Grid()
        if name is not None:
            if name not in self.profile.grids:
                raise UserError(
                    f"profile {self.profile.name}: there is no grid "
                    f"`{name}`{nearest(name, self.profile.grids)}"
                )
            content = self.profile.grids[name].model_dump()
            content["also"] = [
                {key: value for key, value in part.items() if key not in axes}
                for part in content["also"]
            ]
        try:
            grid = GridAxes.model_validate({**content, **axes})
        except ValidationError as error:
            raise UserError("\n".join(map(str, problems_in(("grid",), error)))) from None
        if problems := [*check_grid(self.profile, ("grid",), grid)]:
            raise UserError("\n".join(map(str, problems)))
        return expand(grid, self.profile.methods, self.profile.seeds)

    def comparison(self, name: str, *, notebook: str | None = None) -> list[Pipeline]:
        """The systems of one of the profile's ``comparisons``, each once for every seed; none as of
        :meth:`grid`.
        """
        known = self.profile.comparisons
        if notebook is not None and name not in self.profile.notebooks.get(notebook, ()):
            return []
        if name not in known:
            raise UserError(
                f"profile {self.profile.name}: there is no comparison "
                f"`{name}`{nearest(name, known)}"
            )
        return compared(self.profile, name)

    def simple_systems(self, names: Collection[str], tracks: Iterable[str]) -> list[Pipeline]:
        """The profile's simple systems in these tracks, without those among the names."""
        named = product(
            [name for name in self.profile.simple_systems if name not in names],
            dict.fromkeys(tracks),
        )
        return [
            version for name, track in named for version in pipelines(self.profile, name, track)
        ]

    def with_simple_systems(self, systems: Sequence[System | Pipeline]) -> list[System | Pipeline]:
        """Systems of a grid or comparison, after the simple systems in their tracks."""
        return [
            *self.simple_systems(
                {system.name for system in systems}, [system.track for system in systems]
            ),
            *systems,
        ]

    @property
    def test(self) -> str:
        """The test corpus of all tables: the profile's first."""
        return next(iter(self.planner.tests))

    @property
    def grid_tests(self) -> tuple[str, ...]:
        """The test corpora on which grids are scored."""
        return (self.test, *self.profile.grid_tests)

    def build(self, recipes: Iterable[Recipe], in_full: bool = False) -> int:
        """Build those of these recipes that the store lacks; returns the number of artefacts built.

        Before the first training for a score, its test set is compared with all data that its
        system learns from.

        Args:
            in_full: whether all files of these artefacts are needed; else their part in a pack is
                enough.

        Raises:
            BuildError: some artefacts failed; all others are in the store.
            UserError: sentences of a test set occur in the data that systems learn from.
        """
        recipes = list(recipes)
        unchecked = [
            recipe
            for recipe in recipes
            if isinstance(recipe, ScoredCorrection) and recipe.key not in self._checked
        ]
        checks = self.checks(unchecked)
        built = self.engine.build([overlap for check in checks for overlap in check.overlaps])
        refuse(map(self.found_by, checks))
        self._checked.update(score.key for score in unchecked)
        try:
            return built + self.engine.build(recipes, in_full)
        except KeyboardInterrupt:
            raise Stopped from None

    def checks(self, recipes: Iterable[Recipe]) -> list[Check]:
        """The checks of test sets to make before the scores among these recipes."""
        return checks_of(
            (recipe for recipe in recipes if isinstance(recipe, ScoredCorrection)),
            self.planner.tuned_on,
        )

    def found_by(self, check: Check) -> CheckResult:
        """The result of a check; its overlaps must have been built."""
        return check.of([self.store.result(overlap)["result"] for overlap in check.overlaps])

    def tuned_on_test(self, system: System | Pipeline, test: str) -> list[str]:
        """The parts of a system that are chosen on the same sentences that it is scored on; its
        score must have been built.
        """
        if self.planner.test_sentences(system, test) not in self.planner.tuned_on:
            return []
        findings = [
            self.found_by(check) for check in self.checks([self.planner.score(system, test)])
        ]
        tuned = [
            what
            for finding in findings
            if finding.overlaps
            for purpose, what in finding.check.uses
            if purpose == "tuning"
        ]
        return list(dict.fromkeys(tuned))

    def targets(self, notebooks: Iterable[str] | None = None) -> list[Recipe]:
        """The recipes that notebooks need, by default all of the profile, with the checks of its
        test sets first.

        Some of the models are included in compact form too, for readers' own sentences.
        """
        listed = self.profile.notebooks if notebooks is None else notebooks
        grids = dict.fromkeys(
            grid for notebook in listed for grid in self.profile.notebooks[notebook]
        )
        recipes = dict.fromkeys(
            [*self.data_recipes(), *(recipe for grid in grids for recipe in self.recipes(grid))]
        )
        every = set(with_ancestors(recipes))
        compact = [form for model, form in self.planner.compact_models.items() if model in every]
        return [
            *(overlap for check in self.checks(recipes) for overlap in check.overlaps),
            *recipes,
            *compact,
        ]

    def stock(self, targets: Sequence[Recipe]) -> Stock:
        """Where the targets and their ancestors are."""
        every, to_build = with_ancestors(targets), missing(targets, self.store)
        stored = sum(map(self.store.has, every))
        readable = sum(self.store.can_read(recipe) for recipe in set(every).difference(to_build))
        return Stock(len(every), stored, readable - stored, to_build)

    def trained_on(self) -> list[str]:
        """The kinds of processors and GPUs that the existing models were trained on, if they are
        known.
        """
        trainings = (
            recipe
            for recipe in with_ancestors(self.targets())
            if recipe.operations and self.store.can_read(recipe)
        )
        records = map(self.store.result, trainings)
        return sorted(
            {
                record.get("gpu") or record["processor"]
                for record in records
                if "processor" in record
            }
        )

    def write_pack(self, folder: Path, sources: Sequence[Source] = ()) -> int:
        """Write a pack with everything that the notebooks of the profile need into a folder;
        returns how many artefacts it has.

        A pack of this folder that the study reads stays as it is. What it lacks is written beside
        it, as a part of its own.

        Args:
            sources: of the artefacts, by default the study's store with its packs. What none has is
                left out.

        Raises:
            UserError: no source has any; two hold an artefact with different numbers; or the folder
                cannot be written.
            DataError: an artefact is damaged.
        """
        entries = merge(with_ancestors(self.targets()), sources or [self.store])
        if not entries:
            raise UserError(
                f"profile {self.profile.name}: none of its artefacts exists, so there "
                "is nothing to put into a pack"
            )
        here = folder.resolve()
        parts = [
            pack
            for pack in self.store.packs
            if here in (pack.folder.resolve(), pack.folder.resolve().parent)
        ]
        if new := [entry for entry in entries if not any(entry.recipe in part for part in parts)]:
            place = folder / f"part-{len(parts) + 1}" if parts else folder
            write_pack(place, new, f"pseudogec {__version__}", self.planner.files)
        return len(entries)

    def data_recipes(self) -> list[Recipe]:
        """The recipes that describe the data: corpora, their reference edits, a shard of each seed
        corpus.
        """
        planner, seeds = self.planner, self.profile.corpora.seeds if self.profile.trains else {}
        corpora = planner.corpora if self.profile.trains else planner.tests
        # Only notebook 00 shows edits of other corpora than test sets. Those of a million pairs
        # take eight megabytes of a pack.
        shown = corpora if "00_data" in self.profile.notebooks else planner.tests
        edits = [
            *map(planner.references, corpora.values()),
            *map(planner.masked_references, shown.values()),
        ]
        texts = [
            recipe
            for name in seeds
            for recipe in (planner.seed_text(name, 0), planner.seed_text_facts(name))
        ]
        return [*corpora.values(), *edits, *texts]

    def recipes(self, name: str) -> list[Recipe]:
        """The recipes that a grid or comparison needs: scores, and the edits in a shard of each
        system's pseudo data.
        """
        if name in self.profile.comparisons:
            systems = self.with_simple_systems(self.comparison(name))
            return [self.planner.score(*scored) for scored in self._scored(systems)]
        grid, axes = self.grid(name), self.profile.grids[name]
        systems = self.with_simple_systems(grid)
        further = [
            self.planner.score(system, test, metric)
            for test in axes.tests
            for metric in self.profile.corpora.tests[test].metrics
            for system in systems
        ]
        if axes.passes or axes.curves:
            return [*self.measures(systems, axes.curves), *further]
        scores = [
            self.planner.score(system, test) for test in self.grid_tests for system in systems
        ]
        return [*scores, *further, *self.planner.pseudo_edits(grid).values()]

    def measures(self, systems: Sequence[System | Pipeline], curves: bool) -> list[Recipe]:
        """Scores of systems on the test sets of grids, and the validation losses of models whose
        passes are chosen.

        With ``curves`` also the shares of edits on these and on the development data.
        """
        models = [system for system in systems if isinstance(system, System)]
        tests = (None, *self.grid_tests) if curves else ()
        shares = [self.planner.edit_shares(system, test) for system in models for test in tests]
        losses = [self.planner.snapshot(system) for system in models if system.passes]
        return [
            *(self.planner.score(system, test) for system in systems for test in self.grid_tests),
            *losses,
            *shares,
        ]

    def finished(self, grid: Grid, curves: bool = False) -> Grid:
        """The systems of those seeds of which all :meth:`measures` can be read; nothing is
        built.
        """
        lacking = {
            system.seed
            for system in grid
            if not all(self.store.can_read(each) for each in self.measures([system], curves))
        }
        return Grid(system for system in grid if system.seed not in lacking)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All metrics of the test sets, each once."""
        return tuple(
            dict.fromkeys(
                metric for test in self.profile.corpora.tests.values() for metric in test.metrics
            )
        )

    def _scored(
        self, systems: Sequence[System | Pipeline]
    ) -> list[tuple[System | Pipeline, str, Metric]]:
        """Systems with every test corpus that they correct and every metric that the profile names
        for it.
        """
        tests = self.profile.corpora.tests.items()
        known = [
            (system, *test)
            for system in systems
            for test in tests
            if self.planner.corrects(system, test[0])
        ]
        return [(system, name, metric) for system, name, test in known for metric in test.metrics]

    def scores(
        self,
        grid: Sequence[System | Pipeline],
        by: By | None = None,
        test: str | None = None,
        metric: MetricChoice = ERRANT,
        tuned: bool = False,
    ) -> pd.DataFrame:
        """The tidy scores of systems on one test corpus; missing ones are built.

        Args:
            by: split by proficiency level, error type, or both.
            test: the corpus's name; the first by default.
            tuned: at the operating point of each model (:meth:`tuned_score`) in place of as
                decoded; by ERRANT.

        Returns:
            See :func:`pseudogec.study.results.tidy`; ``tuned_on_test`` says what is chosen on the
            sentences that are scored (:meth:`tuned_on_test`), and is missing where nothing is. If
            the scores are not split, also ``loss`` (:meth:`validation_loss`) and, on the first test
            corpus, ``f05 on TEST`` of each of the profile's ``grid_tests``.

        Raises:
            UserError: there is no such way to split, or no such test corpus.
        """
        if by is not None and by not in get_args(By):
            raise UserError(f"scores cannot be split by `{by}`{nearest(by, get_args(By))}")
        test, metric = test or self.test, METRICS.make(metric)
        if test not in self.planner.tests:
            raise UserError(
                f"profile {self.profile.name} has no test corpus "
                f"`{test}`{nearest(test, self.planner.tests)}"
            )
        self.build(
            self.measures(grid, True)
            if tuned
            else [self.planner.score(system, test, metric) for system in grid]
        )
        table = self._tidy([(system, test, metric) for system in grid], by, tuned)
        if by is None:
            table["loss"] = [self.validation_loss(system) for system in grid]
            for other in (
                self.grid_tests[1:] if (test, metric, tuned) == (self.test, ERRANT, False) else ()
            ):
                self.build([self.planner.score(system, other) for system in grid])
                table[f"f05 on {other}"] = [self.score(system, other).headline for system in grid]
        return table

    def all_scores(self, systems: Sequence[System | Pipeline]) -> pd.DataFrame:
        """The tidy scores of systems on every test corpus by every metric that the profile names
        for it.
        """
        scored = self._scored(systems)
        self.build([self.planner.score(*each) for each in scored])
        return self._tidy(scored)

    def _tidy(
        self,
        cells: Sequence[tuple[System | Pipeline, str, Metric]],
        by: By | None = None,
        tuned: bool = False,
    ) -> pd.DataFrame:
        levels = cache(self.levels)
        rows = (
            (
                system,
                self.planner.dataset(system, test),
                self.tuned_score(system, test) if tuned else self.score(system, test, metric),
                levels(self.planner.test_sentences(system, test)),
            )
            for system, test, metric in cells
        )
        table = tidy(rows, by)
        chosen: dict[tuple[str, str], str | None] = {}
        for system, test, _ in cells:
            if (key := (system.name, self.planner.dataset(system, test))) not in chosen:
                chosen[key] = ", ".join(self.tuned_on_test(system, test)) or None
        table["tuned_on_test"] = list(
            map(chosen.get, zip(table.system, table.dataset, strict=True))
        )
        return table

    def score(
        self, system: System | Pipeline, test: str | None = None, metric: MetricChoice = ERRANT
    ) -> Score:
        """The score of a system on a test corpus (the first by default), sentence by sentence; it
        must have been built.
        """
        return self._read(self.planner.score(system, test or self.test, METRICS.make(metric)))

    def curve(self, system: System | Pipeline, test: str | None = None) -> Curve:
        """A model's precision-recall curve on a test corpus or, with none, on the development data;
        it must have been built.
        """
        curve: Curve = self._read(self.planner.edit_shares(system, test))[0]
        return curve

    def tuned_score(self, system: System | Pipeline, test: str | None = None) -> Score:
        """The score of a model at its operating point: the threshold with the highest F0.5 on the
        development data.
        """
        score: Score = self._read(self.planner.edit_shares(system, test or self.test))[1]
        return score

    def development_f05(self, system: System) -> float:
        """A model's F0.5 on the development data at its operating point."""
        return max(map(self.curve(system).f05, THRESHOLDS))

    def best_on_development(self, systems: Iterable[System]) -> Grid:
        """Of the models of each training, after several numbers of passes, the one with the highest
        F0.5 on the development data.
        """
        trainings: dict[tuple[Any, ...], list[System]] = {}
        for system in systems:
            key = (system.method, system.pseudo_pairs, system.track, system.seed)
            trainings.setdefault(key, []).append(system)
        return Grid(max(models, key=self.development_f05) for models in trainings.values())

    def side(
        self,
        systems: Sequence[System | Pipeline],
        tuned: bool = False,
        test: str | None = None,
        part: Callable[[Score], Score] = lambda score: score,
    ) -> Side:
        """All seeds of one kind of system, whose scores must have been built, as a side of a
        comparison.

        Args:
            tuned: at the operating point of each model in place of as decoded.
            test: the test corpus; by default the first and, of systems of grids, the grids' others.
            part: what counts of a score, such as some error types.
        """
        score = self.tuned_score if tuned else self.score
        others = self.grid_tests[1:] if test is None and isinstance(systems[0], System) else ()
        counts = {
            f" on {name}" if name in others else "": {
                each.seed: part(score(each, name)).per_sentence() for each in systems
            }
            for name in (test or self.test, *others)
        }
        losses = {system.seed: self.validation_loss(system) for system in systems}
        return Side(
            systems[0].name, counts, {seed: loss for seed, loss in losses.items() if loss == loss}
        )

    def gain(
        self, grid: Grid, method: str, against: str = "none", tuned: bool = True, **choices: Any
    ) -> Contrast:
        """What a method gains over another on the test corpora of grids; their scores must have
        been built.

        Args:
            tuned: at the operating point of each model in place of as decoded.
            choices: what both systems have in common, such as ``track``.
        """
        return contrast(
            method,
            *(self.side(grid.only(method=name, **choices), tuned) for name in (method, against)),
        )

    def losses(self, system: System) -> dict[int, float]:
        """The validation loss of a model whose passes are chosen, in bits per subword, or of all
        from which it was chosen.
        """
        losses: dict[str, float] = self.result(self.planner.snapshot(system))["losses"]  # in nats
        return {int(passes): loss / log(2) for passes, loss in losses.items()}

    def validation_loss(self, system: System | Pipeline) -> float:
        """At the end of the last stage of training, in bits per subword; not a number for systems
        of steps and lost records.
        """
        if isinstance(system, Pipeline) or not self.store.can_read(
            model := self.planner.model(system)
        ):
            return nan
        if system.passes:
            return min(self.losses(system).values())
        curve = self.result(model)["validation_curve"]
        losses = [point["nll_loss"] for point in curve]
        return min(losses) if model.optimisation.selection == "best" else losses[-1]

    def levels(self, corpus: Corpus) -> list[str]:
        """The proficiency level of each sentence of a corpus, ``UNKNOWN_LEVEL`` where none is
        given.
        """
        return [level or UNKNOWN_LEVEL for level in self.lines(corpus, "levels.txt")]

    def folder(self, recipe: Recipe, *files: str) -> Path:
        """The folder of an artefact with these files; it is built if neither the store nor a pack
        has it.

        Raises:
            MissingSentencesError: a pack has the artefact without these files, and corpora are
                missing that they are made from.
        """
        self.build([recipe])
        folder = self.store.folder(recipe)
        if not all((folder / file).exists() for file in files):
            if absent := missing_files([recipe]):
                raise MissingSentencesError(self._what_to_fetch(recipe, absent))
            self.build([recipe], in_full=True)
        return self.store.folder(recipe)

    def _what_to_fetch(self, recipe: Recipe, absent: Sequence[Path]) -> str:
        data = PROJECT / self.profile.data_folder
        paths = [path.relative_to(data) if path.is_relative_to(data) else path for path in absent]
        names = ", ".join(map(str, paths[:3])) + (", ..." if len(paths) > 3 else "")
        known = dict.fromkeys(
            corpora[0].title for path in paths if (corpora := load_catalogue().find(path))
        )
        ways = f" ({', '.join(known)}: `pseudogec data --list` says how to get it)" if known else ""
        return (
            f"Packs have only numbers of {recipe.kind.replace('_', ' ')} {recipe.label}: its "
            "sentences may not be passed on or "
            f"are too many. To see them, put {names}{ways} into the data folder, "
            f"{self.profile.data_folder}, and run this again."
        )

    def lines(self, recipe: Recipe, file: str) -> list[str]:
        """The lines of a text file of an artefact, which is built if it is missing."""
        return (self.folder(recipe, file) / file).read_text(encoding="utf-8").split("\n")[:-1]

    def hypotheses(self, system: System | Pipeline, test: str) -> list[list[str]]:
        """The corrected sentences, as tokens, of a system on a test set; they are made if they are
        missing.
        """
        return [
            line.split()
            for line in self.lines(self.planner.correction(system, test), "hypotheses.txt")
        ]

    def result(self, recipe: Recipe) -> dict[str, Any]:
        """The result of an artefact, which is built if it is missing."""
        self.build([recipe])
        return self.store.result(recipe)["result"]
