"""Every setting of the papers and their code, beside that of a profile."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
import yaml

from pseudogec.artefacts.errors import UserError
from pseudogec.report.papers import FOLDER, PAPERS
from pseudogec.report.tables import StyledTable, styled
from pseudogec.study import PROJECT, Profile, load_profile

if TYPE_CHECKING:
    from pseudogec.report.report import Report
    from pseudogec.study.profile import Difference

_SOURCES = {**PAPERS, "helo_word": "released code of Choe et al. 2019"}
NOT_STATED = "not stated"
_NUMBER_OF = "#"
"""The end of a key of which the number of values counts, such as ``seeds#``."""


def published_settings(profile: str) -> list[dict[str, str]]:
    """Every setting of the papers that a profile repeats and of their released code, and some that
    they leave open.

    Returns:
        ``source`` (a paper or its code), ``place`` in the source, ``setting``, ``theirs`` (YAML;
        empty where it is not stated) and ``key``, the setting's name in a profile.
    """
    with (FOLDER / "hyperparameters.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["profile"] == profile]


def hyperparameters(profile: Profile) -> pd.DataFrame:
    """The settings of a profile that repeats a paper, beside the paper's.

    Returns:
        One row for each published setting: ``source``, ``setting``, ``theirs``, ``ours``, ``why``
        where they differ or where the source leaves the setting open, and ``key``, the setting's
        name in a profile.

    Raises:
        UserError: a key of a published setting is not in the profile, and its ``differences`` do
            not name ours.
    """
    rows = []
    for row in published_settings(profile.name):
        difference = profile.differences.get(row["key"])
        theirs = _shown(yaml.safe_load(row["theirs"])) if row["theirs"] else NOT_STATED
        ours = _shown(_ours(profile, row["key"], difference))
        why = difference.why if difference and ours != theirs else ""
        source = f"{_SOURCES[row['source']]}, {row['place']}"
        rows.append(
            {
                "source": source,
                "setting": row["setting"],
                "theirs": theirs,
                "ours": ours,
                "why": why,
                "key": row["key"],
            }
        )
    return pd.DataFrame(rows, columns=["source", "setting", "theirs", "ours", "why", "key"])


def settings_table(report: Report, name: str) -> StyledTable:
    """The settings of a profile of ``params/`` that differ from those of the paper that it repeats;
    saved, all of them, as ``settings_NAME``.
    """
    profile = load_profile(PROJECT / "params" / f"{name}.yaml")
    table = hyperparameters(profile).drop(columns="key")
    other = table[table.ours != table.theirs]
    caption = (
        f"Profile {name}: the {len(other)} of {len(table)} settings that differ from the source's, "
        "or that it leaves open. The "
        "file has all of them, with the place where each is stated."
    )
    return report.keep(styled(other.drop(columns="source"), caption), table, f"settings_{name}")


def _ours(profile: Profile, key: str, difference: Difference | None) -> Any:
    if difference is not None and difference.ours:
        return difference.ours
    name = key.removesuffix(_NUMBER_OF)
    place: Any = profile
    try:
        for part in name.split("."):
            place = _part(place, part)
    except (LookupError, AttributeError, ValueError):
        raise UserError(
            f"profile {profile.name}: `{key}` is not a key of it; name our setting "
            "under its `differences`"
        ) from None
    return len(place) if name != key else place


def _part(place: Any, name: str) -> Any:
    # An architecture's name stands for all of its settings, not only for those that it changes.
    if isinstance(place, Profile) and name == "architectures":
        return {
            architecture: place.architecture_of(architecture)
            for architecture in place.architectures
        }
    if isinstance(place, Profile) and name == "optimisations_of":
        return {
            architecture: {
                name: place.optimisation_of(name, architecture) for name in place.optimisations
            }
            for architecture in place.architectures
        }
    if isinstance(place, Mapping):
        return place[name]
    if isinstance(place, Sequence):
        return place[int(name)]
    return getattr(place, name)


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple | list):
        return "; ".join(map(_shown, value))
    return str(value)
