"""What other programs import: ``from pseudogec import noised, score, compare, corrected``.

A sentence is a list of tokens, or a text with spaces between them, unless it is said to be running
text. Numbers are fractions from 0 to 1; printed, they are in percent and points, as the papers have
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
Sentences = Iterable[str | Sequence[str]]


@naming_extras()
def noised(
    sentences: Sentences,
    method: str,
    *,
    genuine: PathOrName | Sequence[PathOrName] = (),
    seed: int | str = 1,
    language: str = "en",
    **parameters: Any,
) -> list[tuple[str, str]]:
    """Pseudo pairs: each sentence with errors, and as it was.

    >>> noised(["He goes home ."], "direct_noise", seed=1, mu_mask=0.3)
    [('<mask> <mask> home He', 'He goes home .')]

    Args:
        sentences: grammatical ones; of subwords, if the noise is to be on subwords as in Kiyono et
            al. (2020).
        method: such as ``direct_noise`` or ``realistic``, which ``pseudogec noise --list``
            explains; or ``package.module:Class``.
        genuine: M2 files from which a method learns, tokenised as the sentences are. Without any it
            learns from the sentences: the words that ``direct_noise`` inserts are drawn from all of
            them. ``realistic`` needs learners' edits.
        seed: of the random streams, one for each sentence.
        language: of the sentences: ``en``, ``uk``, or ``package.module:Class``.
        parameters: of the method.

    Raises:
        UserError: there is no such method, parameter or language; it needs a reverse model, genuine
            data, or what the language lacks.
    """
    targets = _tokens(sentences)
    noiser = Noiser.of(method, lambda: targets, _paths(genuine), language, **parameters)
    return [
        (" ".join(source), " ".join(target))
        for block in noiser.blocks(targets, SentenceStreams(str(seed)))
        for source, target in zip(block.sources, block.targets, strict=True)
    ]


@naming_extras()
def score(
    hypothesis: PathOrName | Sentences,
    reference: PathOrName | Sequence[PathOrName],
    *,
    metric: str = "errant",
    source: PathOrName | None = None,
    annotator: AnnotatorName = "auto",
) -> Score:
    """The score of corrected sentences; printed, its figures in percent and the signature that says
    how they came about.

    ``score(...)["f05"]`` is one figure; others are ``precision``, ``recall``, ``tp``, ``fp`` and
    ``fn``, or ``gleu``.

    Args:
        hypothesis: a file with a corrected sentence a line, or the sentences.
        reference: an M2 file, or files of corrected sentences, one for each annotator.
        metric: ``errant``, ``maxmatch`` (M2), ``gleu``, or ``package.module:Class``.
        source: the sentences before correction, for references that are no M2 file.
        annotator: the pipeline that finds edits for ERRANT: ``en_core_web_sm``, with which
            published figures are made, or ``offline``, whose figures differ a little; ``untyped``
            for other languages than English. By default the first if it is installed (``make
            model``).

    Raises:
        UserError: files do not correspond line for line, or cannot be read.
    """
    named = METRICS.make(metric)
    finder = load_annotator(annotator) if named.needs_annotator else None
    before = None if source is None else Path(source)
    gold = Gold.read(
        _paths(reference),
        before,
        named,
        finder or annotator,
        typed=named.knows_types and finder is not None,
    )
    if isinstance(hypothesis, str | Path):
        return named.score(gold, list(read_plain(Path(hypothesis))), finder, name=str(hypothesis))
    return named.score(gold, _tokens(hypothesis), finder, name="the hypothesis")


def compare(
    first: Score | Sequence[Score] | Mapping[int, Score],
    second: Score | Sequence[Score] | Mapping[int, Score],
) -> Estimate:
    """The first system's headline measure less the second's: its ``value``, 95% ``interval`` and
    ``p_value``.

    By the jackknife over sentences and a t distribution (`pseudogec.evaluate.inference`).

    Args:
        first: one score, or one for each seed of a system: then the interval allows for other
            seeds, too, and otherwise only for other sentences. By their numbers, equal seeds are
            paired where both sides have five or more.
        second: likewise.

    Raises:
        UserError: the scores are not of the same metric, settings and references, or there are
            none.
    """
    sides = ([side] if isinstance(side, Score) else side for side in (first, second))
    return compare_scores(*sides)


@naming_extras()
def corrected(
    texts: Iterable[str], system: str | None = None, profile: str | None = None
) -> list[str]:
    """Running text, line by line, corrected by a system of the study; it needs a clone of the
    project.

    Args:
        system: a name of the profile's ``systems``; by default the best for readers' own text.
        profile: by default the first whose models are at hand.

    Raises:
        UserError: there is no such system, or its models are not at hand.
    """
    from pseudogec.study import Study
    from pseudogec.study.corrector import PROFILES, Corrector, choose, find_system, lacking

    lines = _several(texts)
    study, name, absent = choose(
        (Study.open(each, without_data=True) for each in ([profile] if profile else PROFILES)),
        system,
    )
    if absent:
        raise UserError(lacking(study, name, absent))
    with study.engine:
        return Corrector(study, find_system(study, name)).lines(lines)


def _tokens(sentences: Sentences) -> list[list[str]]:
    return [each.split() if isinstance(each, str) else list(each) for each in _several(sentences)]


def _several(texts: Iterable[Any]) -> list[Any]:
    if isinstance(texts, str | Path):
        raise UserError(f"a list of sentences was expected, not the one text {str(texts)!r}")
    return list(texts)


def _paths(paths: PathOrName | Sequence[PathOrName]) -> list[Path]:
    return [Path(paths)] if isinstance(paths, str | Path) else list(map(Path, paths))
