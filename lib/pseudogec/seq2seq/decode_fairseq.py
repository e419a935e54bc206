"""Decoding with fairseq's generator: ensembles, noise in the beam, sampling, any architecture. Imports fairseq."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pseudogec.seq2seq import compat, loaded_models
from pseudogec.seq2seq.binarise import SOURCE, TARGET, dictionary_name
from pseudogec.seq2seq.decode import Batch, Hypothesis, Pieces, SearchOptions
from pseudogec.seq2seq.loaded_models import AS_TRAINED, Computation
from pseudogec.seq2seq.unknown_pieces import replace_unknown
from pseudogec.seq2seq.vocabulary import UNKNOWN, read_dictionary, read_text_numbers

compat.apply()

import torch  # noqa: E402
from fairseq.data.data_utils import collate_tokens  # noqa: E402
from fairseq.search import BeamSearch  # noqa: E402
from fairseq.sequence_generator import SequenceGenerator  # noqa: E402

from pseudogec.seq2seq import session  # noqa: E402
from pseudogec.seq2seq.plugins.perturbed_search import (  # noqa: E402
    Expansions,
    NoisyBeamSearch,
    SentenceGenerators,
    SentenceSampling,
)

Observer = Callable[[Expansions], None]
"""Told what each step of a beam search chooses from."""


class FairseqEngine:
    """fairseq's generator and scorer with one model or several.

    Args:
        folders: the models' folders.
        computation: how they are computed.
    """

    def __init__(self, folders: Sequence[Path], computation: Computation = AS_TRAINED) -> None:
        self._loaded = [loaded_models.load(folder, computation) for folder in folders]
        self._shares_sources = computation.fused_attention
        self._models = [loaded.model for loaded in self._loaded]
        self._device = self._loaded[0].device
        self._dictionary = self._loaded[0].task.target_dictionary
        self._source_numbers = read_text_numbers(folders[0] / dictionary_name(SOURCE))
        self._target_numbers = read_text_numbers(folders[0] / dictionary_name(TARGET))
        self._symbols = list(read_dictionary(folders[0] / dictionary_name(TARGET)))

    def search(self, batch: Batch, options: SearchOptions, observer: Observer | None = None) -> list[list[Hypothesis]]:
        """The best hypotheses of every sentence; see `Engine`. An observer is told of every step of a beam search."""
        generator = SequenceGenerator(
            self._models,
            self._dictionary,
            beam_size=options.beam,
            max_len_a=0,
            max_len_b=batch.longest_output,
            len_penalty=options.length_penalty,
            temperature=options.temperature,
            search_strategy=self._strategy(options, observer),
        )
        sample = {"id": torch.tensor(batch.indices, device=self._device), "net_input": self._encoder_input(batch.sources)}
        with session.quiet(), self._sources_read_once(generator.beam_size):
            found = generator.generate(self._models, sample)
        return [
            [self._hypothesis(hypothesis, source) for hypothesis in hypotheses[: options.n_best]]
            for source, hypotheses in zip(batch.sources, found, strict=True)
        ]

    @contextlib.contextmanager
    def _sources_read_once(self, beam: int) -> Iterator[None]:
        """With fused attention, let the hypotheses of a sentence share its source's keys and values.

        fairseq can do so, but its generator does not find the switch. They then need no copying when the beam is reordered.
        """
        decoders = [model.decoder for model in self._models] if self._shares_sources else []
        for decoder in decoders:
            decoder.set_beam_size(beam)
        try:
            yield
        finally:
            for decoder in decoders:
                decoder.set_beam_size(1)

    def _strategy(self, options: SearchOptions, observer: Observer | None) -> Any:
        generators = SentenceGenerators(options.seed, self._device)
        if options.sample:
            return SentenceSampling(self._dictionary, generators)
        if options.beta_random or observer is not None:  # noise of strength 0 is plain beam search
            return NoisyBeamSearch(self._dictionary, options.beta_random, generators, observer)
        return BeamSearch(self._dictionary)

    def _hypothesis(self, found: dict[str, torch.Tensor], source: Pieces) -> Hypothesis:
        numbers = found["tokens"].tolist()[:-1]  # without the end of sentence
        pieces = [self._symbols[number] for number in numbers]
        if UNKNOWN in numbers:
            attention = found["attention"].T.cpu().numpy()  # (output, source), padded on the source's left
            pieces = replace_unknown(pieces, source, attention[:, -len(source) - 1 :].astype(np.float32))
        return Hypothesis(pieces, float(found["score"]))

    def _encoder_input(self, sources: Sequence[Pieces]) -> dict[str, torch.Tensor]:
        """Sources as fairseq's translation task feeds them: padded on the left."""
        rows = [self._ids(source, self._source_numbers) for source in sources]
        return {
            "src_tokens": self._padded(rows, left=True),
            "src_lengths": torch.tensor([len(row) for row in rows], device=self._device),
        }

    def _ids(self, pieces: Pieces, numbers: Mapping[str, int]) -> torch.Tensor:
        return torch.tensor([*(numbers.get(piece, UNKNOWN) for piece in pieces), self._dictionary.eos()])

    def _padded(self, rows: list[torch.Tensor], left: bool, shift: bool = False) -> torch.Tensor:
        eos, pad = self._dictionary.eos(), self._dictionary.pad()
        padded: torch.Tensor = collate_tokens(rows, pad, eos, left_pad=left, move_eos_to_beginning=shift)
        return padded.to(self._device)

    def log_probabilities(self, sources: Sequence[Pieces], targets: Sequence[Pieces]) -> list[float]:
        """The log-probability of every target; see `Engine`.

        Means are taken of logarithms: fairseq's `SequenceScorer` gives minus infinity where a float holds no value so small.
        """
        rows = [self._ids(target, self._target_numbers) for target in targets]
        target = self._padded(rows, left=False)
        inputs = {**self._encoder_input(sources), "prev_output_tokens": self._padded(rows, left=False, shift=True)}
        with torch.no_grad(), session.quiet():
            members = torch.stack([_of_targets(model, inputs, target) for model in self._models])
        means = members.logsumexp(dim=0) - math.log(len(members))
        return means.masked_fill(target == self._dictionary.pad(), 0.0).sum(dim=1).tolist()


def _of_targets(model: Any, inputs: Mapping[str, torch.Tensor], target: torch.Tensor) -> torch.Tensor:
    """The log-probability of each piece of the targets, shape (sentences, pieces)."""
    log_probabilities = model.get_normalized_probs(model(**inputs), log_probs=True)
    chosen: torch.Tensor = log_probabilities.gather(2, target.unsqueeze(2)).squeeze(2).float()
    return chosen
