"""Recipes, the store of their results, and the engine that builds missing results, for any kind of
study.
"""

from pseudogec.artefacts.cluster import ClusterSection
from pseudogec.artefacts.engine import Engine
from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import FileDigests, SourceFile, refuse_changed
from pseudogec.artefacts.kinds import Component, Registry, Section
from pseudogec.artefacts.pack import Pack, merge, write_pack
from pseudogec.artefacts.plan import Estimator, make_plan
from pseudogec.artefacts.progress import ProgressLine, TimeLeft, format_duration
from pseudogec.artefacts.recipe import Artefacts, Progress, Recipe, with_ancestors
from pseudogec.artefacts.store import Store, missing

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
