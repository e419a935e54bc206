"""Small recipes that build themselves, for what does not depend on what is made."""

from __future__ import annotations

import json
import os
import resource
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

from distributed import get_worker
from pydantic import Field

from artefacts import CheckedStore, Progress, Recipe, Store, missing


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
        words = [json.loads((store.folder(word) / "recipe.json").read_text())["label"] for word in self.words]
        (folder / "phrase.txt").write_text(" ".join(words))
        return {"words": len(words)}


class Process(Recipe):
    """Tells in which process it was built, and what one of its environment variables said."""

    kind: ClassVar[str] = "process"
    number: int

    @property
    def label(self) -> str:
        return f"process {self.number}"

    def build(self, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
        return {"process": os.getpid(), "gpus": os.environ.get("CUDA_VISIBLE_DEVICES")}


class Greedy(Recipe):
    """Takes the memory that its process may have, and then needs a thread."""

    kind: ClassVar[str] = "greedy"
    where: str

    @property
    def label(self) -> str:
        return self.where

    def build(self, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
        thread = threading.Thread(target=bool)
        resource.setrlimit(resource.RLIMIT_AS, (2**20, resource.RLIM_INFINITY))
        if self.where == "step":
            thread.start()
        elif self.where == "event loop":
            get_worker().loop.add_callback(thread.start)
        else:
            threading.excepthook(threading.ExceptHookArgs((MemoryError, MemoryError(), None, thread)))
        time.sleep(600)
        return {}


def make(store: Store, *targets: Recipe) -> list[Recipe]:
    """Build what the store lacks as a worker does, in this process; returns what was missing."""
    todo = missing(targets, store)
    checked = CheckedStore(store.root)
    for recipe in todo:
        checked.build(recipe, lambda item, folder: item.build(folder, checked, lambda *_: None))
    return todo
