"""Back-translation: the methods that make errors with a reverse model, their parameters, and the work in parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from artefacts.errors import UserError, nearest
from artefacts.files import digest_file, write_atomically
from artefacts.progress import Progress
from pseudogec.noise import NoiseParameters
from pseudogec.seq2seq.decode import Decoder
from pseudogec.seq2seq.training_data import check_dictionaries

PART = 4000
"""Sentences that are back-translated and written together: what a killed process loses at most, and what memory holds."""

BACK_TRANSLATION = ("backtrans", "backtrans_noisy", "backtrans_sample")
"""Plain beam search, beam search with noise (Xie et al. 2018), and sampling (Edunov et al. 2018)."""


class BeamParameters(NoiseParameters):
    """Plain beam search."""

    beam: int = Field(5, ge=1, description="hypotheses kept at each step")


class NoisyBeamParameters(BeamParameters):
    """Beam search with r * beta_random, r ~ U[0, 1], added to the score of every candidate (TASLP section III-A)."""

    beta_random: float = Field(6.0, ge=0, description="strength of the noise; 0 is plain beam search")


class SampleParameters(NoiseParameters):
    """Sampling from the model's full distribution."""

    temperature: float = Field(1.0, gt=0, description="divides the logits; above 1 flattens the distribution")


_PARAMETERS: dict[str, type[NoiseParameters]] = {
    "backtrans": BeamParameters,
    "backtrans_noisy": NoisyBeamParameters,
    "backtrans_sample": SampleParameters,
}


def check_back_translation(method: str, parameters: Mapping[str, Any], where: str) -> NoiseParameters:
    """Check a back-translation method's parameters and fill in the defaults.

    Raises:
        UserError: an unknown parameter or an impossible value; the message begins with ``where``.
    """
    model = _PARAMETERS[method]
    try:
        return model.model_validate(dict(parameters))
    except ValidationError as error:
        problem = error.errors()[0]
        name = ".".join(map(str, problem["loc"]))
        if problem["type"] == "extra_forbidden":
            raise UserError(f"{where}: {method}: there is no parameter `{name}`{nearest(name, model.model_fields)}") from None
        raise UserError(f"{where}: {method}: {name}: {problem['msg']}, not {problem['input']!r}") from None


class Part(NamedTuple):
    """A run of back-translated sentences.

    Attributes:
        targets: grammatical sentences, in pieces.
        sources: what the reverse model made of them.
        left_unchanged: how many the model could not take, because they are empty or too long: their sources are the targets.
    """

    targets: list[list[str]]
    sources: list[list[str]]
    left_unchanged: int


class BackTranslator:
    """A reverse model at work, part by part.

    Noise and draws of a sentence depend on the seed and on the sentence's place in the text alone.

    Args:
        model: folder of the reverse model.
        dictionary: the dictionary of the text's pieces.
        method: one of :data:`BACK_TRANSLATION`.
        parameters: all of the method's.
        seed: of noise and draws.
        precision: of decoding.
        fused_attention: decode with torch's fused attention.

    Raises:
        UserError: the model was trained with another dictionary, or half precision is asked for and there is no GPU.
        DataError: a file of the model is missing.
    """

    def __init__(
        self,
        model: Path,
        dictionary: Path,
        method: str,
        parameters: Mapping[str, Any],
        seed: int,
        precision: Literal["fp32", "fp16"] = "fp32",
        fused_attention: bool = False,
    ) -> None:
        check_dictionaries(model, dictionary, digest_file(dictionary))
        self._decoder = Decoder([model], precision=precision, fused_attention=fused_attention)
        self._search: Callable[..., Any]
        if method == "backtrans_sample":
            self._search = partial(self._decoder.sample, temperature=parameters["temperature"], seed=seed)
        else:
            noise = parameters.get("beta_random", 0.0)
            self._search = partial(self._decoder.decode, beam=parameters["beam"], noise_beta=noise, seed=seed)

    def parts(self, targets: Iterable[list[str]], folder: Path, total: int, progress: Progress) -> Iterator[Part]:
        """Back-translate a text in parts of :data:`PART` sentences, in order; what a killed process finished is read again.

        Args:
            targets: grammatical sentences in pieces; read once.
            folder: where finished parts are kept; the caller removes them when the whole text is safe elsewhere.
            total: sentences of the text.
            progress: told how many sentences are done.
        """
        remaining = iter(targets)
        first = 0
        while chunk := list(islice(remaining, PART)):
            file = folder / f"{first:010d}.json"
            part = _finished_part(file, chunk) or self._translate(chunk, first, total, progress)
            if not file.exists():
                _keep(part, file)
            first += len(chunk)
            progress(first, total, "sentences")
            yield part

    def translate(self, target: list[str]) -> list[str]:
        """Back-translate one sentence, as if it were the first of a text.

        Args:
            target: a grammatical sentence in pieces.
        """
        return self._search([target])[0][0].pieces

    def _translate(self, targets: list[list[str]], first: int, total: int, progress: Progress) -> Part:
        def show(done: int, _: int) -> None:
            progress(first + done, total, "sentences")

        earlier = self._decoder.left_unchanged
        outputs = self._search(targets, first_index=first, progress=show)
        return Part(targets, [hypotheses[0].pieces for hypotheses in outputs], self._decoder.left_unchanged - earlier)


def _keep(part: Part, file: Path) -> None:
    sources = [" ".join(source) for source in part.sources]
    with write_atomically(file) as stream:
        stream.write(json.dumps({"left_unchanged": part.left_unchanged, "sources": sources}, ensure_ascii=False).encode())


def _finished_part(file: Path, targets: list[list[str]]) -> Part | None:
    """The part in a file; none when the file is missing, or damaged by more than a kill (a power cut)."""
    if not file.exists():
        return None
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        part = Part(targets, [source.split() for source in kept["sources"]], int(kept["left_unchanged"]))
        if len(part.sources) == len(targets):
            return part
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    file.unlink()
    return None
