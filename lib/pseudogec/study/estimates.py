"""How long an artefact will take, from what such artefacts took before."""

from __future__ import annotations

from collections import defaultdict
from statistics import median

from pseudogec.study.recipe import Recipe
from pseudogec.study.store import Store

# Seconds a unit of work (see `Recipe.work`) on one core of a 2020s laptop, used until the store has measured this machine.
FIRST_GUESS = {
    "corpus": 0.0005,
    "seed_text": 0.0005,
    "bpe": 0.001,
    "pairs": 0.0003,
    "pseudo_data": 0.0005,
    "mirrored": 0.0001,
    "text": 0.0001,
    "word_counts": 0.0001,
    "model": 0.06,
    "language_model": 0.05,
    "detector": 0.002,
    "search": 0.005,
    "correction": 0.005,
    "references": 0.003,
    "score": 0.003,
}
FIRST_GUESS_OF_ANYTHING = 1.0


class Estimator:
    """Estimates seconds from the rates that a store has recorded."""

    def __init__(self, store: Store) -> None:
        rates: dict[str, list[float]] = defaultdict(list)
        for recipe, result in store.artefacts():
            if result.get("work"):
                rates[result.get("work_kind", recipe["kind"])].append(result["seconds"] / result["work"])
        self._rates = {kind: median(values) for kind, values in rates.items()}

    def seconds(self, recipe: Recipe) -> float:
        """Expected seconds to build one artefact on one worker."""
        rate = self._rates.get(recipe.work_kind, FIRST_GUESS.get(recipe.kind, FIRST_GUESS_OF_ANYTHING))
        return rate * recipe.work
