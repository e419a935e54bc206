"""The step of a system whose corrections are files that others released."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import ClassVar, Self

from pydantic import Field, model_validator

from pseudogec.artefacts.kinds import OneOrMore
from pseudogec.artefacts.recipe import Recipe
from pseudogec.corpora import read_plain
from pseudogec.correct.step import (
    STEPS,
    Before,
    Built,
    Corrected,
    Need,
    Planning,
    ReadyStep,
    Sentences,
    Step,
    Told,
)


@STEPS.register
class ReleasedOutput(Step):
    """Corrections of test sets that others released: files of tokenised sentences, one a line.
    Nothing is computed.
    """

    name: ClassVar[str] = "released_output"
    label: ClassVar[str] = "released corrections"
    incidental: ClassVar[frozenset[str]] = frozenset({"outputs"})
    outputs: dict[str, OneOrMore[Path]] = Field(
        min_length=1,
        description="test set -> file, relative to the profile's data folder; "
        "several are those of seeds 1, 2, ...",
    )

    @model_validator(mode="after")
    def _as_many(self) -> Self:
        if len({*map(len, self.outputs.values())}) > 1:
            raise ValueError("all test sets need equally many files, one for each seed")
        return self

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(path for paths in self.outputs.values() for path in paths)

    @property
    def tests(self) -> Collection[str]:
        return self.outputs.keys()

    def title(self, needs: Mapping[str, Need]) -> str:
        output = needs["output"]
        assert isinstance(output, Recipe)
        return output.label

    def versions(self, seeds: tuple[int, ...]) -> tuple[int, ...]:
        number = len(next(iter(self.outputs.values())))
        return tuple(range(1, number + 1)) if number > 1 else ()

    def needs(self, planning: Planning) -> dict[str, Need]:
        return {"output": planning.output(self.outputs)}

    def prepare(self, built: Built) -> ReadyStep:
        released = [
            Corrected(tuple(tokens))
            for tokens in read_plain(built.folder("output") / "hypotheses.txt")
        ]

        def corrected(sources: Sentences, before: Before, progress: Told = None) -> list[Corrected]:
            return released

        return corrected
