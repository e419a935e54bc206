"""One class for each thing that a configuration can name: a method, a metric, a format."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

from pseudogec.artefacts.errors import UserError, nearest


class Section(BaseModel):
    """A part of a configuration: immutable, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def first_paragraph(component: type[Section]) -> str:
    """What a class says of itself first, in one line, for lists of what there is."""
    return " ".join((inspect.getdoc(component) or "").partition("\n\n")[0].split())


def _as_tuple(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else (value,)


T = TypeVar("T")
OneOrMore = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]
"""A configuration may write a single value without brackets."""


class Component(Section):
    """A thing that a configuration names: its fields are the keys that the configuration may have,
    its methods are its behaviour.

    Recipes contain instances: the name of the class (`known_as`), ``version`` and all fields are
    part of the key.
    """

    name: ClassVar[str]
    """The name of the class in messages and, if it is registered, in configurations; by default its
    name in Python.
    """
    also_called: ClassVar[tuple[str, ...]] = ()
    """Further names that a configuration may write for a registered class."""
    version: ClassVar[int] = 1
    """Raise it when the behaviour of the class changes for the same fields, so that older artefacts
    are not used.
    """

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        if "name" not in cls.__dict__:
            cls.name = cls.__name__

    @classmethod
    def known_as(cls) -> str:
        """How a configuration names the class: ``name`` of a registered one,
        ``package.module:Class`` of one from outside.
        """
        return cls.__dict__.get("_registered_as") or f"{cls.__module__}:{cls.__qualname__}"

    @classmethod
    def check_class(cls) -> None:
        """Raise ValueError for a class from outside that would fail later, when it is used."""
        undefined = {
            name for name in cls.__class_vars__ if not hasattr(cls, name)
        } | cls.__abstractmethods__
        if undefined:
            raise ValueError(
                f"the class must define {' and '.join(f'`{name}`' for name in sorted(undefined))}"
            )


def explain(error: ValidationError, component: type[Component]) -> str:
    """The errors in the fields of a component, in the user's terms."""
    reasons = []
    for reason in error.errors():
        name, message = (
            ".".join(map(str, reason["loc"])),
            reason["msg"].removeprefix("Value error, "),
        )
        if reason["type"] == "missing":
            message = "is missing"
        elif reason["type"] == "extra_forbidden":
            name, message = "", f"has no parameter `{name}`{nearest(name, component.model_fields)}"
        elif name:
            message = f"{message[:1].lower()}{message[1:]}, not {reason['input']!r}"
        reasons.append(f"{name}: {message}" if name else message)
    return "; ".join(reasons)


def import_from(*folders: Path) -> None:
    """Let modules of these folders be imported, behind all others, here and in the worker processes
    that start from now on.
    """
    sys.path += [folder for folder in dict.fromkeys(map(str, folders)) if folder not in sys.path]


K = TypeVar("K", bound=Component)


class Registry(Generic[K]):
    """The classes with a common base that a configuration may name in one place, by the key
    ``tag``, such as ``method``.
    """

    def __init__(self, base: type[K], tag: str) -> None:
        self.base, self.tag = base, tag
        self._classes: dict[str, type[K]] = {}

    def register(self, component: type[K]) -> type[K]:
        component._registered_as = component.name  # type: ignore[attr-defined]
        self._classes[component.name] = component
        return component

    def __iter__(self) -> Iterator[type[K]]:
        return iter(self._classes.values())

    def find(self, name: str) -> type[K]:
        """The class of a registered name, or of ``package.module:Class``.

        Raises:
            ValueError: there is no such class, the message offers the nearest names; its module
                fails; or it lacks something.
        """
        for component in self._classes.values():
            if name in (component.name, *component.also_called):
                return component
        module, colon, class_name = name.rpartition(":")
        if not colon:
            raise ValueError(f"there is no {self.tag} `{name}`{nearest(name, self._classes)}")
        try:
            imported = getattr(importlib.import_module(module), class_name, None)
        except Exception as error:  # the user's module may do anything
            raise ValueError(
                f"{self.tag} `{name}` cannot be imported ({type(error).__name__}: {error})"
            ) from error
        if not (isinstance(imported, type) and issubclass(imported, self.base)):
            raise ValueError(
                f"{self.tag} `{name}`: {module} has no class `{class_name}` that "
                f"derives from {self.base.__name__}"
            )
        try:
            imported.check_class()
        except ValueError as error:
            raise ValueError(f"{self.tag} `{name}`: {error}") from None
        return imported

    def parse(self, value: Any) -> K:
        """An instance from a configuration's value: a name, or a mapping with the name under
        ``tag`` and the fields.

        A field of it is ``Annotated[Base, BeforeValidator(REGISTRY.parse),
        PlainSerializer(REGISTRY.dump)]``: what is wrong, by a ValueError or ValidationError, is
        then reported at its place.
        """
        if isinstance(value, self.base):
            return value
        fields: Mapping[str, Any] = {self.tag: value} if isinstance(value, str) else value
        if not isinstance(fields, Mapping) or not isinstance(fields.get(self.tag), str):
            raise PydanticCustomError(
                "unnamed",
                f"name a {self.tag}: one of {', '.join(self._classes)}, or package.module:Class",
            )
        return self.find(fields[self.tag]).model_validate(
            {name: item for name, item in fields.items() if name != self.tag}
        )

    def make(self, value: Any) -> K:
        """`parse` for values from outside a configuration, such as an argument of a program; raises
        UserError.
        """
        try:
            return self.parse(value)
        except PydanticCustomError as error:
            raise UserError(f"{error} (got {value!r})") from None
        except ValidationError as error:
            name = value if isinstance(value, str) else value[self.tag]
            raise UserError(f"{name}: {explain(error, self.find(name))}") from None
        except ValueError as error:
            raise UserError(str(error)) from error

    def dump(self, component: K) -> dict[str, Any]:
        """The mapping from which `parse` makes the same instance."""
        return {self.tag: component.known_as(), **component.model_dump(mode="json")}
