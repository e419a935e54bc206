"""How far the time left that a build shows is from the truth: a recorded build played again, predicted against true time left.

    python tests/bench/bench_time_left.py [--profile classroom] [--workers 2] [--measured]

The seconds of each artefact are those in the profile's committed pack. What is expected of them is what a fresh clone expects,
whose store has measured nothing; with --measured, what a store expects that holds the same build.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from artefacts import Estimator, Pack, Recipe, TimeLeft, format_duration, missing
from pseudogec.study import PACK, Study
from replay import replay


def measured(study: Study, todo: list[Recipe], took: dict[str, float]) -> Estimator:
    """Expects what a store does that has built the same before."""
    rates = defaultdict(list)
    for recipe in todo:
        if recipe.work:
            rates[recipe.work_kind, False].append(took[recipe.key] / recipe.work)
    estimator = Estimator(study.store)
    estimator._seconds = {kind: median(found) for kind, found in rates.items()}
    return estimator


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="classroom")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--measured", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        study = Study.open(options.profile, store=folder, packs=False, without_data=True)
        pack = Pack(study.outputs / PACK)
        todo = [recipe for recipe in missing(study.targets(), study.store) if recipe in pack]
        took = {recipe.key: max(0.001, pack.record(recipe)["seconds"]) for recipe in todo}
        estimator = measured(study, todo, took) if options.measured else Estimator(study.store)
        left = TimeLeft(todo, estimator, options.workers)
        foreseen = left.seconds(0.0)
        predictions = list(replay(todo, took, left, every=2.0))
    end = predictions[-1].now
    print(f"{len(todo)} artefacts took {format_duration(end)} on {options.workers} workers, foreseen {format_duration(foreseen)}")
    for share in (0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9):
        now, said = next(prediction for prediction in predictions if prediction.now >= share * end)
        true = end - now
        told = f"{format_duration(said):>14} {said / true - 1:+5.0%}"
        print(f"{share:4.0%} of the time: left {format_duration(true):>14}, said {told}")


if __name__ == "__main__":
    main()
