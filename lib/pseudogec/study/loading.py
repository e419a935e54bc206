"""From a YAML file and ``key=value`` overrides to a checked profile, with errors that name the file and the key."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from artefacts.errors import DataError, UserError, nearest
from artefacts.kinds import Kinds
from pseudogec.study.profile import Profile


class _OneOfEachKey(yaml.SafeLoader):
    """Refuses a key that a mapping has twice; YAML's own loader silently drops the first."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        seen = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                raise yaml.composer.ComposerError(problem=f"the key `{key.value}` is there twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return node


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
        UserError: an unknown key or impossible value; the message names file and key and says what would be right.
    """
    if isinstance(overrides, str):
        raise UserError(f'overrides are a list of texts; write ["{overrides}"]')
    try:
        content = _unshared(_read_extended(path, library, ()))
    except RecursionError:
        raise DataError(path, "a value contains itself (an alias `*name` inside of its own anchor `&name`)") from None
    for override in overrides:
        _override(content, override)
    changed = f"{path}, changed by {', '.join(overrides)}" if overrides else f"{path}"
    scale = content.get("scale")
    amounts = {"seeds": content.get("seeds"), **(scale if isinstance(scale, dict) else {})}
    try:
        content = {"name": path.stem, **_resolved(content, amounts)}
    except LookupError as error:
        raise UserError(f"{changed}: {error.args[0]}") from None
    try:
        return Profile.model_validate(content)
    except ValidationError as error:
        raise UserError("\n".join(f"{changed}: {_explain(item, content)}" for item in error.errors())) from None


def names_of_extended(path: Path, library: Path) -> list[str]:
    """The names of the profiles that a profile extends, the nearest first; of a file that `load_profile` has read."""
    names: list[str] = []
    while (parent := (yaml.load(path.read_text(encoding="utf-8"), _OneOfEachKey) or {}).get("extends")) is not None:
        path = _place_of(parent, path, library)
        names.append(path.stem)
    return names


def _place_of(parent: str, path: Path, library: Path | None) -> Path:
    """The file of a profile that another one extends: beside it, or else in the library."""
    beside = path.parent / f"{parent}.yaml"
    return beside if beside.exists() or library is None else library / f"{parent}.yaml"


def _read_extended(path: Path, library: Path | None, children: tuple[Path, ...]) -> dict[str, Any]:
    if path.resolve() in children:
        raise DataError(path, "extends itself: " + " -> ".join(child.name for child in (*children, path)))
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), _OneOfEachKey) or {}
    except FileNotFoundError:
        raise DataError(path, f"no such profile{nearest(path.stem, _profiles_in(path.parent, library))}") from None
    except OSError as error:
        raise DataError(path, f"cannot be read as a profile ({error.strerror})") from None
    except UnicodeDecodeError:
        raise DataError(path, "not valid UTF-8; convert the file to UTF-8") from None
    except (yaml.YAMLError, ValueError) as error:  # a date that does not exist is a ValueError
        mark = getattr(error, "problem_mark", None)
        raise DataError(path, f"not valid YAML: {getattr(error, 'problem', error)}", mark.line + 1 if mark else None) from None
    if not isinstance(content, dict):
        raise DataError(path, "a profile is a mapping of keys to values")
    parent = content.pop("extends", None)
    if parent is None:
        return content
    extended = _place_of(parent, path, library)
    if not extended.exists():
        raise DataError(path, f"extends: no such profile{nearest(str(parent), _profiles_in(path.parent, library))}")
    return _merge(_read_extended(extended, library, (*children, path.resolve())), content)


def _profiles_in(*folders: Path | None) -> list[str]:
    files = [file for folder in folders if folder is not None for file in sorted(folder.glob("*.yaml"))]
    # Both may be the same folder.
    return list(dict.fromkeys(file.stem for file in files if not file.name.startswith(".")))


def _merge(base: dict[str, Any], changes: dict[str, Any], place: tuple[str, ...] = ()) -> dict[str, Any]:
    merged = dict(base)
    of_a_training = place[:1] == ("optimisations_of",) and len(place) == 3
    for key, value in changes.items():
        if value is None and not of_a_training:
            merged.pop(key, None)
        elif isinstance(value, dict) and value.get("replace") is True:
            merged[key] = {name: item for name, item in value.items() if name != "replace"}
        elif isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = _merge(merged[key], value, (*place, key))
        else:
            merged[key] = value
    return merged


def _unshared(value: Any) -> Any:
    """A value without parts that stand in two places, as YAML makes them of ``*name``; else a change of one would change both."""
    if isinstance(value, dict):
        return {key: _unshared(item) for key, item in value.items()}
    return [_unshared(item) for item in value] if isinstance(value, list) else value


def _resolved(value: Any, amounts: dict[str, Any], place: str = "", within: tuple[str, ...] = ()) -> Any:
    """A value with each ``$name`` replaced; names are lower case, so ``$SCRATCH`` is left to the shell."""
    if isinstance(value, dict):
        return {key: _resolved(item, amounts, f"{place}.{key}".lstrip("."), within) for key, item in value.items()}
    if isinstance(value, list):
        return [_resolved(item, amounts, f"{place}.{number}", within) for number, item in enumerate(value)]
    name = value[1:] if isinstance(value, str) and value.startswith("$") else ""
    if not (name.isidentifier() and name.islower()):
        return value
    if name not in amounts:
        raise LookupError(f"{place}: `scale` gives no value for `${name}`{nearest(name, amounts)}")
    if name in within:
        raise LookupError(f"{place}: the value of `${name}` in `scale` leads back to itself")
    return _resolved(amounts[name], amounts, place, (*within, name))


def _override(content: dict[str, Any], override: str) -> None:
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
        place = place.setdefault(parent, {}) if isinstance(place, dict) else None
    if not isinstance(place, dict):
        raise UserError(f"--set {override}: `{'.'.join(parents)}` is not a mapping of keys")
    place[last] = value


def _explain(error: Any, content: dict[str, Any]) -> str:
    location = _without_tags(error["loc"], content, last_is_there=error["type"] != "missing")
    name = ".".join(map(str, location))
    if error["type"] == "extra_forbidden":
        known = _keys_at(error["loc"][:-1], content)
        return f"unknown key `{name}`{nearest(str(location[-1]), known) if known else ''}"
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "missing":
        return f"the key `{name}` is missing"
    given = error.get("input")
    got = "" if isinstance(given, dict | list | BaseModel) or error["type"] == "value_error" else f" (got {given!r})"
    return f"{name + ': ' if name else ''}{message}{got}"


def _without_tags(location: Sequence[str | int], content: Any, last_is_there: bool) -> list[str | int]:
    """The keys and places in lists along the location of an error, without the names of a union's members between them."""
    found: list[str | int] = []
    for number, part in enumerate(location, start=1):
        if isinstance(content, dict) and (number < len(location) or last_is_there) and part not in content:
            continue
        found.append(part)
        try:
            content = content[part]
        except (LookupError, TypeError):  # the last part, a key that is missing
            content = None
    return found


def _keys_at(location: Sequence[str | int], content: Any) -> list[str]:
    """The keys that a profile knows at a place, found by walking schema and content along the location of an error."""
    schema: Any = Profile
    beside: list[str] = []  # the keys of a model that stand in one mapping with those of a part of it
    for part in location:
        model = _model_of(schema, content)
        is_key = isinstance(content, list) or (isinstance(content, dict) and part in content)
        if model is not None and part in model.model_fields:
            field = model.model_fields[part]
            schema = (field.annotation, *field.metadata)
            beside = [] if is_key else [*beside, *(name for name in model.model_fields if name != part)]
        if is_key:
            content = content[part]
    model = _model_of(schema, content)
    return beside + [field.alias or name for name, field in model.model_fields.items()] if model is not None else []


def _model_of(schema: Any, content: Any) -> Any:
    """The first model in a type that the content may belong to."""
    return next(iter(_models_in(schema, content)), None) if isinstance(content, dict) else None


def _models_in(schema: Any, content: Any) -> list[Any]:
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return [schema]
    kinds = getattr(getattr(schema, "func", None), "__self__", None)
    if isinstance(kinds, Kinds):  # the validator that parses one of them
        return [kinds.find(content[kinds.tag])] if isinstance(content, dict) and kinds.tag in content else []
    parts = schema if isinstance(schema, tuple) else get_args(schema)
    # The validator knows more of a kind than its base, which stands before it.
    return [model for part in reversed(parts) for model in _models_in(part, content)]
