"""The n-gram counts of fairseq's BLEU scorer (``fairseq.libbleu``) for builds without its compiled module."""

from __future__ import annotations

from collections import Counter
from typing import Any

LONGEST_NGRAM = 4


def _trim(ids: list[int], pad: int, eos: int) -> list[int]:
    """Drop padding on the left, padding and ends of sentence on the right (all but the first token, as fairseq does)."""
    start, end = 0, len(ids)
    while start < end and ids[start] == pad:
        start += 1
    while end > start + 1 and ids[end - 1] in (pad, eos):
        end -= 1
    return ids[start:end]


def _ngrams(ids: list[int], size: int) -> Counter[tuple[int, ...]]:
    return Counter(zip(*(ids[shift:] for shift in range(size)), strict=False))


def reset(statistics: Any, smoothed: bool) -> None:
    """Set a ``fairseq.scoring.bleu.BleuStat`` to zero; ``smoothed`` starts the counts of longer n-grams at one."""
    for field, _ in statistics._fields_:
        setattr(statistics, field, int(smoothed and field[-1] in "234"))


def add(statistics: Any, reference: list[int], prediction: list[int], pad: int, eos: int) -> None:
    """Add one sentence's n-gram matches to a ``fairseq.scoring.bleu.BleuStat``."""
    reference, prediction = _trim(reference, pad, eos), _trim(prediction, pad, eos)
    statistics.reflen += len(reference)
    statistics.predlen += len(prediction)
    for size in range(1, LONGEST_NGRAM + 1):
        predicted = _ngrams(prediction, size)
        matched = (predicted & _ngrams(reference, size)).total()
        setattr(statistics, f"count{size}", getattr(statistics, f"count{size}") + predicted.total())
        setattr(statistics, f"match{size}", getattr(statistics, f"match{size}") + matched)
