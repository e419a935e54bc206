"""The profile: the keys of a YAML file that describes a study at one scale, and checks that its
parts fit together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    PositiveInt,
    SerializeAsAny,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from pseudogec.artefacts import ClusterSection, Section
from pseudogec.artefacts.errors import nearest, similar
from pseudogec.artefacts.kinds import OneOrMore, explain
from pseudogec.corpora import PAIR_FORMATS, SENTENCE_FORMATS, PairFormat, SentenceFormat
from pseudogec.correct import STEPS, Step
from pseudogec.edits import AnnotatorName
from pseudogec.evaluate import ERRANT, METRICS, AnyMetric
from pseudogec.languages import ENGLISH, AnyLanguage
from pseudogec.noise import METHODS, DecoderMethod, Method, NoisedText
from pseudogec.random_streams import Seeds
from pseudogec.seq2seq.options import (
    Architecture,
    DetectorOptions,
    LanguageModelArchitecture,
    Optimisation,
)

Pairs = Annotated[
    PairFormat, BeforeValidator(PAIR_FORMATS.parse), PlainSerializer(PAIR_FORMATS.dump)
]
Sentences = Annotated[
    SentenceFormat, BeforeValidator(SENTENCE_FORMATS.parse), PlainSerializer(SENTENCE_FORMATS.dump)
]


class Test(Section):
    """Pairs to test on; a profile writes the keys of both fields side by side."""

    pairs: Pairs
    metrics: OneOrMore[AnyMetric] = Field(
        (ERRANT,), min_length=1, description="metrics of the top systems"
    )
    tuned_on: bool = Field(
        False,
        description="whether parts of systems may be chosen on these "
        "sentences; tables then mark these",
    )
    retyped: bool = Field(
        False,
        description="the references' edits are minimised and typed again, as by `errant_m2 -gold`",
    )

    @model_validator(mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        own = {name: item for name, item in value.items() if name in cls.model_fields}
        return {"pairs": {name: item for name, item in value.items() if name not in own}, **own}


class Corpora(Section):
    genuine: Pairs = Field(description="genuine training pairs (BEA-train in the paper)")
    validation: Pairs = Field(description="pairs that choose checkpoints (BEA-valid in the paper)")
    development: Pairs | None = Field(
        None, description="that steps are tuned on and tracks cut from; `validation` by default"
    )
    tests: dict[str, Test] = Field(
        min_length=1,
        description="to score on: the first for all systems, the others for the top ones",
    )
    in_domain: Pairs | None = Field(
        None, description="the genuine pairs that are like the test data, for `sequential`"
    )
    unchanged: Literal["drop", "keep"] = Field(
        "drop", description="training pairs without a correction (TASLP section IV-A: drop)"
    )
    without_test_sentences: bool = Field(
        False,
        description="leave out genuine training pairs of which a side occurs in a test set "
        "(from 12 tokens on)",
    )
    seeds: dict[str, Sentences] = Field(
        min_length=1, description="named seed corpora of grammatical sentences"
    )

    @property
    def parts(self) -> dict[str, PairFormat | SentenceFormat]:
        """All corpora by their place in the profile, such as ``genuine`` or ``seeds.simple``."""
        single = {
            name: getattr(self, name)
            for name in ("genuine", "validation", "development", "in_domain")
        }
        return {
            **{name: pairs for name, pairs in single.items() if pairs is not None},
            **{f"tests.{name}": test.pairs for name, test in self.tests.items()},
            **{f"seeds.{name}": sentences for name, sentences in self.seeds.items()},
        }

    @property
    def simulated(self) -> list[str]:
        """The parts that are simulated."""
        return [name for name, corpus in self.parts.items() if corpus.simulated]

    @property
    def noised(self) -> bool:
        """Whether the genuine pairs are grammatical text with errors that a program made, so that
        no learner is learnt from.
        """
        return isinstance(self.genuine, NoisedText)


class Subwords(Section):
    """Byte-pair encoding (TASLP section IV-A: 8,000 merges, learnt on the genuine targets)."""

    algorithm: ClassVar[str] = "subword-nmt"
    learnt_on: ClassVar[str] = "the genuine targets"
    dictionaries: ClassVar[str] = "one for both sides"
    merges: int = Field(gt=0)


class PseudoDataSize(Section):
    """Pseudo data in shards: a corpus of n pairs is the first n / shard shards, so smaller corpora
    are part of larger ones.
    """

    shard: int = Field(gt=0, description="pairs a shard")
    own_draws: bool = Field(
        False,
        description="each seed has pseudo data and a reverse model of its own; else all share them",
    )
    edits_from: Literal["genuine", "in_domain"] = Field(
        "genuine", description="pairs whose edits noise learns (Choe: in_domain)"
    )


class Decoding(Section):
    """How models decode; methods of back-translation have a beam of their own."""

    beam: int = Field(5, ge=1, le=100, description="of corrections (TASLP table II: 5)")
    length_penalty: float = Field(
        1.0, ge=0, description="of corrections: scores are divided by the length to this power"
    )
    n_best: int = Field(1, ge=1, description="corrections of a sentence that are kept for `curves`")
    precision: Literal["fp32", "fp16"] = Field(
        "fp32", description="of back-translation; test sets are corrected in fp32"
    )


class MorePseudoData(Section):
    """Pseudo data of a stage that are the same for every system of a grid (TASLP section IV-E:
    250,000 pairs of direct noise).
    """

    method: str
    seed_corpus: str
    pseudo_pairs: int = Field(gt=0)


class StageOfTraining(Section):
    """One stage of a curriculum: its data and optimisation."""

    data: tuple[Literal["genuine", "pseudo", "in_domain", "copies"] | MorePseudoData, ...] = Field(
        min_length=1,
        description="`upsample` repeats the first part; `copies` are the genuine "
        "targets on both sides",
    )
    optimisation: str = Field(description="a name from `optimisations`")
    upsample: bool = Field(
        False, description="repeat the genuine data as often as the grid's `upsample` says"
    )


class Scale(Section):
    """Amounts that the design leaves to each scale; ``$name`` anywhere in a profile stands for one
    of them.
    """

    base: int | None = Field(
        None, description="pseudo pairs of the comparisons of methods, parameters and seed corpora"
    )
    small: int | None = Field(
        None,
        description="the smaller of the two amounts of pseudo pairs of the comparison of settings",
    )
    medium: int | None = Field(
        None, description="the larger of the two; also that of the upsampling sweep"
    )
    large: int | None = Field(None, description="pseudo pairs of the best systems")
    curve: OneOrMore[int] = Field((), description="amounts of pseudo pairs of the scaling curve")
    realistic: int | None = Field(
        None, description="pairs of realistic noise in the restricted track"
    )
    low_resource: int | None = Field(
        None, description="pairs of realistic noise in the low-resource track"
    )
    noise_mixed_in: int | None = Field(
        None, description="pairs of direct noise that `pretrain_joint` fine-tunes on"
    )
    seed_corpus: str = Field(
        "", description="the largest seed corpus, for settings, scaling and systems"
    )
    sweep_seeds: Seeds = Field((), description="seeds of sweeps, which train many models")
    system_seeds: Seeds = Field((), description="seeds of the systems of Choe et al.")
    ensemble_seeds: Seeds = Field((), description="seeds of the models of an ensemble")


Passes = PositiveInt | Literal["lowest_loss"]


class Axes(Section):
    """Systems: every combination of these values is one, trained once for each seed."""

    method: OneOrMore[str] = ("none",)
    seed_corpus: OneOrMore[str] = ()
    setting: OneOrMore[str] = ()
    baseline: str = Field("baseline", description="the setting of systems without pseudo data")
    pseudo_pairs: OneOrMore[int] = ()
    upsample: OneOrMore[PositiveInt] = (1,)
    architecture: OneOrMore[str] = ("default",)
    track: OneOrMore[str] = ("restricted",)
    passes: OneOrMore[Passes] = Field(
        (),
        description="models at these `snapshots` of the last stage, or at the best; else its end",
    )
    curves: bool = Field(
        False, description="measure precision-recall curves, and scores at operating points"
    )
    sweep: dict[str, OneOrMore[float]] = Field(
        default_factory=dict, description="a parameter of the methods -> its values"
    )
    seeds: Seeds | None = Field(None, description="the profile's seeds by default")


def _axes(value: Any) -> Any:
    Axes.model_validate(value)
    return value


class GridAxes(Axes):
    """The systems of one table or figure."""

    also: tuple[Annotated[dict[str, Any], BeforeValidator(_axes)], ...] = ()
    """More systems: for each entry the combinations of these values with those that the entry
    replaces.
    """
    tests: tuple[str, ...] = Field(
        (), description="further test corpora to score on, by their own metrics"
    )

    @property
    def parts(self) -> list[Axes]:
        """These axes alone, and one for each entry of ``also``."""
        own = self.model_dump(exclude={"also", "tests"})
        return [Axes.model_validate({**own, **replaced}) for replaced in ({}, *self.also)]


class ModelChoice(Section):
    """One kind of model, trained once for each seed: a point of a grid."""

    method: str = "none"
    seed_corpus: str | None = None
    setting: str = "baseline"
    pseudo_pairs: int = Field(0, ge=0)
    upsample: int = Field(1, ge=1)
    architecture: str = Field("default", description="`default`, or a name from `architectures`")
    track: str = Field(
        "restricted", description="`restricted` (all genuine pairs), or a name from `tracks`"
    )


class LanguageModelChoice(Section):
    """The language model that spelling and edits are judged by (Choe et al. 2019, section 7.2)."""

    seed_corpus: str
    sentences: int = Field(gt=0, description="whole shards of the seed corpus")
    architecture: LanguageModelArchitecture = LanguageModelArchitecture()
    optimisation: str = Field(description="a name from `optimisations`")


class Track(Section):
    """Other genuine pairs: a part of the development data (Choe et al. 2019, section 7.1: 3 of 4
    sentences), or corpora.

    Parts keep the levels' proportions; sentences of neither share choose checkpoints and tune
    systems.
    """

    pairs: int | None = Field(
        None, gt=0, description="so many genuine pairs with a correction, drawn anew for each seed"
    )
    own_copies: bool = Field(
        False,
        description="a stage of copying takes their targets alone, not those of all genuine pairs",
    )
    genuine: Pairs | None = Field(
        None, description="training pairs of its own; by default a part of the development data"
    )
    validation: Pairs | None = Field(
        None, description="with pairs of its own: those that choose checkpoints and tune systems"
    )
    in_domain: Pairs | None = Field(
        None, description="with pairs of its own: the part of them that is like its test data"
    )
    training_share: float = Field(0.75, gt=0, lt=1)
    test_share: float = Field(0.0, ge=0, lt=1)
    """Sentences to score the track on where the development data are a test set too: these neither
    train nor tune it. With 0 it is scored on all that it does not train on, which also tune it, as
    Choe et al. do (their Dev-1K)."""
    seed: int = 1

    @property
    def corpora(self) -> dict[str, PairFormat]:
        """Its own corpora by name."""
        named = {
            "genuine": self.genuine,
            "validation": self.validation,
            "in_domain": self.in_domain,
        }
        return {name: pairs for name, pairs in named.items() if pairs is not None}

    @model_validator(mode="after")
    def _some_validate(self) -> Self:
        if (self.genuine is None) != (self.validation is None) or (
            self.in_domain and self.genuine is None
        ):
            raise ValueError(
                "a track with pairs of its own names `genuine` and `validation`, and "
                "perhaps `in_domain`"
            )
        if self.training_share + self.test_share >= 1:
            raise ValueError(
                "training_share and test_share leave no sentences to choose checkpoints on"
            )
        return self


AnyStep = Annotated[SerializeAsAny[Step], BeforeValidator(STEPS.parse), PlainSerializer(STEPS.dump)]


class SystemSteps(Section):
    """A system: the steps of the system that it continues, if any, and its own."""

    after: str | None = Field(None, description="the system whose steps come first")
    steps: tuple[AnyStep, ...] = Field(min_length=1)
    stands_for: OneOrMore[str] = Field(
        (), description="rows of published tables that it is compared with; by default its name"
    )


class Difference(Section):
    """The reason why a setting differs from that of the paper that the profile repeats; a single
    text is ``why``.
    """

    why: str
    ours: str = Field("", description="our setting, if it is no key of the profile")

    @model_validator(mode="before")
    @classmethod
    def _accept_text(cls, value: Any) -> Any:
        return {"why": value} if isinstance(value, str) else value


AnyMethod = Annotated[
    SerializeAsAny[Method], BeforeValidator(METHODS.parse), PlainSerializer(METHODS.dump)
]


class Profile(Section):
    """A study at one scale, such as ``params/*.yaml``. Unknown keys and impossible values are
    refused.
    """

    name: str = Field(
        "",
        pattern=r"^([^./\\][^/\\]*)?$",
        max_length=100,
        description="of the folder of results; by default the file's name",
    )
    description: str = Field(description="one sentence for tables and pages")
    language: AnyLanguage = Field(
        ENGLISH, description="of all its texts: a code, such as `uk`, or package.module:Class"
    )
    data_folder: Path = Field(
        Path("data"), description="the folder of corpora in files; relative to the project's root"
    )
    seeds: Seeds = Field(
        min_length=1, description="one model is trained for each seed; tables show mean and spread"
    )
    corpora: Corpora
    subwords: Subwords
    pseudo_data: PseudoDataSize
    architecture: Architecture
    architectures: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="others, as changes to `architecture`"
    )
    optimisations: dict[str, Optimisation]
    optimisations_of: dict[str, dict[str, dict[str, Any]]] = Field(
        default_factory=dict,
        description="architecture -> optimisation -> changes to it for this architecture",
    )
    scale: Scale = Field(
        Scale(),  # type: ignore[call-arg]
        description="amounts that the design leaves to each scale, where they are written `$name`",
    )
    first_stages: tuple[StageOfTraining, ...] = Field(
        (), description="that every model begins with, the reverse model too"
    )
    settings: dict[str, Annotated[tuple[StageOfTraining, ...], Field(min_length=1)]]
    methods: dict[str, AnyMethod]
    reverse_model: tuple[StageOfTraining, ...] = Field(
        min_length=1, description="stages of the model that makes errors"
    )
    decoding: Decoding = Decoding()  # type: ignore[call-arg]  # pydantic fills the defaults
    annotator: AnnotatorName = Field("auto", validate_default=True)
    cluster: ClusterSection | None = Field(
        None, description="where it is built, if not on this machine; in no artefact's key"
    )
    tracks: dict[str, Track] = Field(
        default_factory=dict, description="other genuine data to train on"
    )
    models: dict[str, ModelChoice] = Field(
        default_factory=dict, description="models that systems are made of"
    )
    language_model: LanguageModelChoice | None = None
    error_detector: DetectorOptions = DetectorOptions()
    # Of a `hugging_face` encoder
    error_encoder: DetectorOptions = DetectorOptions(learning_rate=1e-4, epochs=2)
    systems: dict[str, SystemSteps] = Field(
        default_factory=dict, description="lists of steps from a text to its correction"
    )
    grids: dict[str, GridAxes] = Field(
        description="the systems of a table or figure: combinations of choices"
    )
    comparisons: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="the rows of a table, from `systems`"
    )
    preprocessing: tuple[AnyStep, ...] = Field(
        (), description="steps before the models of grids, in training as in tests"
    )
    own_text: tuple[str, ...] = Field(
        (), description="systems for readers' own sentences, whose models packs include; best last"
    )
    simple_systems: tuple[str, ...] = Field(
        (), description="first rows of every table of systems, such as one that does nothing"
    )
    grid_tests: tuple[str, ...] = Field(
        (), description="test corpora on which grids are scored by ERRANT beside the first"
    )
    judged_with: tuple[str, ...] = Field(
        (), description="profiles whose comparisons bear on the papers' claims, too"
    )
    book: tuple[str, ...] = Field(
        (), description="profiles whose executed notebooks come first in the book of this one"
    )
    predicted_by: str | None = Field(
        None, description="a profile whose ranking of methods is compared with this one's"
    )
    notebooks: dict[str, tuple[str, ...]] = Field(
        description="notebook -> the grids and comparisons that it shows"
    )
    differences: dict[str, Difference] = Field(
        default_factory=dict, description="keys that differ from the paper -> the reason"
    )

    @field_validator("annotator")
    @classmethod
    def _of_the_language(cls, annotator: AnnotatorName, info: ValidationInfo) -> AnnotatorName:
        language = info.data.get("language", ENGLISH)
        if annotator != "auto" and annotator not in language.annotators:
            raise ValueError(
                f"{language.title} has no annotator {annotator!r}, only "
                f"{', '.join(language.annotators)}"
            )
        return annotator if annotator in language.annotators else language.annotators[0]

    @property
    def simulation(self) -> bool:
        """Whether all corpora are simulated."""
        return len(self.corpora.simulated) == len(self.corpora.parts)

    @property
    def trains(self) -> bool:
        """Whether there are models; else only corrections of others are scored, and nothing is
        learnt from the corpora.
        """
        return bool(self.grids or self.models)

    def architecture_of(self, name: str) -> Architecture:
        """The architecture of a name from ``architectures``, or of ``default``.

        Raises:
            ValidationError: the changes of the name are impossible.
        """
        if name == "default":
            return self.architecture
        return Architecture.model_validate(
            {**self.architecture.model_dump(), **self.architectures[name]}
        )

    def optimisation_of(self, name: str, architecture: str = "default") -> Optimisation:
        """How a stage with the optimisation of a name trains models of the architecture of a name.

        Raises:
            ValidationError: the changes for the architecture are impossible.
        """
        changes = self.optimisations_of.get(architecture, {}).get(name)
        optimisation = self.optimisations[name]
        return (
            Optimisation.model_validate({**optimisation.model_dump(), **changes})
            if changes
            else optimisation
        )

    @property
    def precisions(self) -> dict[str, str]:
        """The precisions that the profile computes in, by their keys, such as
        ``optimisations.joint.precision``.
        """
        own = {
            f"optimisations.{name}": optimisation.precision
            for name, optimisation in self.optimisations.items()
        }
        for architecture, changed in self.optimisations_of.items():
            for name in changed:
                own[f"optimisations_of.{architecture}.{name}"] = self.optimisation_of(
                    name, architecture
                ).precision
        return {
            f"{place}.precision": value
            for place, value in {**own, "decoding": self.decoding.precision}.items()
        }

    def stages(self, setting: str) -> tuple[StageOfTraining, ...]:
        """All stages of a setting from ``settings``, or of ``reverse_model``."""
        return (
            *self.first_stages,
            *(self.reverse_model if setting == "reverse_model" else self.settings[setting]),
        )


Location = tuple[str | int, ...]
"""Keys, and places in lists from 0, that lead to a value of a profile."""


class Problem(NamedTuple):
    """What is wrong with the value at a location of a profile, and what would be right."""

    location: Location
    message: str
    missing: bool = False
    """Whether the last key of the location is not there."""

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.location))}: {self.message}"


_IN_YAML = {
    "missing": "this key is missing",
    "too_short": "too few items",
    **dict.fromkeys(("tuple_type", "list_type"), "a list is wanted, such as [a, b]"),
    **dict.fromkeys(
        ("dict_type", "model_type", "model_attributes_type"),
        "a mapping is wanted, such as {key: value}",
    ),
}
"""What pydantic finds wrong, in the terms of YAML."""


def problems_in(location: Location, error: ValidationError) -> list[Problem]:
    """The errors in a section, in the user's terms."""
    problems = []
    for item in error.errors():
        place = (*location, *item["loc"])
        message = _IN_YAML.get(item["type"], item["msg"].removeprefix("Value error, "))
        if item["type"] == "extra_forbidden":
            message = "unknown key" + similar(str(place[-1]), _known_keys(Section))
        elif item["type"] not in {"value_error", "missing"} and not isinstance(
            item["input"], dict | list | Section
        ):
            message += f" (got {item['input']!r})"
        problems.append(Problem(place, message, item["type"] == "missing"))
    return problems


def _known_keys(section: type[Section]) -> set[str]:
    """The keys of all sections."""
    own = {field.alias or name for name, field in section.model_fields.items()}
    return own.union(*map(_known_keys, section.__subclasses__()))


def _unknown(
    location: Location, what: str, names: Iterable[str], known: Iterable[str]
) -> Iterator[Problem]:
    known = set(known)
    for number, name in enumerate(names):
        if name not in known:
            yield Problem((*location, number), f"there is no {what} `{name}`{nearest(name, known)}")


def problems_of(profile: Profile) -> Iterator[Problem]:
    """Names that a profile uses and does not have, and parts that do not fit together."""
    for number, (name, test) in enumerate(profile.corpora.tests.items()):
        metrics = (*test.metrics, *([ERRANT] if number == 0 else []))
        if test.pairs.rewritten and (
            by_edits := [metric.name for metric in metrics if metric.references != "rewrites"]
        ):
            able = ", ".join(
                f"`{metric.name}`" for metric in METRICS if metric.references == "rewrites"
            )
            message = (
                f"these are rewrites, which `{by_edits[0]}` (of the first set in any case) "
                f"cannot score, only {able}"
            )
            yield Problem(("corpora", "tests", name), message)
    if profile.pseudo_data.edits_from == "in_domain":
        yield from _check_in_domain(profile, ("pseudo_data", "edits_from"))
    settings = {("settings", name): stages for name, stages in profile.settings.items()}
    early = {("first_stages",): profile.first_stages, ("reverse_model",): profile.reverse_model}
    for where, stages in [*settings.items(), *early.items()]:
        for number, stage in enumerate(stages):
            yield from _check_stage(profile, (*where, number), stage)
    yield from _check_changes(profile)
    for name, grid in profile.grids.items():
        yield from check_grid(profile, ("grids", name), grid)
    for name, choice in profile.models.items():
        yield from _check_model(profile, ("models", name), choice)
    if (model := profile.language_model) is not None:
        yield from _unknown(
            ("language_model", "seed_corpus"),
            "seed_corpus",
            [model.seed_corpus],
            profile.corpora.seeds,
        )
        yield from _unknown(
            ("language_model", "optimisation"),
            "optimisation",
            [model.optimisation],
            profile.optimisations,
        )
        yield from _check_sizes(profile, ("language_model", "sentences"), model.sentences)
    for name, system in profile.systems.items():
        after = [system.after] if system.after is not None else []
        if unknown := [*_unknown(("systems", name, "after"), "system", after, profile.systems)]:
            yield from unknown
            continue
        steps = all_steps(profile, name)
        first = len(steps) - len(system.steps)
        for number, step in enumerate(system.steps):
            yield from _check_step(
                profile, ("systems", name, "steps", number), step, steps[: first + number]
            )
    for number, step in enumerate(profile.preprocessing):
        yield from _check_step(
            profile, ("preprocessing", number), step, profile.preprocessing[:number]
        )
    tables = [*profile.grids, *profile.comparisons]
    named: list[tuple[Location, str, Iterable[str], Iterable[str]]] = [
        *(
            (("comparisons", name), "system", systems, profile.systems)
            for name, systems in profile.comparisons.items()
        ),
        (("own_text",), "system", profile.own_text, profile.systems),
        (("simple_systems",), "system", profile.simple_systems, profile.systems),
        (("grid_tests",), "test corpus", profile.grid_tests, profile.corpora.tests),
        *(
            (("notebooks", name), "grid or comparison", listed, tables)
            for name, listed in profile.notebooks.items()
        ),
    ]
    for names in named:
        yield from _unknown(*names)


def _check_methods(profile: Profile, where: Location, names: Iterable[str]) -> Iterator[Problem]:
    for name in names:
        if lacking := profile.language.lacks(profile.methods[name].needs_of_language):
            yield Problem(where, f"`{name}` {lacking}")


def _check_stage(profile: Profile, where: Location, stage: StageOfTraining) -> Iterator[Problem]:
    if stage.upsample and stage.data[0] != "genuine":
        yield Problem(where, "`upsample` repeats the first part of `data`, which must be `genuine`")
    if "pseudo" in stage.data and where[0] != "settings":
        yield Problem(
            where, "it is trained before there are pseudo data; such stages take only genuine data"
        )
    yield from _unknown(
        (*where, "optimisation"), "optimisation", [stage.optimisation], profile.optimisations
    )
    for number, part in enumerate(stage.data):
        place = (*where, "data", number)
        if part == "in_domain":
            yield from _check_in_domain(profile, place)
        elif isinstance(part, MorePseudoData):
            yield from _unknown((*place, "method"), "method", [part.method], profile.methods)
            yield from _check_methods(
                profile, (*place, "method"), {part.method} & profile.methods.keys()
            )
            yield from _unknown(
                (*place, "seed_corpus"), "seed_corpus", [part.seed_corpus], profile.corpora.seeds
            )
            yield from _check_sizes(profile, (*place, "pseudo_pairs"), part.pseudo_pairs)


def _check_in_domain(profile: Profile, where: Location) -> Iterator[Problem]:
    if profile.corpora.in_domain is None:
        yield Problem(where, "corpora.in_domain does not say which pairs are in_domain")


def _check_changes(profile: Profile) -> Iterator[Problem]:
    """Architectures and optimisations that are written as changes to others."""
    for name in profile.architectures:
        try:
            profile.architecture_of(name)
        except ValidationError as error:
            yield from problems_in(("architectures", name), error)
    for architecture, changed in profile.optimisations_of.items():
        where = ("optimisations_of", architecture)
        yield from _unknown(
            where, "architecture", [architecture], ["default", *profile.architectures]
        )
        yield from _unknown(where, "optimisation", changed, profile.optimisations)
        for name in profile.optimisations.keys() & changed.keys():
            try:
                profile.optimisation_of(name, architecture)
            except ValidationError as error:
                yield from problems_in((*where, name), error)


MOST_SHARDS = 10_000
"""Of one amount of pseudo data: each is a task and a folder. The papers' 70 million pairs are
1,750.
"""


def _check_sizes(profile: Profile, where: Location, *sizes: int) -> Iterator[Problem]:
    shard = profile.pseudo_data.shard
    for number, pairs in enumerate(sizes):
        if pairs <= 0 or pairs % shard:
            yield Problem(
                (*where, number), f"{pairs} is not a multiple of pseudo_data.shard ({shard})"
            )
        elif pairs // shard > MOST_SHARDS:
            message = (
                f"{pairs:,} pairs are more than {MOST_SHARDS:,} shards of {shard}; raise "
                "pseudo_data.shard, or lower them"
            )
            yield Problem((*where, number), message)


def check_grid(profile: Profile, where: Location, grid: GridAxes) -> Iterator[Problem]:
    """Unknown names in a grid (the nearest is offered), missing axes, sizes that are not a number
    of whole shards.
    """
    first, *others = grid.parts
    yield from _unknown((*where, "tests"), "test corpus", grid.tests, profile.corpora.tests)
    yield from (own := [*_check_axes(profile, where, first)])
    # An entry has them again where it replaces nothing
    messages = {problem.message for problem in own}
    for number, axes in enumerate(others):
        problems = _check_axes(profile, (*where, "also", number), axes)
        yield from (problem for problem in problems if problem.message not in messages)


def _check_axes(profile: Profile, where: Location, grid: Axes) -> Iterator[Problem]:
    known = {
        "method": (grid.method, ["none", *profile.methods]),
        "seed_corpus": (grid.seed_corpus, profile.corpora.seeds),
        "setting": (grid.setting, profile.settings),
        "baseline": ([grid.baseline], profile.settings),
        "architecture": (grid.architecture, ["default", *profile.architectures]),
        "track": (grid.track, ["restricted", *profile.tracks]),
    }
    unknown = [
        problem
        for axis, names in known.items()
        for problem in _unknown((*where, axis), axis, *names)
    ]
    yield from unknown
    yield from _check_sizes(profile, (*where, "pseudo_pairs"), *grid.pseudo_pairs)
    if unknown:
        return
    methods = [name for name in grid.method if name != "none"]
    if methods and not (grid.seed_corpus and grid.setting and grid.pseudo_pairs):
        yield Problem(
            where, "a method that makes pseudo data needs seed_corpus, setting and pseudo_pairs"
        )
    yield from _check_methods(profile, (*where, "method"), methods)
    for name, point in product(methods, product(*grid.sweep.values())):
        try:
            profile.methods[name].changed(**dict(zip(grid.sweep, point, strict=True)))
        except ValidationError as error:
            yield Problem(
                (*where, "sweep"), f"{name}: {explain(error, type(profile.methods[name]))}"
            )
            break
    if any("pseudo" in stage.data for stage in profile.settings[grid.baseline]):
        message = (
            f"`{grid.baseline}` takes pseudo data; name the `method` that makes them, or "
            "another setting"
        )
        yield Problem((*where, "baseline"), message)
    trained = [*grid.setting, *([grid.baseline] if "none" in grid.method else [])]
    for setting, architecture in product(trained, grid.architecture) if grid.passes else ():
        if (last := profile.stages(setting)[-1].optimisation) not in profile.optimisations:
            continue  # which the check of the stage says
        kept = profile.optimisation_of(last, architecture).snapshots
        if missing := set(grid.passes).difference(kept, ["lowest_loss"] if kept else []):
            yield Problem(
                (*where, "passes"),
                f"{missing.pop()} is not among the snapshots of `{setting}`, which are {kept}",
            )
    if grid.curves and (profile.decoding.n_best == 1 or profile.preprocessing):
        yield Problem(
            (*where, "curves"),
            "they need `decoding.n_best` above 1, and a text that no step has changed before",
        )
    if any(isinstance(profile.methods[name], DecoderMethod) for name in methods):
        trained.append("reverse_model")
    lacking = [
        name
        for name in grid.track
        if name != "restricted" and profile.tracks[name].in_domain is None
    ]
    for setting in trained if lacking else ():
        if any("in_domain" in stage.data for stage in profile.stages(setting)):
            yield Problem(
                where, f"`{setting}` trains on in_domain data, which the track `{lacking[0]}` lacks"
            )


def _check_model(profile: Profile, where: Location, choice: ModelChoice) -> Iterator[Problem]:
    values = choice.model_dump(exclude_none=True)
    if choice.method == "none":
        values = {
            "method": "none",
            "baseline": choice.setting,
            "architecture": choice.architecture,
            "track": choice.track,
        }
    for problem in _check_axes(profile, where, Axes.model_validate(values)):
        inside = (
            "setting" if part == "baseline" else part for part in problem.location[len(where) :]
        )
        yield problem._replace(location=(*where, *inside))


def all_steps(profile: Profile, system: str) -> list[Step]:
    """The steps of a system, after those of the systems that it continues."""
    own = profile.systems[system]
    return [*(all_steps(profile, own.after) if own.after in profile.systems else ()), *own.steps]


def tracks_of(profile: Profile, steps: Sequence[Step]) -> set[str]:
    """The tracks of the models that steps name."""
    return {profile.models[name].track for step in steps for name in step.model_names}


def _check_step(
    profile: Profile, where: Location, step: Step, before: Sequence[Step]
) -> Iterator[Problem]:
    yield from _unknown((*where, "models"), "model", step.model_names, profile.models)
    yield from _unknown((*where, "outputs"), "test corpus", step.tests or (), profile.corpora.tests)
    if step.uses_language_model and profile.language_model is None:
        yield Problem(
            where, "needs a language model, and the profile's `language_model` does not say which"
        )
    if lacking := profile.language.lacks(step.needed_parts):
        yield Problem(where, f"the step `{step.known_as()}` {lacking}")
    try:
        step.check(before)
    except ValueError as error:
        yield Problem(where, f"the step `{step.known_as()}`: {error}")
