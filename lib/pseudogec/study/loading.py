"""From a YAML file and ``key=value`` overrides to a checked profile, with all errors at once and the line of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from artefacts.errors import DataError, UserError, nearest
from pseudogec.study.profile import MISSING, Location, Problem, Profile, problems_in, problems_of


class _Mapping(dict[str, Any]):
    """A mapping that knows where each of its keys is written."""

    def __init__(self, values: Mapping[str, Any] | None = None, places: Mapping[str, str] | None = None) -> None:
        super().__init__(values or {})
        self.places = dict(places or {})

    def put(self, key: str, value: Any, place: str) -> None:
        self[key], self.places[key] = value, place


class _Loader(yaml.SafeLoader):
    """Keeps the places of keys, and refuses a key that a mapping has twice, of which YAML's own loader drops the first."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        seen = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                raise yaml.composer.ComposerError(problem=f"the key `{key.value}` is there twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return node

    def mapping(self, node: yaml.MappingNode) -> Iterator[_Mapping]:
        yield (found := _Mapping())  # before its content, which may name it
        found.update(self.construct_mapping(node))  # type: ignore[arg-type]  # keys of profiles are text
        found.places |= {
            self.construct_object(key): f"{key.start_mark.name}, line {key.start_mark.line + 1}" for key, _ in node.value
        }


_Loader.add_constructor("tag:yaml.org,2002:map", _Loader.mapping)


def load_profile(path: Path, overrides: Sequence[str] = (), library: Path | None = None) -> Profile:
    """Read a profile, the profiles that it extends, and overrides such as ``corpora.genuine.sentences=500``.

    A profile changes the one that it extends as a JSON merge patch does (RFC 7386): mappings are merged key by key, other
    values are replaced, ``null`` removes a key; and ``replace: true`` in a mapping replaces it whole. ``null`` is a value
    in a mapping that the other profile lacks, and for a setting of a training under ``optimisations_of``. Then ``$name`` stands
    for the value of that name under ``scale``. OmegaConf offers merging and references too, but neither removal nor ``replace``,
    and it takes the shell variables of a cluster's ``launcher`` for references.

    Args:
        path: the YAML file.
        overrides: changes as ``key=value``.
        library: folder of profiles to extend that are not beside the file.

    Raises:
        DataError: the file is missing, is not YAML, or extends itself.
        UserError: unknown keys or impossible values; the message has a line for each, with file, line and key, and says what
            would be right.
    """
    if isinstance(overrides, str):
        raise UserError(f'overrides are a list of texts; write ["{overrides}"]')
    try:
        *extended, own = [content for _, content in _chain(path, library)]
    except RecursionError:
        raise DataError(path, "a value contains itself (an alias `*name` inside of its own anchor `&name`)") from None
    merged = reduce(_merge, extended, _Mapping())
    base = _resolved(merged, merged)  # before overrides change what both share
    content = _merge(merged, own)
    for override in overrides:
        _override(content, override)
    problems: list[Problem] = []
    profile = _validated({"name": path.stem, **_resolved(content, content, problems)}, base, problems)
    if problems or profile is None:
        raise UserError("\n".join(dict.fromkeys(_told(problem, content, path) for problem in problems)))
    return profile


def _validated(content: dict[str, Any], base: dict[str, Any], problems: list[Problem]) -> Profile | None:
    """A profile; adds what is wrong to the problems.

    Where a value is impossible, that of the extended profile takes its place, so that other errors are found, too.
    """
    profile = None
    try:
        profile = Profile.model_validate(content)
    except ValidationError as error:
        known = [problem.location for problem in problems]
        problems += [problem for problem in problems_in((), error) if _found(problem.location, content) not in known]
    wrong = [_found(problem.location, content) for problem in problems]
    if wrong:
        for location in wrong:
            _mend(location, content, base)
        try:
            profile = Profile.model_validate(content)
        except ValidationError:
            return None
    for problem in problems_of(profile) if profile else ():
        unknown = problem.message.partition(";")[0]
        if not any(where[:2] == problem.location[:2] or f"`{where[-1]}`" in unknown for where in wrong if where):
            problems.append(problem)  # else it may be there only since a wrong value was left out
    return profile


def _found(location: Location, content: Any) -> Location:
    """The keys and places in lists along a location, without what is not there, such as the names of a union's members."""
    found: list[str | int] = []
    for part in location:
        if (isinstance(content, dict) and part in content) or (isinstance(content, list) and part in range(len(content))):
            content = content[part]  # type: ignore[index]
            found.append(part)
    return tuple(found)


def _mend(location: Location, content: Any, base: Any) -> None:
    """Put the value of the extended profile in the place of the innermost key of a location; without one, remove the key."""
    while location and not isinstance(location[-1], str):
        location = location[:-1]
    if not location or _found(location, content) != location:
        return
    for part in location[:-1]:
        content, base = content[part], base.get(part) if isinstance(base, dict) else None
    if isinstance(base, dict) and location[-1] in base:
        content[location[-1]] = base[location[-1]]
    else:
        del content[location[-1]]


def _told(problem: Problem, content: _Mapping, path: Path) -> str:
    """A problem with its place and, if it does not fit to another value, that value's."""
    place, location = _place(problem.location, content)
    if problem.message == MISSING:
        location = (*location, problem.location[-1])
    beside, other = _place(problem.beside, content) if problem.beside else (place, ())
    hint = f" ({'.'.join(map(str, other))}: {beside})" if beside != place else ""
    return f"{place or path}: {Problem(location, problem.message)}{hint}"


def _place(location: Location, content: _Mapping, within: tuple[str, ...] = ()) -> tuple[str, Location]:
    """Where a value is written, and the keys that lead to it: those of the amount where it is written ``$name``."""
    value: Any = content
    place, found = "", _found(location, content)
    for number, part in enumerate(found, start=1):
        place = value.places[str(part)] if isinstance(value, _Mapping) else place
        value = value[part]
        if (name := _amount(value)) in _amounts(content) and name not in within:
            amount = ("seeds",) if name == "seeds" else ("scale", name)
            return _place((*amount, *location[number:]), content, (*within, name))
    return place, found


def names_of_extended(path: Path, library: Path) -> list[str]:
    """The names of the profiles that a profile extends, the nearest first."""
    return [file.stem for file, _ in reversed(_chain(path, library)[:-1])]


def _chain(path: Path, library: Path | None, children: tuple[Path, ...] = ()) -> list[tuple[Path, _Mapping]]:
    """The contents of a profile and of those that it extends, itself last."""
    if path.resolve() in children:
        raise DataError(path, "extends itself: " + " -> ".join(child.name for child in (*children, path)))
    content = _read(path, library)
    parent = content.pop("extends", None)
    if parent is None:
        return [(path, content)]
    beside = path.parent / f"{parent}.yaml"
    extended = beside if beside.exists() or library is None else library / f"{parent}.yaml"
    if not extended.exists():
        known = nearest(str(parent), _profiles_in(path.parent, library))
        raise UserError(f"{content.places['extends']}: extends: no such profile{known}")
    return [*_chain(extended, library, (*children, path.resolve())), (path, content)]


def _read(path: Path, library: Path | None) -> _Mapping:
    try:
        loader = _Loader(path.read_text(encoding="utf-8"))
        loader.name = str(path)
        content = _unshared(loader.get_single_data() or _Mapping())
    except FileNotFoundError:
        raise DataError(path, f"no such profile{nearest(path.stem, _profiles_in(path.parent, library))}") from None
    except OSError as error:
        raise DataError(path, f"cannot be read as a profile ({error.strerror})") from None
    except UnicodeDecodeError:
        raise DataError(path, "not valid UTF-8; convert the file to UTF-8") from None
    except (yaml.YAMLError, ValueError) as error:  # a date that does not exist is a ValueError
        mark = getattr(error, "problem_mark", None)
        raise DataError(path, f"not valid YAML: {getattr(error, 'problem', error)}", mark.line + 1 if mark else None) from None
    if not isinstance(content, _Mapping):
        raise DataError(path, "a profile is a mapping of keys to values")
    return content


def _unshared(value: Any) -> Any:
    """A value without parts that stand in two places, as YAML makes them of ``*name``; else a change of one would change both."""
    if isinstance(value, _Mapping):
        return _Mapping({key: _unshared(item) for key, item in value.items()}, value.places)
    return [_unshared(item) for item in value] if isinstance(value, list) else value


def _profiles_in(*folders: Path | None) -> list[str]:
    files = [file for folder in folders if folder is not None for file in sorted(folder.glob("*.yaml"))]
    # Both may be the same folder.
    return list(dict.fromkeys(file.stem for file in files if not file.name.startswith(".")))


def _merge(base: _Mapping, changes: _Mapping, place: tuple[str, ...] = ()) -> _Mapping:
    merged = _Mapping(base, base.places)
    of_a_training = place[:1] == ("optimisations_of",) and len(place) == 3
    for key, value in changes.items():
        if value is None and not of_a_training:
            merged.pop(key, None)
            continue
        if isinstance(value, _Mapping) and value.get("replace") is True:
            value = _merge(value, _Mapping({"replace": None}))
        elif isinstance(value, _Mapping) and isinstance(merged.get(key), _Mapping):
            value = _merge(merged[key], value, (*place, key))
        merged.put(key, value, changes.places[key])
    return merged


def _amount(value: Any) -> str:
    """The name in ``$name``; names are lower case, so ``$SCRATCH`` is left to the shell."""
    name = value[1:] if isinstance(value, str) and value.startswith("$") else ""
    return name if name.isidentifier() and name.islower() else ""


def _amounts(content: dict[str, Any]) -> dict[str, Any]:
    scale = content.get("scale")
    return {"seeds": content.get("seeds"), **(scale if isinstance(scale, dict) else {})}


def _resolved(
    value: Any,
    content: dict[str, Any],
    problems: list[Problem] | None = None,
    location: Location = (),
    within: tuple[str, ...] = (),
) -> Any:
    """A value with each ``$name`` replaced; adds to the problems where that is impossible."""
    if isinstance(value, dict):
        return {key: _resolved(item, content, problems, (*location, key), within) for key, item in value.items()}
    if isinstance(value, list):
        return [_resolved(item, content, problems, (*location, number), within) for number, item in enumerate(value)]
    if not (name := _amount(value)):
        return value
    amounts = _amounts(content)
    if name in amounts and name not in within:
        return _resolved(amounts[name], content, problems, location, (*within, name))
    if problems is not None:
        unknown = f"`scale` gives no value for `{value}`{nearest(name, amounts)}"
        problems.append(
            Problem(location, f"the value of `{value}` in `scale` leads back to itself" if name in amounts else unknown)
        )
    return value


def _override(content: _Mapping, override: str) -> None:
    name, equals, text = override.partition("=")
    if not equals or not name:
        raise UserError(f"--set {override}: write key=value, for example corpora.genuine.sentences=500")
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        raise UserError(f"--set {override}: the value is not valid YAML") from None
    *parents, last = name.split(".")
    place: Any = content
    for parent in parents:
        if isinstance(place, _Mapping) and parent not in place:
            place.put(parent, _Mapping(), f"--set {override}")
        place = place[parent] if isinstance(place, _Mapping) else None
    if not isinstance(place, _Mapping):
        raise UserError(f"--set {override}: `{'.'.join(parents)}` is not a mapping of keys")
    place.put(last, value, f"--set {override}")
