"""Artefacts built in this process, without a cluster."""

from __future__ import annotations

from pseudogec.artefacts import Progress, Recipe, Store, missing


def make(store: Store, *targets: Recipe, progress: Progress = lambda *_: None) -> list[Recipe]:
    """Build what the store lacks as a worker does; returns what was missing."""
    todo = missing(targets, store)
    own = Store(store.root)  # as workers have it, without packs
    for recipe in todo:
        store.build(recipe, lambda item, folder: item.build(folder, own, progress))
    return todo
