"""How near the errors of pseudo data are to those of learners, by ERRANT's types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pseudogec.edits import type_distance
from pseudogec.evaluate import main_type
from pseudogec.report.figures import BESIDE, colours_of
from pseudogec.report.tables import METHOD_NAMES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Profile = Mapping[str, Any]
"""``tokens``, ``edits`` and ``types`` (ERRANT type -> count) of a text's edits."""

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
    """Share of the genuine data's most frequent error types in each method's pseudo data."""
    import matplotlib.pyplot as plt
    import pandas as pd
    import seaborn as sns

    rows = []
    for name, profile in {"genuine": genuine, **profiles}.items():
        shares: Counter[str] = Counter()
        for error_type, count in profile["types"].items():
            shares[main_type(error_type)] += 100 * count / max(profile["edits"], 1)
        rows += [(METHOD_NAMES.get(name, name), error_type, share) for error_type, share in shares.items()]
    table = pd.DataFrame(rows, columns=["method", "error_type", "share"])
    frequent = table[table.method == "genuine"].nlargest(most, "share").error_type.tolist()
    colours = colours_of(profiles)
    colours = {"genuine": "#000000", **{METHOD_NAMES.get(name, name): colours[name] for name in profiles}}
    figure, axes = plt.subplots(figsize=(9, 4))
    shown = table[table.error_type.isin(frequent)]
    sns.barplot(shown, x="error_type", y="share", hue="method", order=frequent, hue_order=list(colours), palette=colours, ax=axes)
    axes.set(xlabel="", ylabel="percent of edits")
    axes.tick_params(axis="x", rotation=30)
    axes.legend(**BESIDE)
    return figure
