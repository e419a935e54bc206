"""Recipes, the store of their results, and the engine that builds missing results, for any kind of study."""

from artefacts.cluster import ClusterSection
from artefacts.engine import Engine
from artefacts.errors import DataError, UserError
from artefacts.files import FileDigests, SourceFile, refuse_changed
from artefacts.kinds import Kind, Kinds, Section, refuse_unknown
from artefacts.pack import Pack, merge, write_pack
from artefacts.plan import Estimator, Machine, load_machine, make_plan
from artefacts.progress import RichDisplay, format_duration
from artefacts.recipe import Artefacts, Progress, Recipe, with_ancestors
from artefacts.store import CheckedStore, Store, missing
from artefacts.time_left import TimeLeft

__all__ = [
    "Artefacts",
    "CheckedStore",
    "ClusterSection",
    "DataError",
    "Engine",
    "Estimator",
    "FileDigests",
    "Kind",
    "Kinds",
    "Machine",
    "Pack",
    "Progress",
    "Recipe",
    "RichDisplay",
    "Section",
    "SourceFile",
    "Store",
    "TimeLeft",
    "UserError",
    "format_duration",
    "load_machine",
    "make_plan",
    "merge",
    "missing",
    "refuse_changed",
    "refuse_unknown",
    "with_ancestors",
    "write_pack",
]
