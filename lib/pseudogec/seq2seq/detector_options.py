"""How an error detector is trained."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt


class DetectorOptions(BaseModel):
    """How a classifier of sentences with and without errors is trained.

    Attributes:
        learning_rate: Adam's, after a rise over the first tenth of the updates, falling linearly to nothing.
        epochs: passes over the sentences; the one with the lowest validation loss is kept.
        max_tokens: most pieces a batch, padding included.
        dropout: in the correction model that becomes the classifier, instead of its own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    learning_rate: PositiveFloat = 1e-3
    epochs: PositiveInt = 4
    max_tokens: PositiveInt = 1000
    dropout: float = Field(default=0.1, ge=0.0, lt=1.0)
