"""What a step asked for, built and ready to use. What is slow to load stays in the process for the next system that asks."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from artefacts.recipe import Recipe
from pseudogec.edits import Annotator, annotator_of
from pseudogec.seq2seq import Decoder, LanguageModel
from pseudogec.text import Bpe, load_bpe

Tokens = Sequence[str]

SentenceScorer = Callable[[Sequence[Tokens]], Sequence[float]]
"""How likely a language model holds sentences: the log-probability of each, end of sentence included."""

Need = Recipe | tuple[Recipe, ...] | str | int | float
"""Something that a step needs: artefacts, or a setting that the profile gives for all steps."""


class Built:
    """The needs of a step, built.

    Args:
        needs: by name, as `Step.needs` gives them. Some names have a meaning: ``models``, ``subwords``, ``annotator``,
            ``language_model``, ``found``.
        folder: where the artefact of a recipe is.
    """

    def __init__(self, needs: Mapping[str, Need], folder: Callable[[Recipe], Path]) -> None:
        self._needs, self._folder = needs, folder

    def __getitem__(self, name: str) -> Any:
        """A need as it was planned: a setting, or recipes."""
        return self._needs[name]

    def folder(self, name: str) -> Path:
        """The folder of an artefact."""
        need = self._needs[name]
        assert isinstance(need, Recipe)
        return self._folder(need)

    def decoder(self, members: Sequence[int] | None = None) -> Decoder:
        """The models, as an ensemble; of some of them when their numbers are given, from 0."""
        models = self._needs["models"]
        assert isinstance(models, tuple)
        return _decoder(tuple(self._folder(models[number]) for number in (range(len(models)) if members is None else members)))

    @property
    def bpe(self) -> Bpe:
        return load_bpe(self.folder("subwords"))

    @property
    def annotator(self) -> Annotator:
        return annotator_of(self["annotator"])

    @property
    def language_model(self) -> SentenceScorer:
        """How likely the language model holds sentences of words."""
        model, bpe = _language_model(self.folder("language_model")), self.bpe
        return lambda sentences: model.log_probabilities([bpe.apply(tokens) for tokens in sentences])

    @property
    def found(self) -> dict[str, Any]:
        """What the search found."""
        return read_found(self.folder("found"))


def read_found(folder: Path) -> dict[str, Any]:
    """What the search of an artefact found."""
    return json.loads((folder / "found.json").read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=2)
def _decoder(models: tuple[Path, ...]) -> Decoder:
    """A model, or an ensemble; models that several of these share are in memory once."""
    return Decoder(models)


@functools.lru_cache(maxsize=1)
def _language_model(folder: Path) -> LanguageModel:
    return LanguageModel(folder)
