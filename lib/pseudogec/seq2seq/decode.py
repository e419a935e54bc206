"""Beam search, noisy beam search, sampling, and scores of given candidates.

Two engines decode. CTranslate2, three times as fast, does plain beam search and scoring with one
plain Transformer. fairseq's generator does the rest: ensembles (probabilities averaged at each
step), noise in the beam, sampling, other architectures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import digest_file
from pseudogec.seq2seq.data import SIDES, TARGET, dictionary_name, read_dictionary
from pseudogec.seq2seq.memory import BatchLimit, in_batches
from pseudogec.seq2seq.model_cache import Precision
from pseudogec.seq2seq.model_files import max_positions, model_options
from pseudogec.seq2seq.search import (
    Batch,
    DecodingEngine,
    Hypothesis,
    SearchOptions,
    Sentence,
    rounded,
)

if TYPE_CHECKING:
    from pseudogec.seq2seq.decode_fairseq import FairseqEngine

_LENGTH_FACTOR, _LENGTH_MARGIN = 1.5, 10
_CPU_TOKENS = 4000
# On a GPU a step of a small model's search takes about the same time for many sentences as for few
_MOST_TOKENS = 48000
# Of a GPU's free memory, for the states of a search; the rest is for the temporary arrays of a step
_SHARE_OF_MEMORY = 0.5
# Subwords of a short sentence, which leave most for each subword of a source: its outputs may be
# longest beside it
_SHORT = 8


class Decoder:
    """One model, or an ensemble of models that share their dictionaries.

    Args:
        models: folders with ``model.pt`` or its compact form, ``dict.src.txt`` and
            ``dict.trg.txt``; source and target may have different dictionaries.
        engine: "auto" takes CTranslate2 where possible.
        max_tokens: most source subwords a batch, padding included; ``None``: 4,000 on a CPU, and on
            a GPU what its free memory holds. A batch that turns out to be too large is halved.
        precision: "fp16" needs a GPU; probabilities are in full precision even then.

    Raises:
        UserError: no model was given, the models' dictionaries differ, half precision was asked for
            without a GPU, or CTranslate2 was asked for and cannot be used.
        DataError: a file is missing.
    """

    def __init__(
        self,
        models: Sequence[Path],
        engine: Literal["auto", "ctranslate2", "fairseq"] = "auto",
        max_tokens: int | None = None,
        precision: Precision = "fp32",
    ) -> None:
        if not models:
            raise UserError("no model to decode with")
        _check_dictionaries(models)
        gpus = _gpus()
        if precision != "fp32" and not (gpus and _free_memory()):
            raise UserError(
                f"precision {precision} needs a GPU that torch can use, and there is "
                "none here; use fp32"
            )
        self._models = list(models)
        self._max_tokens = max_tokens or (None if gpus else _CPU_TOKENS)
        self._limits: dict[int, BatchLimit] = {}  # by the beam; 0: of scoring
        self._precision: Precision = precision
        self.longest_source = min(max_positions(model) for model in models) - 1
        """Most subwords of a sentence that all models can take."""
        self._engine_name = engine
        self._fast: DecodingEngine | None = None
        self._general: FairseqEngine | None = None
        self.left_unchanged = 0
        """Number of sentences so far whose output is the source itself because they were empty or
        too long.
        """

    def decode(
        self,
        sentences: Sequence[Sentence],
        beam: int = 5,
        n_best: int = 1,
        length_penalty: float = 1.0,
        beta_random: float = 0.0,
        seed: int = 0,
        first_index: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[list[Hypothesis]]:
        """Search the best outputs.

        The source subword to which the decoder attended most replaces ``<unk>``, as with fairseq's
        ``--replace-unk``. An output has at most 1.5 times as many subwords as the source (rounded
        up to a multiple of 8), and 10 more.

        Args:
            sentences: sources in subwords.
            beam: hypotheses kept at each step.
            n_best: outputs a sentence.
            length_penalty: exponent of the length that divides a log-probability; 1: mean over
                subwords, 0: no normalisation.
            beta_random: strength of the noise in the beam; 0: plain beam search.
            seed: of the noise.
            first_index: index of the first sentence in the whole corpus; the noise of a sentence
                depends on seed and index alone.
            progress: called with sentences done and sentences in all.

        Returns:
            Up to ``n_best`` hypotheses for every sentence, best first. A sentence that is empty or
            longer than the model's positions comes back unchanged, with score 0, and is counted in
            `left_unchanged`.

        Raises:
            UserError: more outputs are asked for than the beam holds.
        """
        if not 1 <= n_best <= beam:
            raise UserError(f"n_best must lie between 1 and the beam ({beam}), got {n_best}")
        options = SearchOptions(
            beam=beam,
            n_best=n_best,
            length_penalty=length_penalty,
            beta_random=beta_random,
            seed=seed,
        )
        return self._run(sentences, options, first_index, progress)

    def sample(
        self,
        sentences: Sequence[Sentence],
        temperature: float = 1.0,
        seed: int = 0,
        first_index: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[list[Hypothesis]]:
        """Draw one output a sentence from the model's full distribution (Edunov et al. 2018).

        Args and return value are those of `decode`; a draw depends on seed and sentence index
        alone.
        """
        options = SearchOptions(beam=1, sample=True, temperature=temperature, seed=seed)
        return self._run(sentences, options, first_index, progress)

    def score(
        self,
        sources: Sequence[Sentence],
        candidates: Sequence[Sequence[Sentence]],
        length_penalty: float = 1.0,
    ) -> list[list[float]]:
        """Score the candidates of every source, in subwords, on the scale of `Hypothesis.score`.

        The score is minus infinity where source or candidate is longer than the model's positions.
        """
        flat = [
            (source, target)
            for source, targets in zip(sources, candidates, strict=True)
            for target in targets
        ]
        scores = [-math.inf] * len(flat)
        lengths = [max(len(source), len(target)) for source, target in flat]
        engine = self._engine(SearchOptions())
        fitting = [
            (length, place) for place, length in enumerate(lengths) if length <= self.longest_source
        ]

        def compute(places: list[int]) -> list[float]:
            return engine.log_probabilities(
                [flat[place][0] for place in places], [flat[place][1] for place in places]
            )

        for places, log_probabilities in in_batches(fitting, self._limit(beam=0), compute):
            for place, log_probability in zip(places, log_probabilities, strict=True):
                scores[place] = log_probability / (len(flat[place][1]) + 1) ** length_penalty
        in_order = iter(scores)
        return [[next(in_order) for _ in targets] for targets in candidates]

    def _run(
        self,
        sentences: Sequence[Sentence],
        options: SearchOptions,
        first_index: int,
        progress: Callable[[int, int], None] | None,
    ) -> list[list[Hypothesis]]:
        outputs: list[list[Hypothesis]] = [
            [Hypothesis(list(sentence), 0.0)] for sentence in sentences
        ]
        lengths = [
            (len(sentence), place)
            for place, sentence in enumerate(sentences)
            if 0 < len(sentence) <= self.longest_source
        ]
        done = len(sentences) - len(lengths)
        self.left_unchanged += done
        if not lengths:
            return outputs
        engine = self._engine(options)

        def compute(places: list[int]) -> list[list[Hypothesis]]:
            return engine.search(self._batch(sentences, places, first_index), options)

        for places, results in in_batches(lengths, self._limit(options.beam), compute):
            for place, hypotheses in zip(places, results, strict=True):
                outputs[place] = hypotheses
            done += len(places)
            if progress is not None:
                progress(done, len(sentences))
        return outputs

    def _limit(self, beam: int) -> BatchLimit:
        """Of a batch; the models must be in memory already."""
        if beam not in self._limits:
            free = None if self._max_tokens else _free_memory()
            fitting = (
                _CPU_TOKENS
                if free is None
                else int(_SHARE_OF_MEMORY * free / self._bytes_a_token(beam))
            )
            self._limits[beam] = BatchLimit(self._max_tokens or max(1, min(fitting, _MOST_TOKENS)))
        return self._limits[beam]

    def _bytes_a_token(self, beam: int) -> float:
        """Approximate memory for each subword of a source, in a search, or in scoring if the beam
        is 0.

        Of every hypothesis a search keeps the keys and values of each decoder layer, for the source
        and for the longest output, and the encoder's output. A step computes the vocabulary's
        probabilities in full precision, and holds up to four arrays of their size: logits,
        probabilities, noise and ranked sums. Scoring computes them for all subwords of a target at
        once.
        """
        vocabulary = len(read_dictionary(self._models[0] / dictionary_name(TARGET)))
        if not beam:
            return 4.0 * 4 * vocabulary
        number = {"fp32": 4, "fp16": 2}[self._precision]
        outputs = _LENGTH_FACTOR + _LENGTH_MARGIN / _SHORT  # for each subword of the source
        states = sum(
            (
                2 * _layers_with_states(options) * (1 + outputs) * options.decoder_embed_dim
                + options.encoder_embed_dim
            )
            * number
            for options in map(model_options, self._models)
        )
        return beam * (states + 4.0 * 4 * vocabulary / _SHORT)

    def _batch(self, sentences: Sequence[Sentence], places: list[int], first_index: int) -> Batch:
        """Some of the sentences; the first place is that of the longest."""
        longest = rounded(len(sentences[places[0]]))
        return Batch(
            indices=[first_index + place for place in places],
            sources=[sentences[place] for place in places],
            longest_output=min(int(_LENGTH_FACTOR * longest) + _LENGTH_MARGIN, self.longest_source),
        )

    def _engine(self, options: SearchOptions) -> DecodingEngine:
        if self._engine_name != "fairseq" and self._fast is None:
            self._fast = self._ctranslate2()
        if self._fast is not None and options.deterministic:
            return self._fast
        if self._engine_name == "ctranslate2":
            raise UserError(
                "CTranslate2 has no noise in the beam and no streams for sampling; use "
                "the engine fairseq or auto"
            )
        return self._fairseq()

    def _fairseq(self) -> FairseqEngine:
        if self._general is None:
            from pseudogec.seq2seq.decode_fairseq import FairseqEngine

            self._general = FairseqEngine(self._models, self._precision)
        return self._general

    def _ctranslate2(self) -> DecodingEngine | None:
        from pseudogec.seq2seq import decode_ctranslate2

        problem = (
            ("it cannot average the probabilities of several models")
            if len(self._models) > 1
            else ""
        )
        if not problem:
            try:
                return decode_ctranslate2.CTranslate2Engine(self._models[0], self._precision)
            except decode_ctranslate2.UnsupportedModelError as error:
                problem = str(error)
        if self._engine_name == "ctranslate2":
            raise UserError(
                f"CTranslate2 cannot be used here: {problem}; use the engine fairseq or auto"
            )
        self._engine_name = "fairseq"
        return None


def _layers_with_states(options: Any) -> int:
    """Layers of the decoder that keep a state for every subword; fairseq writes those of
    convolutions, which do not, as text.
    """
    return options.decoder_layers if isinstance(options.decoder_layers, int) else 0


def _gpus() -> int:
    import ctranslate2  # is loaded faster than torch

    return int(ctranslate2.get_cuda_device_count())


def _free_memory() -> int | None:
    """Free bytes of the GPU; none if torch cannot use it, as it was built without GPUs or the
    driver is too old.
    """
    import torch

    if not torch.cuda.is_available():
        return None
    torch.cuda.empty_cache()
    return torch.cuda.mem_get_info()[0]


def _check_dictionaries(models: Sequence[Path]) -> None:
    for name in map(dictionary_name, SIDES):
        digests = [digest_file(model / name) for model in models]
        for model, digest in zip(models, digests, strict=True):
            if digest != digests[0]:
                raise UserError(
                    f"{model} and {models[0]} have different vocabularies: their {name} differ. "
                    "Models of one ensemble need the same; train them with it"
                )
