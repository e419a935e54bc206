"""Small recipes that build themselves, for what does not depend on what is made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from pseudogec.artefacts import Progress, Recipe, Store


class Word(Recipe):
    kind: ClassVar[str] = "word"
    incidental: ClassVar[frozenset[str]] = frozenset({"nickname"})
    text: str
    nickname: str = ""

    @property
    def label(self) -> str:
        return self.nickname or self.text

    def build(self, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
        (folder / "word.txt").write_text(self.text)
        (folder / "more").mkdir(exist_ok=True)
        (folder / "more" / "word.txt").write_text(self.text * 2)
        (folder / "empty.txt").touch()
        return {"letters": len(self.text)}


class Lasting(Word):
    resumable: ClassVar[bool] = True


class Phrase(Recipe):
    kind: ClassVar[str] = "phrase"
    words: tuple[Word | Phrase, ...]
    options: dict[str, Any] = Field(default_factory=dict)

    @property
    def label(self) -> str:
        return "+".join(word.label for word in self.words)

    def build(self, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
        words = [
            json.loads((store.folder(word) / "recipe.json").read_text())["label"]
            for word in self.words
        ]
        (folder / "phrase.txt").write_text(" ".join(words))
        return {"words": len(words)}


class Process(Recipe):
    """Makes nothing."""

    kind: ClassVar[str] = "process"
    number: int

    @property
    def label(self) -> str:
        return f"process {self.number}"

    def build(self, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
        return {}
