"""One class for each thing that a profile can name and set up: a noising method, a metric, a step, a format."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic_core import PydanticCustomError

from artefacts.errors import nearest


class Section(BaseModel):
    """A part of a profile: immutable, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def refuse_unknown(where: str, what: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse names that a profile does not have.

    Args:
        where: the place in the profile, for the message.
        what: what the names stand for.
        names: names in use.
        known: names that the profile has.

    Raises:
        ValueError: a name is not known; the nearest is offered.
    """
    for name in names:
        if name not in set(known):
            raise ValueError(f"{where}: there is no {what} `{name}`{nearest(name, known)}")


def _as_tuple(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else (value,)


T = TypeVar("T")
OneOrMore = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]
"""A profile may write a single value without brackets."""


class Kind(Section):
    """A thing that a profile names: its fields are what the profile may say, its methods are what it does.

    Recipes hold instances: the name, ``version`` and all fields enter the key.
    """

    name: ClassVar[str]
    """What a profile writes."""
    label: ClassVar[str]
    """What tables and figures write."""
    version: ClassVar[int] = 1
    """Raise it when the class does something else with the same fields, so that artefacts made before are not used."""

    @classmethod
    def known_as(cls) -> str:
        """The name by which a profile finds the class: its own, or module and class for one from outside."""
        return cls.__dict__.get("_registered_as") or f"{cls.__module__}:{cls.__qualname__}"


K = TypeVar("K", bound=Kind)


class Kinds(Generic[K]):
    """The classes of one kind that a profile may name.

    Args:
        base: what all of them derive from.
        tag: the profile's key that says which it is, such as ``method``; also what messages call it.
    """

    def __init__(self, base: type[K], tag: str) -> None:
        self.base, self.tag = base, tag
        self._classes: dict[str, type[K]] = {}

    def register(self, kind: type[K]) -> type[K]:
        kind._registered_as = kind.name  # type: ignore[attr-defined]
        self._classes[kind.name] = kind
        return kind

    def __iter__(self) -> Iterator[type[K]]:
        return iter(self._classes.values())

    def find(self, name: str) -> type[K]:
        """The class of a registered name, or of ``package.module:Class``.

        Raises:
            ValueError: there is no such class; the message offers the nearest names.
        """
        if ":" not in name:
            if name not in self._classes:
                raise ValueError(f"there is no {self.tag} `{name}`{nearest(name, self._classes)}")
            return self._classes[name]
        module, _, class_name = name.partition(":")
        try:
            found = getattr(importlib.import_module(module), class_name, None)
        except ImportError as error:
            raise ValueError(f"{self.tag} `{name}` cannot be imported ({error})") from None
        if not (isinstance(found, type) and issubclass(found, self.base)):
            raise ValueError(f"{self.tag} `{name}`: {module} has no class `{class_name}` that derives from {self.base.__name__}")
        return found

    def parse(self, value: Any) -> K:
        """An instance from what a profile says: a name, or a mapping with the name under ``tag`` and the fields.

        A profile's field is ``Annotated[Base, BeforeValidator(KINDS.parse), PlainSerializer(KINDS.dump)]``: what is wrong is then
        reported at its place in the profile.

        Raises:
            ValueError: there is no such class.
            ValidationError: a field is unknown or impossible.
        """
        if isinstance(value, self.base):
            return value
        fields: Mapping[str, Any] = {self.tag: value} if isinstance(value, str) else value
        if not isinstance(fields, Mapping) or not isinstance(fields.get(self.tag), str):
            raise PydanticCustomError("unnamed", f"name a {self.tag}: one of {', '.join(self._classes)}, or package.module:Class")
        return self.find(fields[self.tag]).model_validate({name: item for name, item in fields.items() if name != self.tag})

    def dump(self, kind: K) -> dict[str, Any]:
        """The mapping from which `parse` makes the same instance."""
        return {self.tag: kind.known_as(), **kind.model_dump(mode="json", by_alias=True)}
