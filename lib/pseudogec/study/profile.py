"""The profile: one YAML file that says corpora, sizes, architecture, optimisation, seeds, and which grid each notebook runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer, SerializeAsAny, model_validator

from artefacts import ClusterSection, Section
from pseudogec.noise import METHODS, Method
from pseudogec.random_streams import Seeds
from pseudogec.seq2seq.options import Architecture, DetectorOptions, Optimisation
from pseudogec.study import profile_checks as checks
from pseudogec.study.profile_sections import (
    Corpora,
    Decoding,
    GridAxes,
    PseudoDataSize,
    Scale,
    StageOfTraining,
    Subwords,
)
from pseudogec.study.profile_systems import LanguageModelChoice, ModelChoice, SystemSteps, Track

AnyMethod = Annotated[SerializeAsAny[Method], BeforeValidator(METHODS.parse), PlainSerializer(METHODS.dump)]


class Profile(Section):
    """A study at one scale. See ``params/*.yaml``; every key is described there and refused when unknown or impossible."""

    name: str = ""
    description: str = Field(description="one sentence for tables and pages")
    simulation: bool = Field(description="whether the data are the embedded simulation; every table then says so")
    data_folder: Path = Field(Path("data"), description="where corpora in files are looked for; relative to the project's root")
    seeds: Seeds = Field(min_length=1, description="one model is trained for each seed; tables show mean and spread")
    corpora: Corpora
    subwords: Subwords
    pseudo_data: PseudoDataSize
    architecture: Architecture
    architectures: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="other models, each as what it changes in `architecture`"
    )
    optimisations: dict[str, Optimisation]
    scale: Scale = Field(Scale(), description="amounts that the design leaves to each scale, where they are written `$name`")  # type: ignore[call-arg]
    first_stages: tuple[StageOfTraining, ...] = Field(
        (), description="stages that every model begins with, the reverse model too; trained once a seed"
    )
    settings: dict[str, Annotated[tuple[StageOfTraining, ...], Field(min_length=1)]]
    methods: dict[str, AnyMethod]
    reverse_model: tuple[StageOfTraining, ...] = Field(
        min_length=1, description="the stages of the model that makes errors, for back-translation; it learns from genuine pairs"
    )
    decoding: Decoding = Decoding()  # type: ignore[call-arg]  # pydantic fills the defaults
    annotator: Literal["auto", "en_core_web_sm", "offline"] = "auto"
    cluster: ClusterSection | None = Field(None, description="where it is built, when not on this machine; changes no result")
    tracks: dict[str, Track] = Field(default_factory=dict, description="other genuine data to train on")
    models: dict[str, ModelChoice] = Field(default_factory=dict, description="models that systems are made of")
    language_model: LanguageModelChoice | None = None
    error_detector: DetectorOptions = DetectorOptions()
    systems: dict[str, SystemSteps] = Field(default_factory=dict, description="from text to its correction, step by step")
    grids: dict[str, GridAxes] = Field(description="what a table or figure compares: combinations of choices")
    comparisons: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="the same of systems: names from `systems`, in the order of a table's rows"
    )
    notebooks: dict[str, tuple[str, ...]] = Field(description="notebook -> the grids and comparisons that it shows")

    def architecture_of(self, name: str) -> Architecture:
        """The architecture of a name from ``architectures``, or of ``default``.

        Raises:
            ValidationError: what the name changes is impossible.
        """
        if name == "default":
            return self.architecture
        return Architecture.model_validate({**self.architecture.model_dump(), **self.architectures[name]})

    def stages(self, setting: str) -> tuple[StageOfTraining, ...]:
        """All stages of a setting from ``settings``, or of ``reverse_model``."""
        return (*self.first_stages, *(self.reverse_model if setting == "reverse_model" else self.settings[setting]))

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        checks.check_corpora(self)
        checks.check_settings(self)
        for name, grid in self.grids.items():
            checks.check_grid(self, f"grids.{name}", grid)
        checks.check_systems(self)
        checks.check_notebooks(self)
        return self
