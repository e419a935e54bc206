"""The recipes of systems of several steps: a corpus's sentences after each step, and tuned
parameters.

A correction contains the correction before it, so systems with the same first steps share them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pseudogec.artefacts import Artefacts, Progress, Recipe, SourceFile, refuse_changed
from pseudogec.artefacts.errors import DataError
from pseudogec.artefacts.files import read_lines, write_lines
from pseudogec.corpora import read_plain
from pseudogec.correct import (
    Built,
    Candidate,
    Corrected,
    Development,
    Need,
    ReadyStep,
    Step,
    as_written,
)
from pseudogec.correct.step import models_of
from pseudogec.edits import annotator_of, read_m2
from pseudogec.study.corpora import Corpus, LearnsFromText, References, Use, WrittenCorpus
from pseudogec.study.models import sentences_of_big, shapes_of_models
from pseudogec.text import Tokens

HYPOTHESES, STEPS = "hypotheses.txt", "steps.jsonl"


class _OfStep(Recipe):
    step: Step
    needs: dict[str, Need]
    before: Correction | None
    """The step before; none for the first, which corrects the sentences as they were written."""

    @property
    # Other recipes always or never run on one; here the step says
    def needs_gpu(self) -> bool:  # type: ignore[override]
        return self.step.needs_gpu or self.step.uses_language_model

    @property
    def work_kind(self) -> str:
        # Steps and models differ by far in speed
        return f"{self.kind} {self.step.known_as()} {shapes_of_models(self)}".strip()

    @property
    def models(self) -> tuple[Recipe, ...]:
        """The models through which every sentence goes."""
        return models_of(self.needs)

    def built(self, store: Artefacts) -> Built:
        return Built(self.needs, store.folder)


class Correction(_OfStep):
    """The sentences of a corpus after one more step of a system.

    Files: ``hypotheses.txt``; ``steps.jsonl``, a line for each sentence: the step's note, and the
    corrections among which the
        next step may choose.
    """

    kind: ClassVar[str] = "correction"
    packages: ClassVar[tuple[str, ...]] = ("torch", "fairseq", "ctranslate2")
    seconds_a_unit: ClassVar[float] = 0.005
    bytes_a_unit: ClassVar[float] = 600.0
    corpus: Corpus

    @property
    # Examples are shown of a system's first seed
    def quoting(self) -> tuple[str, ...]:  # type: ignore[override]
        first = min((getattr(model, "seed", 1) for model in self.models), default=1) == 1
        return (HYPOTHESES, STEPS) if first else ()

    @property
    def title(self) -> str:
        """The name of the step beside its effect on a sentence."""
        return self.step.title(self.needs)

    @property
    def steps(self) -> tuple[Correction, ...]:
        return (*(self.before.steps if self.before else ()), self)

    @property
    def label(self) -> str:
        return f"{self.title}-{self.corpus.label}"

    @property
    def work(self) -> float:
        """Sentences, once for each model."""
        return self.corpus.work * max(1, len(self.models))

    @property
    def decoded(self) -> float:
        return sentences_of_big(self.corpus.work, self.models)

    def prepare(self, store: Artefacts) -> ReadyStep:
        """The step, ready for any sentences."""
        return self.step.prepare(self.built(store))

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        sources = list(read_plain(store.folder(self.corpus) / "source.txt"))
        before = _before(self.before, sources, store)
        after = self.prepare(store)(
            sources, before, lambda done, total: progress(done, total, "sentences")
        )
        write_lines(folder / HYPOTHESES, (" ".join(sentence.tokens) for sentence in after))
        write_lines(folder / STEPS, map(_as_json, after))
        changed = sum(new.tokens != old.tokens for new, old in zip(after, before, strict=True))
        return {"sentences": len(after), "changed": changed}


class Search(_OfStep, LearnsFromText):
    """The best parameters of a step on development data: ``found.json``."""

    kind: ClassVar[str] = "search"
    packages: ClassVar[tuple[str, ...]] = ("torch", "fairseq", "ctranslate2")
    seconds_a_unit: ClassVar[float] = 0.005
    portable: ClassVar[tuple[str, ...]] = ("found.json",)
    references: References
    annotator: str

    @property
    def label(self) -> str:
        return self.step.label

    def uses(self) -> Iterator[Use]:
        yield Use(self.references.corpus, "tuning", self.step.tuned)

    @property
    def work(self) -> float:
        """Sentences, once for each of the models in each round of a search for an ensemble."""
        return self.references.work * max(1, len(self.models)) ** 2

    @property
    def decoded(self) -> float:
        return sentences_of_big(self.references.work * len(self.models), self.models)

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        references = list(read_m2(store.folder(self.references) / "references.m2"))
        before = _before(self.before, [sentence.source for sentence in references], store)
        development = Development(references, before, annotator_of(self.annotator))
        result = self.step.tune(development, self.built(store), progress)
        (folder / "found.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
        return result


for _recipe in (Correction, Search):
    _recipe.model_rebuild()


class ReleasedOutput(Recipe):
    """The corrections of a corpus that others released, a sentence a line: ``hypotheses.txt``."""

    kind: ClassVar[str] = "released_output"
    follows: ClassVar[str] = "corpus"
    seconds_a_unit: ClassVar[float] = 0.00001
    bytes_a_unit: ClassVar[float] = 120.0
    may_be_quoted: ClassVar[bool] = False  # whoever released them decides who may pass them on
    corpus: Corpus
    file: SourceFile

    @property
    def label(self) -> str:
        return self.file.path.stem

    @property
    def files(self) -> tuple[SourceFile]:
        return (self.file,)

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        """Copy the file.

        Raises:
            DataError: it has not one line for each sentence of the corpus, or has changed.
        """
        refuse_changed(self.files, store.root)
        lines, sentences = (
            list(read_lines(self.file.path)),
            store.result(self.corpus)["result"]["sentences"],
        )
        if len(lines) != sentences:
            known = f"{self.corpus.name} has {sentences} sentences"
            raise DataError(
                self.file.path,
                f"has {len(lines)} lines and {known}; line for line they must correspond",
            )
        return {"sentences": write_lines(folder / HYPOTHESES, lines)}


class PreprocessedCorpus(Corpus):
    """A corpus whose sources are the output of some steps; its targets stay, and known edits no
    longer fit.
    """

    correction: Correction

    @property
    def simulated(self) -> bool:
        return self.correction.corpus.simulated

    @property
    def origin(self) -> tuple[WrittenCorpus]:
        return self.correction.corpus.origin

    @property
    def work(self) -> float:
        return self.correction.corpus.work

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        corpus, correction = store.folder(self.correction.corpus), store.folder(self.correction)
        shutil.copyfile(correction / HYPOTHESES, folder / "source.txt")
        for name in ("target.txt", "levels.txt"):
            shutil.copyfile(corpus / name, folder / name)
        return {"sentences": store.result(self.correction)["result"]["sentences"]}


def read_corrected(folder: Path) -> list[Corrected]:
    return [
        Corrected(
            tuple(tokens),
            content.get("note", ""),
            tuple(
                Candidate(tuple(subwords.split()), score)
                for subwords, score in content.get("candidates", ())
            ),
            tuple(content.get("corrected_subwords", "").split()),
        )
        for tokens, content in zip(
            read_plain(folder / HYPOTHESES),
            map(json.loads, read_lines(folder / STEPS)),
            strict=True,
        )
    ]


def _as_json(sentence: Corrected) -> str:
    candidates = [
        [" ".join(candidate.subwords), candidate.score] for candidate in sentence.candidates
    ]
    corrected = " ".join(sentence.corrected_subwords)
    content = {"note": sentence.note, "candidates": candidates, "corrected_subwords": corrected}
    return json.dumps({name: value for name, value in content.items() if value}, ensure_ascii=False)


def _before(
    correction: Correction | None, sources: Sequence[Tokens], store: Artefacts
) -> list[Corrected]:
    """The output of the step before; for the first step, the sentences as they were written."""
    return as_written(sources) if correction is None else read_corrected(store.folder(correction))
