"""Recipes of corpora: pairs from any format, parts of them, and the reference edits that their sentences need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from itertools import repeat
from pathlib import Path
from typing import IO, Any, ClassVar, Literal

from artefacts import Artefacts, Progress, Recipe, refuse_changed
from artefacts.errors import UserError
from artefacts.files import read_lines, write_atomically
from pseudogec.corpora import CorrectedSentence, FileFormat, LocatedFile, Pair, PairFormat, part_of_each, read_plain
from pseudogec.edits import AnnotatedSentence, EditProfile, annotator_of, read_m2, write_m2


class Corpus(Recipe):
    """Pairs of an ungrammatical source and its correction.

    Files: ``source.txt``, ``target.txt``, ``levels.txt`` (a line each pair); ``gold.m2`` where the source says
        what the edits are; ``reference0.txt``, ``reference1.txt``, ... where it gives several corrections as whole sentences.
    """

    kind: ClassVar[str] = "corpus"
    seconds_a_unit: ClassVar[float] = 0.0005
    bytes_a_unit: ClassVar[float] = 250.0
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str

    @property
    def label(self) -> str:
        """The corpus's name in the profile."""
        return self.name

    @property
    def simulated(self) -> bool:
        """Whether its sentences are the embedded simulation's, whose true edits are known."""
        raise NotImplementedError


class WholeCorpus(Corpus):
    """All that a profile names as one corpus, in any format."""

    pairs: PairFormat

    @property
    def simulated(self) -> bool:
        """As its format says."""
        return self.pairs.simulated

    @property
    def files(self) -> tuple[LocatedFile, ...]:
        """The files that it is read from; none for the simulation."""
        return self.pairs.located_files if isinstance(self.pairs, FileFormat) else ()

    @property
    def work(self) -> float:
        """Sentences, or a guess."""
        return self.pairs.expected_sentences

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        """Read the pairs.

        Raises:
            UserError: there are none.
        """
        refuse_changed(self.files, store.root)

        def sentences() -> Iterator[CorrectedSentence]:
            for count, sentence in enumerate(self.pairs.read(), start=1):
                progress(count, max(self.work, count), "sentences")
                yield sentence

        facts = _write_corpus(folder, sentences())
        if not facts["sentences"]:
            raise UserError(f"corpus {self.name!r} is empty: its files hold no sentence")
        return facts


class SplitCorpus(Corpus):
    """A part of a corpus: ``training`` has the given share of each proficiency level's sentences, ``remaining`` the others."""

    corpus: Corpus
    part: Literal["training", "remaining"]
    training_share: float
    seed: int

    @property
    def simulated(self) -> bool:
        """As the whole corpus."""
        return self.corpus.simulated

    @property
    def work(self) -> float:
        """Sentences."""
        return self.corpus.work

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        """Copy the sentences that belong to the part."""
        whole = store.folder(self.corpus)
        levels = list(read_lines(whole / "levels.txt"))
        training = part_of_each(levels, self.training_share, self.seed)
        pairs = map(Pair, read_plain(whole / "source.txt"), read_plain(whole / "target.txt"))
        gold = read_m2(whole / "gold.m2") if (whole / "gold.m2").exists() else repeat(None, len(levels))
        sentences = map(CorrectedSentence, pairs, levels, gold)
        wanted = self.part == "training"
        return _write_corpus(folder, (item for place, item in enumerate(sentences) if (place in training) == wanted))


class References(Recipe):
    """Reference edits of a corpus, ``references.m2``: the corpus's own where it has them, else found by the annotator."""

    kind: ClassVar[str] = "references"
    packages: ClassVar[tuple[str, ...]] = ("errant", "spacy")
    seconds_a_unit: ClassVar[float] = 0.003
    bytes_a_unit: ClassVar[float] = 250.0
    corpus: Corpus
    annotator: str

    @property
    def work(self) -> float:
        """Sentences."""
        return self.corpus.work

    @property
    def label(self) -> str:
        """The corpus."""
        return self.corpus.label

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        """Take the corpus's own edits, or find them."""
        corpus = store.folder(self.corpus)
        sentences: Iterable[AnnotatedSentence]
        if not self.corpus.simulated and (corpus / "gold.m2").exists():
            sentences = read_m2(corpus / "gold.m2")
        else:
            # The embedded world's true edits stay in gold.m2; scores need edits cut as ERRANT cuts the hypotheses'.
            sources = list(read_plain(corpus / "source.txt"))
            texts = sorted(corpus.glob("reference*.txt")) or [corpus / "target.txt"]
            found = [annotator_of(self.annotator).annotate(sources, list(read_plain(text))) for text in texts]
            sentences = (
                AnnotatedSentence(tuple(source), {number: tuple(edits) for number, edits in enumerate(annotations)})
                for source, *annotations in zip(sources, *found, strict=True)
            )
        write_m2(folder / "references.m2", sentences)
        return asdict(EditProfile.of((item.source, item.annotators.get(0, ())) for item in read_m2(folder / "references.m2")))


def _write_corpus(folder: Path, sentences: Iterable[CorrectedSentence]) -> dict[str, Any]:
    """Write a corpus's files side by side as its sentences come."""
    counts = dict.fromkeys(("sentences", "source_tokens", "target_tokens", "identical_pairs"), 0)
    levels: Counter[str] = Counter()

    def annotated() -> Iterator[AnnotatedSentence]:
        with ExitStack() as stack:

            def opened(name: str) -> IO[bytes]:
                return stack.enter_context(write_atomically(folder / name))

            files = [opened(name) for name in ("source.txt", "target.txt", "levels.txt")]
            references: list[IO[bytes]] = []
            for sentence in sentences:
                pair = sentence.pair
                for file, line in zip(files, (" ".join(pair.source), " ".join(pair.target), sentence.level), strict=True):
                    file.write(line.encode() + b"\n")
                references = references or [opened(f"reference{number}.txt") for number in range(len(sentence.references))]
                for file, reference in zip(references, sentence.references, strict=True):
                    file.write(" ".join(reference).encode() + b"\n")
                levels[sentence.level] += 1
                counts["sentences"] += 1
                counts["source_tokens"] += len(pair.source)
                counts["target_tokens"] += len(pair.target)
                counts["identical_pairs"] += pair.source == pair.target
                if sentence.annotated is not None:
                    yield sentence.annotated

    if not write_m2(folder / "gold.m2", annotated()):
        (folder / "gold.m2").unlink()
    return {**counts, "levels": dict(sorted(levels.items()))}
