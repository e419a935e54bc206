"""``run_all.py --verify-pack N``: whether artefacts of a pack have the same numbers when they are built again."""

from __future__ import annotations

import contextlib
import random
import shutil
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from artefacts import Engine, Pack, Store, with_ancestors
from artefacts.errors import UserError
from artefacts.files import write_atomically
from artefacts.pack import Source, differences
from artefacts.processor import instructions, made_on, processor
from artefacts.recipe import Recipe
from pseudogec.study import PACK, BuildError, Study

_CHECK_FILE = "checked.json"


class PackCheck(BaseModel):
    """How ``run_all.py --verify-pack`` went, which builds artefacts of a pack again.

    Attributes:
        pack: digest of the pack that was checked; another one that is written in its place has not been.
        date: in UTC.
        chosen: artefacts that were chosen at random.
        compared: these, and what they rest on, as far as the pack has it.
        same: of these, how many have the same numbers.
        elsewhere: how many have others, as they rest on trainings on another kind of processor.
        wrong: how many have others and should not.
        made_on: where they were built again.
    """

    pack: str
    date: str
    chosen: int
    compared: int
    same: int
    elsewhere: int
    wrong: int
    made_on: str

    def write(self, pack: Pack) -> None:
        with write_atomically(pack.folder / _CHECK_FILE) as stream:
            stream.write(f"{self.model_dump_json(indent=1)}\n".encode())


def verify_pack(study: Study, count: int) -> int:
    """Build artefacts of the study's packs again, chosen at random, with their ancestors, and compare the numbers.

    On the kind of processor that an artefact was made on, numbers must be equal to the byte. On another kind a training
    ends in other weights, as from another seed: artefacts that depend on one may differ there, which is reported and no failure.

    The outcome is kept in the pack's folder.

    Returns:
        0 if all numbers agree that should; else 1.

    Raises:
        UserError: the study has no pack, or one without any of its artefacts.
        BuildError: an artefact could not be built.
    """
    if not study.store.packs:
        raise UserError(f"profile {study.profile.name}: there is no {PACK} in {study.outputs}, so there is nothing to verify")
    pack = study.store.packs[0]
    packed = [recipe for recipe in with_ancestors(study.targets()) if recipe in pack]
    if not packed:
        raise UserError(
            f"{pack.folder}: holds nothing of profile {study.profile.name} as it is now, so there is nothing to verify"
        )
    chosen = random.sample(packed, min(count, len(packed)))
    print(f"verify  {len(chosen)} of {len(packed)} artefacts: " + ", ".join(f"{item.kind} {item.label}" for item in chosen))
    # In the store, where workers on other machines see it, too.
    folder = Path(tempfile.mkdtemp(prefix="verify-", dir=study.store.root / ".work"))
    with contextlib.ExitStack() as tidy:
        tidy.callback(shutil.rmtree, folder, ignore_errors=True)
        built, engine = Store(folder), study.engine
        try:
            with Engine(built, engine.scheduler, engine.workers, engine.display, study.profile.cluster) as fresh:
                fresh.build(chosen)
        except BuildError:
            tidy.pop_all()  # the message names its logs
            raise
        check = compare(packed, pack, built)
    PackCheck(
        pack=pack.digest,
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        chosen=len(chosen),
        made_on=made_on({"processor": processor(), "instructions": instructions()}),
        **check._asdict(),
    ).write(pack)
    return int(check.wrong > 0)


class Comparison(NamedTuple):
    """The numbers of artefacts compared and found equal; as of `PackCheck`."""

    compared: int
    same: int
    elsewhere: int
    wrong: int


def compare(recipes: Sequence[Recipe], packed: Source, built: Source) -> Comparison:
    """Print the artefacts that were built with other numbers than in a pack."""
    found = [(recipe, packed.entry(recipe), built.entry(recipe)) for recipe in recipes]
    pairs = [(recipe, ours, theirs) for recipe, ours, theirs in found if ours is not None and theirs is not None]
    wrong = excused = 0
    for recipe, ours, theirs in pairs:
        if differing := differences(ours, theirs):
            trained = any(each.operations for each in with_ancestors([recipe]))
            may_differ = trained and made_on(ours.record) != made_on(theirs.record)
            wrong, excused = wrong + (not may_differ), excused + may_differ
            print(f"{'other' if may_differ else 'wrong':8}{recipe.kind} {recipe.label} ({recipe.key}): {'; '.join(differing)}")
            print(f"        in the pack from {made_on(ours.record)}; here from {made_on(theirs.record)}")
    same = len(pairs) - wrong - excused
    elsewhere = f", {excused} have others, made on another or an unknown processor" if excused else ""
    print(f"verify  {same} of {len(pairs)} artefacts have the same numbers{elsewhere}, {wrong} are wrong")
    return Comparison(len(pairs), same, excused, wrong)
