"""Metrics: a class defines what is counted, the measures computed from it, and their names in
tables and messages.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import BeforeValidator, PlainSerializer, SerializeAsAny

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.kinds import Component, Registry
from pseudogec.edits import Annotator, SentenceProgress
from pseudogec.evaluate.error_types import main_type
from pseudogec.evaluate.gold import Gold, ReferenceForm
from pseudogec.text import Tokens

Row = tuple[int, str, *tuple[int, ...]]


class Measure(NamedTuple):
    """One number of a score, from 0 to 1; tables show it in percent."""

    name: str  # its column in the tidy table
    label: str  # its heading in tables
    title: str  # its name in figures
    # Computes it, (...), from statistics that were summed over sentences, (..., statistics): the
    # first statistic is ``sums[..., 0]``. Significance tests call it for thousands of sums at once.
    of: Callable[[np.ndarray], np.ndarray]


class Metric(Component):
    """How corrections are scored.

    A metric gives each sentence a row of statistics, such as true positives, false positives and
    false negatives. Its measures are functions of the rows' sum, so that parts of a test set and
    the samples of significance tests are scored alike. A metric whose score is not a function of a
    sum (GLEU with several references) overrides `figures` and `summable`.

    A metric is called `known_as` in a profile, ``name`` in messages and signatures, `identity` in
    the tidy table, and `title` in tables for readers.
    """

    label: ClassVar[str]
    measures: ClassVar[tuple[Measure, ...]]
    """In the order of tables; the last is the headline, which is tested for significance."""
    counts: ClassVar[tuple[str, ...]] = ()
    """Names of the statistics, if tables should show their sums."""
    references: ClassVar[ReferenceForm] = "rewrites"
    """What `statistics` reads: ``rewrites`` (`Gold.rewrites`) for a metric of whole sentences, such
    as exact match, since both parallel references and M2 files give them; ``edits``
    (`Gold.sentences`), which rewrites give through an annotator alone."""
    needs_annotator: ClassVar[bool] = False
    """Whether `score` takes an annotator, to find the edits of hypotheses."""
    knows_types: ClassVar[bool] = False
    """Whether `score` gives the error type of each row; one of `statistics` is a sentence, which
    has none.
    """

    @classmethod
    def check_class(cls) -> None:
        super().check_class()
        if cls.statistics is Metric.statistics and cls.score is Metric.score:
            raise ValueError("the class must define `statistics`")

    @property
    def headline(self) -> Measure:
        return self.measures[-1]

    @property
    def identity(self) -> str:
        """The value in the tidy table's column ``metric``: the name, with the fields that differ
        from their defaults.
        """
        return self._with_fields(self.name)

    @property
    def title(self) -> str:
        """The name in tables and figures: the label, with the fields that differ from their
        defaults.
        """
        return self._with_fields(self.label)

    def _with_fields(self, name: str) -> str:
        fields = type(self).model_fields.items()
        return " ".join(
            [
                name,
                *(
                    f"{key}={value}"
                    for key, field in fields
                    if (value := getattr(self, key)) != field.default
                ),
            ]
        )

    @property
    def implementation(self) -> str:
        return str(self.version)

    def signature(self, annotator: str = "") -> str:
        """Everything that the score depends on besides the references, as ``key:value`` pairs
        between bars.
        """
        fields = {key: getattr(self, key) for key in type(self).model_fields} | (
            {"annotator": annotator} if annotator else {}
        )
        return "|".join(
            [
                f"{self.name}:{self.implementation}",
                *(f"{key}:{value}" for key, value in fields.items()),
            ]
        )

    def score(
        self,
        gold: Gold,
        hypotheses: Sequence[Tokens],
        annotator: Annotator | None = None,
        *,
        name: str = "the hypothesis",
        progress: SentenceProgress | None = None,
    ) -> Score:
        """Score tokenised corrections.

        Args:
            hypotheses: the tokens of each corrected sentence, line for line.
            progress: called with the number of sentences that are done, and of all, by metrics that
                take long.

        Raises:
            UserError: the numbers of sentences differ, there is no annotator, or the class is
                wrong.
        """
        gold.check(hypotheses, name)
        statistics = self._checked(self.statistics(gold, hypotheses), len(hypotheses))
        places = np.arange(len(statistics))
        no_types = np.full(len(statistics), "", dtype=object)
        return Score(self, self._signature(gold), len(statistics), places, no_types, statistics)

    def _signature(self, gold: Gold, annotator: str = "") -> str:
        return f"{self.signature(annotator)}|tokens:as given|{gold.description(self.references)}"

    def _checked(self, statistics: Any, sentences: int) -> np.ndarray:
        """Statistics that can be stored, summed and tested. Without the check, only p-values would
        show a wrong `Measure.of`.
        """
        is_array = isinstance(statistics, np.ndarray)
        if (
            not is_array
            or statistics.dtype.kind not in "biu"
            or statistics.ndim < 2
            or len(statistics) != sentences
        ):
            returned = (
                (f"{statistics.dtype} numbers, {statistics.shape}")
                if is_array
                else f"a {type(statistics).__name__}"
            )
            raise UserError(
                f"{self.known_as()}: `statistics` must return a numpy array of whole numbers, "
                "(sentences, statistics), for "
                f"{sentences} sentences, and returned {returned}; a share can be rounded to "
                "thousandths"
            )
        statistics = statistics.astype(np.int64)
        sums = self.summable(statistics).sum(axis=0)
        several = np.tile(sums, (len(sums) + 1, 1))
        for measure in self.measures:
            with np.errstate(all="ignore"):
                if np.shape(measure.of(several)) != (len(several),):
                    raise UserError(
                        f"{self.known_as()}: the measure `{measure.name}` must give one figure for "
                        "each row of an array of sums; "
                        "read the first statistic as `sums[..., 0]`, not as `sums[0]`"
                    )
        return statistics

    def statistics(self, gold: Gold, hypotheses: Sequence[Tokens]) -> np.ndarray:
        """Whole numbers for each sentence, (sentences, statistics); of more dimensions if
        `summable` makes two of them.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define `statistics`")

    def figures(self, statistics: np.ndarray) -> dict[str, float]:
        """The measures of summed statistics, (rows, statistics), and the counts if these have
        names.
        """
        sums = statistics.sum(axis=0)
        measures = {measure.name: float(measure.of(sums)) for measure in self.measures}
        counts = zip(self.counts, sums.tolist(), strict=True) if self.counts else ()
        return measures | dict(counts)

    def summable(self, statistics: np.ndarray) -> np.ndarray:
        """Statistics that the measures are functions of when summed, (sentences, statistics)."""
        return statistics


METRICS = Registry(Metric, "metric")


AnyMetric = Annotated[
    SerializeAsAny[Metric], BeforeValidator(METRICS.parse), PlainSerializer(METRICS.dump)
]
"""The field of a profile, recipe or file that names a metric."""
MetricChoice = Metric | str | Mapping[str, Any]
"""A metric, its name, or its name and fields as a profile writes them; for `METRICS.make`."""


@dataclass(frozen=True, eq=False, repr=False)
class Score:
    """A metric's result for one system's output, or for a part of it."""

    metric: Metric
    signature: str  # everything that the score depends on, as ``key:value`` pairs between bars
    sentences: int  # how many sentences were scored
    # Sentence number (from 0) of each row of statistics; a sentence may have no row
    sentence: np.ndarray
    # Error type of each row: for edits, the reference's of right and missed ones, the hypothesis's
    # of wrong ones; empty for a metric without types
    error_type: np.ndarray
    # (rows, statistics), whole numbers; of more dimensions for a metric whose `Metric.statistics`
    # are
    statistics: np.ndarray
    # The number of sentences, in the whole output, for which the search for edits was cut short
    beyond_bound: int = 0

    @classmethod
    def from_rows(
        cls,
        metric: Metric,
        signature: str,
        sentences: int,
        rows: Iterable[Row],
        beyond_bound: int = 0,
    ) -> Score:
        listed = list(rows)
        places = np.array([row[0] for row in listed], dtype=np.int64)
        types = np.array([row[1] for row in listed], dtype=object)
        statistics = np.array(
            [row[2:] for row in listed] or np.empty((0, len(metric.counts))), dtype=np.int64
        )
        return cls(metric, signature, sentences, places, types, statistics, beyond_bound)

    @property
    def caption(self) -> str:
        """The signature, for readers; with `beyond_bound`, in which scores that may be compared
        differ.
        """
        return (
            f"{self.signature}|cut_short:{self.beyond_bound}"
            if self.beyond_bound
            else self.signature
        )

    @cached_property
    def figures(self) -> dict[str, float]:
        return self.metric.figures(self.statistics)

    def __getitem__(self, name: str) -> float:
        return self.figures[name]

    def __repr__(self) -> str:
        """The measures in percent, and the signature."""
        measures = (
            f"{measure.label} {100 * self[measure.name]:.2f}" for measure in self.metric.measures
        )
        return f"{'  '.join(measures)}\n{self.caption}"

    @property
    def headline(self) -> float:
        return self.figures[self.metric.headline.name]

    def per_sentence(self) -> np.ndarray:
        """Statistics by sentence, (sentences, statistics), such as tp, fp and fn; tests sum
        them.
        """
        table = np.zeros((self.sentences, *self.statistics.shape[1:]), dtype=np.int64)
        np.add.at(table, self.sentence, self.statistics)
        return self.metric.summable(table)

    def by_type(self) -> dict[str, Score]:
        """The score of each main error type (NOUN, VERB:SVA, ...), by name, as ERRANT's ``-cat 2``.

        Raises:
            UserError: the metric has no types.
        """
        return {
            error_type: self.of_types(error_type) for error_type in sorted(set(self._main_types))
        }

    def of_types(self, *types: str) -> Score:
        """The score of some main error types together.

        Raises:
            UserError: the metric has no types.
        """
        return self._rows(np.isin(self._main_types, types))

    @cached_property
    def _main_types(self) -> np.ndarray:
        if not self.metric.knows_types:
            raise UserError(f"{self.metric.name} has no error types")
        return np.array([main_type(error_type) for error_type in self.error_type], dtype=str)

    def by_group(self, labels: Sequence[str]) -> dict[str, Score]:
        """The score of each group of sentences, such as proficiency levels, by name.

        Raises:
            UserError: there is not one label for each sentence.
        """
        if len(labels) != self.sentences:
            raise UserError(
                f"{len(labels)} labels for {self.sentences} sentences; give one for each sentence"
            )
        groups = np.array(labels, dtype=object)
        return {
            label: self._select(np.flatnonzero(groups == label)) for label in sorted(set(labels))
        }

    def _select(self, sentences: np.ndarray) -> Score:
        renumbered = np.full(self.sentences, -1, dtype=np.int64)
        renumbered[sentences] = np.arange(len(sentences))
        places = renumbered[self.sentence]
        part = self._rows(places >= 0)
        return replace(part, sentences=len(sentences), sentence=places[places >= 0])

    def _rows(self, chosen: np.ndarray) -> Score:
        rows = {
            name: getattr(self, name)[chosen] for name in ("sentence", "error_type", "statistics")
        }
        return replace(self, **rows)

    def to_json(self) -> str:
        """With a list for each sentence, which many systems share: scores of one test corpus
        together take little space.
        """
        rows: list[list[Any]] = [[] for _ in range(self.sentences)]
        columns = (
            getattr(self, name).tolist() for name in ("sentence", "error_type", "statistics")
        )
        for sentence, error_type, statistics in zip(*columns, strict=True):
            rows[sentence].append([error_type, *statistics])
        content: dict[str, Any] = {
            "metric": METRICS.dump(self.metric),
            "signature": self.signature,
            "rows": rows,
        }
        if self.beyond_bound:
            content["beyond_bound"] = self.beyond_bound
        return json.dumps(content, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Score:
        stored: dict[str, Any] = json.loads(text)
        rows = [
            (sentence, *row)
            for sentence, of_sentence in enumerate(stored["rows"])
            for row in of_sentence
        ]
        metric = METRICS.parse(stored["metric"])
        return cls.from_rows(
            metric, stored["signature"], len(stored["rows"]), rows, stored.get("beyond_bound", 0)
        )


def precision_recall_f05(tp: Any, fp: Any, fn: Any) -> tuple[Any, Any, Any]:
    """Precision, recall and F0.5 of counts, alone or as arrays of any one shape.

    ERRANT's and MaxMatch's conventions on empty counts: precision is 1 without false positives,
    recall is 1 without false negatives, and F0.5 is 0 when both are 0.
    """
    tp, fp, fn = (np.asarray(count, dtype=float) for count in (tp, fp, fn))
    precision = np.where(fp == 0, 1.0, tp / np.where(fp == 0, 1.0, tp + fp))
    recall = np.where(fn == 0, 1.0, tp / np.where(fn == 0, 1.0, tp + fn))
    weighted = 0.25 * precision + recall
    f05 = np.where(
        weighted == 0, 0.0, 1.25 * precision * recall / np.where(weighted == 0, 1.0, weighted)
    )
    return precision, recall, f05


def precision_of(counts: np.ndarray) -> np.ndarray:
    return precision_recall_f05(counts[..., 0], counts[..., 1], counts[..., 2])[0]


def recall_of(counts: np.ndarray) -> np.ndarray:
    return precision_recall_f05(counts[..., 0], counts[..., 1], counts[..., 2])[1]


def f05_of(counts: np.ndarray) -> np.ndarray:
    return precision_recall_f05(counts[..., 0], counts[..., 1], counts[..., 2])[2]


class EditMetric(Metric):
    """A metric that counts right (tp), wrong (fp) and missed (fn) edits."""

    measures = (
        Measure("precision", "P", "Precision", precision_of),
        Measure("recall", "R", "Recall", recall_of),
        Measure("f05", "F0.5", "F0.5", f05_of),
    )
    counts = ("tp", "fp", "fn")
    references = "edits"
