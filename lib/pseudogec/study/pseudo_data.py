"""Pseudo data, as recipes: a method's output for one shard of a seed corpus, and the edits that
would correct it.
"""

from __future__ import annotations

import difflib
import functools
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal

from pseudogec.artefacts import Artefacts, Progress, Recipe
from pseudogec.artefacts.files import write_atomically, write_json
from pseudogec.corpora import Pair, read_plain
from pseudogec.edits import AnnotatedSentence, EditProfile, M2File, annotator_of, write_m2
from pseudogec.languages import ENGLISH, Language
from pseudogec.noise import (
    DecoderMethod,
    Method,
    Noiser,
    NoiseResources,
    SpellingErrors,
    TextMethod,
    noised_tokens,
)
from pseudogec.random_streams import SentenceStreams
from pseudogec.seq2seq import Decoder, binarise, read_binarised
from pseudogec.seq2seq.data import PAIRS, check_dictionaries
from pseudogec.study.corpora import Corpus, LearnsFromText, References, SeedText, Use
from pseudogec.study.models import TrainedModel, TrainingPairs, sentences_of_big, shapes_of_models
from pseudogec.text import Bpe, load_bpe

EXAMPLES = "examples.json"
EXAMPLES_KEPT = 300

PART = 4000
"""Sentences that are back-translated and written together: a killed process loses at most so many,
and so many are in memory.
"""

Example = dict[str, Any]
"""How a sentence was made: ``source``, ``target``, and ``operations`` on words (kind, before,
after).
"""


class PseudoData(TrainingPairs):
    """One shard of pseudo data; ``examples.json`` shows how the first sentences were made."""

    kind: ClassVar[str] = "pseudo_data"
    follows: ClassVar[str] = "seed_text"
    packages: ClassVar[tuple[str, ...]] = ("numpy", "torch", "fairseq", "ctranslate2")
    # The median of text methods in the committed packs, in shards of 20,000 sentences
    seconds_a_unit: ClassVar[float] = 0.0001
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str
    method: Method
    seed_text: SeedText
    seed: int

    @property
    # Examples are shown of a system's first shard
    def quoting(self) -> tuple[str, ...]:  # type: ignore[override]
        return (EXAMPLES,) if self.seed_text.shard == 0 else ()

    @property
    def text(self) -> SeedText:
        return self.seed_text

    @property
    def label(self) -> str:
        return f"{self.name}-{self.seed_text.label}"

    @property
    def work_kind(self) -> str:
        return f"{self.kind} {self.method.known_as()}"

    def _streams(self) -> SentenceStreams:
        return SentenceStreams(f"{self.seed}/{self.seed_text.key}")

    def _seed_sentences(self, store: Artefacts) -> Iterator[list[str]]:
        return read_plain(store.folder(self.seed_text) / "sentences.txt")

    def _binarise(
        self, rows: Iterable[tuple[Pair, Example | None]], store: Artefacts, folder: Path
    ) -> dict[str, Any]:
        """Binarise pairs in subwords into a folder, with the examples that stand beside the first
        of them.
        """
        examples: list[Example] = []

        def pairs() -> Iterator[Pair]:
            for pair, example in rows:
                if example is not None:
                    examples.append(example)
                yield pair

        size = binarise(pairs(), store.folder(self.bpe) / "dict.txt", folder)
        write_json(folder / EXAMPLES, examples)
        return asdict(size)


@functools.lru_cache(maxsize=2)
def _noise_resources(
    genuine: Path, bpe: Path, references: Path | None, language: Language
) -> NoiseResources:
    """The resources of noising methods, from a corpus and, for edits, its references; kept between
    a worker's shards.
    """
    targets = functools.partial(read_plain, genuine / "target.txt")
    words = Counter(word for tokens in targets() for word in tokens)
    annotated = M2File(references / "references.m2") if references else ()
    return NoiseResources(
        words, bpe=load_bpe(bpe), annotated=annotated, sentences=targets, language=language
    )


class NoisedData(PseudoData, LearnsFromText):
    """Pseudo data from a text method, which may learn from the genuine pairs."""

    added_later: ClassVar[frozenset[str]] = frozenset({"language"})
    method: TextMethod
    genuine: Corpus
    references: References | None
    """The genuine pairs' edits, for methods that learn from them."""
    language: Language = ENGLISH

    def uses(self) -> Iterator[Use]:
        yield Use(self.genuine, "dictionary", f"the noise ({self.method.known_as()})")

    def noiser(self, store: Artefacts) -> Noiser:
        """The method with its resources; the store must have the parents, except the seed text."""
        references = store.folder(self.references) if self.references else None
        resources = _noise_resources(
            store.folder(self.genuine), store.folder(self.bpe), references, self.language
        )
        return Noiser(self.method, resources)

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        bpe, noiser, streams = load_bpe(store.folder(self.bpe)), self.noiser(store), self._streams()
        operations: Counter[str] = Counter()

        def examples() -> Iterator[Example]:
            for index, tokens in enumerate(islice(self._seed_sentences(store), EXAMPLES_KEPT)):
                steps = noiser.operations(bpe.apply(tokens), streams[index])
                yield _example(
                    bpe.undo(noised_tokens(steps)), tokens, [list(step) for step in steps]
                )

        def rows() -> Iterator[tuple[Pair, Example | None]]:
            shown, done = examples(), 0
            for block in noiser.blocks(map(bpe.apply, self._seed_sentences(store)), streams):
                operations.update(block.operations)
                for pair in map(Pair, block.sources, block.targets):
                    yield pair, next(shown, None)
                done += len(block.sentences)
                progress(done, self.seed_text.size, "sentences")

        return {**self._binarise(rows(), store, folder), "operations": dict(operations)}


class BackTranslatedData(PseudoData):
    """Pseudo data from a reverse model, which was trained to make errors.

    The shard is translated in parts, each kept until the shard is whole, so that a killed process
    loses minutes. Noise and draws of a sentence depend on the seed and on its place in the shard
    only, so parts, batches and workers change no byte.
    """

    # The median in the same shards: on CPUs, with models of 6.6 million weights
    seconds_a_unit: ClassVar[float] = 0.0022
    resumable: ClassVar[bool] = True
    needs_gpu: ClassVar[bool] = True
    method: DecoderMethod
    reverse_model: TrainedModel
    precision: Literal["fp32", "fp16"] = "fp32"

    @property
    def decoded(self) -> float:
        return sentences_of_big(self.work, [self.reverse_model])

    @property
    def work_kind(self) -> str:
        return f"{super().work_kind} {shapes_of_models(self)}"

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        bpe, dictionary = load_bpe(store.folder(self.bpe)), store.folder(self.bpe) / "dict.txt"
        reverse_model = store.folder(self.reverse_model)
        check_dictionaries(reverse_model, dictionary, PAIRS.dictionaries)
        decoder = Decoder([reverse_model], precision=self.precision)
        # Everything that a killed build can leave half-written is in one folder, which is removed
        # when the shard is complete.
        work = folder / "work"
        left_unchanged = 0

        def rows() -> Iterator[tuple[Pair, Example | None]]:
            nonlocal left_unchanged
            index = 0
            targets = map(bpe.apply, self._seed_sentences(store))
            for sources, kept_targets, unchanged in self._translated(
                decoder, targets, work / "parts", progress
            ):
                left_unchanged += unchanged
                for pair in map(Pair, sources, kept_targets):
                    yield pair, _translation(bpe, pair) if index < EXAMPLES_KEPT else None
                    index += 1

        shutil.rmtree(work / "binarised", ignore_errors=True)
        facts = self._binarise(rows(), store, work / "binarised")
        for file in (work / "binarised").iterdir():
            file.rename(folder / file.name)
        shutil.rmtree(work)
        return {**facts, "left_unchanged": left_unchanged}

    def _translated(
        self, decoder: Decoder, targets: Iterable[list[str]], folder: Path, progress: Progress
    ) -> Iterator[tuple[list[list[str]], list[list[str]], int]]:
        """Yield sources and targets of `PART` sentences at a time, and how many of these the model
        could not translate.

        Parts that a killed process finished are read again.
        """
        # The random stream of a sentence is addressed by the shard's seed and the sentence's place
        # in the shard.
        seed = int(self.seed_text.key[:8], 16) + self.seed
        remaining, first, total = iter(targets), 0, self.seed_text.size
        while chunk := list(islice(remaining, PART)):
            file = folder / f"{first:010d}.json"
            if not file.exists():
                earlier = decoder.left_unchanged

                def show(done: int, _: int, start: int = first) -> None:
                    progress(start + done, total, "sentences")

                translated = self.method.translate(decoder, chunk, seed, first, show)
                kept = {
                    "left_unchanged": decoder.left_unchanged - earlier,
                    "sources": list(map(" ".join, translated)),
                }
                with write_atomically(file) as stream:
                    stream.write(json.dumps(kept, ensure_ascii=False).encode())
            kept = json.loads(file.read_text(encoding="utf-8"))
            first += len(chunk)
            progress(first, total, "sentences")
            yield [source.split() for source in kept["sources"]], chunk, kept["left_unchanged"]


class MisspeltData(PseudoData):
    """Back-translated pseudo data with synthetic spelling errors on the source side; nothing is
    translated again.

    The words of the source are split into subwords anew, also where the reverse model had chosen
    other subwords for them.
    """

    added_later: ClassVar[frozenset[str]] = frozenset({"language"})
    method: DecoderMethod
    pseudo_data: BackTranslatedData
    language: Language = ENGLISH

    @property
    def work_kind(self) -> str:
        return f"{self.kind} {SpellingErrors.name}"

    def noiser(self, store: Artefacts) -> Noiser:
        """The spelling errors alone; the store must hold the segmentation."""
        resources = NoiseResources(bpe=load_bpe(store.folder(self.bpe)), language=self.language)
        return Noiser(SpellingErrors(sse_rate=self.method.sse_rate), resources)

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        bpe, noiser, streams = load_bpe(store.folder(self.bpe)), self.noiser(store), self._streams()

        def rows() -> Iterator[tuple[Pair, Example | None]]:
            for index, (translated, target) in enumerate(
                read_binarised(store.folder(self.pseudo_data))
            ):
                pair = Pair(noiser(translated, streams[index]), target)
                progress(index + 1, self.seed_text.size, "sentences")
                yield pair, _translation(bpe, pair) if index < EXAMPLES_KEPT else None

        return self._binarise(rows(), store, folder)


class PseudoEdits(Recipe):
    """The edits that would correct pseudo data, found by the annotator in a shard's examples:
    ``edits.m2``.
    """

    kind: ClassVar[str] = "pseudo_edits"
    packages: ClassVar[tuple[str, ...]] = ("errant", "spacy")
    pseudo_data: PseudoData
    annotator: str

    @property
    def label(self) -> str:
        return self.pseudo_data.label

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        examples = json.loads(
            (store.folder(self.pseudo_data) / EXAMPLES).read_text(encoding="utf-8")
        )
        sources, targets = (
            [example[side].split() for example in examples] for side in ("source", "target")
        )
        annotator = annotator_of(self.annotator)
        edits = annotator.annotate(
            sources, targets, progress=lambda done, total: progress(done, total, "sentences")
        )
        annotated = list(zip(sources, edits, strict=True))
        write_m2(
            folder / "edits.m2",
            (AnnotatedSentence(tuple(source), {0: tuple(each)}) for source, each in annotated),
        )
        return asdict(EditProfile.of(annotated))


def differences(source: Sequence[str], target: Sequence[str]) -> list[list[str]]:
    """The differences of a back-translated source from its target, as operations on words for
    display: kind, before, after.
    """
    operations: list[list[str]] = []
    matcher = difflib.SequenceMatcher(None, target, source, autojunk=False)
    for kind, first, last, other_first, other_last in matcher.get_opcodes():
        before, after = target[first:last], source[other_first:other_last]
        if kind == "equal":
            operations += [["keep", token, token] for token in before]
        else:
            operations.append([kind, " ".join(before), " ".join(after)])
    return operations


def _example(source: list[str], target: list[str], operations: list[list[str]]) -> Example:
    return {"source": " ".join(source), "target": " ".join(target), "operations": operations}


def _translation(bpe: Bpe, pair: Pair) -> Example:
    source, target = bpe.undo(pair.source), bpe.undo(pair.target)
    return _example(source, target, differences(source, target))
