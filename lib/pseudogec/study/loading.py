"""From a YAML file and ``key=value`` overrides to a checked profile, with errors that name the file and the key."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from pseudogec.errors import DataError, UserError, nearest
from pseudogec.study.profile import Profile


def load_profile(path: Path, overrides: Sequence[str] = (), library: Path | None = None) -> Profile:
    """Read a profile, the profiles that it extends, and overrides such as ``corpora.genuine.sentences=500``.

    Args:
        path: the YAML file.
        overrides: changes as ``key=value``.
        library: where profiles to extend are looked for when they are not beside the file.

    Raises:
        DataError: the file is missing, is not YAML, or extends itself.
        UserError: an unknown key or impossible value; the message names file and key and says what would be right.
    """
    content = _read_extended(path, library, ())
    for override in overrides:
        _override(content, override)
    content["name"] = path.stem
    try:
        return Profile.model_validate(content)
    except ValidationError as error:
        raise UserError("\n".join(_explain(path, item, content) for item in error.errors())) from None


def _read_extended(path: Path, library: Path | None, children: tuple[Path, ...]) -> dict[str, Any]:
    if path.resolve() in children:
        raise DataError(path, "extends itself: " + " -> ".join(child.name for child in (*children, path)))
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except FileNotFoundError:
        known = [file.stem for file in path.parent.glob("*.yaml")]
        raise DataError(path, f"no such profile{nearest(path.stem, known)}") from None
    except OSError as error:
        raise DataError(path, f"cannot be read as a profile ({error.strerror})") from None
    except UnicodeDecodeError:
        raise DataError(path, "not valid UTF-8; convert the file to UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise DataError(path, f"not valid YAML: {getattr(error, 'problem', error)}", mark.line + 1 if mark else None) from None
    if not isinstance(content, dict):
        raise DataError(path, "a profile is a mapping of keys to values")
    parent = content.pop("extends", None)
    if parent is None:
        return content
    beside = path.parent / f"{parent}.yaml"
    extended = beside if beside.exists() or library is None else library / f"{parent}.yaml"
    return _merge(_read_extended(extended, library, (*children, path.resolve())), content)


def _merge(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Merge mappings key by key; everything else, lists too, is replaced. ``replace: true`` in a mapping replaces it whole."""
    merged = dict(base)
    for key, value in changes.items():
        if isinstance(value, dict) and value.get("replace") is True:
            merged[key] = {name: item for name, item in value.items() if name != "replace"}
        elif isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = _merge(merged[key], value)
        else:
            merged[key] = value
    return merged


def _override(content: dict[str, Any], override: str) -> None:
    name, equals, text = override.partition("=")
    if not equals or not name:
        raise UserError(f"--set {override}: write key=value, for example corpora.genuine.sentences=500")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        raise UserError(f"--set {override}: the value is not valid YAML") from None
    *parents, last = name.split(".")
    place: Any = content
    for parent in parents:
        place = place.setdefault(parent, {}) if isinstance(place, dict) else None
    if not isinstance(place, dict):
        raise UserError(f"--set {override}: `{'.'.join(parents)}` is not a mapping of keys")
    place[last] = value


def _explain(path: Path, error: Any, content: dict[str, Any]) -> str:
    location = [str(part) for part in error["loc"]]
    if error["type"] == "extra_forbidden":
        known = _keys_at(error["loc"][:-1], content)
        return f"{path}: unknown key `{'.'.join(location)}`{nearest(location[-1], known) if known else ''}"
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "missing":
        return f"{path}: the key `{'.'.join(location)}` is missing"
    given = error.get("input")
    got = "" if isinstance(given, dict | list | BaseModel) or error["type"] == "value_error" else f" (got {given!r})"
    return f"{path}: {'.'.join(location) + ': ' if location else ''}{message}{got}"


def _keys_at(location: Sequence[str | int], content: Any) -> list[str]:
    """The keys that a profile knows at a place, found by walking the schema along the location of an error."""
    model: Any = Profile
    for part in location:
        content = content.get(part) if isinstance(content, dict) else None
        candidates = _models_in(model.model_fields[part].annotation) if part in getattr(model, "model_fields", {}) else []
        if not candidates and not isinstance(content, dict):
            continue  # a tag of a union, or a place in a list
        fitting = [item for item in candidates if _tag(item) in (None, (content or {}).get("source"))]
        model = fitting[0] if fitting else model
    return [field.alias or name for name, field in model.model_fields.items()]


def _models_in(annotation: Any) -> list[Any]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in getattr(annotation, "__args__", ()) for model in _models_in(argument)]


def _tag(model: Any) -> Any:
    field = model.model_fields.get("source")
    return field.annotation.__args__[0] if field is not None else None
