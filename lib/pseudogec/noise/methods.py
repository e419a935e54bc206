"""The noising methods by name: checked, explained, made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import Field, ValidationError
from pydantic_core import PydanticUndefined

from artefacts.errors import UserError, nearest
from pseudogec.noise.characters import SyntheticSpelling
from pseudogec.noise.direct import DirectNoise, DirectNoiseParameters
from pseudogec.noise.noiser import NoiseParameters, Noiser
from pseudogec.noise.random_words import RandomNoise, RandomNoiseParameters
from pseudogec.noise.realistic import RealisticNoise, RealisticNoiseParameters
from pseudogec.noise.resources import NoiseResources
from pseudogec.noise.spell import SpellNoise, SpellNoiseParameters
from pseudogec.noise.units import OnWords


class SpellingParameters(NoiseParameters):
    """Synthetic spelling errors alone."""

    sse_rate: float = Field(0.003, ge=0, le=1, description="synthetic spelling errors per character")


class Method(NamedTuple):
    """A noising method.

    Attributes:
        summary: what it does and where it comes from.
        parameters: their model.
        make: makes the noiser of checked parameters; None when there is nothing beneath the synthetic spelling errors.
        needs_pairs: whether it learns from genuine pairs, not only from grammatical text.
    """

    summary: str
    parameters: type[NoiseParameters]
    make: Callable[[Any, NoiseResources], Noiser | None]
    needs_pairs: bool = False


METHODS: dict[str, Method] = {
    "direct_noise": Method(
        "mask, delete, insert after, or keep each piece (Kiyono et al. 2020, algorithm 1)",
        DirectNoiseParameters,
        lambda parameters, resources: DirectNoise(parameters, resources.pieces),
    ),
    "direct_noise_spell": Method(
        "replace words from a spell checker's confusion sets; delete, insert, swap, misspell (Grundkiewicz et al. 2019)",
        SpellNoiseParameters,
        lambda parameters, resources: SpellNoise(parameters, resources.words, resources.confusions),
    ),
    "realistic": Method(
        "learners' edits in reverse; changes of prepositions, of nouns' number and verbs' inflection (Choe et al. 2019)",
        RealisticNoiseParameters,
        lambda parameters, resources: RealisticNoise(parameters, resources.edits(parameters.minimum_count)),
        needs_pairs=True,
    ),
    "random": Method(
        "delete, replace, insert words at random, shuffle locally (Zhao et al. 2019)",
        RandomNoiseParameters,
        lambda parameters, resources: RandomNoise(parameters, resources.words),
    ),
    "sse": Method(
        "synthetic spelling errors alone: delete, insert, replace, transpose characters (Lichtarge et al. 2019)",
        SpellingParameters,
        lambda parameters, resources: None,
    ),
}


def find_method(method: str, where: str = "noise") -> Method:
    """The method of a name.

    Raises:
        UserError: there is none; the nearest name is offered.
    """
    if method not in METHODS:
        raise UserError(f"{where}: there is no noising method {method!r}" + nearest(method, METHODS, "'"))
    return METHODS[method]


def check_method(method: str, parameters: Mapping[str, Any], where: str = "noise") -> NoiseParameters:
    """Check a method's name and parameters.

    Args:
        method: a name of :data:`METHODS`.
        parameters: what differs from the defaults.
        where: where the user wrote them; messages begin with it.

    Returns:
        All parameters.

    Raises:
        UserError: the method or a parameter is unknown (the nearest name is offered), or a value is impossible.
    """
    model = find_method(method, where).parameters
    try:
        return model.model_validate(dict(parameters))
    except ValidationError as error:
        reasons = "; ".join(_explain(reason, model) for reason in error.errors())
        raise UserError(f"{where}: {method}: {reasons}") from None


def make_noiser(method: str, parameters: Mapping[str, Any], resources: NoiseResources) -> Noiser:
    """Make a noising method ready to use.

    Args:
        method: a name of :data:`METHODS`.
        parameters: what differs from the defaults; ``sse_rate`` adds synthetic spelling errors to any method.
        resources: what is learnt from genuine data. When they hold a segmentation, the noiser takes and gives its pieces, on
            whatever unit the method itself is defined; otherwise it takes the tokens as they stand.

    Raises:
        UserError: method or parameters are wrong, or the method needs genuine data that the resources lack.
    """
    checked = check_method(method, parameters)
    try:
        noiser = METHODS[method].make(checked, resources)
    except UserError as error:
        raise UserError(f"{method}: {error}") from None
    on_pieces = noiser is not None and noiser.unit == "piece"
    if checked.sse_rate or noiser is None:
        mask_token = checked.mask_token if isinstance(checked, DirectNoiseParameters) else ""
        noiser = SyntheticSpelling(noiser, checked.sse_rate, mask_token, resources.bpe if on_pieces else None)
    return noiser if on_pieces or resources.bpe is None else OnWords(noiser, resources.bpe)


def describe_methods() -> Iterator[str]:
    """Lines of text that explain every method and its parameters."""
    for name, method in METHODS.items():
        yield f"{name}: {method.summary}"
        for parameter, field in method.parameters.model_fields.items():
            default = "" if field.default is PydanticUndefined else f"; default {field.default}"
            yield f"    {parameter}: {field.description}{default}"


def _explain(reason: Any, model: type[NoiseParameters]) -> str:
    """One error of pydantic in the user's terms."""
    name = ".".join(map(str, reason["loc"]))
    if reason["type"] == "extra_forbidden":
        return f"there is no parameter {name!r}" + nearest(name, model.model_fields, "'")
    if reason["type"] == "missing":
        return f"{name} is missing"
    message = reason["msg"].removeprefix("Value error, ")
    return f"{name}: {message[:1].lower()}{message[1:]}, not {reason['input']!r}" if name else message
