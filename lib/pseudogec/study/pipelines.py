"""From a profile's systems, which are lists of steps, to recipes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pseudogec.study.corpora import Corpus, References
from pseudogec.study.correction_recipes import (
    Correction,
    DetectionCorrection,
    EnsembleSearch,
    LanguageModelCorrection,
    ModelCorrection,
    RightToLeftCorrection,
    SpellingCorrection,
    ThresholdSearch,
    TypeDroppingCorrection,
    TypeSearch,
    UnknownWordsCorrection,
)
from pseudogec.study.models import (
    BinarisedText,
    ReleasedModel,
    ReleasedSubwords,
    TrainedDetector,
    TrainedLanguageModel,
    TrainedModel,
    WordCounts,
)
from pseudogec.study.profile import Profile
from pseudogec.study.profile_checks import all_steps, tracks_of
from pseudogec.study.profile_systems import (
    AnyStep,
    ErrorDetectionStep,
    LanguageModelStep,
    ModelsStep,
    ReleasedModelsStep,
    RightToLeftStep,
    SpellingStep,
    TypeDroppingStep,
    UnknownWordsStep,
)
from pseudogec.study.seed_texts import SeedText
from pseudogec.study.system import Pipeline, System

if TYPE_CHECKING:
    from pseudogec.study.planning import Planner


def pipelines(profile: Profile, name: str) -> list[Pipeline]:
    """A system of the profile, once for each seed if it has a single model, else once."""
    for step in all_steps(profile, name):
        if isinstance(step, ModelsStep) and step.ensemble == "none":
            return [Pipeline(name=name, seed=seed) for seed in step.seeds or profile.seeds]
    return [Pipeline(name=name, seed=0)]


class PipelinePlanner:
    """Turns a profile's systems into recipes.

    Args:
        planner: plans the models and corpora that steps need.
    """

    def __init__(self, planner: Planner) -> None:
        self._planner, self._profile = planner, planner.profile

    def correction(self, pipeline: Pipeline, corpus: Corpus) -> Correction:
        """What a system makes of a corpus."""
        correction = self._after(all_steps(self._profile, pipeline.name), pipeline.seed, corpus)
        assert correction is not None  # a system has a step, by the profile's schema
        return correction

    def _after(self, steps: Sequence[AnyStep], seed: int, corpus: Corpus) -> Correction | None:
        """A corpus after some steps; nothing before the first."""
        if not steps:
            return None
        *earlier, step = steps
        place: dict[str, Any] = {"corpus": corpus, "before": self._after(earlier, seed, corpus)}
        match step:
            case ModelsStep():
                return self._models(step, earlier, seed, place)
            case ReleasedModelsStep():
                return self._released(step, place)
            case RightToLeftStep():
                models = self._kinds(step, right_to_left=True)
                penalty = self._profile.decoding.length_penalty
                return RightToLeftCorrection(**place, models=models, bpe=self._planner.bpe, length_penalty=penalty)
            case ErrorDetectionStep():
                return self._detection(step, earlier, seed, place)
            case SpellingStep():
                return self._spelling(step, place)
            case UnknownWordsStep():
                return UnknownWordsCorrection(**place, bpe=self._planner.bpe, annotator=self._planner.annotator)
            case LanguageModelStep():
                return LanguageModelCorrection(
                    **place,
                    bpe=self._planner.bpe,
                    language_model=self.language_model,
                    at_most=step.at_most,
                    length_penalty=step.length_penalty,
                    annotator=self._planner.annotator,
                )
            case TypeDroppingStep():
                search = TypeSearch(
                    **self._tuned_on(earlier),
                    before=self._developed(earlier, seed),
                    rounds=step.rounds,
                    at_most=step.at_most,
                    seed=1,
                )
                return TypeDroppingCorrection(**place, search=search, annotator=self._planner.annotator)

    def _development(self, steps: Sequence[AnyStep]) -> Corpus:
        """The development data for some steps: for models of a track that trains on a part of them, the remaining part."""
        for track in tracks_of(self._profile, steps) - {"restricted"}:
            return self._planner.tracks[track].validation
        return self._planner.development

    def _tuned_on(self, steps: Sequence[AnyStep]) -> dict[str, Any]:
        """The development data for some steps, as a search needs them."""
        annotator = self._planner.annotator
        return {"references": References(corpus=self._development(steps), annotator=annotator), "annotator": annotator}

    def _developed(self, steps: Sequence[AnyStep], seed: int) -> Correction:
        """The development data after some steps."""
        correction = self._after(steps, seed, self._development(steps))
        assert correction is not None  # by the profile's checks, tuned steps are not the first
        return correction

    def _models(self, step: ModelsStep, earlier: Sequence[AnyStep], seed: int, place: dict[str, Any]) -> ModelCorrection:
        models = self._kinds(step) if step.ensemble != "none" else (self._model(step.models[0], seed),)
        decoding = self._profile.decoding
        options: dict[str, Any] = {"bpe": self._planner.bpe, "beam": decoding.beam, "length_penalty": decoding.length_penalty}
        search = None
        if step.ensemble == "greedy":
            steps = [*earlier, step]
            before = self._after(earlier, seed, self._development(steps))
            search = EnsembleSearch(**self._tuned_on(steps), models=models, before=before, **options)
        return ModelCorrection(**place, models=models, n_best=step.n_best, search=search, **options)

    def _released(self, step: ReleasedModelsStep, place: dict[str, Any]) -> ModelCorrection:
        file, decoding = self._planner.file, self._profile.decoding
        source, target = file(step.source_dictionary), file(step.target_dictionary)
        return ModelCorrection(
            **place,
            models=tuple(
                ReleasedModel(checkpoint=file(path), source_dictionary=source, target_dictionary=target)
                for path in step.checkpoints
            ),
            bpe=ReleasedSubwords(codes=file(step.codes)),
            beam=decoding.beam,
            n_best=step.n_best,
            length_penalty=decoding.length_penalty,
            search=None,
        )

    def _kinds(self, step: ModelsStep | RightToLeftStep, right_to_left: bool = False) -> tuple[TrainedModel, ...]:
        """The models of every name and seed that a step tells."""
        seeds = step.seeds or self._profile.seeds
        return tuple(self._model(name, seed, right_to_left) for name in step.models for seed in seeds)

    def _model(self, name: str, seed: int, right_to_left: bool = False) -> TrainedModel:
        choice = self._profile.models[name]
        return self._planner.model(System(**choice.model_dump(), parameters=(), seed=seed), right_to_left)

    def _detection(
        self, step: ErrorDetectionStep, earlier: Sequence[AnyStep], seed: int, place: dict[str, Any]
    ) -> DetectionCorrection:
        detector = step.hugging_face or self.detector(step.model or "")
        threshold: float | ThresholdSearch | None = step.threshold
        if threshold is None:
            before = self._developed(earlier, seed)
            threshold = ThresholdSearch(**self._tuned_on(earlier), before=before, detector=detector, bpe=self._planner.bpe)
        return DetectionCorrection(**place, detector=detector, bpe=self._planner.bpe, threshold=threshold)

    def detector(self, model: str) -> TrainedDetector:
        """The classifier that a named model becomes, on the genuine sentences of its track."""
        data = self._planner.tracks[self._profile.models[model].track]
        return TrainedDetector(
            options=self._profile.error_detector,
            initial=self._model(model, self._profile.seeds[0]),
            bpe=self._planner.bpe,
            genuine=data.genuine,
            validation=data.validation,
            seed=1,
        )

    def _spelling(self, step: SpellingStep, place: dict[str, Any]) -> SpellingCorrection:
        return SpellingCorrection(
            **place,
            bpe=self._planner.bpe,
            language_model=self.language_model if step.language_model else None,
            words=self.word_counts if step.casing else None,
            casing_times=step.casing_times,
        )

    @cached_property
    def language_model(self) -> TrainedLanguageModel:
        """The profile's language model."""
        choice, bpe = self._profile.language_model, self._planner.bpe
        assert choice is not None  # the profile's check
        return TrainedLanguageModel(
            name=choice.seed_corpus,
            architecture=choice.architecture,
            optimisation=self._profile.optimisations[choice.optimisation],
            bpe=bpe,
            data=tuple(BinarisedText(text=text, bpe=bpe) for text in self._texts),
            validation=BinarisedText(text=self._planner.validation, bpe=bpe),
            seed=1,
        )

    @cached_property
    def word_counts(self) -> WordCounts:
        """How the language model's text writes its words."""
        assert self._profile.language_model is not None  # the profile's check
        return WordCounts(name=self._profile.language_model.seed_corpus, texts=self._texts)

    @cached_property
    def _texts(self) -> tuple[SeedText, ...]:
        choice = self._profile.language_model
        assert choice is not None
        shards = range(choice.sentences // self._profile.pseudo_data.shard)
        return tuple(self._planner.seed_text(choice.seed_corpus, number) for number in shards)
