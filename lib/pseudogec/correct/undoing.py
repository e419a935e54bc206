"""Steps that take edits back: of unknown words, of weak types, and by a language model (Choe et al.
2019).
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, combinations, pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from pseudogec.artefacts import Progress
from pseudogec.correct.step import (
    STEPS,
    Before,
    Built,
    Corrected,
    Development,
    Need,
    Planning,
    ReadyStep,
    Sentences,
    SentenceScorer,
    Step,
    Told,
    as_written,
    gain,
    named,
)
from pseudogec.edits import AnnotatedSentence, Annotator, Edit, apply_edits, token_edits
from pseudogec.evaluate import ERRANT, Gold, precision_recall_f05
from pseudogec.languages import ENGLISH
from pseudogec.languages.english import is_word
from pseudogec.languages.english_agreement import may_disagree
from pseudogec.languages.english_inflections import lemma_of, part_of_speech
from pseudogec.text import Tokens, Vocabulary

_SENTENCES_AT_ONCE = 500
"""Sentences that are annotated, and of which variants are kept, together: enough to fill batches,
few enough for any memory.
"""


class Edited(NamedTuple):
    """A sentence as it was written, the output of the steps so far, and the edits between the two
    by their spans.
    """

    source: Tokens
    sentence: Corrected
    edits: Sequence[Edit]


def edits_so_far(
    annotator: Annotator, sources: Sentences, before: Before, progress: Told
) -> Iterator[list[Edited]]:
    """The changes in each sentence since it was written, in batches."""
    for first in range(0, len(sources), _SENTENCES_AT_ONCE):
        batch = slice(first, first + _SENTENCES_AT_ONCE)
        edits = annotator.annotate(sources[batch], [sentence.tokens for sentence in before[batch]])
        yield [Edited(*item) for item in zip(sources[batch], before[batch], edits, strict=True)]
        if progress is not None:
            progress(first + len(edits), len(sources))


def without(edited: Edited, undone: Collection[Edit]) -> tuple[str, ...]:
    if not undone:
        return edited.sentence.tokens
    return tuple(
        apply_edits(
            edited.source, [edit for edit in edited.edits if edit not in undone], literal=True
        )
    )


def undo(edited: Edited, undone: Collection[Edit]) -> Corrected:
    names = ", ".join(named(edited.source, edit) for edit in edited.edits if edit in undone)
    return Corrected(without(edited, undone), f"undone: {names}" if names else "")


def _without_weak(
    annotator: Annotator,
    is_weak: Callable[[Edited, Edit], bool],
    sources: Sentences,
    before: Before,
    progress: Told,
) -> list[Corrected]:
    return [
        undo(edited, [edit for edit in edited.edits if is_weak(edited, edit)])
        for batch in edits_so_far(annotator, sources, before, progress)
        for edited in batch
    ]


@STEPS.register
class AsWritten(Step):
    """All corrections are taken back; alone, this step is the system that does nothing, for
    comparison.
    """

    name: ClassVar[str] = "as_written"
    label: ClassVar[str] = "as written"

    def describe(self) -> str:
        return "the sentence is left as it was written"

    def prepare(self, built: Built) -> ReadyStep:
        return lambda sources, before, progress=None: as_written(sources)


@STEPS.register
class UnknownWords(Step):
    """Edits of a word that is unknown to the models are undone (Choe et al. 2019, section 7.4).

    Such a word is ``<unk>`` to the models, whole or in part, or has a part that training never saw.
    An insertion touches no word and stays.
    """

    name: ClassVar[str] = "unknown_words"
    label: ClassVar[str] = "unknown words"

    def describe(self) -> str:
        return "edits of unknown words undone"

    def check(self, before: Sequence[Step]) -> None:
        if any(step.has_own_subwords for step in before):
            raise ValueError(
                "needs models that read the profile's subwords; those of a step "
                "before have their own"
            )

    def needs(self, planning: Planning) -> dict[str, Need]:
        return {"subwords": planning.subwords, "annotator": planning.annotator}

    def prepare(self, built: Built) -> ReadyStep:
        known, bpe = _trained_subwords(built.folder("subwords")), built.bpe
        return partial(
            self.undo,
            annotator=built.annotator,
            is_known=lambda word: known.issuperset(bpe.apply([word])),
        )

    def undo(
        self,
        sources: Sentences,
        before: Before,
        progress: Told = None,
        *,
        annotator: Annotator,
        is_known: Callable[[str], bool],
    ) -> list[Corrected]:
        def is_weak(edited: Edited, edit: Edit) -> bool:
            return not all(map(is_known, edited.source[edit.start : edit.end]))

        return _without_weak(annotator, is_weak, sources, before, progress)


@functools.lru_cache(maxsize=2)
def _trained_subwords(bpe: Path) -> frozenset[str]:
    """The subwords of a ``bpe`` artefact that occur in its text; the others are in the vocabulary
    in case a test has them.
    """
    return frozenset(
        subword for subword, count in Vocabulary.load(bpe / "dict.txt").counts.items() if count
    )


def as_readers_want(sources: Sentences, before: Before, progress: Told = None) -> list[Corrected]:
    """The last step where readers correct their own text: undo edits of numbers, and those that
    make a word of no lexicon.

    The marks at the end stay too, since headings, greetings and lines of chat have no stop; nor do
    these need a capital.
    """
    after = []
    for source, sentence in zip(sources, before, strict=True):
        corrected = sentence.tokens[: _end_of_words(sentence.tokens)] + tuple(
            source[_end_of_words(source) :]
        )
        edits = token_edits(source, corrected)
        undone = [edit for edit in edits if not _is_harmless(source, edit)]
        after.append(undo(Edited(source, Corrected(corrected), edits), undone))
    return after


def _end_of_words(tokens: Tokens) -> int:
    return next(
        (
            place + 1
            for place in reversed(range(len(tokens)))
            if any(map(str.isalnum, tokens[place]))
        ),
        0,
    )


_LEFT_ALONE = frozenset("Mr Mrs Ms Dr St Prof gon na wan ta lem gim".split())
"""Titles as British English writes them, and halves of words that the tokeniser splits: the models'
texts lack both.
"""


def _is_harmless(source: Tokens, edit: Edit) -> bool:
    old = source[edit.start : edit.end]
    if source[-1][-1].isalnum() and edit.start == 0 and edit.correction.lower() == " ".join(old):
        return False
    new = [word for word in edit.correction.split() if word not in source]
    return (
        _LEFT_ALONE.isdisjoint(old)
        and all(map(is_word, new))
        and not any(map(str.isdigit, "".join([*new, *old])))
        and _leaves_contractions_whole(source, edit)
        and not _is_right_anyway(source, edit)
    )


def _leaves_contractions_whole(source: Tokens, edit: Edit) -> bool:
    """Whether no half of a contraction is left that does not go with the other, as in *amn't*;
    *ain't* and its verb stay.
    """
    around = [
        *source[max(0, edit.start - 1) : edit.start],
        *edit.correction.split(),
        *source[edit.end : edit.end + 1],
    ]
    halves = [first + second for first, second in pairwise(around) if second == "n't"]
    touched = source[max(0, edit.start - 2) : edit.end + 1]
    return ("ai", "n't") not in pairwise(touched) and all(map(ENGLISH.dictionary.knows, halves))


def _is_right_anyway(source: Tokens, edit: Edit) -> bool:
    """Whether an edit changes the number of a verb that may stand as it is, as in *the team are*,
    *I wish he were*.
    """
    old, new = source[edit.start : edit.end], edit.correction.split()
    tags = [part_of_speech(word.lower()) for word in [*old, *new]]
    if (
        len(old) > 1
        or not new
        or not all(tag.startswith("V") for tag in tags)
        or not may_disagree(source, edit.start)
    ):
        return False
    return not old or old[0] in {"are", "were"} or lemma_of(old[0], tags[0]) == old[0]


@STEPS.register
class EditReranking(Step):
    """The subset of a sentence's edits is kept whose sentence is most probable to a language model
    (Choe et al. 2019, 7.4).

    Sentences are compared by log-probability / (tokens + 1) ** length penalty, since edits change
    the length; the paper speaks of the highest score alone. Of equally good subsets the larger one
    is kept. A sentence with more edits than are tried at once is searched from left to right, so
    many edits at a time, while the edits to the right of these stand. A sentence that is too long
    for the language model keeps all its edits.
    """

    name: ClassVar[str] = "language_model"
    label: ClassVar[str] = "language model"
    added_later: ClassVar[frozenset[str]] = frozenset({"keep_spelling"})
    at_most: int = Field(
        7,
        ge=1,
        le=12,
        description="edits of a sentence that are tried at once; their subsets are 2 to this power",
    )
    length_penalty: float = Field(
        default=1.0,
        ge=0,
        description="exponent of the number of words that divides a log-probability",
    )
    keep_spelling: bool = Field(
        default=False,
        description="edits of spelling are never undone, as in the code of Choe et "
        "al. (`preserve-spell`)",
    )

    def describe(self) -> str:
        return "edits kept by the language model"

    @property
    def uses_language_model(self) -> bool:
        return True

    def needs(self, planning: Planning) -> dict[str, Need]:
        return {
            "subwords": planning.subwords,
            "annotator": planning.annotator,
            "language_model": planning.language_model,
        }

    def prepare(self, built: Built) -> ReadyStep:
        return partial(self.choose, annotator=built.annotator, language_model=built.language_model)

    def choose(
        self,
        sources: Sentences,
        before: Before,
        progress: Told = None,
        *,
        annotator: Annotator,
        language_model: SentenceScorer,
    ) -> list[Corrected]:
        after: list[Corrected] = []
        for batch in edits_so_far(annotator, sources, before, progress):
            after += map(undo, batch, self._search(batch, language_model))
        return after

    def _search(
        self, batch: Sequence[Edited], language_model: SentenceScorer
    ) -> list[tuple[Edit, ...]]:
        undone: list[tuple[Edit, ...]] = [()] * len(batch)
        doubtful = [
            [
                edit
                for edit in edited.edits
                if not (self.keep_spelling and edit.type.endswith(":SPELL"))
            ]
            for edited in batch
        ]
        for first in range(0, max(map(len, doubtful)), self.at_most):
            places = [place for place, edits in enumerate(doubtful) if len(edits) > first]
            subsets = [
                list(undone_subsets(doubtful[place], first, self.at_most, undone[place]))
                for place in places
            ]
            variants = [
                [without(batch[place], subset) for subset in of_sentence]
                for place, of_sentence in zip(places, subsets, strict=True)
            ]
            scores = iter(
                language_model([tokens for of_sentence in variants for tokens in of_sentence])
            )
            for place, of_sentence, sentences in zip(places, subsets, variants, strict=True):
                rated = [
                    next(scores) / (len(tokens) + 1) ** self.length_penalty for tokens in sentences
                ]
                if rated[0] > -math.inf:
                    undone[place] = of_sentence[rated.index(max(rated))]
        return undone


def undone_subsets(
    edits: Sequence[Edit], first: int, at_most: int, undone_before: tuple[Edit, ...] = ()
) -> Iterator[tuple[Edit, ...]]:
    """Every way to undo some of ``at_most`` edits from ``first`` on, the fewest first; those undone
    before stay undone.
    """
    tried = edits[first : first + at_most]
    for count in range(len(tried) + 1):
        for subset in combinations(tried, count):
            yield (*undone_before, *subset)


@STEPS.register
class TypeDropping(Step):
    """Edits of weak types, which a random search on development data finds, are undone (Choe et al.
    2019, section 7.4).
    """

    name: ClassVar[str] = "type_dropping"
    label: ClassVar[str] = "type dropping"
    tuned: ClassVar[str] = "the types of edits that are dropped"
    rounds: int = Field(default=1000, ge=1, description="sets of types that the search draws")
    at_most: int = Field(default=5, ge=1, description="types that are dropped at once")

    def describe(self) -> str:
        return "weak types of edits dropped"

    def needs(self, planning: Planning) -> dict[str, Need]:
        return {"annotator": planning.annotator, "found": planning.search(self, {})}

    def prepare(self, built: Built) -> ReadyStep:
        return partial(self.drop, annotator=built.annotator, types=built.found["types"])

    def drop(
        self,
        sources: Sentences,
        before: Before,
        progress: Told = None,
        *,
        annotator: Annotator,
        types: Collection[str],
    ) -> list[Corrected]:
        dropped = frozenset(types)
        return _without_weak(
            annotator, lambda edited, edit: edit.type in dropped, sources, before, progress
        )

    def tune(self, development: Development, built: Built, progress: Progress) -> dict[str, Any]:
        edits = development.annotator.annotate(
            development.sources, [sentence.tokens for sentence in development.before]
        )
        return search_types(
            edits, development.references, self.rounds, self.at_most, seed=1
        )._asdict()

    def tell(self, result: Mapping[str, Any]) -> str:
        return (
            f"dropped types: {', '.join(result['types']) or 'none'}; "
            f"{gain(result['f05_with_all'], result['f05'])}"
        )


Mask = npt.NDArray[np.bool_]
"""Sets of types, one a row; True: dropped."""


class DroppedTypes(NamedTuple):
    """The result of a search: types, F0.5 (0 to 1) without their edits and with all, and the number
    of sets of types scored.
    """

    types: list[str]
    f05: float
    f05_with_all: float
    tried: int


def search_types(
    edits: Sequence[Sequence[Edit]],
    references: Sequence[AnnotatedSentence],
    rounds: int,
    at_most: int,
    seed: int,
) -> DroppedTypes:
    """Search at random for a set of error types whose edits a system should drop to score higher on
    development data.

    Every round draws a size from 1 to ``at_most`` and as many of the types that the system's edits
    have; where there are no more sets than rounds, all are tried instead. The set with the highest
    ERRANT F0.5 wins, of equals the smallest. The empty set is included, so the development score
    cannot fall. The set is tuned to these data: judge it on others.
    """
    gold = Gold.annotated(references)
    with_all = ERRANT.compare(gold, edits).headline
    types = sorted({edit.type for sentence in edits for edit in sentence})
    masks = _masks(len(types), rounds, at_most, seed)
    if all(len(reference.annotators) <= 1 for reference in references):
        f05 = _f05_by_counts(edits, references, types, masks)
    else:
        f05 = np.array(
            [
                _f05_by_errant(gold, edits, {types[number] for number in np.flatnonzero(mask)})
                for mask in masks
            ]
        )
    best = int(np.argmax(f05))  # the first of equals; the masks rise in size
    dropped = [types[number] for number in np.flatnonzero(masks[best])]
    return DroppedTypes(dropped, float(f05[best]), with_all, len(masks))


def _masks(types: int, rounds: int, at_most: int, seed: int) -> Mask:
    """The sets of types that are tried, each once, the empty one first, the smaller before the
    larger.
    """
    largest = min(at_most, types)
    if sum(math.comb(types, size) for size in range(1, largest + 1)) <= rounds:
        members: Iterator[tuple[int, ...]] = chain.from_iterable(
            combinations(range(types), size) for size in range(largest + 1)
        )
    else:
        random_numbers = np.random.default_rng(seed)
        sizes = random_numbers.integers(1, largest + 1, size=rounds)
        drawn = {
            tuple(sorted(random_numbers.choice(types, size, replace=False).tolist()))
            for size in sizes
        }
        members = iter(sorted({(), *drawn}, key=lambda numbers: (len(numbers), numbers)))
    chosen = list(members)
    masks = np.zeros((len(chosen), types), dtype=bool)
    for mask, numbers in zip(masks, chosen, strict=True):
        mask[list(numbers)] = True
    return masks


def _f05_by_counts(
    edits: Sequence[Sequence[Edit]],
    references: Sequence[AnnotatedSentence],
    types: Sequence[str],
    masks: Mask,
) -> npt.NDArray[np.float64]:
    """F0.5 without each set of types, where no sentence has more than one annotator.

    A dropped right edit turns from a true positive into a false negative, and a dropped wrong one
    removes a false positive, so the effect of a set of types is the sum of its types' effects.
    """
    right, wrong = Counter[str](), Counter[str]()
    gold_edits = 0
    for sentence, reference in zip(edits, references, strict=True):
        gold = Counter(map(_key, chain.from_iterable(reference.annotators.values())))
        del gold[None]
        gold_edits += gold.total()
        for edit in sentence:
            if _key(edit) in gold:
                right[edit.type] += gold[_key(edit)]
            elif _key(edit) is not None:
                wrong[edit.type] += 1
    kept = ~masks
    tp = kept @ np.array([right[name] for name in types], dtype=np.int64)
    fp = kept @ np.array([wrong[name] for name in types], dtype=np.int64)
    return np.asarray(precision_recall_f05(tp, fp, gold_edits - tp)[2])


def _key(edit: Edit) -> tuple[int, int, str] | None:
    """The parts of an edit that must agree for it to be right; none for an edit that ERRANT ignores
    in scores of corrections.
    """
    return None if edit.type == "UNK" else (edit.start, edit.end, edit.correction)


def _f05_by_errant(gold: Gold, edits: Sequence[Sequence[Edit]], dropped: Collection[str]) -> float:
    return ERRANT.compare(
        gold, [[edit for edit in sentence if edit.type not in dropped] for sentence in edits]
    ).headline
