"""Decoding with fairseq's generator: ensembles, noise in the beam, sampling, any architecture.
Imports fairseq.

Every sentence has its own random stream, so that its output depends on the seed and its index
alone, not on its batch.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pseudogec.seq2seq import compat, model_cache
from pseudogec.seq2seq.data import (
    SOURCE,
    TARGET,
    UNKNOWN,
    dictionary_name,
    read_dictionary,
    read_text_numbers,
)
from pseudogec.seq2seq.model_cache import Precision
from pseudogec.seq2seq.search import (
    Batch,
    Hypothesis,
    SearchOptions,
    Sentence,
    replace_unknown,
)

compat.apply()

import torch  # noqa: E402
from fairseq.data.data_utils import collate_tokens  # noqa: E402
from fairseq.search import BeamSearch, Search  # noqa: E402
from fairseq.sequence_generator import SequenceGenerator  # noqa: E402

_BLOCK = 64  # columns whose maximum `largest` looks at first


class SentenceGenerators:
    """Random numbers, one stream for each sentence.

    They are drawn on the CPU even if the models are on a GPU, so the noise is the same. Noise in
    the beam takes a number for every hypothesis and subword at every step, so they come from
    numpy's SFC64, 16 bits each, in a third of the time of torch's generator; the noise then has
    steps of beta / 65,536, with the paper's beta a ten-thousandth of a nat.
    """

    def __init__(self, seed: int, device: torch.device) -> None:
        self._seed, self._device, self._on_cpu = seed, device, device.type == "cpu"
        self._streams: dict[int, np.random.SFC64] = {}
        self._memory = torch.empty(0)

    def uniform(self, sentences: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
        """Draw from U[0, 1) the next numbers of n sentences' streams, ``shape`` each.

        The next call overwrites the result, (n, *shape): fresh memory for each step costs as much
        as the numbers.
        """
        count = math.prod(shape)
        needed = len(sentences) * count
        if len(self._memory) < needed:
            # A GPU is sent the 16 bits, from memory that it can read by itself.
            self._memory = (
                torch.empty(needed)
                if self._on_cpu
                else torch.empty(needed, dtype=torch.int16, pin_memory=True)
            )
        numbers = self._memory[:needed].view(len(sentences), count)
        for row, sentence in zip(numbers.numpy(), sentences.tolist(), strict=True):
            bits = self._stream(sentence).random_raw(-(-count // 4))
            if self._on_cpu:
                row[:] = bits.view(np.uint16)[:count]
                row *= np.float32(2.0**-16)
            else:
                row[:] = bits.view(np.int16)[:count]
        numbers = numbers.view(len(sentences), *shape)
        return numbers if self._on_cpu else as_uniform(numbers.to(self._device))

    def _stream(self, sentence: int) -> np.random.SFC64:
        if sentence not in self._streams:
            digest = hashlib.blake2b(f"{self._seed} {sentence}".encode(), digest_size=8).digest()
            self._streams[sentence] = np.random.SFC64(int.from_bytes(digest, "little") >> 1)
        return self._streams[sentence]


def as_uniform(words: torch.Tensor) -> torch.Tensor:
    """Multiples of 2**-16 in [0, 1) from words of 16 bits; torch has only signed ones on all
    devices.
    """
    return words.to(torch.int32).bitwise_and_(0xFFFF).to(torch.float32).mul_(2.0**-16)


class NoisyBeamSearch(BeamSearch):
    """Beam search with random noise on every candidate (Xie et al. 2018). Kiyono et al. ("backtrans
    (noisy)", TASLP section III-A) say: on each hypothesis in the beam.

    ``r * beta``, r ~ U[0, 1] drawn anew each time, is added to the log-probability of every
    expansion (hypothesis x next subword) before the beam keeps its best. The noise stays in the
    hypothesis's score.
    """

    def __init__(self, dictionary: Any, beta: float, generators: SentenceGenerators) -> None:
        super().__init__(dictionary)
        self._beta, self._generators = beta, generators

    def step(
        self,
        step: int,
        lprobs: Any,
        scores: Any,
        prev_output_tokens: Any = None,
        original_batch_idxs: Any = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        sentences, beam, vocabulary = lprobs.shape
        candidates = self._generators.uniform(original_batch_idxs, (beam, vocabulary))
        torch.add(lprobs, candidates, alpha=self._beta, out=candidates)
        if step == 0:
            candidates = candidates[:, :1]  # all hypotheses are the same
        else:
            candidates += scores[:, :, step - 1].unsqueeze(-1)
        # Twice the beam, as fairseq does, so that enough are left when some of them end.
        best, places = largest(candidates.reshape(sentences, -1), 2 * beam)
        return best, places % vocabulary, places // vocabulary


def largest(values: torch.Tensor, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The largest values of each row, in descending order, with their places: ``torch.topk`` in
    half the time for long rows.

    The largest values are in the blocks with the largest maxima, so the others are skipped. Shorter
    rows give fewer values than ``count``: all but one, which is fairseq's padding.
    """
    rows, columns = values.shape
    count, blocks = min(count, columns - 1), columns // _BLOCK
    if blocks <= count:
        best = values.topk(count)
        return best.values, best.indices
    maxima = values[:, : blocks * _BLOCK].view(rows, blocks, _BLOCK).amax(-1)
    block = torch.arange(_BLOCK, device=values.device)
    inside = (maxima.topk(count).indices.unsqueeze(-1) * _BLOCK + block).flatten(1)
    beyond = torch.arange(blocks * _BLOCK, columns, device=values.device).expand(rows, -1)
    places = torch.cat([inside, beyond], dim=1)
    best = values.gather(1, places).topk(count)
    return best.values, places.gather(1, best.indices)


class SentenceSampling(Search):
    """Draw every next subword from the model's full distribution (Edunov et al. 2018, "sampling"),
    with a beam of one.

    The subword in whose share of [0, 1) a random number lies is a draw from the distribution.
    """

    def __init__(self, dictionary: Any, generators: SentenceGenerators) -> None:
        super().__init__(dictionary)
        self._generators = generators

    def step(
        self,
        step: int,
        lprobs: Any,
        scores: Any,
        prev_output_tokens: Any = None,
        original_batch_idxs: Any = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        numbers = self._generators.uniform(original_batch_idxs, (3,)).double()
        cumulative = lprobs.squeeze(1).exp().cumsum(-1, dtype=torch.float64)
        # 16 bits of each of three numbers make one of 48 bits, so that the rarest subwords can be
        # drawn.
        point = (
            (numbers * 2.0**16).floor()
            @ numbers.new_tensor([2.0**-16, 2.0**-32, 2.0**-48])
            * cumulative[:, -1]
        )
        drawn = torch.searchsorted(cumulative, point.unsqueeze(-1), right=True)
        drawn_scores = lprobs.gather(2, drawn.unsqueeze(-1)).squeeze(-1)
        if step > 0:
            drawn_scores = drawn_scores + scores[:, :, step - 1]
        return drawn_scores, drawn, torch.zeros_like(drawn)


class FairseqEngine:
    """fairseq's generator and scorer with the model of one folder or several."""

    def __init__(self, folders: Sequence[Path], precision: Precision = "fp32") -> None:
        self._loaded = [model_cache.load(folder, precision) for folder in folders]
        self._models = [loaded.model for loaded in self._loaded]
        self._device = self._loaded[0].device
        self._dictionary = self._loaded[0].task.target_dictionary
        self._source_numbers = read_text_numbers(folders[0] / dictionary_name(SOURCE))
        self._target_numbers = read_text_numbers(folders[0] / dictionary_name(TARGET))
        self._symbols = list(read_dictionary(folders[0] / dictionary_name(TARGET)))

    def search(self, batch: Batch, options: SearchOptions) -> list[list[Hypothesis]]:
        generator = SequenceGenerator(
            self._models,
            self._dictionary,
            beam_size=options.beam,
            max_len_a=0,
            max_len_b=batch.longest_output,
            len_penalty=options.length_penalty,
            temperature=options.temperature,
            search_strategy=self._strategy(options),
        )
        sample = {
            "id": torch.tensor(batch.indices, device=self._device),
            "net_input": self._encoder_input(batch.sources),
        }
        with compat.quiet():
            generated = generator.generate(self._models, sample)
        return [
            [self._hypothesis(hypothesis, source) for hypothesis in hypotheses[: options.n_best]]
            for source, hypotheses in zip(batch.sources, generated, strict=True)
        ]

    def _strategy(self, options: SearchOptions) -> Any:
        generators = SentenceGenerators(options.seed, self._device)
        if options.sample:
            return SentenceSampling(self._dictionary, generators)
        if options.beta_random:
            return NoisyBeamSearch(self._dictionary, options.beta_random, generators)
        return BeamSearch(self._dictionary)

    def _hypothesis(self, hypothesis: dict[str, torch.Tensor], source: Sentence) -> Hypothesis:
        numbers = hypothesis["tokens"].tolist()[:-1]  # without the end of sentence
        subwords = [self._symbols[number] for number in numbers]
        if UNKNOWN in numbers:
            # (output, source), padded on the source's left
            attention = hypothesis["attention"].T.cpu().numpy()
            subwords = replace_unknown(
                subwords, source, attention[:, -len(source) - 1 :].astype(np.float32)
            )
        return Hypothesis(subwords, float(hypothesis["score"]))

    def _encoder_input(self, sources: Sequence[Sentence]) -> dict[str, torch.Tensor]:
        """Sources as fairseq's translation task feeds them: padded on the left."""
        rows = [self._ids(source, self._source_numbers) for source in sources]
        return {
            "src_tokens": self._padded(rows, left=True),
            "src_lengths": torch.tensor([len(row) for row in rows], device=self._device),
        }

    def _ids(self, subwords: Sentence, numbers: Mapping[str, int]) -> torch.Tensor:
        return torch.tensor(
            [*(numbers.get(subword, UNKNOWN) for subword in subwords), self._dictionary.eos()]
        )

    def _padded(self, rows: list[torch.Tensor], left: bool, shift: bool = False) -> torch.Tensor:
        eos, pad = self._dictionary.eos(), self._dictionary.pad()
        padded: torch.Tensor = collate_tokens(
            rows, pad, eos, left_pad=left, move_eos_to_beginning=shift
        )
        return padded.to(self._device)

    def log_probabilities(
        self, sources: Sequence[Sentence], targets: Sequence[Sentence]
    ) -> list[float]:
        rows = [self._ids(target, self._target_numbers) for target in targets]
        target = self._padded(rows, left=False)
        inputs = {
            **self._encoder_input(sources),
            "prev_output_tokens": self._padded(rows, left=False, shift=True),
        }
        with torch.no_grad(), compat.quiet():
            members = torch.stack([_of_targets(model, inputs, target) for model in self._models])
        return (
            mean_probability(members)
            .masked_fill(target == self._dictionary.pad(), 0.0)
            .sum(dim=1)
            .tolist()
        )


def mean_probability(members: torch.Tensor) -> torch.Tensor:
    """The logarithm of the mean probability of several models, whose log-probabilities are along
    the first dimension.

    It is computed from the logarithms: fairseq's SequenceScorer gives minus infinity if a
    probability underflows.
    """
    return members.logsumexp(dim=0) - math.log(len(members))


def _of_targets(
    model: Any, inputs: Mapping[str, torch.Tensor], target: torch.Tensor
) -> torch.Tensor:
    """The log-probability of each subword of the targets, shape (sentences, subwords)."""
    log_probabilities = model.get_normalized_probs(model(**inputs), log_probs=True)
    chosen: torch.Tensor = log_probabilities.gather(2, target.unsqueeze(2)).squeeze(2).float()
    return chosen
