"""Recipes, the store of their results, and the engine that builds missing results, for any kind of study."""

from artefacts.cluster import ClusterSection
from artefacts.engine import Engine
from artefacts.errors import DataError, UserError
from artefacts.files import FileDigests, SourceFile, refuse_changed
from artefacts.kinds import Component, Registry, Section
from artefacts.pack import Pack, merge, write_pack
from artefacts.plan import Estimator, make_plan
from artefacts.progress import ProgressLine, TimeLeft, format_duration
from artefacts.recipe import Artefacts, Progress, Recipe, with_ancestors
from artefacts.store import Store, missing

__all__ = [
    "Artefacts",
    "ClusterSection",
    "Component",
    "DataError",
    "Engine",
    "Estimator",
    "FileDigests",
    "Pack",
    "Progress",
    "ProgressLine",
    "Recipe",
    "Registry",
    "Section",
    "SourceFile",
    "Store",
    "TimeLeft",
    "UserError",
    "format_duration",
    "make_plan",
    "merge",
    "missing",
    "refuse_changed",
    "with_ancestors",
    "write_pack",
]
