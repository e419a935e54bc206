"""Error types of edits: the most frequent ones, and how often an annotator names the true type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pseudogec.edits import DETECTION_TYPES, AnnotatedSentence

if TYPE_CHECKING:
    import pandas as pd

CUT_OTHERWISE = "cut otherwise"
"""Stands for the type of a true edit that the annotator did not find as one edit of this span and
correction.
"""


def main_type(error_type: str) -> str:
    """An error type without its operation: ``VERB:SVA`` of ``R:VERB:SVA``; types without one, such
    as ``UNK``, as they are.
    """
    return error_type.partition(":")[2] or error_type


def frequent_types(sentences: Iterable[AnnotatedSentence], most: int = 10) -> dict[str, int]:
    """The most frequent main error types (``DET``, ``VERB:SVA``, ...) among the corrections of the
    first annotators.

    Edits that only detect an error are left out, as no correction can be right about them.
    """
    counts = Counter(
        main_type(edit.type)
        for sentence in sentences
        for edit in sentence.annotators.get(0, ())
        if edit.type not in DETECTION_TYPES
    )
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most])


def type_agreement(
    truth: Sequence[AnnotatedSentence], annotated: Sequence[AnnotatedSentence]
) -> pd.DataFrame:
    """Pair the true type of each edit with the type that an annotator names.

    A true edit and a found one are the same when span and correction are. Annotators may join,
    split or shift edits: a true edit without such a partner is counted as ``CUT_OTHERWISE``.

    Returns:
        One row for each true edit: ``true_type`` and ``found_type``, whole (``R:VERB:SVA``).
    """
    import pandas as pd

    rows = []
    for true_sentence, found_sentence in zip(truth, annotated, strict=True):
        named = {
            (edit.start, edit.end, edit.correction): edit.type
            for edit in found_sentence.annotators.get(0, ())
        }
        for edit in true_sentence.annotators.get(0, ()):
            rows.append(
                (edit.type, named.get((edit.start, edit.end, edit.correction), CUT_OTHERWISE))
            )
    return pd.DataFrame(rows, columns=["true_type", "found_type"])
