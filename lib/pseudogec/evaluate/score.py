"""The one result of scorers that count edits: true positives, false positives and false negatives, kept by sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from artefacts.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

Categories = Literal["operation", "main", "full"]

_COUNTS = ("tp", "fp", "fn")


def precision_recall_f05(tp: Any, fp: Any, fn: Any) -> tuple[Any, Any, Any]:
    """Precision, recall and F0.5 of counts, alone or as arrays of any one shape.

    ERRANT's and MaxMatch's conventions on empty counts: precision is 1 without false positives, recall is 1 without false
    negatives, and F0.5 is 0 when both are 0.
    """
    tp, fp, fn = (np.asarray(count, dtype=float) for count in (tp, fp, fn))
    precision = np.where(fp == 0, 1.0, tp / np.where(fp == 0, 1.0, tp + fp))
    recall = np.where(fn == 0, 1.0, tp / np.where(fn == 0, 1.0, tp + fn))
    weighted = 0.25 * precision + recall
    f05 = np.where(weighted == 0, 0.0, 1.25 * precision * recall / np.where(weighted == 0, 1.0, weighted))
    return precision, recall, f05


@dataclass(frozen=True, eq=False)
class Score:
    """What a scorer found for one system's output.

    Attributes:
        scorer: the scorer's name, such as ``errant``.
        signature: everything on which the figures depend, as ``key:value`` pairs between bars.
        sentences: how many sentences were scored.
        sentence: sentence number (from 0) of each row of counts; sentences without any edit have no row.
        error_type: error type of each row: of the reference for ``tp`` and ``fn``, of the hypothesis for ``fp``; empty text from
            a scorer that knows no types.
        tp, fp, fn: counts of each row; whole numbers.
    """

    scorer: str
    signature: str
    sentences: int
    sentence: np.ndarray
    error_type: np.ndarray
    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray

    @classmethod
    def from_rows(cls, scorer: str, signature: str, sentences: int, rows: Iterable[tuple[int, str, int, int, int]]) -> Score:
        """Make a score from rows of sentence number, error type, tp, fp, fn."""
        columns: list[Sequence[Any]] = [*zip(*rows, strict=True)] or [()] * 5
        sentence, error_type, tp, fp, fn = columns
        integers = (np.array(column, dtype=np.int64) for column in (sentence, tp, fp, fn))
        sentence_array, tp_array, fp_array, fn_array = integers
        types = np.array(error_type, dtype=object)
        return cls(scorer, signature, sentences, sentence_array, types, tp_array, fp_array, fn_array)

    @property
    def counts(self) -> pd.DataFrame:
        """Tidy counts: sentence, error_type, tp, fp, fn."""
        import pandas as pd

        return pd.DataFrame({name: getattr(self, name) for name in ("sentence", "error_type", *_COUNTS)})

    @property
    def totals(self) -> tuple[int, int, int]:
        """True positives, false positives and false negatives of the whole."""
        return int(self.tp.sum()), int(self.fp.sum()), int(self.fn.sum())

    @property
    def precision(self) -> float:
        """Precision of the whole, from 0 to 1."""
        return float(precision_recall_f05(*self.totals)[0])

    @property
    def recall(self) -> float:
        """Recall of the whole, from 0 to 1."""
        return float(precision_recall_f05(*self.totals)[1])

    @property
    def f05(self) -> float:
        """F0.5 of the whole, from 0 to 1."""
        return float(precision_recall_f05(*self.totals)[2])

    def per_sentence(self) -> np.ndarray:
        """Counts by sentence, (sentences, 3): tp, fp, fn."""
        table = np.zeros((self.sentences, 3), dtype=np.int64)
        for column, count in enumerate((self.tp, self.fp, self.fn)):
            np.add.at(table[:, column], self.sentence, count)
        return table

    def by_type(self, categories: Categories = "main") -> pd.DataFrame:
        """Counts, precision, recall and F0.5 of each error type.

        Args:
            categories: ``operation`` (M, R, U), ``main`` (NOUN, VERB:SVA, ...) or ``full`` (R:VERB:SVA), as ERRANT's
                ``-cat`` 1, 2, 3.

        Returns:
            One row a type, by name: tp, fp, fn, precision, recall, f05.
        """
        cut: dict[str, Callable[[str], str]] = {"operation": _operation, "main": main_type, "full": str}
        if categories not in cut:
            raise UserError(f"no categories are called {categories!r}; choose one of {', '.join(cut)}")
        return self._grouped([cut[categories](error_type) for error_type in self.error_type], "error_type")

    def by_group(self, labels: Sequence[str], name: str = "group") -> pd.DataFrame:
        """Counts, precision, recall and F0.5 of groups of sentences, such as proficiency levels.

        Args:
            labels: the group of each sentence.
            name: what the groups are, for the table's index.

        Raises:
            UserError: there is not one label a sentence.
        """
        if len(labels) != self.sentences:
            raise UserError(f"{len(labels)} labels for {self.sentences} sentences; give one a sentence")
        table = self._grouped([labels[sentence] for sentence in self.sentence], name)
        every_group = sorted(set(labels))
        return _with_ratios(table[list(_COUNTS)].reindex(every_group, fill_value=0).rename_axis(name))

    def select(self, sentences: Sequence[int]) -> Score:
        """The score of some of the sentences alone, such as those of one proficiency level.

        Args:
            sentences: their numbers, from 0; they keep their numbers' order but are counted anew from 0.
        """
        renumbered = np.full(self.sentences, -1, dtype=np.int64)
        renumbered[sorted(sentences)] = np.arange(len(sentences))
        rows = renumbered[self.sentence] >= 0
        columns = (self.error_type, self.tp, self.fp, self.fn)
        chosen = (renumbered[self.sentence][rows], *(column[rows] for column in columns))
        return Score(self.scorer, self.signature, len(sentences), *chosen)

    def of_type(self, error_type: str) -> Score:
        """The score of one main error type (``VERB:SVA``) alone, over all sentences."""
        rows = np.array([main_type(other) == error_type for other in self.error_type], dtype=bool)
        columns = (self.sentence, self.error_type, self.tp, self.fp, self.fn)
        return Score(self.scorer, self.signature, self.sentences, *(column[rows] for column in columns))

    def to_json(self) -> str:
        """The score as JSON text, whole."""
        columns = {name: getattr(self, name).tolist() for name in ("sentence", "error_type", *_COUNTS)}
        return json.dumps({"scorer": self.scorer, "signature": self.signature, "sentences": self.sentences, "counts": columns})

    @classmethod
    def from_json(cls, text: str) -> Score:
        """The score that ``to_json`` wrote."""
        stored = json.loads(text)
        columns = [stored["counts"][name] for name in ("sentence", "error_type", *_COUNTS)]
        return cls.from_rows(stored["scorer"], stored["signature"], stored["sentences"], zip(*columns, strict=True))

    def __str__(self) -> str:
        tp, fp, fn = self.totals
        figures = f"P {100 * self.precision:.2f}  R {100 * self.recall:.2f}  F0.5 {100 * self.f05:.2f}"
        return f"{self.scorer}  {figures}  (tp {tp}, fp {fp}, fn {fn}; {self.signature})"

    def _grouped(self, keys: Sequence[str], name: str) -> pd.DataFrame:
        return _with_ratios(self.counts.assign(**{name: keys}).groupby(name)[list(_COUNTS)].sum())


def _with_ratios(counts: pd.DataFrame) -> pd.DataFrame:
    precision, recall, f05 = precision_recall_f05(*(counts[name] for name in _COUNTS))
    return counts.assign(precision=precision, recall=recall, f05=f05)


def _operation(error_type: str) -> str:
    return error_type if error_type == "UNK" else error_type[:1]


def main_type(error_type: str) -> str:
    """An error type without its operation: ``VERB:SVA`` of ``R:VERB:SVA``; types without one, such as ``UNK``, as they are."""
    return error_type.partition(":")[2] or error_type
