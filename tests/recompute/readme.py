"""Recompute the numbers of README's "What we found" from the packs, with NumPy and pandas alone.

    python tests/recompute/readme.py

It shares no code with the study. It fills each phrase of README with what it finds, and fails if
README says otherwise.
"""

import json
import sys
from functools import cache
from math import exp, lgamma, pi, sqrt
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[2]
SEEDS = range(1, 6)
LAST = {"1k": 80, "4k": 40, "16k": 30, "": 30}  # passes
TESTS, ARMS = ("wi-dev", "fce-test"), ("direct_noise", "none")
SMALL, LARGE = "what-they-buy", "what-they-buy-gpu"


@cache
def pack(profile):
    """The records of a pack by kind and label, and its files by key and name."""
    folder = ROOT / "outputs" / profile / "pack"
    records, files = (
        pd.concat([pd.read_parquet(path) for path in folder.rglob(f"{name}.parquet")])
        for name in ("artefacts", "files")
    )
    return records.set_index(["kind", "label"]), files.set_index(["key", "name"]).content


def stored(profile, kind, label, file):
    records, files = pack(profile)
    return json.loads(files[records.key[kind, label], file])


def of_sentences(score):
    """Right, wrong and missed edits of each sentence."""
    return np.array(
        [np.sum([edit[1:] for edit in edits] or [[0, 0, 0]], axis=0) for edits in score["rows"]],
        dtype=float,
    )


@cache
def counted(profile, model, test, kind="score"):
    """As decoded or, with the kind ``edit_shares``, at the operating point."""
    return of_sentences(stored(profile, kind, f"{model}-{test}", "score.json"))


@cache
def at(model, test, permille):
    """Right, wrong and missed edits in all of those whose share reaches a threshold."""
    curve = stored(SMALL, "edit_shares", f"{model}-{test}", "curve.json")
    made, right = (sum(curve[name][permille:]) for name in ("made", "right"))
    return right, made - right, curve["references"] - right


@cache
def operating_point(model):
    """The highest F0.5 on the development data, and the lowest threshold that has it, with its sign
    changed.
    """
    return max(
        (f05(at(model, "validation", permille)), -permille) for permille in range(50, 1000, 50)
    )


def at_operating_point(model, test):
    counts = counted(SMALL, model, test, "edit_shares")
    assert (counts.sum(0) == at(model, test, -operating_point(model)[1])).all()
    return counts


def f05(sums):
    right, wrong, missed = np.moveaxis(np.asarray(sums, dtype=float), -1, 0)
    return 1.25 * right / np.maximum(1.25 * right + wrong + 0.25 * missed, 1e-12)


def t_tail(t, freedom):
    """P(T > t): with x = sqrt(f) tan(a), Student's density is a power of the cosine."""
    angles = np.linspace(np.arctan(t / sqrt(freedom)), pi / 2, 20_001)
    ratio = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2))
    return float(np.trapezoid(np.cos(angles) ** (freedom - 1), angles)) * ratio / sqrt(pi)


def t_quantile(freedom):
    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_tail(middle, freedom) > 0.025 else (low, middle)
    return low


def interval(first, second, score=f05):
    """First minus second in points, with its 95% interval and p: over sentences and seeds, five
    equal seeds paired.
    """
    sides = [np.stack([side[seed] for seed in sorted(side)]) for side in (first, second)]
    sentences, whole = sides[0].shape[1], [counts.sum(1, keepdims=True) for counts in sides]
    scores = [score(sums)[:, 0] for sums in whole]
    # What each sentence adds, by leaving it out (jackknife)
    shares = [
        -(sentences - 1) * score(sums - each) for sums, each in zip(whole, sides, strict=True)
    ]
    difference = scores[0].mean() - scores[1].mean()
    from_sentences = (shares[0].mean(0) - shares[1].mean(0)).var(ddof=1) / sentences
    if first.keys() == second.keys() and len(first) >= 5:
        scores, shares = [scores[0] - scores[1]], [shares[0] - shares[1]]
    seeds = [(each.var(ddof=1) / len(each), len(each) - 1) for each in scores if len(each) > 1]
    both = 0  # what is of a sentence in one seed alone, which both other variances contain
    for share in (share for share in shares if len(share) > 1):
        rest = share - share.mean(0) - share.mean(1, keepdims=True) + share.mean()
        both += (rest**2).sum() / (len(rest) - 1) / (sentences - 1) / sentences / len(rest)
    variance = max(from_sentences - both, 0) + max(sum(part for part, _ in seeds), both / 2)
    parts = [(from_sentences, sentences - 1), *seeds]
    freedom = variance**2 / sum(part**2 / degrees for part, degrees in parts)
    error, freedom = sqrt(variance), min(max(freedom, 1), sentences - 1)
    half = t_quantile(freedom) * error
    points = 100 * np.array([difference, difference - half, difference + half])
    return *points, 2 * t_tail(abs(difference) / error, freedom)


def name(method, track, seed, passes):
    setting = ("baseline" if method == "none" else "pretrain") + (f"_{track}" if track else "")
    made = "" if method == "none" else f"-{method}-all-160000"
    return f"{setting}{made}{f' {track}' if track else ''}-seed{seed} passes {passes}"


def tuned(method, track, which, test="wi-dev"):
    """By seed: the model of the lowest loss, or the one of this and the last that is better on the
    development data.
    """
    models = {
        seed: [name(method, track, seed, passes) for passes in ("lowest_loss", LAST[track])]
        for seed in SEEDS
    }
    kept = {
        seed: pair[0] if which == "lowest" else max(pair, key=operating_point)
        for seed, pair in models.items()
    }
    return {seed: at_operating_point(model, test) for seed, model in kept.items()}


def beside(one, other):
    return {seed: np.hstack([one[seed], other[seed]]) for seed in SEEDS}


def joined(method, which):
    """With 4,000 and 16,000 genuine pairs side by side, the sentences of W&I dev above those of FCE
    test.
    """
    above, below = (
        beside(*(tuned(method, track, which, test) for track in ("4k", "16k"))) for test in TESTS
    )
    return {
        seed: np.block([[above[seed], 0 * above[seed]], [0 * below[seed], below[seed]]])
        for seed in SEEDS
    }


def change(sums):
    return f05(sums[..., :3]) - f05(sums[..., 3:])


def mean_of_cells(sums):
    return f05(sums.reshape(*sums.shape[:-1], -1, 3)).mean(axis=-1)


def gains(which, tracks):
    return [interval(*(tuned(arm, track, which) for arm in ARMS))[0] for track in tracks]


def after(profile, passes, seeds):
    return [
        {seed: counted(profile, name(arm, "", seed, passes), "wi-dev") for seed in seeds}
        for arm in ARMS
    ]


def released(label, metric):
    """Right, wrong and missed edits of each sentence of a correction that others released, as one
    seed.
    """
    records, files = pack("released")
    several = (json.loads(files[key, "score.json"]) for key in records.key.loc[[("score", label)]])
    return {1: next(of_sentences(score) for score in several if metric in str(score["metric"]))}


def claims():
    """How many claims there are, and how many of them are decided at 5%, corrected over all tested
    comparisons.
    """
    files = [
        path
        for name in ("learners", SMALL, LARGE)
        for path in ROOT.glob(f"outputs/{name}/tables/claims_*.csv")
    ]
    rows = pd.concat(map(pd.read_csv, files), ignore_index=True)
    ours = rows[(rows.study == "this study") & rows.untested.isna()]
    p_values = []
    for _, row in ours.iterrows():
        size, margin = abs(row.points), row.margin
        main = {"no clear difference": size - margin, "not higher": row.points - margin}.get(
            row.direction, size
        )
        inside = size - margin if size < margin and row.direction != "no clear difference" else 0
        harm = size if row.direction == "not higher" and row.points < 0 else 0
        t_values = (abs(each) / row["standard error"] for each in (main, inside, harm))
        p_values.append([2 * t_tail(t, min(row["degrees of freedom"], 1e5)) for t in t_values])
    first, *firmer = np.array(p_values).T
    order, decided = np.argsort(first), np.minimum(*firmer) * len(first) < 0.05  # Bonferroni
    holds = first[order] * (len(first) - np.arange(len(first))) < 0.05  # Holm
    decided[order[: holds.argmin()]] = True
    return rows.claim.nunique(), ours[decided].claim.nunique()


def phrases():
    """Phrases of README with places for numbers, and these numbers."""
    arms = ("direct_noise", "backtrans_noisy", "backtrans_sample")
    settings = [*(f"pretrain-{arm}-all-160000" for arm in arms), "baseline"]
    *sides, none = (
        {n: counted("learners", f"{setting}-seed{n}", "wi-dev") for n in range(1, 7)}
        for setting in settings
    )
    short, *others = (interval(side, none) for side in sides)
    yield "gains {:.1f} points after 15 passes over the genuine data ({:.1f} to {:.1f})", short
    of_back_translation = {round(each[0], 1) for each in others}
    yield "back-translation with noise or sampling {:.1f}", of_back_translation
    primary = interval(*(tuned(arm, "", "better") for arm in ARMS))
    yield "finds no difference: {:.1f} points ({:.1f} to {:.1f}, p = {:.2f})", primary
    assert abs(interval(*after(SMALL, 30, SEEDS))[0]) < 0.05
    small = interval(*after(SMALL, 5, SEEDS))
    yield "small models are {:.1f} points ahead after 5 passes and level", small
    early, late = (interval(*after(LARGE, passes, range(1, 5))) for passes in (5, 30))
    yield "larger ones {:.1f} and {:.1f} ({:.1f} to {:.1f})", (early[0], *late)
    noise, whose = (
        interval(*(joined(arm, which) for arm in pair), mean_of_cells)
        for which, pair in (
            ("better", ("direct_noise", "copy")),
            ("lowest", ("realistic", "random_sparse")),
        )
    )
    yield "in as many updates, by {:.1f} points ({:.1f} to {:.1f}; mean of 4,000 and", noise
    better, planned = (gains(which, LAST) for which in ("better", "lowest"))
    yield "direct noise gains {:.1f}, {:.1f} and {:.1f} points, with all {:.1f}", better
    yield "The lowest loss, as planned, gives {:.1f}, {:.1f} and {:.1f}", planned
    sides = (beside(*(tuned(arm, track, "better") for track in ("16k", ""))) for arm in ARMS)
    beyond = interval(*sides, change)
    yield "With 16,000 that is {:.1f} more than with all ({:.1f} to {:.1f})", beyond
    few, sparse = (
        interval(*(tuned(arm, "1k", "lowest") for arm in ("realistic", other)))
        for other in ("direct_noise", "random_sparse")
    )
    yield "realistic noise leads direct noise by {:.1f} points ({:.1f} to {:.1f})", few
    yield "random noise of its low rate by {:.1f} ({:.1f} to {:.1f};", sparse
    kinds = ("direct_noise", "realistic")
    many = interval(*(tuned(arm, "16k", "lowest", "fce-test") for arm in kinds))
    yield "it trails direct noise on FCE test by {:.1f} ({:.1f} to {:.1f})", many
    yield "random noise is open ({:.1f}, {:.1f} to {:.1f};", whose
    names = ("T5-11B-wi-dev", "wi.dev.ABC.pretlarge+sse+r2l-wi-dev")
    fine_tuned = interval(*(released(label, "errant") for label in names))
    yield "leads by {:.1f} points ({:.1f} to {:.1f})", fine_tuned
    names = ("claude-sonnet-4-5.zs-minedit-conll-2014", "kiyono.pretlarge+sse+r2l-conll-2014")
    prompted = interval(*(released(label, "maxmatch") for label in names))
    yield "shows no difference ({:.1f}, {:.1f} to {:.1f})", prompted
    yield "Of {} claims of the papers, judged together, {} are decided,", claims()


if __name__ == "__main__":
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    wrong = 0
    for phrase, numbers in phrases():
        told = phrase.format(*numbers).replace("= 0.", "= .")
        wrong += told not in readme
        print("as README says  " if told in readme else "NOT IN README   ", told)
    sys.exit(wrong)
