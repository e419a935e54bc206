"""From a YAML file and ``key=value`` overrides to a checked profile, with the line of each
error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from pseudogec.artefacts.errors import DataError, UserError, nearest
from pseudogec.study.profile import Location, Problem, Profile, problems_in, problems_of


class _Key(str):
    """A key that knows where it is written."""

    place: str

    @classmethod
    def at(cls, key: Any, place: str) -> _Key:
        (marked := cls(key)).place = place
        return marked


class _Loader(yaml.SafeLoader):
    """Keeps the places of keys, and refuses a key that a mapping has twice, of which YAML's own
    loader drops the first.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[_Key, Any]:  # type: ignore[override]
        written = [key.value for key, _ in node.value]
        for key in (
            key for place, (key, _) in enumerate(node.value) if key.value in written[:place]
        ):
            raise yaml.constructor.ConstructorError(
                None, None, f"the key `{key.value}` is there twice", key.start_mark
            )
        self.flatten_mapping(node)
        return {
            _Key.at(
                self.construct_object(key), f"{self.name}, line {key.start_mark.line + 1}"
            ): self.construct_object(value, True)
            for key, value in node.value
        }


def load_profile(path: Path, overrides: Sequence[str] = (), library: Path | None = None) -> Profile:
    """Read a profile, the profiles that it extends, and overrides such as
    ``corpora.genuine.sentences=500``.

    A profile changes the one that it extends as a JSON merge patch does (RFC 7386): mappings are
    merged key by key, other values are replaced, ``null`` removes a key; and ``replace: true`` in a
    mapping replaces it whole. Overrides replace. ``null`` is a value in a mapping that the other
    profile lacks. Then ``$name`` stands for the value of that name under ``scale``.

    Args:
        path: the YAML file.
        overrides: changes as ``key=value``.
        library: folder of profiles to extend that are not beside the file.

    Raises:
        DataError: the file is missing, is not YAML, or extends itself.
        UserError: unknown keys or impossible values; the message has a line for each, with file,
            line and key.
    """
    nothing: dict[str, Any] = {}
    links: dict[Location, Location] = {}
    try:
        written = reduce(
            _override,
            overrides,
            reduce(_merge, [content for _, content in _chain(path, library)], nothing),
        )
        scale = written.get("scale")
        amounts = {"seeds": written.get("seeds"), **(scale if isinstance(scale, dict) else {})}
        profile = Profile.model_validate({"name": path.stem, **_resolved(written, amounts, links)})
        problems = list(problems_of(profile))
    except ValidationError as error:
        problems = problems_in((), error)
    except RecursionError:
        raise DataError(
            path, "a `$name` stands for itself, or mappings are nested without end"
        ) from None
    if problems:
        raise UserError(
            "\n".join(dict.fromkeys(_told(problem, written, links, path) for problem in problems))
        )
    return profile


def _told(problem: Problem, content: Any, links: Mapping[Location, Location], path: Path) -> str:
    """A problem with the place and the key where the value is written: those of the amount where
    that is written ``$name``.
    """
    location, missing = problem.location, problem.location[-1:] if problem.missing else ()
    for end in range(len(location), 0, -1):
        if (amount := links.get(location[:end])) is not None:
            location = (*amount, *location[end:])
            break
    place, keys = str(path), list[str | int]()
    for part in location:
        if isinstance(content, dict) and part in content:
            place = next(key.place for key in content if key == part)
        elif not (isinstance(content, list) and part in range(len(content))):
            continue  # such as the name of a union's member
        content = content[part]
        keys.append(part)
    return f"{place}: {problem._replace(location=(*keys, *missing))}"


def names_of_extended(path: Path, library: Path) -> list[str]:
    """The names of the profiles that a profile extends, the nearest first."""
    return [file.stem for file, _ in reversed(_chain(path, library)[:-1])]


def _chain(path: Path, library: Path | None) -> list[tuple[Path, dict[str, Any]]]:
    """The contents of a profile and of those that it extends, itself last."""
    chain: list[tuple[Path, dict[str, Any]]] = []
    parent: str | None = path.stem
    while parent is not None:
        if path in [file for file, _ in chain]:
            raise DataError(path, "extends itself")
        chain.insert(0, (path, content := _read(path, library)))
        beside = path.parent / f"{(parent := content.pop('extends', None))}.yaml"
        path = beside if beside.exists() or library is None else library / beside.name
    return chain


def _read(path: Path, library: Path | None) -> dict[str, Any]:
    try:
        loader = _Loader(path.read_text(encoding="utf-8"))
        loader.name = str(path)
        content = loader.get_single_data() or {}
    except FileNotFoundError:
        known = [
            file.stem
            for folder in (path.parent, library or path.parent)
            for file in folder.glob("*.yaml")
        ]
        where = (
            nearest(path.stem, set(known))
            if known
            else ("; profiles come with a clone of the project: run this in one")
        )
        raise DataError(path, f"no such profile{where}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(path, f"cannot be read as a profile ({error})") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise DataError(
            path, f"not valid YAML: {error.problem}", mark.line + 1 if mark else None
        ) from None
    if not isinstance(content, dict):
        raise DataError(path, "a profile is a mapping of keys to values")
    return content


def _merge(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    # In the order of the base, written as in the changes
    keys = {**{key: key for key in base}, **{key: key for key in changes}}
    merged = {key: changes[key] if key in changes else base[key] for key in keys.values()}
    for key, value in changes.items():
        if value is None:
            del merged[key]
        elif isinstance(value, dict) and value.get("replace") is True:
            merged[key] = {name: item for name, item in value.items() if name != "replace"}
        elif isinstance(value, dict) and isinstance(base.get(key), dict):
            merged[key] = _merge(base[key], value)
    return merged


def _override(content: dict[str, Any], override: str) -> dict[str, Any]:
    """The content with the change that a text such as ``corpora.genuine.sentences=500`` stands
    for.
    """
    name, equals, text = override.partition("=")
    try:
        loader = _Loader(text)
        loader.name = f"--set {override}"
        value = loader.get_single_data()
    except (yaml.YAMLError, ValueError):  # a date that does not exist is a ValueError
        raise UserError(f"--set {override}: the value is not valid YAML") from None
    if not equals or not name:
        raise UserError(
            f"--set {override}: write key=value, for example corpora.genuine.sentences=500"
        )
    if name not in Profile.model_fields and (places := list(_places_of(name, content))):
        raise UserError(
            f"--set {override}: unknown key; did you mean "
            f"{' or '.join(f'`{place}`' for place in places)}?"
        )
    return _put(content, [_Key.at(key, loader.name) for key in name.split(".")], value)


def _places_of(name: str, content: Any, before: str = "") -> Iterator[str]:
    """The full keys of the values, not mappings, that have this name somewhere in a profile."""
    if isinstance(content, dict):
        for key, value in content.items():
            if key == name and not isinstance(value, dict):
                yield before + key
            yield from _places_of(name, value, f"{before}{key}.")


def _put(content: dict[str, Any], keys: Sequence[_Key], value: Any) -> dict[str, Any]:
    """A mapping with another value under a key of a mapping within it, and so on."""
    key, *others = keys
    if others:
        inner = content.get(key)
        value = _put(inner if isinstance(inner, dict) else {}, others, value)
    return {**{key if name == key else name: item for name, item in content.items()}, key: value}


def _resolved(
    value: Any, amounts: Mapping[str, Any], links: dict[Location, Location], location: Location = ()
) -> Any:
    """A value with each ``$name`` replaced; adds the location of the amount to the links."""
    if isinstance(value, dict):
        return {
            str(key): _resolved(item, amounts, links, (*location, str(key)))
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [
            _resolved(item, amounts, links, (*location, number))
            for number, item in enumerate(value)
        ]
    name = value[1:] if isinstance(value, str) and value.startswith("$") else ""
    if name not in amounts:  # `$SCRATCH` is left to the shell
        return value
    links[location] = ("seeds",) if name == "seeds" else ("scale", name)
    return _resolved(amounts[name], amounts, links, location)
