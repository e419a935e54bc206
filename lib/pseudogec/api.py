"""What other programs import: ``from pseudogec import noised, score, compare, corrected``.

A sentence is a text of tokens with spaces between them, unless it is said to be running text. Numbers are fractions from 0 to 1;
printed, they are in percent and points, as the papers have them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pseudogec.artefacts.errors import UserError
from pseudogec.corpora import read_plain
from pseudogec.edits import AnnotatorName, load_annotator
from pseudogec.evaluate import METRICS, Estimate, Gold, Score, compare_scores
from pseudogec.extras import naming_extras
from pseudogec.noise import Noiser
from pseudogec.random_streams import SentenceStreams

PathOrName = str | Path


@naming_extras()
def noised(
    texts: Iterable[str],
    method: str,
    *,
    genuine: PathOrName | Sequence[PathOrName] = (),
    seed: int | str = 1,
    **parameters: Any,
) -> list[tuple[str, str]]:
    """Pseudo pairs: each sentence with errors, and as it was.

    >>> noised(["He goes home ."], "direct_noise", seed=1, mu_mask=0.3)
    [('<mask> <mask> home He', 'He goes home .')]

    Args:
        texts: grammatical sentences; subwords, if the noise is to be on subwords as in Kiyono et al. (2020).
        method: such as ``direct_noise`` or ``realistic``, which ``pseudogec noise --list`` explains; or ``package.module:Class``.
        genuine: M2 files from which a method learns, tokenised as the sentences are. Without any it learns from the sentences
            what it can: ``realistic`` needs learners' edits.
        seed: of the random streams, one for each sentence.
        parameters: of the method.

    Raises:
        UserError: there is no such method or parameter, or it needs genuine data or a reverse model.
    """
    sentences = [text.split() for text in texts]
    noiser = Noiser.of(method, lambda: sentences, _paths(genuine), **parameters)
    return [
        (" ".join(source), " ".join(target))
        for block in noiser.blocks(sentences, SentenceStreams(str(seed)))
        for source, target in zip(block.sources, block.targets, strict=True)
    ]


@naming_extras()
def score(
    hypothesis: PathOrName | Iterable[str],
    reference: PathOrName | Sequence[PathOrName],
    *,
    metric: str = "errant",
    source: PathOrName | None = None,
    annotator: AnnotatorName = "auto",
) -> Score:
    """The score of corrected sentences; printed, its figures in percent and the signature that says how they came about.

    Args:
        hypothesis: a file with a corrected sentence a line, or the sentences.
        reference: an M2 file, or files of corrected sentences, one for each annotator.
        metric: ``errant``, ``maxmatch`` (M2), ``gleu``, or ``package.module:Class``.
        source: the sentences before correction, for references that are no M2 file.
        annotator: the pipeline that finds edits, where the metric compares edits.

    Raises:
        UserError: files do not correspond line for line, or cannot be read.
    """
    named = METRICS.make(metric)
    finder = load_annotator(annotator) if named.needs_annotator else None
    gold = Gold.read(_paths(reference), None if source is None else Path(source), named, finder or annotator)
    if isinstance(hypothesis, str | Path):
        return named.score(gold, list(read_plain(Path(hypothesis))), finder, name=str(hypothesis))
    return named.score(gold, [text.split() for text in hypothesis], finder, name="the hypothesis")


def compare(first: Score | Sequence[Score], second: Score | Sequence[Score]) -> Estimate:
    """The first system's headline measure less the second's, with its 95% interval and p-value.

    Args:
        first: one score, or one for each seed of a system: then the interval allows for other seeds, too, and otherwise only
            for other sentences.
        second: likewise.

    Raises:
        UserError: the scores are not of the same metric, settings and references.
    """
    sides = ([side] if isinstance(side, Score) else side for side in (first, second))
    return compare_scores(*sides)


@naming_extras()
def corrected(texts: Iterable[str], system: str | None = None, profile: str | None = None) -> list[str]:
    """Running text, line by line, corrected by a system of the study; it needs a clone of the project.

    Args:
        system: a name of the profile's ``systems``; by default the best for readers' own text.
        profile: by default the first whose models are at hand.

    Raises:
        UserError: there is no such system, or its models are not at hand.
    """
    from pseudogec.study import Study
    from pseudogec.study.corrector import PROFILES, Corrector, choose, find_system, lacking

    study, name, absent = choose((Study.open(each, without_data=True) for each in ([profile] if profile else PROFILES)), system)
    if absent:
        raise UserError(lacking(study, name, absent))
    with study.engine:
        return Corrector(study, find_system(study, name)).lines(list(texts))


def _paths(given: PathOrName | Sequence[PathOrName]) -> list[Path]:
    return [Path(given)] if isinstance(given, str | Path) else list(map(Path, given))
