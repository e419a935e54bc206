"""The study's recipes: from a corpus to a model, each holding what it is made from; `correction_recipes` has the way to a score.

corpus ──► bpe ──► pairs (binarised) ─────────────┐
   │        │                                     ├─► model ─► ... ─► model ──► correction ──► score
seed_text ──┴──► pseudo_data (binarised) ─────────┘     (one for each stage of training)          ▲
corpus ──────────────────────────────────────────────────────────────────► references ────────────┘
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import inf
from typing import Any, ClassVar, Literal

from artefacts.file_digests import SourceFile
from artefacts.recipe import Recipe
from pseudogec.seq2seq.options import Architecture, Optimisation
from pseudogec.study.seed_recipes import SeedText
from pseudogec.study.study_recipe import StudyRecipe

Arrangement = Literal["correct", "reverse", "copy"]
"""Which side of a pair is the model's input, and which its output."""


PIECES_A_SENTENCE = 30
"""About how many pieces a sentence has, with its end; newspapers have more, learners' sentences fewer."""

M2_BYTES_A_SENTENCE = 250
BYTES_A_BINARISED_PAIR = 2.0 * (60 + 12)
BYTES_A_WEIGHT = 4
STATE_BYTES_A_WEIGHT = 16  # of an unfinished training: weights, and Adam's two moments beside a copy in full precision
WEIGHTS_OF_BIG = 176_000_000  # of Transformer (big), to whose speed a machine's rate of decoding refers


def updates(optimisation: Optimisation, sentences: float) -> float:
    """About how many updates a training makes, of which the number of epochs may be all that is known."""
    by_epochs = (optimisation.epochs or inf) * sentences * PIECES_A_SENTENCE / optimisation.batch
    return min(optimisation.updates or inf, max(by_epochs, 1))


def training_operations(optimisation: Optimisation, layer_weights: int, updates: float) -> float:
    """Floating-point operations of a training: for each piece two a weight forward, and four backward (Kaplan et al. 2020)."""
    return 6.0 * layer_weights * optimisation.batch * updates


def sentences_of_big(sentences: float, models: Sequence[Recipe]) -> float:
    """The work of decoding sentences, in sentences of Transformer (big); nothing for released models, whose size is not known."""
    weights = [model.architecture.layer_weights for model in models if isinstance(model, Model)]
    return sentences * sum(weights) / WEIGHTS_OF_BIG


def shapes_of_models(recipe: Recipe) -> str:
    """The shapes of the models that a step uses, which decide its speed."""
    return ", ".join(sorted({parent.architecture.shape for parent in recipe.parents if hasattr(parent, "architecture")}))


class Corpus(StudyRecipe):
    """Pairs of an ungrammatical source and its correction.

    Files: ``source.txt``, ``target.txt``, ``levels.txt`` (a line each pair), and ``gold.m2`` where the source says what the
        edits are.
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
        return False


class WorldCorpus(Corpus):
    """Learner sentences of the embedded simulation."""

    split: Literal["train", "valid", "test"]
    sentences: int
    seed: int
    levels: dict[str, float] | None

    @property
    def simulated(self) -> bool:
        """It is."""
        return True

    @property
    def work(self) -> float:
        """Sentences."""
        return self.sentences


class LevelledFile(SourceFile):
    """A file of pairs, and the proficiency level of all its sentences where it has one."""

    level: str = ""


class FileCorpus(Corpus):
    """Pairs read from files in one of the field's formats."""

    source: str
    files: tuple[LevelledFile, ...]
    sentences: int | None

    @property
    def work(self) -> float:
        """Sentences, or a guess from the size of the files."""
        return self.sentences or sum(file.size for file in self.files) / M2_BYTES_A_SENTENCE


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


class Bpe(StudyRecipe):
    """Byte-pair encoding learnt on the genuine targets, with the joint fairseq dictionary: ``codes.txt``, ``dict.txt``."""

    kind: ClassVar[str] = "bpe"
    seconds_a_unit: ClassVar[float] = 0.001
    genuine: Corpus
    merges: int

    @property
    def work(self) -> float:
        """Sentences."""
        return self.genuine.work

    @property
    def label(self) -> str:
        """Number of merges."""
        return f"{self.genuine.name}-{self.merges}"


class BinarisedPairs(StudyRecipe):
    """A corpus in pieces, binarised for fairseq, in one of three arrangements.

    ``correct``: from source to target. ``reverse``: from target to source, for the model that makes errors. ``copy``: the target
    on both sides, for a first stage that teaches copying. Pairs whose source and target are identical can be dropped, as training
    data do (TASLP IV-A).
    """

    kind: ClassVar[str] = "pairs"
    seconds_a_unit: ClassVar[float] = 0.0003
    bytes_a_unit: ClassVar[float] = BYTES_A_BINARISED_PAIR
    corpus: Corpus
    bpe: Bpe
    drop_identical: bool
    arrangement: Arrangement = "correct"

    @property
    def work(self) -> float:
        """Sentences."""
        return self.corpus.work

    @property
    def label(self) -> str:
        """The corpus, and how it is arranged."""
        return self.corpus.label + ("" if self.arrangement == "correct" else f"-{self.arrangement}")


class PseudoData(StudyRecipe):
    """One shard of pseudo data, binarised; ``examples.json`` shows how the first sentences came about."""

    kind: ClassVar[str] = "pseudo_data"
    seconds_a_unit: ClassVar[float] = 0.0005
    bytes_a_unit: ClassVar[float] = BYTES_A_BINARISED_PAIR
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str
    method: str
    parameters: dict[str, Any]
    seed_text: SeedText
    bpe: Bpe
    seed: int

    @property
    def label(self) -> str:
        """Method, its parameters and the seed text."""
        return f"{self.name}-{self.seed_text.label}"

    @property
    def work(self) -> float:
        """Sentences."""
        return self.seed_text.size

    @property
    def work_kind(self) -> str:
        """Noise or decoding of one method; their speeds differ by far."""
        return f"{self.kind} {self.method}"


class NoisedData(PseudoData):
    """Pseudo data from a noising method, which learns unigrams or edits from the genuine pairs."""

    genuine: Corpus
    references: References | None
    """The genuine pairs' edits, for methods that learn from them."""


class BackTranslatedData(PseudoData):
    """Pseudo data from a reverse model, which was trained to make errors."""

    resumable: ClassVar[bool] = True
    needs_gpu: ClassVar[bool] = True
    added_later: ClassVar[frozenset[str]] = frozenset({"precision"})
    incidental: ClassVar[frozenset[str]] = PseudoData.incidental | {"fused_attention"}
    reverse_model: Model
    precision: Literal["fp32", "fp16"] = "fp32"
    fused_attention: bool = False

    @property
    def decoded(self) -> float:
        return sentences_of_big(self.work, [self.reverse_model])

    @property
    def work_kind(self) -> str:
        """Decoding by one method and shape of model."""
        return f"{super().work_kind} {shapes_of_models(self)}"


class MisspeltData(PseudoData):
    """Back-translated pseudo data with synthetic spelling errors on the source side; nothing is translated again.

    The words of the source are split into pieces anew, also where the reverse model had chosen other pieces for them.
    """

    pseudo_data: BackTranslatedData

    @property
    def work_kind(self) -> str:
        """Spelling errors alone."""
        return f"{self.kind} sse"


class Mirrored(StudyRecipe):
    """Training pairs to be read from right to left: the pieces of both sides in reverse order."""

    kind: ClassVar[str] = "mirrored"
    seconds_a_unit: ClassVar[float] = 0.0001
    bytes_a_unit: ClassVar[float] = BYTES_A_BINARISED_PAIR
    data: BinarisedPairs | PseudoData

    @cached_property
    def parents(self) -> tuple[Recipe, ...]:
        """The pairs, and the pieces, whose dictionary the step reads."""
        return self.data, self.data.bpe

    @property
    def label(self) -> str:
        """The pairs."""
        return self.data.label

    @property
    def work(self) -> float:
        """Sentences."""
        return self.data.work


class PseudoEdits(StudyRecipe):
    """The edits that would correct pseudo data, found by the annotator in a shard's examples: ``edits.m2``."""

    kind: ClassVar[str] = "pseudo_edits"
    pseudo_data: PseudoData
    annotator: str

    @property
    def label(self) -> str:
        """The pseudo data."""
        return self.pseudo_data.label


class Model(StudyRecipe):
    """One stage of training; ``initial`` is the model of the stage before, whose weights training starts from."""

    kind: ClassVar[str] = "model"
    resumable: ClassVar[bool] = True
    needs_gpu: ClassVar[bool] = True
    takes_whole_worker: ClassVar[bool] = True
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str
    architecture: Architecture
    optimisation: Optimisation
    bpe: Bpe
    data: tuple[BinarisedPairs | PseudoData | Mirrored, ...]
    upsample: int
    validation: BinarisedPairs | Mirrored
    initial: Model | None
    seed: int

    @property
    def label(self) -> str:
        """Setting, method and seed."""
        return f"{self.name}-seed{self.seed}"

    @property
    def work(self) -> float:
        """Updates; where training ends by epochs, about as many as its pairs make."""
        upsampled = (self.upsample - 1) * self.data[0].work
        return updates(self.optimisation, sum(data.work for data in self.data) + upsampled)

    @property
    def operations(self) -> float:
        # The embeddings, of which each piece looks one up, cost next to nothing.
        return training_operations(self.optimisation, self.architecture.layer_weights, self.work)

    @property
    def weights(self) -> int:
        """About how many numbers the model has."""
        return self.architecture.layer_weights + self.bpe.merges * self.architecture.model_size

    @property
    def expected_bytes(self) -> float:
        return BYTES_A_WEIGHT * self.weights

    @property
    def bytes_at_work(self) -> float:
        kept = 1 if self.optimisation.selection == "best" else self.optimisation.selection.average_last
        return (STATE_BYTES_A_WEIGHT + kept * BYTES_A_WEIGHT) * self.weights

    @property
    def work_kind(self) -> str:
        """Training of one shape of model and size of batch."""
        return f"{self.kind} {self.architecture.shape}, {self.optimisation.batch} pieces"


class References(StudyRecipe):
    """Reference edits of a corpus, ``references.m2``: the corpus's own where it has them, else found by the annotator."""

    kind: ClassVar[str] = "references"
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


NoisedData.model_rebuild()
BackTranslatedData.model_rebuild()
MisspeltData.model_rebuild()
