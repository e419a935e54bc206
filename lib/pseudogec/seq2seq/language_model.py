"""Probabilities of sentences by a language model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pseudogec.seq2seq import compat, model_cache
from pseudogec.seq2seq.data import DICTIONARY, END, PADDING, UNKNOWN, read_text_numbers
from pseudogec.seq2seq.memory import BatchLimit, in_batches
from pseudogec.seq2seq.search import Sentence

if TYPE_CHECKING:
    from pseudogec.seq2seq.decode_ctranslate2 import CTranslate2LanguageModel


class LanguageModel:
    """A language model in a folder written by `train_language_model`; ``max_tokens`` bounds a
    batch, padding included.

    CTranslate2 computes Transformers, and fairseq the others.
    """

    def __init__(self, folder: Path, max_tokens: int = 4000) -> None:
        from pseudogec.seq2seq.decode_ctranslate2 import (
            CTranslate2LanguageModel,
            UnsupportedModelError,
        )

        self._limit = BatchLimit(max_tokens)
        try:
            self._engine: CTranslate2LanguageModel | FairseqLanguageModel = (
                CTranslate2LanguageModel(folder)
            )
        except UnsupportedModelError:
            self._engine = FairseqLanguageModel(folder)

    def log_probabilities(self, sentences: Sequence[Sentence]) -> list[float]:
        """The natural logarithm of each sentence's probability, end of sentence included; each is
        read by itself.

        Subwords that the dictionary lacks count as ``<unk>``. The value is minus infinity for a
        sentence that is longer than the model's positions.
        """
        scores = [-math.inf] * len(sentences)
        # Rankings ask for the same sentence more than once.
        first: dict[tuple[str, ...], int] = {}
        places = [
            first.setdefault(tuple(subwords), place) for place, subwords in enumerate(sentences)
        ]
        lengths = [
            (len(subwords), place)
            for subwords, place in first.items()
            if len(subwords) < self._engine.longest
        ]

        def score_batch(batch: Sequence[int]) -> list[float]:
            return self._engine.log_probabilities([sentences[place] for place in batch])

        for batch, log_probabilities in in_batches(lengths, self._limit, score_batch):
            for place, score in zip(batch, log_probabilities, strict=True):
                scores[place] = score
        return [scores[place] for place in places]


class FairseqLanguageModel:
    """fairseq with a language model; ``longest`` is the most subwords of a sentence, its end
    included.
    """

    def __init__(self, folder: Path) -> None:
        self._numbers = read_text_numbers(folder / DICTIONARY)
        self._loaded = model_cache.load(folder)
        # A convolutional model has no limit of positions; it was trained on sentences up to the
        # task's limit.
        self.longest = min(
            self._loaded.model.max_positions(), self._loaded.task.args.tokens_per_sample
        )

    def log_probabilities(self, sentences: Sequence[Sentence]) -> list[float]:
        import torch

        model, device = self._loaded.model, self._loaded.device
        rows = [
            [*(self._numbers.get(subword, UNKNOWN) for subword in subwords), END]
            for subwords in sentences
        ]
        width = max(map(len, rows))
        targets = torch.tensor(
            [row + [PADDING] * (width - len(row)) for row in rows], device=device
        )
        # A sentence begins after the end of another one.
        inputs = torch.tensor(
            [[END, *row[:-1]] + [PADDING] * (width - len(row)) for row in rows], device=device
        )
        with torch.no_grad(), compat.quiet():
            output = model(src_tokens=inputs)
            log_probabilities = model.get_normalized_probs(output, log_probs=True, sample=None)
        chosen = log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2).float()
        return chosen.masked_fill(targets == PADDING, 0.0).sum(dim=1).tolist()
