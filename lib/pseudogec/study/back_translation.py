"""Back-translation: the methods that make errors with a reverse model, and their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationError

from pseudogec.errors import UserError, nearest
from pseudogec.noise import NoiseParameters

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
