"""Profiles, the recipes that planning makes of them, and the tidy table of scores."""

from pseudogec.artefacts import missing
from pseudogec.artefacts.engine import BuildError
from pseudogec.study.corrections import read_corrected
from pseudogec.study.grid import Grid, Pipeline, System
from pseudogec.study.loading import load_profile
from pseudogec.study.planning import Planner
from pseudogec.study.profile import Profile
from pseudogec.study.study import PACK, PROJECT, YAML, MissingSentencesError, Study

__all__ = [
    "PACK",
    "PROJECT",
    "YAML",
    "BuildError",
    "Grid",
    "MissingSentencesError",
    "Pipeline",
    "Planner",
    "Profile",
    "Study",
    "System",
    "load_profile",
    "missing",
    "read_corrected",
]
