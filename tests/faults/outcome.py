"""What a study left, beside what an undisturbed one left; and whether the store is whole."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd


def results(store: Path) -> dict[str, Any]:
    """What each artefact's step returned, by kind and key, without what tells of time."""
    found = {}
    for path in store.glob("[!.]*/*/result.json"):
        # Where the store lies is no result.
        result = json.loads(path.read_text().replace(str(store), "STORE"))["result"]
        found[f"{path.parent.parent.name} {path.parent.name}"] = _without_times(result)
    return found


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _without_times(item)
            for name, item in value.items()
            if not ("second" in name or "time" in name)
        }
    return [_without_times(item) for item in value] if isinstance(value, list) else value


def compare(folder: Path, reference: Path) -> list[str]:
    """What differs from the undisturbed study."""
    complaints = []
    mine, theirs = results(folder / "store"), results(reference / "store")
    for name in sorted(mine.keys() | theirs.keys()):
        if mine.get(name) != theirs.get(name):
            complaints.append(
                f"{name}: {json.dumps(mine.get(name))[:300]} differs from "
                f"{json.dumps(theirs.get(name))[:300]}"
            )
    tables = sorted(
        path.relative_to(reference / "outputs")
        for path in (reference / "outputs" / "tables").rglob("*.csv")
    )
    for table in tables:
        if not (folder / "outputs" / table).exists():
            complaints.append(f"{table} is missing")
        elif (folder / "outputs" / table).read_bytes() != (
            reference / "outputs" / table
        ).read_bytes():
            complaints.append(f"{table} differs from the undisturbed run's")
    if not tables:
        complaints.append("the undisturbed run wrote no tables")
    scores = Path("outputs") / "scores.parquet"
    if (reference / scores).exists() and not pd.read_parquet(folder / scores).equals(
        pd.read_parquet(reference / scores)
    ):
        complaints.append("scores.parquet differs from the undisturbed run's")
    return complaints


def look_over(store: Path) -> list[str]:
    """What is half-built under an artefact's name, and what lies about in `.work`."""
    complaints = [f".work/{path.name} was left" for path in (store / ".work").iterdir()]
    for folder in store.glob("[!.]*/*"):
        try:
            recorded = json.loads((folder / "result.json").read_text())["files"]
        except FileNotFoundError:
            complaints.append(f"{folder.name} has no result.json")
            continue
        for name, file in recorded.items():
            path = folder / name
            if (
                not path.is_file()
                or hashlib.sha256(path.read_bytes()).hexdigest() != file["sha256"]
            ):
                complaints.append(f"{folder.name}/{name} is not what was written")
    return complaints
