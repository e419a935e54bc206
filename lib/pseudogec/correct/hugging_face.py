"""Classifiers from Hugging Face, such as a BERT that was fine-tuned to detect errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pseudogec.correct.step import Tokens
from pseudogec.errors import UserError

_SENTENCES_AT_ONCE = 32


class HuggingFaceDetector:
    """A sequence classifier as an error detector.

    Args:
        name: a model's name at Hugging Face, or the folder of one in its format.
        error_label: which of its labels says that there is an error; the last one by default.

    Raises:
        UserError: the package ``transformers`` is missing, the model cannot be loaded, or it has no such label.
    """

    def __init__(self, name: str, error_label: int | None = None) -> None:
        try:
            import transformers
        except ModuleNotFoundError:
            raise UserError(
                "classifiers from Hugging Face need the package transformers: pip install 'pseudogec[hugging-face]'"
            ) from None
        try:
            self._tokeniser: Any = transformers.AutoTokenizer.from_pretrained(name)
            self._model: Any = transformers.AutoModelForSequenceClassification.from_pretrained(name).eval()
        except (OSError, ValueError) as error:
            raise UserError(f"the classifier {name} cannot be loaded: {str(error).splitlines()[0]}") from None
        labels = self._model.config.num_labels
        self._error = labels - 1 if error_label is None else error_label
        if not 0 <= self._error < labels:
            raise UserError(f"the classifier {name} has {labels} labels, 0 to {labels - 1}, and none with number {error_label}")

    def probabilities(self, sentences: Sequence[Tokens]) -> list[float]:
        """The probability that each sentence holds an error; an empty one holds none.

        Args:
            sentences: words, which are joined with spaces; the model's own tokeniser splits them, and cuts what is too long.
        """
        import torch

        found = [0.0] * len(sentences)
        # Sentences of like length share a batch.
        places = sorted((place for place, tokens in enumerate(sentences) if tokens), key=lambda place: len(sentences[place]))
        with torch.no_grad():
            for start in range(0, len(places), _SENTENCES_AT_ONCE):
                batch = places[start : start + _SENTENCES_AT_ONCE]
                texts = [" ".join(sentences[place]) for place in batch]
                encoded = self._tokeniser(texts, return_tensors="pt", padding=True, truncation=True)
                values = self._model(**encoded).logits.softmax(dim=-1)[:, self._error].tolist()
                for place, value in zip(batch, values, strict=True):
                    found[place] = value
        return found
