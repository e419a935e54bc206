"""The profile: one YAML file that says corpora, sizes, architecture, optimisation, seeds, and which grid each notebook runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from pseudogec.errors import nearest
from pseudogec.seq2seq.options import Architecture, Optimisation

Level = Literal["A", "B", "C", "N"]


class Section(BaseModel):
    """A part of a profile: immutable, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class WorldPairs(Section):
    """Learner sentences with their corrections from the embedded simulation."""

    source: Literal["world"]
    split: Literal["train", "valid", "test"] = Field(description="disjoint parts of the simulated world")
    sentences: int = Field(gt=0)
    seed: int = 1
    levels: dict[Level, float] | None = Field(
        None, description="share of each proficiency level; the world's own mixture by default"
    )


class CorpusFile(Section):
    """One file of a corpus, and the proficiency level of its writers where that is known."""

    path: Path
    level: str = ""


class FilePairs(Section):
    """Pairs from files. Paths are relative to the profile's data folder."""

    source: Literal["m2", "parallel", "bea_json", "jfleg"]
    files: tuple[CorpusFile, ...] = Field(
        min_length=1, description="for parallel text and JFLEG: the source file, then its corrections"
    )
    sentences: int | None = Field(None, gt=0, description="how many pairs are drawn; all by default")

    @field_validator("files", mode="before")
    @classmethod
    def _accept_plain_paths(cls, value: Any) -> Any:
        return [{"path": item} if isinstance(item, str) else item for item in value] if isinstance(value, list) else value


class WorldSentences(Section):
    """Grammatical sentences of one register of the embedded simulation."""

    source: Literal["world"]
    register_name: Literal["simple", "encyclopedic", "newswire"] = Field(alias="register")
    seed: int = 1
    stands_for: str = Field("", description="the paper's seed corpus that this one is compared with")


class FileSentences(Section):
    """Grammatical sentences from a text file, one a line, tokenised. The path is relative to the profile's data folder."""

    source: Literal["plain"]
    path: Path
    stands_for: str = Field("", description="the paper's seed corpus that this one is compared with")


Pairs = Annotated[WorldPairs | FilePairs, Field(discriminator="source")]
Sentences = Annotated[WorldSentences | FileSentences, Field(discriminator="source")]


class Corpora(Section):
    """Which texts play which part."""

    genuine: Pairs = Field(description="genuine training pairs (BEA-train in the paper)")
    validation: Pairs = Field(description="pairs that choose checkpoints (BEA-valid in the paper)")
    tests: dict[str, Pairs] = Field(min_length=1, description="named sets of pairs that systems are scored on")
    in_domain: Pairs | None = Field(
        None, description="the part of the genuine pairs that is like the test data, for the setting `sequential`"
    )
    seeds: dict[str, Sentences] = Field(min_length=1, description="named seed corpora of grammatical sentences")


class Subwords(Section):
    """Byte-pair encoding (TASLP section IV-A: 8,000 merges, learnt on the genuine targets)."""

    merges: int = Field(gt=0)


class PseudoDataSize(Section):
    """How pseudo data are cut: a corpus of n pairs is the first n / shard shards, so smaller corpora are part of larger ones."""

    shard: int = Field(gt=0, description="pairs a shard")


class Decoding(Section):
    """Beam search (TASLP table II: beam 5 with length normalisation)."""

    beam: int = Field(5, ge=1)
    length_penalty: float = Field(1.0, ge=0)


class MorePseudoData(Section):
    """Pseudo data of a stage that are the same for every system of a grid (TASLP section IV-E: 250,000 pairs of direct noise)."""

    method: str
    seed_corpus: str
    pseudo_pairs: int = Field(gt=0)


class StageOfTraining(Section):
    """One stage of a curriculum: what is trained on, and how."""

    data: tuple[Literal["genuine", "pseudo", "in_domain", "copies"] | MorePseudoData, ...] = Field(
        min_length=1,
        description="the first part is the one that `upsample` repeats; `copies` are the genuine targets on both sides",
    )
    optimisation: str = Field(description="a name from `optimisations`")
    upsample: bool = Field(False, description="repeat the genuine data as often as the grid's `upsample` says")


class Method(Section):
    """A way to make pseudo data: a noising method's name and its parameters."""

    method: str
    parameters: dict[str, Any] = Field(default_factory=dict)


def _as_tuple(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else (value,)


class GridAxes(Section):
    """What one table or figure compares: every combination of these values is one system, trained once for each seed."""

    method: tuple[str, ...] = ("none",)
    seed_corpus: tuple[str, ...] = ()
    setting: tuple[str, ...] = ()
    pseudo_pairs: tuple[int, ...] = ()
    upsample: tuple[int, ...] = (1,)
    parameters: dict[str, tuple[float, ...]] = Field(default_factory=dict, description="a sweep: method parameter -> its values")
    seeds: tuple[int, ...] | None = Field(None, description="the profile's seeds by default")

    @field_validator("method", "seed_corpus", "setting", "pseudo_pairs", "upsample", "seeds", mode="before")
    @classmethod
    def _accept_single_values(cls, value: Any) -> Any:
        return None if value is None else _as_tuple(value)

    @field_validator("parameters", mode="before")
    @classmethod
    def _accept_single_parameters(cls, value: Any) -> Any:
        return {name: _as_tuple(item) for name, item in value.items()} if isinstance(value, Mapping) else value


class Profile(Section):
    """A study at one scale. See ``params/*.yaml``; every key is described there and refused when unknown or impossible."""

    name: str = ""
    description: str = Field(description="one sentence for tables and pages")
    simulation: bool = Field(description="whether the data are the embedded simulation; every table then says so")
    data_folder: Path = Field(Path("data"), description="where corpora in files are looked for; relative to the project's root")
    seeds: tuple[int, ...] = Field(min_length=1, description="one model is trained for each seed; tables show mean and spread")
    corpora: Corpora
    subwords: Subwords
    pseudo_data: PseudoDataSize
    architecture: Architecture
    optimisations: dict[str, Optimisation]
    settings: dict[str, Annotated[tuple[StageOfTraining, ...], Field(min_length=1)]]
    methods: dict[str, Method]
    reverse_model: tuple[StageOfTraining, ...] = Field(
        min_length=1, description="the stages of the model that makes errors, for back-translation; it learns from genuine pairs"
    )
    decoding: Decoding = Decoding()  # type: ignore[call-arg]  # pydantic fills the defaults
    annotator: Literal["auto", "en_core_web_sm", "offline"] = "auto"
    grids: dict[str, GridAxes]
    notebooks: dict[str, tuple[str, ...]] = Field(description="notebook -> the grids that it shows")

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        for setting, stages in self.settings.items():
            for stage in stages:
                self._check_stage(f"settings.{setting}", stage)
        for name, pairs in self.corpora.tests.items():
            if name in {"genuine", "validation", "in_domain"}:
                raise ValueError(f"corpora.tests.{name}: the name belongs to another part of the corpora; choose another")
            if pairs.source == "jfleg":
                raise ValueError(f"corpora.tests.{name}: systems are scored by ERRANT, which JFLEG's rewrites are not made for")
        for stage in self.reverse_model:
            self._check_stage("reverse_model", stage)
            if not {"genuine", "in_domain", "copies"}.issuperset(stage.data):
                raise ValueError("reverse_model: it is trained before there are pseudo data; its stages take genuine data alone")
        if "baseline" not in self.settings:
            raise ValueError("settings: a setting `baseline` (genuine data only) is needed")
        if any("pseudo" in stage.data for stage in self.settings["baseline"]):
            raise ValueError("settings.baseline: it is trained without pseudo data; every grid compares its methods with it")
        for name, grid in self.grids.items():
            self.check_grid(f"grids.{name}", grid)
        for notebook, grids in self.notebooks.items():
            _known(f"notebooks.{notebook}", "grid", grids, self.grids)
        return self

    def _check_stage(self, where: str, stage: StageOfTraining) -> None:
        if stage.upsample and stage.data[0] != "genuine":
            raise ValueError(f"{where}: `upsample` repeats the first part of `data`, which must be `genuine`")
        _known(where, "optimisation", [stage.optimisation], self.optimisations)
        if "in_domain" in stage.data and self.corpora.in_domain is None:
            raise ValueError(f"{where}: trains on in_domain data, and corpora.in_domain does not say which they are")
        for part in stage.data:
            if isinstance(part, MorePseudoData):
                _known(where, "method", [part.method], self.methods)
                _known(where, "seed_corpus", [part.seed_corpus], self.corpora.seeds)
                self._check_size(where, part.pseudo_pairs)

    def _check_size(self, where: str, pairs: int) -> None:
        if pairs <= 0 or pairs % self.pseudo_data.shard:
            raise ValueError(f"{where}.pseudo_pairs: {pairs} is not a multiple of pseudo_data.shard ({self.pseudo_data.shard})")

    def check_grid(self, where: str, grid: GridAxes) -> None:
        """Refuse a grid that names what the profile does not have.

        Args:
            where: what messages call the grid.
            grid: the axes.

        Raises:
            ValueError: an unknown name (the nearest is offered), a missing axis, or a size that is not a number of whole shards.
        """
        _known(where, "method", grid.method, ["none", *self.methods])
        _known(where, "seed_corpus", grid.seed_corpus, self.corpora.seeds)
        _known(where, "setting", grid.setting, self.settings)
        if any(method != "none" for method in grid.method) and not (grid.seed_corpus and grid.setting and grid.pseudo_pairs):
            raise ValueError(f"{where}: a method that makes pseudo data needs seed_corpus, setting and pseudo_pairs")
        for pairs in grid.pseudo_pairs:
            self._check_size(where, pairs)
        for setting in grid.setting:
            stages = self.settings[setting]
            if not any("pseudo" in stage.data for stage in stages):
                raise ValueError(
                    f"{where}: the setting `{setting}` has no stage with pseudo data, so methods would not differ in it"
                )
            if grid.upsample != (1,) and not any(stage.upsample for stage in stages):
                raise ValueError(
                    f"{where}: no stage of the setting `{setting}` has `upsample: true`, so repeating would change nothing"
                )


def _known(where: str, what: str, names: Iterable[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in set(known):
            raise ValueError(f"{where}: there is no {what} `{name}`{nearest(name, known)}")
