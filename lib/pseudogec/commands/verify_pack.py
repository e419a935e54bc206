"""``run_all.py --verify-pack N``: whether artefacts of a pack come out the same when they are built again."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from artefacts import Engine, Store, with_ancestors
from artefacts.errors import UserError
from artefacts.pack import Entry, Source, differences
from artefacts.recipe import Recipe
from pseudogec.study import PACK, Study


def verify_pack(study: Study, count: int) -> int:
    """Build artefacts of the study's packs again, chosen at random, with all that they rest on, and compare the numbers.

    On the kind of processor that an artefact was made on, equal numbers are asked for, to the byte. On another kind a training
    ends in other weights, as from another seed: what rests on one may differ there, which is told and is no failure.

    Returns:
        0 where no number differs that should not; else 1.

    Raises:
        UserError: the study has no pack.
        BuildError: an artefact could not be built.
    """
    packed = [recipe for recipe in with_ancestors(study.targets()) if any(recipe in pack for pack in study.store.packs)]
    if not packed:
        raise UserError(f"profile {study.profile.name}: there is no {PACK} in {study.outputs}, so there is nothing to verify")
    chosen = random.sample(packed, min(count, len(packed)))
    print(f"verify  {len(chosen)} of {len(packed)} artefacts: " + ", ".join(f"{item.kind} {item.label}" for item in chosen))
    with tempfile.TemporaryDirectory(prefix="pseudogec-") as folder:
        built, engine = Store(Path(folder) / "built"), study.engine
        with Engine(built, None, engine.workers, engine.display, study.profile.cluster) as fresh:
            fresh.build(chosen)
        return compare(packed, Store(Path(folder) / "packed", study.store.packs), built)


def compare(recipes: Sequence[Recipe], packed: Source, built: Source) -> int:
    """Say where artefacts have other numbers than in a pack, as far as they were built; returns 1 where that should not be."""
    found = [(recipe, packed.entry(recipe), built.entry(recipe)) for recipe in recipes]
    pairs = [(recipe, ours, theirs) for recipe, ours, theirs in found if ours is not None and theirs is not None]
    failed = excused = 0
    for recipe, ours, theirs in pairs:
        if differing := differences(ours, theirs):
            trained = any(each.operations for each in with_ancestors([recipe]))
            may_differ = trained and _made_on(ours) != _made_on(theirs)
            failed, excused = failed + (not may_differ), excused + may_differ
            print(f"{'other' if may_differ else 'wrong':8}{recipe.kind} {recipe.label} ({recipe.key}): {'; '.join(differing)}")
            print(f"        in the pack from {_made_on(ours)}; here from {_made_on(theirs)}")
    same = f"{len(pairs) - failed - excused} of {len(pairs)} artefacts have the same numbers"
    elsewhere = f", {excused} have others, made on another or an unknown processor" if excused else ""
    print(f"verify  {same}{elsewhere}, {failed} are wrong")
    return int(failed > 0)


def _made_on(entry: Entry) -> str:
    processor, instructions = (entry.record.get(name, "") for name in ("processor", "instructions"))
    return f"{processor} ({instructions})" if processor else "an unknown processor"
