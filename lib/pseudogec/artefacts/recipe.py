"""Recipes: immutable, typed descriptions of results that cost time to make."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict

from pseudogec.artefacts.kinds import Component

DESCRIPTION = "recipe.json"
"""The file in which the store writes the recipe of an artefact."""

Progress = Callable[[float, float, str], None]
"""A step calls it with the amount done, the total, and a text: their unit and further
information.
"""


class Artefacts(Protocol):
    """The part of the store that a step uses: the artefacts that were built before."""

    root: Path

    def folder(self, recipe: Recipe) -> Path: ...

    def result(self, recipe: Recipe) -> dict[str, Any]: ...


class Recipe(BaseModel):
    """An immutable description of one artefact, with the recipes of its inputs.

    Two recipes with the same content have the same ``key``, in any process and on any machine.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    kind: ClassVar[str]
    """The artefact's kind; also the name of its folder in the store."""
    version: ClassVar[int] = 1
    """Version of the step that builds it. Raise it when the step's result changes, and old
    artefacts are no longer used.
    """
    added_later: ClassVar[frozenset[str]] = frozenset()
    """Names of fields that are part of the key only if they differ from their default, which stands
    for the earlier behaviour.
    """
    follows: ClassVar[str] = ""
    """The field of the recipe, if any, whose `work` and `label` this one has too unless it has its
    own.
    """
    incidental: ClassVar[frozenset[str]] = frozenset()
    """Names of fields that do not change the artefact (a path, a label) and are not part of the
    key.
    """
    resumable: ClassVar[bool] = False
    """Whether a half-built folder is kept after an interruption, because the step can continue from
    it.
    """
    needs_gpu: ClassVar[bool] = False
    """Whether the step runs on a GPU where there is one."""
    takes_whole_worker: ClassVar[bool] = False
    """Whether the step uses all GPUs of its worker, as a training of several processes does."""
    packages: ClassVar[tuple[str, ...]] = ()
    """Installed packages that the result depends on; the store records their versions with the
    artefact.
    """
    portable: ClassVar[tuple[str, ...]] = ()
    """The files, by name or pattern, that tables and figures need and that quote nothing: a pack
    includes them.
    """
    quoting: ClassVar[tuple[str, ...]] = ()
    """The same for files that quote the artefact's inputs: a pack includes them where these
    `may_be_quoted`.
    """
    measured: ClassVar[frozenset[str]] = frozenset()
    """Names in the result that differ each time it is built, such as seconds."""
    seconds_a_unit: ClassVar[float] = 1.0
    """A first guess of the seconds that a unit of `work` takes on one core; measurements of the
    store replace it.
    """
    bytes_a_unit: ClassVar[float] = 0.0
    """A first guess of the bytes of a unit of `work`; measurements of the store replace it."""

    @property
    def work(self) -> float:
        """Amount of work in units of the kind (lines, updates); the time to build the artefact is
        proportional to it.
        """
        return getattr(self, self.follows).work if self.follows else 1.0

    @property
    def work_kind(self) -> str:
        """Artefacts with the same text here take about the same time and disk for a unit of
        work.
        """
        return self.kind

    @property
    def operations(self) -> float:
        """About how many floating-point operations the step makes, where they decide its time (a
        training); 0 elsewhere.
        """
        return 0.0

    @property
    def decoded(self) -> float:
        """Sequences that models decode in the step, converted to those of Transformer (big), for
        which machines state a speed.
        """
        return 0.0

    @property
    def expected_bytes(self) -> float | None:
        """The size of the artefact if the recipe determines it; else it is estimated from the
        amount of work.
        """
        return None

    @property
    def bytes_at_work(self) -> float:
        """Disk that the step needs temporarily beside its artefact, such as a training's
        checkpoints.
        """
        return 0.0

    @property
    def label(self) -> str:
        """A readable name for people: the field ``name`` by default. The key, not the label,
        identifies the artefact.
        """
        return getattr(self, "name", None) or (
            getattr(self, self.follows).label if self.follows else self.kind
        )

    @cached_property
    def may_be_quoted(self) -> bool:
        """Whether text that is made from this artefact's inputs may be passed on; a recipe without
        parents decides it.
        """
        return bool(self.parents) and all(parent.may_be_quoted for parent in self.parents)

    def portable_result(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """The part of the step's result for a pack: its numbers, without text, which may be a
        quotation or a path.
        """
        return {
            name: _without_text(value)
            for name, value in result.items()
            if not isinstance(value, str)
        }

    @cached_property
    def key(self) -> str:
        """16 hexadecimal digits: a hash of the canonical JSON of kind, step version and content."""
        return hashlib.sha256(canonical_json(self.content()).encode()).hexdigest()[:16]

    def content(self) -> dict[str, Any]:
        """Everything that identifies the artefact, as plain JSON values; parents by kind and
        key.
        """
        return {"kind": self.kind, "version": self.version, "fields": _fields(self)}

    def description(self) -> dict[str, Any]:
        """The content with the key, the label and the incidental fields, as the store writes it to
        `DESCRIPTION`.
        """
        incidental = {name: _plain(getattr(self, name)) for name in sorted(self.incidental)}
        return {"key": self.key, "label": self.label, **self.content(), "incidental": incidental}

    @cached_property
    def parents(self) -> tuple[Recipe, ...]:
        """The recipes that this one is made from directly, each once, in the order of the
        fields.
        """
        by_key = {
            parent.key: parent
            for name in type(self).model_fields
            for parent in _recipes_in(getattr(self, name))
        }
        return tuple(by_key.values())

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        """Make the artefact's files in an empty folder, or in the half-built one of a ``resumable``
        recipe.

        Returns:
            Facts about the artefact: sizes, scores, arguments. The store keeps them as ``result``.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how it is built")

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recipe) and self.key == other.key


def canonical_json(value: Any) -> str:
    """The canonical text of a JSON value: equal values have equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def with_ancestors(targets: Iterable[Recipe]) -> list[Recipe]:
    """The targets and all recipes that they are made from, each once, whether built or not."""
    by_key: dict[str, Recipe] = {}
    stack = list(targets)
    while stack:
        recipe = stack.pop()
        if recipe.key not in by_key:
            by_key[recipe.key] = recipe
            stack.extend(recipe.parents)
    return list(by_key.values())


def _without_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _without_text(item) for name, item in value.items() if not isinstance(item, str)
        }
    if isinstance(value, list):
        return [_without_text(item) for item in value if not isinstance(item, str)]
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Recipe):
        return {"recipe": value.kind, "key": value.key}
    if isinstance(value, Component):
        return {"kind": value.known_as(), "version": value.version, **_fields(value)}
    if isinstance(value, BaseModel):
        return _fields(value)
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, Path):
        return str(value)
    # Whose text may differ between processes
    raise TypeError(f"a recipe cannot have a field of type {type(value).__name__}")


def _fields(value: BaseModel) -> dict[str, Any]:
    return {
        name: _plain(getattr(value, name))
        for name in type(value).model_fields
        if _identifies(value, name)
    }


def _identifies(value: BaseModel, name: str) -> bool:
    """Whether a field of a recipe's part belongs to the key."""
    if name in getattr(type(value), "incidental", ()):
        return False
    if name in getattr(type(value), "added_later", ()):
        return bool(getattr(value, name) != type(value).model_fields[name].default)
    return True


def _recipes_in(value: Any) -> Iterator[Recipe]:
    if isinstance(value, Recipe):
        yield value
        return
    parts: Iterable[Any] = value if isinstance(value, tuple | list) else ()
    if isinstance(value, BaseModel):
        parts = (getattr(value, name) for name in type(value).model_fields)
    elif isinstance(value, dict):
        parts = value.values()
    for part in parts:
        yield from _recipes_in(part)
