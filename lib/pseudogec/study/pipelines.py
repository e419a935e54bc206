"""From a profile's systems, which are lists of steps, to recipes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pseudogec.correct import Models, Need, Step
from pseudogec.study.corpora import Corpus, References
from pseudogec.study.corrections import Correction, Search
from pseudogec.study.models import (
    BinarisedText,
    ReleasedModel,
    ReleasedSubwords,
    Subwords,
    TrainedDetector,
    TrainedLanguageModel,
    TrainedModel,
    WordCounts,
)
from pseudogec.study.profile import Profile
from pseudogec.study.profile_checks import all_steps, tracks_of
from pseudogec.study.seed_texts import SeedText
from pseudogec.study.system import Pipeline, System

if TYPE_CHECKING:
    from pseudogec.study.planning import Planner


def pipelines(profile: Profile, name: str) -> list[Pipeline]:
    """A system of the profile, once for each seed if it has a single model, else once."""
    versions = (step.versions(profile.seeds) for step in all_steps(profile, name))
    return [Pipeline(name=name, seed=seed) for seed in next(filter(None, versions), (0,))]


class PipelinePlanner:
    """Turns a profile's systems into recipes.

    Args:
        planner: plans the models and corpora that steps need.
    """

    def __init__(self, planner: Planner) -> None:
        self.planner, self.profile = planner, planner.profile

    def correction(self, pipeline: Pipeline, corpus: Corpus) -> Correction:
        """What a system makes of a corpus."""
        correction = self.after(all_steps(self.profile, pipeline.name), pipeline.seed, corpus)
        assert correction is not None  # a system has a step, by the profile's schema
        return correction

    def correction_by(self, model: TrainedModel, corpus: Corpus) -> Correction:
        """What a single model makes of a corpus; the same work as that of a system with this model alone."""
        needs: dict[str, Need] = {"models": (model,), **self.decoding}
        return Correction(step=Models(models=(model.name,)), needs=needs, before=None, corpus=corpus)

    def after(self, steps: Sequence[Step], seed: int, corpus: Corpus) -> Correction | None:
        """A corpus after some steps; nothing before the first."""
        if not steps:
            return None
        *earlier, step = steps
        needs = step.needs(_StepPlanning(self, earlier, step, seed))
        return Correction(step=step, needs=needs, before=self.after(earlier, seed, corpus), corpus=corpus)

    @property
    def decoding(self) -> dict[str, Need]:
        """What a search by the study's models takes."""
        return {"subwords": self.planner.bpe, **self.search_options}

    @property
    def search_options(self) -> dict[str, Need]:
        """How outputs are searched."""
        decoding = self.profile.decoding
        return {"beam": decoding.beam, "length_penalty": decoding.length_penalty}

    def model(self, name: str, seed: int, right_to_left: bool = False) -> TrainedModel:
        """A model that the profile names."""
        choice = self.profile.models[name]
        return self.planner.model(
            System(**choice.model_dump(), noise=self.profile.methods.get(choice.method), seed=seed), right_to_left
        )

    @cached_property
    def language_model(self) -> TrainedLanguageModel:
        """The profile's language model."""
        choice, bpe = self.profile.language_model, self.planner.bpe
        assert choice is not None  # the profile's check
        return TrainedLanguageModel(
            name=choice.seed_corpus,
            architecture=choice.architecture,
            optimisation=self.profile.optimisations[choice.optimisation],
            bpe=bpe,
            data=tuple(BinarisedText(text=text, bpe=bpe) for text in self._texts),
            validation=BinarisedText(text=self.planner.validation, bpe=bpe),
            seed=1,
        )

    @cached_property
    def word_counts(self) -> WordCounts:
        """How the language model's text writes its words."""
        assert self.profile.language_model is not None  # the profile's check
        return WordCounts(name=self.profile.language_model.seed_corpus, texts=self._texts)

    @cached_property
    def _texts(self) -> tuple[SeedText, ...]:
        choice = self.profile.language_model
        assert choice is not None
        shards = range(choice.sentences // self.profile.pseudo_data.shard)
        return tuple(self.planner.seed_text(choice.seed_corpus, number) for number in shards)


class _StepPlanning:
    """The study as one step sees it; see `pseudogec.correct.Planning`.

    Args:
        pipelines: plans what the step asks for.
        earlier: the steps before it.
        step: the step.
        seed: which version of the system is planned.
    """

    def __init__(self, pipelines: PipelinePlanner, earlier: Sequence[Step], step: Step, seed: int) -> None:
        self._pipelines, self._planner, self._profile = pipelines, pipelines.planner, pipelines.profile
        self._earlier, self._step, self.seed = earlier, step, seed

    @property
    def subwords(self) -> Subwords:
        return self._planner.bpe

    @property
    def annotator(self) -> str:
        return self._planner.annotator

    @property
    def decoding(self) -> dict[str, Need]:
        return self._pipelines.decoding

    @property
    def language_model(self) -> TrainedLanguageModel:
        return self._pipelines.language_model

    @property
    def word_counts(self) -> WordCounts:
        return self._pipelines.word_counts

    def models(self, names: Sequence[str], seeds: Sequence[int] | None, right_to_left: bool = False) -> tuple[TrainedModel, ...]:
        seeds = seeds or self._profile.seeds
        return tuple(self._pipelines.model(name, seed, right_to_left) for name in names for seed in seeds)

    def released(
        self, checkpoints: Sequence[Path], source_dictionary: Path, target_dictionary: Path, codes: Path
    ) -> dict[str, Need]:
        file = self._planner.file
        source, target = file(source_dictionary), file(target_dictionary)
        models = tuple(
            ReleasedModel(checkpoint=file(path), source_dictionary=source, target_dictionary=target) for path in checkpoints
        )
        return {"models": models, "subwords": ReleasedSubwords(codes=file(codes)), **self._pipelines.search_options}

    def detector(self, model: str) -> TrainedDetector:
        # It learns from the genuine sentences of the model's track.
        data = self._planner.tracks[self._profile.models[model].track]
        return TrainedDetector(
            options=self._profile.error_detector,
            initial=self._pipelines.model(model, self._profile.seeds[0]),
            bpe=self._planner.bpe,
            genuine=data.genuine,
            validation=data.validation,
            seed=1,
        )

    def search(self, step: Step, needs: Mapping[str, Need]) -> Search:
        development = self._development()
        return Search(
            step=step,
            needs=dict(needs),
            before=self._pipelines.after(self._earlier, self.seed, development),
            references=References(corpus=development, annotator=self.annotator),
            annotator=self.annotator,
        )

    def _development(self) -> Corpus:
        """The development data; for models of a track that trains on a part of them, the remaining part."""
        for track in tracks_of(self._profile, [*self._earlier, self._step]) - {"restricted"}:
            return self._planner.tracks[track].validation
        return self._planner.development
