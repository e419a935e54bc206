"""Decoding, and scoring by language models, with CTranslate2."""

from __future__ import annotations

import contextlib
import tempfile
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import ctranslate2
import numpy as np

from pseudogec.artefacts.files import digest_file
from pseudogec.seq2seq import checkpoints, compat, model_cache
from pseudogec.seq2seq.data import END, SPECIAL_SYMBOLS
from pseudogec.seq2seq.model_cache import Precision
from pseudogec.seq2seq.model_files import in_fairseqs_format, model_file, model_options
from pseudogec.seq2seq.search import (
    UNKNOWN_SYMBOL,
    Batch,
    Hypothesis,
    SearchOptions,
    Sentence,
    replace_unknown,
)

Program = TypeVar("Program", ctranslate2.Translator, ctranslate2.Generator)


class UnsupportedModelError(Exception):
    """CTranslate2 does not support the model's architecture, or cannot use this machine's GPU."""


class CTranslate2Engine:
    """CTranslate2 with one model, whose converted form is kept in its folder.

    Raises:
        UnsupportedModelError: the model is not a plain Transformer, or libraries that CTranslate2
            needs for a GPU are missing.
    """

    def __init__(self, folder: Path, precision: Precision) -> None:
        kind = ("ctranslate2", precision)
        self._translator = model_cache.shared(
            folder, kind, lambda: _load(folder, precision, ctranslate2.Translator)
        )

    def search(self, batch: Batch, options: SearchOptions) -> list[list[Hypothesis]]:
        outputs = []
        for source, result in zip(
            batch.sources, self._translate(batch, options, attention=False), strict=True
        ):
            if any(UNKNOWN_SYMBOL in subwords for subwords in result.hypotheses):
                alone = Batch([0], [source], batch.longest_output)
                result = self._translate(alone, options, attention=True)[0]
                outputs_of_it = [
                    replace_unknown(subwords, source, np.asarray(rows))
                    for subwords, rows in zip(result.hypotheses, result.attention, strict=True)
                ]
            else:
                outputs_of_it = result.hypotheses
            outputs.append(
                [Hypothesis(*output) for output in zip(outputs_of_it, result.scores, strict=True)]
            )
        return outputs

    def _translate(
        self, batch: Batch, options: SearchOptions, attention: bool
    ) -> list[ctranslate2.TranslationResult]:
        return self._translator.translate_batch(
            list(map(_as_text, batch.sources)),
            beam_size=options.beam,
            num_hypotheses=options.n_best,
            length_penalty=options.length_penalty,
            max_decoding_length=batch.longest_output,
            max_input_length=0,
            return_scores=True,
            return_attention=attention,
        )

    def log_probabilities(
        self, sources: Sequence[Sentence], targets: Sequence[Sentence]
    ) -> list[float]:
        results = self._translator.score_batch(
            list(map(_as_text, sources)), list(map(_as_text, targets)), max_input_length=0
        )
        return [sum(result.log_probs) for result in results]


class CTranslate2LanguageModel:
    """CTranslate2 with a language model; UnsupportedModelError is as of `CTranslate2Engine`."""

    def __init__(self, folder: Path) -> None:
        self.longest = int(model_options(folder).tokens_per_sample)
        self._generator = model_cache.shared(
            folder, ("ctranslate2", "fp32"), lambda: _load(folder, "fp32", ctranslate2.Generator)
        )

    def log_probabilities(self, sentences: Sequence[Sentence]) -> list[float]:
        # Also before a sentence, which begins after the end of another one
        end = SPECIAL_SYMBOLS[END]
        return [
            sum(each.log_probs)
            for each in self._generator.score_batch([[end, *_as_text(s), end] for s in sentences])
        ]


def _as_text(subwords: Sentence) -> list[str]:
    """Subwords spelt like special symbols, such as the end of a sentence, are unknown ones."""
    return [UNKNOWN_SYMBOL if subword in SPECIAL_SYMBOLS else subword for subword in subwords]


def _load(folder: Path, precision: Precision, program: type[Program]) -> Program:
    options = {
        "device": "cuda" if ctranslate2.get_cuda_device_count() else "cpu",
        "compute_type": {"fp32": "float32", "fp16": "float16"}[precision],
        "inter_threads": 1,
        "intra_threads": 1,
    }
    target = folder / f"ctranslate2-{digest_file(model_file(folder))[:16]}"
    if not target.exists():
        with tempfile.TemporaryDirectory(prefix=".ctranslate2-", dir=folder) as place:
            converted = _convert(folder, Path(place) / "model")
            with contextlib.suppress(OSError):  # another process was faster
                converted.rename(target)
    try:
        loaded = program(str(target), **options)
        if isinstance(loaded, ctranslate2.Translator) and options["device"] == "cuda":
            # Looks for its CUDA libraries
            loaded.translate_batch([[UNKNOWN_SYMBOL]], max_decoding_length=1)
    except (RuntimeError, ValueError) as error:
        if options["device"] == "cpu":
            raise
        raise UnsupportedModelError(f"it cannot use the GPU ({error})") from None
    return loaded


def _convert(folder: Path, output: Path) -> Path:
    options = model_options(folder)
    if options.arch not in ("transformer", "transformer_lm"):
        raise UnsupportedModelError(f"it has no architecture {options.arch!r}")
    compat.apply()
    import torch
    from ctranslate2.converters import FairseqConverter

    with in_fairseqs_format(folder) as path:
        # Whose options the converter expects where early versions of fairseq had them
        if options.arch == "transformer_lm":
            state = checkpoints.load(path)
            state["args"] = Namespace(
                **{**state["cfg"]["task"], **vars(options), "task": "language_modeling"}
            )
            path = output.with_suffix(".pt")
            torch.save(state, path)
        converter = FairseqConverter(str(path), str(folder), "src", "trg")
        try:
            converter.convert(str(output))
        except ValueError as error:
            raise UnsupportedModelError(str(error)) from None
    return output
