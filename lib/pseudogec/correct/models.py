"""Steps of models: one model's corrections, an ensemble's, and their ranking by models that read
from right to left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from pseudogec.artefacts import Progress
from pseudogec.artefacts.kinds import OneOrMore
from pseudogec.artefacts.recipe import Recipe
from pseudogec.correct.step import (
    STEPS,
    Before,
    Built,
    Candidate,
    Corrected,
    Development,
    Need,
    Planning,
    ReadyStep,
    Sentences,
    Step,
    Told,
    check_candidates,
    models_of,
)
from pseudogec.random_streams import Seeds
from pseudogec.seq2seq import Decoder, Hypothesis
from pseudogec.text import Bpe

LEFT = "left as it was"
"""How the note on a sentence begins that is too long for the models."""

_SENTENCES_AT_ONCE = 1000
"""Sentences whose candidates are ranked in one call: enough to fill batches of like length."""


class StepOfModels(Step):
    incidental: ClassVar[frozenset[str]] = frozenset({"models", "seeds"})
    models: OneOrMore[str] = Field(min_length=1, description="names from `models`")
    seeds: Seeds | None = Field(
        default=None, description="the seeds of the models; the profile's by default"
    )

    @property
    def model_names(self) -> tuple[str, ...]:
        return self.models


class DecodingStep(Step):
    """Corrects by one model, or by several whose probabilities are averaged at each step of the
    search.

    An empty sentence and one that is longer than the models' positions are left as they are, the
    latter with a note.
    """

    needs_gpu: ClassVar[bool] = True
    n_best: int = Field(
        default=1,
        ge=1,
        description="number of corrections that are kept for a step that chooses among them",
    )

    @property
    def keeps_candidates(self) -> bool:
        return self.n_best > 1

    def title(self, needs: Mapping[str, Need]) -> str:
        models = models_of(needs)
        return models[0].label if len(models) == 1 else f"{len(models)} models"

    def prepare(self, built: Built) -> ReadyStep:
        return self._by(built.decoder(), built)

    def _by(self, decoder: Decoder, built: Built) -> ReadyStep:
        return partial(
            self.correct,
            decoder=decoder,
            bpe=built.bpe,
            beam=built["beam"],
            length_penalty=built["length_penalty"],
        )

    def correct(
        self,
        sources: Sentences,
        before: Before,
        progress: Told = None,
        *,
        decoder: Decoder,
        bpe: Bpe,
        beam: int = 5,
        length_penalty: float = 1.0,
    ) -> list[Corrected]:
        segmented = [bpe.apply(sentence.tokens) for sentence in before]
        decoded = decoder.decode(
            segmented,
            beam=max(beam, self.n_best),
            n_best=self.n_best,
            length_penalty=length_penalty,
            progress=progress,
        )
        corrected = partial(self._corrected, bpe, decoder.longest_source)
        return [corrected(*item) for item in zip(before, segmented, decoded, strict=True)]

    def _corrected(
        self,
        bpe: Bpe,
        longest: int,
        sentence: Corrected,
        subwords: list[str],
        hypotheses: Sequence[Hypothesis],
    ) -> Corrected:
        too_long = f"{LEFT}: it has {len(subwords)} subwords, and the models take {longest} at most"
        note = too_long if len(subwords) > longest else ""
        best = hypotheses[0].subwords
        # An unchanged sentence keeps tokens that look like subwords themselves, such as "@@", which
        # cannot be joined again.
        tokens = sentence.tokens if best == subwords else tuple(bpe.undo(best))
        if self.n_best == 1:
            return Corrected(tokens, note)
        candidates = tuple(
            Candidate(tuple(hypothesis.subwords), hypothesis.score) for hypothesis in hypotheses
        )
        return Corrected(tokens, note, candidates, corrected_subwords=tuple(subwords))


@STEPS.register
class Models(StepOfModels, DecodingStep):
    """Models correct the text: one system for each seed, or an ensemble that averages their
    probabilities.
    """

    name: ClassVar[str] = "models"
    label: ClassVar[str] = "models"
    tuned: ClassVar[str] = "the ensemble"
    incidental: ClassVar[frozenset[str]] = StepOfModels.incidental | {"ensemble"}
    ensemble: Literal["none", "all", "greedy"] = Field(
        default="none",
        description="`all`: of all models and seeds; `greedy`: of those chosen by "
        "a search on development data",
    )

    @model_validator(mode="after")
    def _one_model_or_an_ensemble(self) -> Self:
        if self.ensemble == "none" and len(self.models) > 1:
            raise ValueError(
                "names several models; write `ensemble: all` or `ensemble: greedy`, or name one"
            )
        return self

    def describe(self) -> str:
        kept = f", {self.n_best} best" if self.n_best > 1 else ""
        if self.ensemble == "none":
            return f"the model {self.models[0]}{kept}"
        chosen = "the best ensemble found among" if self.ensemble == "greedy" else "an ensemble of"
        return f"{chosen} {' and '.join(self.models)}{kept}"

    def title(self, needs: Mapping[str, Need]) -> str:
        title = super().title(needs)
        return f"the best of {title}" if self.ensemble == "greedy" else title

    def versions(self, seeds: tuple[int, ...]) -> tuple[int, ...]:
        return (self.seeds or seeds) if self.ensemble == "none" else ()

    def needs(self, planning: Planning) -> dict[str, Need]:
        seeds = (planning.seed,) if self.ensemble == "none" else self.seeds
        needs: dict[str, Need] = {
            "models": planning.models(self.models, seeds),
            **planning.decoding,
        }
        if self.ensemble == "greedy":
            # How many corrections are kept for a later step does not change which ensemble is best.
            needs["found"] = planning.search(self.model_copy(update={"n_best": 1}), needs)
        return needs

    def prepare(self, built: Built) -> ReadyStep:
        return self._by(
            built.decoder(built.found["members"] if self.ensemble == "greedy" else None), built
        )

    def tune(self, development: Development, built: Built, progress: Progress) -> dict[str, Any]:
        """Search for the ensemble with the best development score, greedily (Choe et al. 2019,
        section 7.3).
        """
        models: tuple[Recipe, ...] = built["models"]
        tried = 0

        def f05_of(members: Members) -> float:
            nonlocal tried
            corrected = self._by(built.decoder(members), built)(
                development.sources, development.before
            )
            tried += 1
            progress(tried, len(models) * (len(models) + 1) // 2, "ensembles")
            return development.score([sentence.tokens for sentence in corrected]).headline

        choice = greedy_search(len(models), f05_of)
        return {
            "members": list(choice.members),
            "names": [models[number].label for number in choice.members],
            "f05": choice.f05,
            "tried": [{"members": list(members), "f05": f05} for members, f05 in choice.tried],
        }

    def tell(self, result: Mapping[str, Any]) -> str:
        names, tried = result["names"], result["tried"]
        best = max(attempt["f05"] for attempt in tried if len(attempt["members"]) == 1)
        return (
            f"{len(names)} models ({', '.join(names)}), F0.5 {100 * result['f05']:.1f} on its "
            "development data; "
            f"the best single model has {100 * best:.1f}, {len(tried)} combinations were tried"
        )


@STEPS.register
class ReleasedModels(DecodingStep):
    """Fairseq checkpoints that others released, as an ensemble; one that contains code must be
    trusted by name.
    """

    name: ClassVar[str] = "released_models"
    label: ClassVar[str] = "released models"
    incidental: ClassVar[frozenset[str]] = frozenset(
        {"checkpoints", "source_dictionary", "target_dictionary", "codes"}
    )
    has_own_subwords: ClassVar[bool] = True
    checkpoints: OneOrMore[Path] = Field(
        min_length=1, description="relative to the profile's data folder"
    )
    source_dictionary: Path
    target_dictionary: Path
    codes: Path = Field(description="merges of subword-nmt")

    def describe(self) -> str:
        return f"{len(self.checkpoints)} released checkpoints"

    @property
    def files(self) -> tuple[Path, ...]:
        return (*self.checkpoints, self.source_dictionary, self.target_dictionary, self.codes)

    def needs(self, planning: Planning) -> dict[str, Need]:
        return planning.released(
            self.checkpoints, self.source_dictionary, self.target_dictionary, self.codes
        )


@STEPS.register
class RightToLeft(StepOfModels):
    """The n best corrections are ranked anew by the same kinds of models trained from right to left
    (TASLP section IV-E).

    The correction with the highest sum of both directions' scores wins (Liu et al. 2016, Sennrich
    et al. 2016), of equal sums the first. A score is a log-probability over the length, and the
    models read and write pairs with the subwords of both sides reversed; the paper says nothing of
    either. The corrections stay, in their new order and with their sums.
    """

    name: ClassVar[str] = "right_to_left"
    label: ClassVar[str] = "models from right to left"
    needs_gpu: ClassVar[bool] = True

    def describe(self) -> str:
        return f"ranked by {' and '.join(self.models)} from right to left"

    def title(self, needs: Mapping[str, Need]) -> str:
        models = models_of(needs)
        return f"{len(models)} {self.label}" if len(models) > 1 else "one model from right to left"

    def check(self, before: Sequence[Step]) -> None:
        check_candidates(before)

    def needs(self, planning: Planning) -> dict[str, Need]:
        models = planning.models(self.models, self.seeds, right_to_left=True)
        return {
            "models": models,
            "subwords": planning.subwords,
            "length_penalty": planning.decoding["length_penalty"],
        }

    def prepare(self, built: Built) -> ReadyStep:
        return partial(
            self.rank,
            decoder=built.decoder(),
            bpe=built.bpe,
            length_penalty=built["length_penalty"],
        )

    def rank(
        self,
        sources: Sentences,
        before: Before,
        progress: Told = None,
        *,
        decoder: Decoder,
        bpe: Bpe,
        length_penalty: float = 1.0,
    ) -> list[Corrected]:
        after: list[Corrected] = []
        for first in range(0, len(before), _SENTENCES_AT_ONCE):
            batch = before[first : first + _SENTENCES_AT_ONCE]
            # Sentences that the models before left unchanged have nothing to choose from and are
            # not scored.
            choices = [
                sentence.candidates if len(sentence.candidates) > 1 else () for sentence in batch
            ]
            scores = decoder.score(
                [sentence.corrected_subwords[::-1] for sentence in batch],
                [[candidate.subwords[::-1] for candidate in candidates] for candidates in choices],
                length_penalty,
            )
            after += [
                _ranked(bpe, sentence, candidates)
                for sentence, candidates in zip(batch, scores, strict=True)
            ]
            if progress is not None:
                progress(len(after), len(before))
        return after


def _ranked(bpe: Bpe, sentence: Corrected, scores: Sequence[float]) -> Corrected:
    if not scores:
        return Corrected(sentence.tokens)
    if -math.inf in scores:
        return Corrected(sentence.tokens, "not ranked: too long for the models from right to left")
    sums = [
        candidate.score + score
        for candidate, score in zip(sentence.candidates, scores, strict=True)
    ]
    # Stable: of equals the first stays first
    order = sorted(range(len(sums)), key=lambda place: -sums[place])
    ranked = tuple(Candidate(sentence.candidates[place].subwords, sums[place]) for place in order)
    note = f"candidate {order[0] + 1} of {len(ranked)}"
    tokens = sentence.tokens if order[0] == 0 else tuple(bpe.undo(ranked[0].subwords))
    return Corrected(tokens, note, ranked, sentence.corrected_subwords)


Members = tuple[int, ...]
"""Numbers of models, from 0, in rising order."""


class EnsembleChoice(NamedTuple):
    """The chosen models, their F0.5 on development data, and every ensemble that was scored, in the
    order of the search.
    """

    members: Members
    f05: float
    tried: list[tuple[Members, float]]


def greedy_search(models: int, f05_of: Callable[[Members], float]) -> EnsembleChoice:
    """Begin with the best single model, and add the one that raises F0.5 most, until none does.

    Of models that raise it equally the one with the lowest number is taken. ``f05_of`` is asked
    once for each ensemble.
    """
    tried: list[tuple[Members, float]] = []
    members: Members = ()
    best = float("-inf")
    while others := [number for number in range(models) if number not in members]:
        extended = [tuple(sorted((*members, number))) for number in others]
        scored = [(ensemble, f05_of(ensemble)) for ensemble in extended]
        tried += scored
        leader, f05 = max(scored, key=lambda item: item[1])  # the first of equals
        if f05 <= best:
            break
        members, best = leader, f05
    return EnsembleChoice(members, best, tried)
