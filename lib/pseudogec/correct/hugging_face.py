"""Classifiers from Hugging Face, such as a BERT that was fine-tuned to detect errors (Kiyono et al. 2019, section 4.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from artefacts.errors import UserError
from pseudogec.correct.step import Tokens

_SENTENCES_AT_ONCE = 32


class HuggingFaceDetector:
    """A sequence classifier as an error detector.

    Args:
        name: a model's name at Hugging Face, or the folder of one in its format.
        error_label: which of its labels says that there is an error, by number or by name. The last one when not given, which is
            wrong for classifiers of acceptability, whose last label says that a sentence is right.

    Raises:
        UserError: the package ``transformers`` is missing, the model cannot be loaded, it is no trained classifier, or it has no
            such label.
    """

    def __init__(self, name: str, error_label: int | str | None = None) -> None:
        try:
            import transformers
        except ModuleNotFoundError:
            raise UserError(
                "classifiers from Hugging Face need the package transformers: pip install 'pseudogec[hugging-face]'"
            ) from None
        import torch

        try:
            self._tokeniser: Any = transformers.AutoTokenizer.from_pretrained(name)
            model, loading = transformers.AutoModelForSequenceClassification.from_pretrained(name, output_loading_info=True)
        except (OSError, ValueError) as error:
            raise UserError(f"the classifier {name} cannot be loaded: {str(error).splitlines()[0]}") from None
        if loading["missing_keys"]:
            # transformers would fill them with random numbers.
            raise UserError(
                f"{name} is no trained classifier: it has no weights {', '.join(sorted(loading['missing_keys']))}; "
                "fine-tune it on sentences with and without errors first"
            )
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._model: Any = model.to(self._device).eval()
        self._error = _label_number(name, model.config, error_label)
        # Some tokenisers do not know how much their model can read.
        self._longest = min(self._tokeniser.model_max_length, getattr(model.config, "max_position_embeddings", 10**6))

    def probabilities(self, sentences: Sequence[Tokens]) -> list[float]:
        """The probability that each sentence holds an error, whatever other sentences come with it; an empty one holds none.

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
                encoded = self._tokeniser(texts, return_tensors="pt", padding=True, truncation=True, max_length=self._longest).to(
                    self._device
                )
                values = self._model(**encoded).logits.softmax(dim=-1)[:, self._error].tolist()
                for place, value in zip(batch, values, strict=True):
                    found[place] = value
        return found


def _label_number(name: str, configuration: Any, label: int | str | None) -> int:
    """The number of the label that says that there is an error."""
    labels: dict[int, str] = configuration.id2label
    if len(labels) < 2:
        raise UserError(f"the classifier {name} has one label; an error detector has one for errors and one for none")
    if label is None:
        return len(labels) - 1
    for number, text in labels.items():
        if label in (number, text):
            return number
    known = ", ".join(f"{number} ({text})" for number, text in labels.items())
    raise UserError(f"the classifier {name} has no label {label!r}; its labels are {known}")
