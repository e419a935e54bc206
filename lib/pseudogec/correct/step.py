"""The contract of a system's steps: what a profile says of one, what it needs of the study, and what it makes of sentences.

A new step is one class that derives from `Step`: registered here with ``@STEPS.register``, or named ``package.module:Class`` in a
profile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from artefacts import Progress
from artefacts.kinds import Kind, Kinds
from artefacts.recipe import Recipe
from pseudogec.correct.built import Built, Need, Tokens
from pseudogec.edits import AnnotatedSentence, Annotator
from pseudogec.evaluate import ERRANT, Gold, Score

SentenceProgress = Callable[[int, int], None]
"""Called with sentences done and sentences in all."""


class Candidate(NamedTuple):
    """One of several corrections of a sentence.

    Attributes:
        subwords: the correction, in subwords.
        score: of the models that made or ranked it; higher is better.
    """

    subwords: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class Corrected:
    """A sentence after a step.

    Attributes:
        tokens: its tokens.
        note: why the step left it so, for people; empty where there is nothing to say.
        candidates: corrections to choose from, best first; empty unless the step made several.
        corrected_subwords: what the candidates are corrections of, in subwords; empty without candidates.
    """

    tokens: tuple[str, ...]
    note: str = ""
    candidates: tuple[Candidate, ...] = ()
    corrected_subwords: tuple[str, ...] = ()


def as_written(sources: Sequence[Tokens]) -> list[Corrected]:
    """What the first step goes on from: the sentences themselves."""
    return [Corrected(tuple(tokens)) for tokens in sources]


class ReadyStep(Protocol):
    """A step with everything it needs in memory."""

    def __call__(
        self, sources: Sequence[Tokens], before: Sequence[Corrected], progress: SentenceProgress | None = None
    ) -> list[Corrected]:
        """Correct sentences further.

        Args:
            sources: the sentences as they were written.
            before: what the steps before made of them, line for line; at first the sources themselves.
            progress: told how far the step is.
        """
        ...


class Planning(Protocol):
    """The study, as a step sees it when it says what it needs. Each recipe is built before the step corrects anything."""

    @property
    def seed(self) -> int:
        """Which version of the system is planned; 0 for one that exists once."""
        ...

    @property
    def subwords(self) -> Recipe:
        """The study's byte-pair encoding."""
        ...

    @property
    def annotator(self) -> str:
        """The signature of the study's annotator."""
        ...

    @property
    def decoding(self) -> dict[str, Need]:
        """What a search by the study's models takes: ``subwords``, ``beam``, ``length_penalty``."""
        ...

    @property
    def language_model(self) -> Recipe:
        """The profile's language model."""
        ...

    @property
    def word_counts(self) -> Recipe:
        """How often the language model's text writes each word, with capitals and without: ``words.tsv``."""
        ...

    def models(self, names: Sequence[str], seeds: Sequence[int] | None, right_to_left: bool = False) -> tuple[Recipe, ...]:
        """The models of every name and seed; of the profile's seeds by default."""
        ...

    def released(
        self, checkpoints: Sequence[Path], source_dictionary: Path, target_dictionary: Path, codes: Path
    ) -> dict[str, Need]:
        """What a search by models that others trained takes: ``models``, ``subwords``, ``beam``, ``length_penalty``."""
        ...

    def detector(self, model: str) -> Recipe:
        """The classifier that a named correction model becomes."""
        ...

    def search(self, step: Step, needs: Mapping[str, Need]) -> Recipe:
        """What the step finds by `Step.tune` with these needs, after the steps before it, on the development data."""
        ...


@dataclass(frozen=True)
class Development:
    """The development data on which a step is tuned. They are no test set.

    Attributes:
        references: the sentences with their reference edits.
        before: what the steps before made of each.
        annotator: finds the edits of corrections.
    """

    references: Sequence[AnnotatedSentence]
    before: Sequence[Corrected]
    annotator: Annotator

    @property
    def sources(self) -> list[Tokens]:
        """The sentences as they were written."""
        return [sentence.source for sentence in self.references]

    @cached_property
    def _gold(self) -> Gold:
        return Gold.annotated(self.references)

    def score(self, corrections: Sequence[Tokens]) -> Score:
        """ERRANT's score of corrections against the references."""
        return ERRANT.score(self._gold, corrections, self.annotator)


class Step(Kind):
    """One step of a system. It goes on from what the step before left.

    Its fields are what a profile may say of it. A field that only chooses among recipes, such as a model's name, belongs in
    ``incidental``: the recipes enter the key of an artefact instead, so that systems share work under any names.
    """

    incidental: ClassVar[frozenset[str]] = frozenset()
    needs_gpu: ClassVar[bool] = False
    """Whether it runs on a GPU where there is one."""

    def describe(self) -> str:
        """The step in a few words, for tables."""
        return self.label

    def title(self, needs: Mapping[str, Need]) -> str:
        """What the step is called where its effect on a sentence is shown."""
        return self.label

    @property
    def model_names(self) -> tuple[str, ...]:
        """The names that it takes from the profile's ``models``."""
        return ()

    @property
    def uses_language_model(self) -> bool:
        """Whether it needs the profile's ``language_model``."""
        return False

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it reads, relative to the profile's data folder."""
        return ()

    @property
    def hugging_face_models(self) -> tuple[str, ...]:
        """The names or folders of the models in the format of Hugging Face that it loads."""
        return ()

    @property
    def keeps_candidates(self) -> bool:
        """Whether it leaves several corrections of a sentence to choose from."""
        return False

    def versions(self, seeds: tuple[int, ...]) -> tuple[int, ...]:
        """The seeds for each of which there is a system of its own; none where the step is the same for all."""
        return ()

    def check(self, before: Sequence[Step]) -> None:
        """Refuse to come after the given steps.

        Raises:
            ValueError: says what must come before.
        """

    def needs(self, planning: Planning) -> dict[str, Need]:
        """What it needs to correct sentences, by name: recipes, and settings that the profile gives for all steps."""
        return {}

    def prepare(self, built: Built) -> ReadyStep:
        """Load what it needs.

        Args:
            built: what `needs` named.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how it corrects")

    def tune(self, development: Development, built: Built, progress: Progress) -> dict[str, Any]:
        """Find what is best on development data, for a step whose `needs` ask for a search.

        Returns:
            What was found, as JSON; `Built.found` gives it to `prepare`.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how it is tuned")

    def tell(self, found: Mapping[str, Any]) -> str:
        """What a search found, in a sentence."""
        return ", ".join(f"{name}: {value}" for name, value in found.items())


STEPS = Kinds(Step, "step")


@dataclass(frozen=True)
class Trace:
    """A sentence on its way through a system.

    Attributes:
        source: its tokens as they were written.
        steps: each step's title, and the sentence after it.
    """

    source: tuple[str, ...]
    steps: tuple[tuple[str, Corrected], ...]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The sentence after the last step."""
        return self.steps[-1][1].tokens if self.steps else self.source


def run(
    steps: Sequence[tuple[str, ReadyStep]], sources: Sequence[Tokens], progress: SentenceProgress | None = None
) -> list[Trace]:
    """Correct sentences by a system.

    Args:
        steps: titles and steps, in their order.
        sources: tokenised sentences.
        progress: told how far the step at work is.
    """
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
    """What a search gained on the data that it searched on, from two F0.5 of 0 to 1."""
    return f"F0.5 on its development data {100 * before:.1f} without and {100 * after:.1f} with it"
