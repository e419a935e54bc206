"""What is known of the pack beside results: what its models were trained on, and when it was last built again to check it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pydantic import BaseModel, ValidationError

from artefacts import Pack
from artefacts.files import write_atomically
from artefacts.processor import made_on
from pseudogec.study import PACK

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

    def __str__(self) -> str:
        others = [f"{self.elsewhere} have others, as models trained on another processor do"] if self.elsewhere else []
        others += [f"{self.wrong} are wrong"] if self.wrong else []
        found = ", ".join([f"{self.same} of {self.compared} have the same numbers", *others])
        return f"checked on {self.date} on {self.made_on}: {self.chosen} artefacts and all they rest on, built again; {found}"


def read_check(pack: Pack) -> PackCheck | None:
    """The last check of a pack; None where it was not checked since it was written."""
    try:
        check = PackCheck.model_validate_json((pack.folder / _CHECK_FILE).read_bytes())
    except (OSError, ValidationError):
        return None
    return check if check.pack == pack.digest else None


def pack_facts(outputs: Path) -> dict[str, str]:
    """What to say of the pack in a folder of results, by subject; nothing where there is none.

    Raises:
        DataError: it is damaged.
    """
    if not Pack.is_at(outputs / PACK):
        return {}
    pack = Pack(outputs / PACK)
    records = pack.records()
    trained = Counter(made_on(record) for record in records if record.get("operations"))
    places = "; ".join(f"{count} on {place}" for place, count in trained.most_common())
    check = (
        read_check(pack) or "not checked since it was written; run_all.py --verify-pack N builds N artefacts again and compares"
    )
    return {"Models trained": places or "none", "Pack": f"{len(records)} artefacts, {check}"}
