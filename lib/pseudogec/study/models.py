"""Subwords, binarised text and the models that are trained on it, as recipes (picture in
lib/README.md).
"""

from __future__ import annotations

import shutil
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import Any, ClassVar, Literal

from pseudogec.artefacts import Artefacts, Progress, Recipe, SourceFile, refuse_changed
from pseudogec.artefacts.cluster import launcher
from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import write_lines
from pseudogec.corpora import Pair, drop_identical, read_plain
from pseudogec.languages import ENGLISH, Language
from pseudogec.seq2seq import (
    Decoder,
    TrainingProgress,
    binarise,
    binarise_text,
    import_checkpoint,
    read_binarised,
    train,
    train_language_model,
)
from pseudogec.seq2seq.model_files import MODEL, has_compact_form, make_compact
from pseudogec.seq2seq.options import (
    Architecture,
    DetectorOptions,
    LanguageModelArchitecture,
    Optimisation,
)
from pseudogec.seq2seq.training_job import TrainingResult, snapshot_name
from pseudogec.study.corpora import Corpus, LearnsFromText, SeedText, Use
from pseudogec.study.profile import Passes
from pseudogec.text import Bpe, Vocabulary, load_bpe

SUBWORDS_A_SENTENCE = 30  # about, with its end; newspapers have more, learners' sentences fewer
BYTES_A_WEIGHT = 4
# Of an unfinished training: weights, and Adam's two moments beside a copy in full precision
STATE_BYTES_A_WEIGHT = 16
# Of Transformer (big), to whose speed a machine's rate of decoding refers
WEIGHTS_OF_BIG = 176_000_000

Arrangement = Literal["correct", "reverse", "copy"]
_ARRANGE: dict[Arrangement, Callable[[Pair], Pair]] = {
    "correct": lambda pair: pair,
    "reverse": lambda pair: Pair(pair.target, pair.source),
    "copy": lambda pair: Pair(pair.target, pair.target),
}


def sentences_of_big(sentences: float, models: Sequence[Recipe]) -> float:
    """The work of decoding sentences, in sentences of Transformer (big). Released models, whose
    size is unknown, are left out.
    """
    weights = [
        model.architecture.layer_weights
        for model in models
        if isinstance(model, TrainedModel | Snapshot)
    ]
    return sentences * sum(weights) / WEIGHTS_OF_BIG


def shapes_of_models(recipe: Recipe) -> str:
    return ", ".join(
        sorted(
            {
                parent.architecture.shape
                for parent in recipe.parents
                if hasattr(parent, "architecture")
            }
        )
    )


class Subwords(LearnsFromText):
    """Byte-pair encoding learnt on the genuine targets, with the joint fairseq dictionary:
    ``codes.txt``, ``dict.txt``.
    """

    kind: ClassVar[str] = "bpe"
    follows: ClassVar[str] = "genuine"
    packages: ClassVar[tuple[str, ...]] = ("subword-nmt",)
    seconds_a_unit: ClassVar[float] = 0.001
    quoting: ClassVar[tuple[str, ...]] = ("codes.txt", "dict.txt")
    added_later: ClassVar[frozenset[str]] = frozenset({"language"})
    genuine: Corpus
    merges: int
    language: Language = ENGLISH

    @property
    def label(self) -> str:
        return f"{self.genuine.name}-{self.merges}"

    def uses(self) -> Iterator[Use]:
        yield Use(self.genuine, "dictionary", "subwords")

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        genuine = store.folder(self.genuine)
        bpe = Bpe.learn(read_plain(genuine / "target.txt"), self.merges)
        bpe.save(folder / "codes.txt")
        counts = Counter(
            subword
            for side in ("source.txt", "target.txt")
            for tokens in read_plain(genuine / side)
            for subword in bpe.apply(tokens)
        )
        self.language.refuse_foreign(counts, f"corpus {self.genuine.label}")
        # The dictionary has every subword that these merges can make of the language's characters,
        # so that other words of seed corpora need no <unk>, and all models of a profile share one
        # vocabulary.
        vocabulary = Vocabulary(counts, symbols=bpe.possible_subwords(self.language.characters))
        vocabulary.save(folder / "dict.txt")
        return {
            "merges": len(bpe.merges),
            "subwords": len(vocabulary),
            "subwords_in_genuine_data": len(counts),
        }


class ReleasedSubwords(Recipe):
    """The segmentation of released models: ``codes.txt``."""

    kind: ClassVar[str] = "released_bpe"
    codes: SourceFile

    @property
    def label(self) -> str:
        return self.codes.path.stem

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        refuse_changed([self.codes], store.root)
        shutil.copyfile(self.codes.path, folder / "codes.txt")
        return {"merges": len(Bpe.load(folder / "codes.txt").merges)}


class TrainingPairs(Recipe):
    """Sentence pairs in subwords, binarised for fairseq."""

    bytes_a_unit: ClassVar[float] = 2.0 * (60 + 12)
    bpe: Subwords

    @property
    @abstractmethod
    def text(self) -> Corpus | SeedText:
        """The source of the pairs."""


class BinarisedPairs(TrainingPairs):
    """A corpus in one of three arrangements, in training without pairs whose source and target are
    identical (TASLP IV-A).

    ``correct``: from source to target. ``reverse``: from target to source, for the model that makes
    errors. ``copy``: the target on both sides, for a first stage that teaches copying.
    """

    kind: ClassVar[str] = "pairs"
    follows: ClassVar[str] = "corpus"
    seconds_a_unit: ClassVar[float] = 0.0003
    corpus: Corpus
    drop_identical: bool
    arrangement: Arrangement = "correct"

    @property
    def text(self) -> Corpus:
        return self.corpus

    @property
    def label(self) -> str:
        return self.corpus.label + ("" if self.arrangement == "correct" else f"-{self.arrangement}")

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        corpus, bpe = store.folder(self.corpus), load_bpe(store.folder(self.bpe))
        pairs: Iterator[Pair] = map(
            Pair, read_plain(corpus / "source.txt"), read_plain(corpus / "target.txt")
        )
        if self.drop_identical:
            pairs = drop_identical(pairs)
        pairs = map(_ARRANGE[self.arrangement], pairs)
        in_subwords = (Pair(bpe.apply(pair.source), bpe.apply(pair.target)) for pair in pairs)
        try:
            size = binarise(in_subwords, store.folder(self.bpe) / "dict.txt", folder)
        except UserError as error:
            left_out = "pairs with identical sides are left out of training"
            raise UserError(f"corpus {self.corpus.label}: {error} ({left_out})") from error
        return asdict(size)


class Mirrored(TrainingPairs):
    """Training pairs from right to left: the subwords of both sides in reverse order."""

    kind: ClassVar[str] = "mirrored"
    follows: ClassVar[str] = "data"
    seconds_a_unit: ClassVar[float] = 0.0001
    data: TrainingPairs

    @property
    def text(self) -> Corpus | SeedText:
        return self.data.text

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        # Both sides are reversed: a small model then learns to copy as fast as from left to right.
        pairs = (
            Pair(source[::-1], target[::-1])
            for source, target in read_binarised(store.folder(self.data))
        )
        return asdict(binarise(pairs, store.folder(self.bpe) / "dict.txt", folder))


class BinarisedText(Recipe):
    """Grammatical sentences in subwords, binarised for a language model: a shard of a seed corpus,
    or a corpus's targets.
    """

    kind: ClassVar[str] = "text"
    follows: ClassVar[str] = "text"
    seconds_a_unit: ClassVar[float] = 0.0001
    bytes_a_unit: ClassVar[float] = 60.0 + 12
    text: SeedText | Corpus
    bpe: Subwords

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        text, bpe = store.folder(self.text), store.folder(self.bpe)
        file = text / ("target.txt" if isinstance(self.text, Corpus) else "sentences.txt")
        return asdict(
            binarise_text(map(load_bpe(bpe).apply, read_plain(file)), bpe / "dict.txt", folder)
        )


class Training(LearnsFromText):
    """A model trained by fairseq, from scratch or from another's weights."""

    resumable: ClassVar[bool] = True
    needs_gpu: ClassVar[bool] = True
    takes_whole_worker: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("torch", "fairseq", "numpy")
    measured: ClassVar[frozenset[str]] = frozenset({"seconds", "words_per_second"})
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    trained_by: ClassVar[Callable[..., TrainingResult]]
    learnt: ClassVar[tuple[str, str]]
    """What is learnt from the training data and from the validation data, for messages."""
    name: str
    architecture: Architecture | LanguageModelArchitecture
    optimisation: Optimisation
    bpe: Subwords
    data: tuple[TrainingPairs | BinarisedText, ...]
    validation: TrainingPairs | BinarisedText
    seed: int

    @property
    def sentences(self) -> float:
        """The approximate number of sentences of an epoch."""
        return sum(data.work for data in self.data)

    def _own_options(self, store: Artefacts) -> dict[str, Any]:
        """Further arguments of `trained_by`."""
        return {}

    def uses(self) -> Iterator[Use]:
        for data in self.data:
            yield Use(data.text, "training", self.learnt[0])
        if self.optimisation.selection == "best":
            yield Use(self.validation.text, "tuning", self.learnt[1])

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        def report(now: TrainingProgress) -> None:
            progress(
                now.update,
                now.total_updates,
                f"updates   {now.updates_per_second:.1f}/s   loss {now.loss:.2f}",
            )

        data, validation = [store.folder(data) for data in self.data], store.folder(self.validation)
        where = (data, validation, store.folder(self.bpe) / "dict.txt", folder)
        options = {
            "seed": self.seed,
            "progress": report,
            "launcher": launcher(),
            **self._own_options(store),
        }
        result = type(self).trained_by(*where, self.architecture, self.optimisation, **options)
        return result.model_dump(mode="json")

    def portable_result(self, result: Mapping[str, Any]) -> dict[str, Any]:
        # Nothing shows the losses of training, which would fill a pack.
        return super().portable_result({**result, "training_curve": []})

    @property
    def work(self) -> float:
        """Updates; if training ends by epochs, an estimate from the number of sentences."""
        of_an_epoch = self.sentences * SUBWORDS_A_SENTENCE / self.optimisation.batch
        return min(
            self.optimisation.updates or inf,
            max((self.optimisation.epochs or inf) * of_an_epoch, 1),
        )

    @property
    def operations(self) -> float:
        """Two for each weight and subword forward, four backward (Kaplan et al. 2020); those of
        embeddings are negligible.
        """
        return 6.0 * self.architecture.layer_weights * self.optimisation.batch * self.work

    @property
    def weights(self) -> int:
        """The approximate number of the model's weights."""
        return self.architecture.layer_weights + self.bpe.merges * self.architecture.model_size

    @property
    def expected_bytes(self) -> float:
        return BYTES_A_WEIGHT * self.weights

    @property
    def bytes_at_work(self) -> float:
        kept = (
            1 if self.optimisation.selection == "best" else self.optimisation.selection.average_last
        )
        return (STATE_BYTES_A_WEIGHT + kept * BYTES_A_WEIGHT) * self.weights

    @property
    def work_kind(self) -> str:
        precision = self.optimisation.precision
        in_bits = f", {precision}" if precision != "fp32" else ""
        return f"{self.kind} {self.architecture.shape}, {self.optimisation.batch} subwords{in_bits}"


class TrainedModel(Training):
    """One stage of training; ``initial`` is the model of the stage before, whose weights training
    starts from.
    """

    kind: ClassVar[str] = "model"
    trained_by: ClassVar[Callable[..., TrainingResult]] = train
    learnt: ClassVar[tuple[str, str]] = ("models", "checkpoints")
    architecture: Architecture
    data: tuple[TrainingPairs, ...]
    upsample: int
    validation: TrainingPairs
    initial: TrainedModel | None

    @property
    def label(self) -> str:
        return f"{self.name}-seed{self.seed}"

    @property
    def sentences(self) -> float:
        return super().sentences + (self.upsample - 1) * self.data[0].work

    def _own_options(self, store: Artefacts) -> dict[str, Any]:
        return {
            "initial_model": store.folder(self.initial) if self.initial else None,
            "upsample_primary": self.upsample,
        }


class Snapshot(Recipe):
    """A model as it was after some passes over the data of its last stage: ``model.pt`` and its
    dictionaries.

    The result has the validation loss of the model, or of all models of the training where the
    lowest is chosen.
    """

    kind: ClassVar[str] = "snapshot"
    version: ClassVar[int] = 2
    packages: ClassVar[tuple[str, ...]] = ("ctranslate2",)
    seconds_a_unit: ClassVar[float] = 0.002
    model: TrainedModel
    passes: Passes
    validation: TrainingPairs

    @property
    def architecture(self) -> Architecture:
        return self.model.architecture

    @property
    def label(self) -> str:
        return f"{self.model.label} passes {self.passes}"

    @property
    def work(self) -> float:
        return self.validation.work * len(self._tried)

    @property
    def expected_bytes(self) -> float:
        return self.model.expected_bytes

    @property
    def _tried(self) -> tuple[int, ...]:
        return self.model.optimisation.snapshots if self.passes == "lowest_loss" else (self.passes,)

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        model, validation = store.folder(self.model), store.folder(self.validation)
        for dictionary in model.glob("dict.*"):
            shutil.copyfile(dictionary, folder / dictionary.name)
        losses: dict[int, float] = {}
        for passes in self._tried:
            shutil.copyfile(model / snapshot_name(passes), folder / MODEL)
            losses[passes] = _validation_loss(folder, validation)
            progress(len(losses), len(self._tried), "models")
        lowest = min(losses, key=losses.__getitem__)
        shutil.copyfile(model / snapshot_name(lowest), folder / MODEL)
        return {"passes": lowest, "losses": {str(passes): loss for passes, loss in losses.items()}}


def _validation_loss(model: Path, validation: Path) -> float:
    """In nats a subword, ends of sentences included; without pairs that are too long for the
    model.
    """
    pairs = list(read_binarised(validation))
    scores = Decoder([model]).score(
        [source for source, _ in pairs], [[target] for _, target in pairs], length_penalty=0.0
    )
    scored = [
        (score, len(target) + 1)
        for [score], (_, target) in zip(scores, pairs, strict=True)
        if score > -inf
    ]
    return -sum(score for score, _ in scored) / sum(length for _, length in scored)


class ReleasedModel(Recipe):
    """A fairseq checkpoint that others trained: ``model.pt``, ``dict.src.txt``,
    ``dict.trg.txt``.
    """

    kind: ClassVar[str] = "released_model"
    checkpoint: SourceFile
    source_dictionary: SourceFile
    target_dictionary: SourceFile

    @property
    def label(self) -> str:
        return self.checkpoint.path.stem

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        refuse_changed(
            (self.checkpoint, self.source_dictionary, self.target_dictionary), store.root
        )
        import_checkpoint(
            self.checkpoint.path, self.source_dictionary.path, self.target_dictionary.path, folder
        )
        return {"checkpoint": str(self.checkpoint.path), "digest": self.checkpoint.digest}


class TrainedLanguageModel(Training):
    kind: ClassVar[str] = "language_model"
    trained_by: ClassVar[Callable[..., TrainingResult]] = train_language_model
    learnt: ClassVar[tuple[str, str]] = ("the language model", "the language model's checkpoint")
    architecture: LanguageModelArchitecture
    data: tuple[BinarisedText, ...]
    validation: BinarisedText


class WordCounts(LearnsFromText):
    """The frequency of each word of a text, upper and lower case apart: ``words.tsv``, a line
    each.
    """

    kind: ClassVar[str] = "word_counts"
    seconds_a_unit: ClassVar[float] = 0.0001
    quoting: ClassVar[tuple[str, ...]] = ("words.tsv",)
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str
    texts: tuple[SeedText, ...]

    @property
    def work(self) -> float:
        return sum(text.work for text in self.texts)

    def uses(self) -> Iterator[Use]:
        for text in self.texts:
            yield Use(text, "dictionary", "words with capitals")

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        texts = [store.folder(text) / "sentences.txt" for text in self.texts]
        # Words that begin a sentence are left out because they are always capitalised.
        counts = Counter(
            word for text in texts for tokens in read_plain(text) for word in tokens[1:]
        )
        write_lines(
            folder / "words.tsv", (f"{word}\t{count}" for word, count in counts.most_common())
        )
        return {"words": len(counts), "tokens": counts.total()}


class LearnsToDetect(LearnsFromText):
    """A classifier that says whether a sentence contains an error."""

    needs_gpu: ClassVar[bool] = True
    options: DetectorOptions
    genuine: Corpus
    validation: Corpus
    seed: int

    @property
    def work(self) -> float:
        return self.genuine.work * self.options.epochs

    def uses(self) -> Iterator[Use]:
        yield Use(self.genuine, "training", "the error detector")
        yield Use(self.validation, "tuning", "the error detector's epoch")

    def _train(
        self,
        train: Callable[..., Any],
        initial: Path,
        folder: Path,
        store: Artefacts,
        progress: Progress,
        apply: Callable[[list[str]], list[str]] = list,
    ) -> dict[str, Any]:
        """The result of a training from initial weights, on the subwords that a function makes of
        words.
        """

        def pairs(corpus: Corpus) -> list[tuple[list[str], list[str]]]:
            source, target = (
                list(read_plain(store.folder(corpus) / name))
                for name in ("source.txt", "target.txt")
            )
            return list(zip(source, target, strict=True))

        genuine, validation = pairs(self.genuine), pairs(self.validation)
        # Beside what learners wrote, its corrections are examples of sentences without errors.
        corrected = [target for source, target in genuine if source != target]
        sentences = [*(source for source, _ in genuine), *corrected]
        has_error = [*(source != target for source, target in genuine), *(False for _ in corrected)]
        held_out = (
            [apply(source) for source, _ in validation],
            [source != target for source, target in validation],
        )
        examples = list(map(apply, sentences)), has_error, held_out
        return train(
            *examples,
            initial,
            folder,
            self.options,
            self.seed,
            lambda done, total: progress(done, total, "sentences"),
        ).model_dump(mode="json")


class TrainedDetector(LearnsToDetect):
    """The classifier made from the correction model ``initial``."""

    kind: ClassVar[str] = "detector"
    follows: ClassVar[str] = "initial"
    packages: ClassVar[tuple[str, ...]] = ("torch", "fairseq", "numpy")
    seconds_a_unit: ClassVar[float] = 0.002
    initial: TrainedModel
    bpe: Subwords

    @property
    def decoded(self) -> float:
        return sentences_of_big(self.work, [self.initial])

    @property
    def work_kind(self) -> str:
        return f"{self.kind} {self.initial.architecture.shape}"

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        from pseudogec.seq2seq.detector import train_detector

        subwords = load_bpe(store.folder(self.bpe)).apply
        return self._train(
            train_detector, store.folder(self.initial), folder, store, progress, subwords
        )


class TrainedEncoder(LearnsToDetect):
    """The classifier made from an encoder of BERT's kind, whose files are in one folder."""

    kind: ClassVar[str] = "encoder"
    follows: ClassVar[str] = "genuine"
    packages: ClassVar[tuple[str, ...]] = ("torch", "transformers", "numpy")
    seconds_a_unit: ClassVar[float] = 0.04
    files: tuple[SourceFile, ...]

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        from pseudogec.seq2seq.detector import train_encoder

        refuse_changed(self.files, store.root)
        return self._train(train_encoder, self.files[0].path.parent, folder, store, progress)


MOST_WEIGHTS = 12_000_000
"""Most weights of all compact models of a profile together, which then take 12 MB."""


class CompactModel(Recipe):
    """A model in the form that packs contain, its matrices rounded to 8 bits.

    It corrects or corrupts readers' own sentences. Scores, pseudo data and further trainings use
    the model itself.
    """

    kind: ClassVar[str] = "compact_model"
    packages: ClassVar[tuple[str, ...]] = ("safetensors",)
    quoting: ClassVar[tuple[str, ...]] = ("*",)
    model: TrainedModel | TrainedLanguageModel | TrainedDetector

    @classmethod
    def of(cls, recipes: Iterable[Recipe]) -> dict[Recipe, CompactModel]:
        """The models among some recipes with their compact forms; none where these may not be
        passed on or are too large.

        Models that need more than numbers and names for their description have no compact form.
        """
        kinds = TrainedModel | TrainedLanguageModel | TrainedDetector
        models = [recipe for recipe in dict.fromkeys(recipes) if isinstance(recipe, kinds)]
        passed_on = [
            model
            for model in models
            if model.may_be_quoted and has_compact_form(_trained(model).architecture)
        ]
        if sum(_trained(model).weights for model in passed_on) > MOST_WEIGHTS:
            return {}
        return {model: cls(model=model) for model in passed_on}

    @property
    def label(self) -> str:
        return f"{self.model.kind} {self.model.label}"

    @property
    def expected_bytes(self) -> float:
        return _trained(self.model).weights

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        if isinstance(self.model, TrainedDetector):
            from pseudogec.seq2seq.detector import make_compact_detector

            return {"weights": make_compact_detector(store.folder(self.model), folder)}
        return {"weights": make_compact(store.folder(self.model), folder)}


def _trained(model: Training | TrainedDetector) -> Training:
    """The training that defined a model's architecture."""
    return model.initial if isinstance(model, TrainedDetector) else model
