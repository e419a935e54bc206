"""Does training in bf16 change what a model learns? Loss curves and F0.5 of the classroom's baseline in both precisions.

    python tests/bench/bench_precision.py [--seeds 1 2 3] [--store FOLDER]

Trainings in fp32 come from the store or the committed pack, if they are there; those in bf16 are trained, some minutes a seed.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported, here and in the workers

import pandas as pd
from measuring import describe_machine

from pseudogec.seq2seq.training import computes_in_bf16
from pseudogec.study import Study, overview


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    if not computes_in_bf16():
        raise SystemExit("this processor does not compute in bf16")
    print(describe_machine())
    optimisations = Study.open("classroom", store=options.store).profile.optimisations
    curves, scores = [], []
    for precision in ("fp32", "bf16"):
        study = Study.open(
            "classroom", [f"optimisations.{name}.precision={precision}" for name in optimisations], store=options.store
        )
        grid = study.grid(method="none", seeds=options.seeds)
        scores.append(study.scores(grid).assign(precision_of_training=precision))
        curves.append(overview.learning_curves(study, grid).assign(precision_of_training=precision))
    losses = pd.concat(curves)
    losses = losses[losses.data == "validation"]
    by_update = losses.groupby(["update", "precision_of_training"]).loss.agg(["mean", "std", "size"]).unstack()
    print("\nvalidation loss, bits per subword\n", by_update.round(4).to_string())
    measures = ["precision", "recall", "f05"]
    percent = pd.concat(scores).groupby("precision_of_training", sort=False)[measures]
    print("\npercent\n", percent.agg(["mean", "std"]).mul(100).round(1).to_string())


if __name__ == "__main__":
    main()
