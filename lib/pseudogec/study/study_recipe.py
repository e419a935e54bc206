"""The base of the study's recipes while their steps are functions of `steps`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from artefacts.progress import Progress
from artefacts.recipe import Recipe
from artefacts.store import Store


class StudyRecipe(Recipe):
    """A recipe whose step is registered in `steps`."""

    def build(self, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
        """See `Recipe.build`."""
        from pseudogec.study.steps import build

        return build(self, folder, store, progress)
