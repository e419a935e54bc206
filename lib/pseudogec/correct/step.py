"""The interface of a system's steps: their keys in a profile, the recipes that they need, and their
corrections.

A new step is one class that derives from `Step`: registered here with ``@STEPS.register``, or named
``package.module:Class`` in a profile.
"""

from __future__ import annotations

import functools
import json
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from pseudogec.artefacts import Progress
from pseudogec.artefacts.kinds import Component, Registry
from pseudogec.artefacts.recipe import Recipe
from pseudogec.edits import AnnotatedSentence, Annotator, Edit, SentenceProgress, annotator_of
from pseudogec.evaluate import ERRANT, Gold, Score
from pseudogec.seq2seq import Decoder, LanguageModel, model_cache
from pseudogec.text import Bpe, Tokens, load_bpe

SentenceScorer = Callable[[Sequence[Tokens]], Sequence[float]]
"""The log-probability of each sentence under a language model, end of sentence included."""

Sentences = Sequence[Tokens]
Told = SentenceProgress | None

Need = Recipe | tuple[Recipe, ...] | str | int | float
"""A need of a step: artefacts, or a setting that the profile gives for all steps."""


class Candidate(NamedTuple):
    """A correction in subwords, and its score by the models that made or ranked it; higher is
    better.
    """

    subwords: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class Corrected:
    """A sentence after a step."""

    tokens: tuple[str, ...]
    note: str = ""  # the step's reason, for readers; may be empty
    # Corrections to choose from, best first; empty unless the step made several
    candidates: tuple[Candidate, ...] = ()
    # The sentence that the candidates correct, in subwords; empty without candidates
    corrected_subwords: tuple[str, ...] = ()


Before = Sequence[Corrected]
"""The output of the steps before."""


def as_written(sources: Sentences) -> list[Corrected]:
    return [Corrected(tuple(tokens)) for tokens in sources]


class ReadyStep(Protocol):
    """A step with everything it needs in memory: a function of the sentences as they were written
    and the output of the steps before, line for line.
    """

    def __call__(
        self, sources: Sentences, before: Before, progress: Told = None
    ) -> list[Corrected]: ...


class Planning(Protocol):
    """The study, as an interface for a step's needs. Each recipe is built before the step corrects
    anything.
    """

    @property
    def seed(self) -> int:
        """The seed of the system; 0 for one that exists once."""

    @property
    def subwords(self) -> Recipe: ...

    @property
    def annotator(self) -> str:
        """The signature of the study's annotator."""

    @property
    def decoding(self) -> dict[str, Need]:
        """The settings of a search by the study's models: ``subwords``, ``beam``,
        ``length_penalty``.
        """

    @property
    def language_model(self) -> Recipe: ...

    @property
    def word_counts(self) -> Recipe:
        """How often the language model's text writes each word, with capitals and without:
        ``words.tsv``.
        """

    def models(
        self, names: Sequence[str], seeds: Sequence[int] | None, right_to_left: bool = False
    ) -> tuple[Recipe, ...]:
        """The models of every name and seed; of the profile's seeds by default."""

    def released(
        self,
        checkpoints: Sequence[Path],
        source_dictionary: Path,
        target_dictionary: Path,
        codes: Path,
    ) -> dict[str, Need]:
        """The settings of a search by models that others trained: ``models``, ``subwords``,
        ``beam``, ``length_penalty``.
        """

    def output(self, files: Mapping[str, Sequence[Path]]) -> Recipe:
        """The sentences of a file that others released: ``hypotheses.txt``.

        Args:
            files: test set -> a file of its corrections, or one for each seed from 1 on; of these,
                the one to read is chosen.
        """

    def detector(self, model: str) -> Recipe:
        """The classifier made from a named correction model."""

    def encoder(self, files: Sequence[Path]) -> Recipe:
        """The classifier made from an encoder's files, which are in one folder."""

    def search(self, step: Step, needs: Mapping[str, Need]) -> Recipe:
        """The result of `Step.tune` with these needs, after the steps before it, on the development
        data.
        """


def models_of(needs: Mapping[str, Need]) -> tuple[Recipe, ...]:
    models = needs.get("models", ())
    assert isinstance(models, tuple)
    return models


class Built:
    """The needs of a step, built.

    Args:
        needs: by name, as `Step.needs` gives them. Some names have a fixed meaning: ``models``,
            ``subwords``, ``annotator``, ``language_model``, ``found``.
    """

    def __init__(self, needs: Mapping[str, Need], folder: Callable[[Recipe], Path]) -> None:
        self._needs, self._folder = needs, folder

    def __getitem__(self, name: str) -> Any:
        """A need as it was planned: a setting, or recipes."""
        return self._needs[name]

    def folder(self, name: str) -> Path:
        need = self._needs[name]
        assert isinstance(need, Recipe)
        return self._folder(need)

    def decoder(self, members: Sequence[int] | None = None) -> Decoder:
        models = models_of(self._needs)
        return _decoder(
            tuple(
                self._folder(models[number])
                for number in (range(len(models)) if members is None else members)
            )
        )

    @property
    def bpe(self) -> Bpe:
        return load_bpe(self.folder("subwords"))

    @property
    def annotator(self) -> Annotator:
        return annotator_of(self["annotator"])

    @property
    def language_model(self) -> SentenceScorer:
        model, bpe = _language_model(self.folder("language_model")), self.bpe
        return lambda sentences: model.log_probabilities(
            [bpe.apply(tokens) for tokens in sentences]
        )

    @property
    def found(self) -> dict[str, Any]:
        return read_found(self.folder("found"))


def read_found(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "found.json").read_text(encoding="utf-8"))


# Slowly loaded objects stay in the process for the next system; models that several ensembles share
# are in memory once.
_decoder = model_cache.remembered(at_most=2)(Decoder)
_language_model = model_cache.remembered(at_most=1)(LanguageModel)


@dataclass(frozen=True)
class Development:
    """The development data on which a step is tuned, never a test set."""

    references: Sequence[AnnotatedSentence]
    before: Before
    annotator: Annotator

    @property
    def sources(self) -> list[Tokens]:
        return [sentence.source for sentence in self.references]

    @functools.cached_property
    def _gold(self) -> Gold:
        return Gold.annotated(self.references)

    def score(self, corrections: Sequence[Tokens]) -> Score:
        return ERRANT.score(self._gold, corrections, self.annotator)


class Step(Component):
    """One step of a system. Its input is the output of the step before.

    Its fields are its keys in a profile. A field that only chooses among recipes, such as a model's
    name, belongs in ``incidental``: the recipes enter the key of an artefact instead, so that
    systems share work under any names.
    """

    label: ClassVar[str]
    """The name in tables."""
    incidental: ClassVar[frozenset[str]] = frozenset()
    needed_parts: ClassVar[tuple[str, ...]] = ()
    """What it needs of the language (`languages.PARTS`)."""
    needs_gpu: ClassVar[bool] = False
    """Whether it runs networks of its own, on a GPU where there is one; so does every step that
    `uses_language_model`.
    """
    has_own_subwords: ClassVar[bool] = False
    """Whether its models do not read the profile's subwords."""
    tuned: ClassVar[str] = "settings of a step"
    """The name of the tuned parameters, for tables."""

    def describe(self) -> str:
        return self.label

    def title(self, needs: Mapping[str, Need]) -> str:
        """The name of the step beside its effect on a sentence."""
        return self.label

    @property
    def model_names(self) -> tuple[str, ...]:
        """Taken from the profile's ``models``."""
        return ()

    @property
    def uses_language_model(self) -> bool:
        return False

    @property
    def files(self) -> tuple[Path, ...]:
        """Relative to the profile's data folder."""
        return ()

    @property
    def tests(self) -> Collection[str] | None:
        """The test sets that it can correct; ``None``: any text."""
        return None

    @property
    def keeps_candidates(self) -> bool:
        """Whether it leaves several corrections of a sentence to choose from."""
        return False

    def versions(self, seeds: tuple[int, ...]) -> tuple[int, ...]:
        """The seeds for each of which there is a system of its own; none where the step is the same
        for all.
        """
        return ()

    def check(self, before: Sequence[Step]) -> None:
        """Raise an error if the step cannot follow the given steps.

        Raises:
            ValueError: says what must come before.
        """

    def needs(self, planning: Planning) -> dict[str, Need]:
        """The needs of the step, by name: recipes, and settings that the profile gives for all
        steps.
        """
        return {}

    @abstractmethod
    def prepare(self, built: Built) -> ReadyStep:
        """Load what `needs` named."""

    def tune(self, development: Development, built: Built, progress: Progress) -> dict[str, Any]:
        """Search for the best parameters on development data, for a step whose `needs` include a
        search.

        Returns:
            The result, as JSON; `Built.found` gives it to `prepare`.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define `tune`")

    def tell(self, result: Mapping[str, Any]) -> str:
        """The result of a search, in a sentence."""
        return ", ".join(f"{name}: {value}" for name, value in result.items())


STEPS = Registry(Step, "step")  # type: ignore[type-abstract]  # the base, which is never made


@dataclass(frozen=True)
class Trace:
    """A sentence on its way through a system."""

    source: tuple[str, ...]
    steps: tuple[tuple[str, Corrected], ...]  # each step's title, and the sentence after it

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.steps[-1][1].tokens if self.steps else self.source


def run(
    steps: Sequence[tuple[str, ReadyStep]], sources: Sentences, progress: Told = None
) -> list[Trace]:
    before = as_written(sources)
    stages = []
    for _, step in steps:
        before = step(sources, before, progress)
        stages.append(before)
    titles = [title for title, _ in steps]
    return [
        Trace(tuple(source), tuple(zip(titles, (stage[place] for stage in stages), strict=True)))
        for place, source in enumerate(sources)
    ]


def gain(before: float, after: float) -> str:
    """The gain of a search on its own data, from two F0.5 of 0 to 1."""
    return f"F0.5 on its development data {100 * before:.1f} without and {100 * after:.1f} with it"


def check_candidates(before: Sequence[Step]) -> None:
    """`Step.check` of a step that chooses among the corrections of the step before."""
    if not (before and before[-1].keeps_candidates):
        raise ValueError(
            "chooses among corrections; the step before must be of models with `n_best` above 1"
        )
    if before[-1].has_own_subwords:
        raise ValueError(
            "needs corrections in the profile's subwords; the models of the step "
            "before have their own"
        )


def named(source: Tokens, edit: Edit) -> str:
    """An edit for readers: the words, their correction, and the type."""
    return (
        f"{' '.join(source[edit.start : edit.end]) or 'nothing'} → "
        f"{edit.correction or 'nothing'} ({edit.type})"
    )


def before_models(sentence: Corrected, bpe: Bpe) -> Tokens:
    """The tokens that the models corrected."""
    unchanged = (
        not sentence.candidates or sentence.candidates[0].subwords == sentence.corrected_subwords
    )
    return sentence.tokens if unchanged else bpe.undo(sentence.corrected_subwords)
