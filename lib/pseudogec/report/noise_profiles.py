"""How near the errors of pseudo data are to those of learners, by ERRANT's types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pseudogec.edits import type_distance
from pseudogec.evaluate import main_type
from pseudogec.report.looks import METHOD_COLOURS, colours_of
from pseudogec.report.tables import METHOD_NAMES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Profile = Mapping[str, Any]
"""``tokens``, ``edits`` and ``types`` (ERRANT type -> count) of a text's edits."""

_OTHERS = "all others"

OPERATIONS = {"M": "missing", "R": "replacement", "U": "unnecessary"}


def profile_table(profiles: Mapping[str, Profile], genuine: Profile) -> pd.DataFrame:
    """One row for each method and one for the genuine data.

    Returns:
        Edits a token; shares of missing, replacement and unnecessary edits; the distance of the types to the genuine ones.
    """
    import pandas as pd

    rows = []
    for name, profile in {"genuine": genuine, **profiles}.items():
        operations: Counter[str] = Counter()
        for error_type, count in profile["types"].items():
            operations[error_type.partition(":")[0]] += count  # an edit of unknown type (UNK) is of no operation
        rows.append(
            {
                "method": METHOD_NAMES.get(name, name),
                "edits a token": profile["edits"] / profile["tokens"],
                **{title: operations[letter] / max(profile["edits"], 1) for letter, title in OPERATIONS.items()},
                "distance to genuine": type_distance(profile["types"], genuine["types"]),
            }
        )
    return pd.DataFrame(rows)


def type_shares(profiles: Mapping[str, Profile], genuine: Profile, most: int = 10) -> Figure:
    """Share of the genuine data's most frequent error types in each method's pseudo data: a panel a method, learners as lines."""
    import matplotlib.pyplot as plt

    shares = {name: _shares(profile) for name, profile in {"genuine": genuine, **profiles}.items()}
    frequent = [error_type for error_type, _ in shares["genuine"].most_common(most)]
    for each in shares.values():
        each[_OTHERS] = sum(share for error_type, share in each.items() if error_type not in frequent)
    frequent.append(_OTHERS)
    learners = [shares["genuine"][error_type] for error_type in frequent]
    columns = min(4, len(profiles))
    rows = -(-len(profiles) // columns)
    figure, panels = plt.subplots(
        rows, columns, figsize=(2.3 * columns + 1.2, 0.24 * len(frequent) * rows + 1.2), sharex=True, sharey=True, squeeze=False
    )
    for axes, (method, colour) in zip(panels.flat, colours_of(profiles).items(), strict=False):
        axes.barh(frequent, [shares[method][error_type] for error_type in frequent], color=colour, linewidth=0)
        axes.plot(learners, frequent, "|", color=METHOD_COLOURS["none"], markersize=11, markeredgewidth=2, label="learners")
        axes.set_title(METHOD_NAMES.get(method, method), fontsize=10)
        axes.grid(visible=False, axis="y")
        axes.tick_params(labelsize=8)
        axes.set_axisbelow(True)
    for axes in panels.flat[len(profiles) :]:
        axes.set_axis_off()
    for axes in panels.flat[max(0, len(profiles) - columns) : len(profiles)]:
        axes.tick_params(labelbottom=True)  # the last panel of each column, whether or not the row below is full
    panels[0][0].invert_yaxis()
    figure.supxlabel("percent of edits (black lines: learners)", fontsize=10)
    return figure


def share_table(profiles: Mapping[str, Profile], genuine: Profile) -> pd.DataFrame:
    """The shares of all error types, one row for each method and type; those of the genuine data first."""
    import pandas as pd

    rows = [
        {"method": name, "error_type": error_type, "percent": share}
        for name, profile in {"genuine": genuine, **profiles}.items()
        for error_type, share in _shares(profile).most_common()
    ]
    return pd.DataFrame(rows, columns=["method", "error_type", "percent"])


def _shares(profile: Profile) -> Counter[str]:
    """Percent of a text's edits by type without the operation."""
    shares: Counter[str] = Counter()
    for error_type, count in profile["types"].items():
        shares[main_type(error_type)] += 100 * count / max(profile["edits"], 1)
    return shares
