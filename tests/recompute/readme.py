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
    scores, shares = [], []
    for side in (first, second):
        counts = np.stack([side[seed] for seed in sorted(side)])
        sums, units = counts.sum(1), 1e-3 * np.eye(counts.shape[2])
        gradient = (
            np.stack([score(sums + unit) - score(sums - unit) for unit in units], axis=1) / 2e-3
        )
        # And what each sentence adds to it, by the numerical gradient in the sums:
        scores.append(score(sums))
        shares.append(
            counts.shape[1]
            * np.einsum("stk,sk->st", counts - counts.mean(1, keepdims=True), gradient)
        )
    difference = scores[0].mean() - scores[1].mean()
    of_sentences = shares[0].mean(0) - shares[1].mean(0)
    if first.keys() == second.keys() and len(first) >= 5:
        scores, shares = [scores[0] - scores[1]], [shares[0] - shares[1]]
    sentences = len(of_sentences)
    rest = [
        share - share.mean(0) - share.mean(1, keepdims=True) + share.mean()
        for share in shares
        if len(share) > 1
    ]
    both = sum(
        (each**2).sum() / (len(each) - 1) / (sentences - 1) / sentences / len(each) for each in rest
    )
    seeds = [(each.var(ddof=1) / len(each), len(each) - 1) for each in scores if len(each) > 1]
    from_sentences, from_seeds = (
        of_sentences.var(ddof=1) / sentences,
        sum(part for part, _ in seeds),
    )
    variance = max(from_sentences - both, 0) + max(from_seeds, both / 2)
    freedom = variance**2 / sum(
        part**2 / degrees for part, degrees in [(from_sentences, sentences - 1), *seeds]
    )
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


def after(profile, passes, seeds, test="wi-dev"):
    return [
        {seed: counted(profile, name(arm, "", seed, passes), test) for seed in seeds}
        for arm in ARMS
    ]


def released(label, metric):
    """Right, wrong and missed edits of each sentence of a correction that others released, as one
    seed.
    """
    records, files = pack("released")
    several = (json.loads(files[key, "score.json"]) for key in records.key.loc[[("score", label)]])
    return {1: next(of_sentences(score) for score in several if metric in str(score["metric"]))}


def mean_f05(side):
    return np.mean([f05(counts.sum(0)) for counts in side.values()])


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
    arms = ("direct_noise", "backtrans_noisy", "backtrans_sample")
    settings = [*(f"pretrain-{arm}-all-160000" for arm in arms), "baseline"]
    sides = [
        {n: counted("learners", f"{setting}-seed{n}", "wi-dev") for n in range(1, 7)}
        for setting in settings
    ]
    short, *others = (interval(side, sides[-1]) for side in sides[:-1])
    yield ("gains {:.1f} points after 15 passes over the genuine data ({:.1f} to {:.1f})").format(
        *short
    )
    yield ("back-translation with noise or sampling {:.1f}").format(
        *{round(each[0], 1) for each in others}
    )
    primary = interval(*(tuned(arm, "", "better") for arm in ARMS))
    yield (
        ("finds no difference: {:.1f} points ({:.1f} to {:.1f}, p = {:.2f})")
        .format(*primary)
        .replace("= 0.", "= .")
    )
    assert abs(interval(*after(SMALL, 30, SEEDS))[0]) < 0.05
    early, late = (interval(*after(LARGE, passes, range(1, 5))) for passes in (5, 30))
    yield ("small models are {:.1f} points ahead after 5 passes and level").format(
        *interval(*after(SMALL, 5, SEEDS))
    )
    yield "larger ones {:.1f} and {:.1f} ({:.1f} to {:.1f})".format(early[0], *late[:3])
    numbers, saved = [5, 10, 15, 20, 30], []
    for test in TESTS:
        arm, none = zip(
            *(map(mean_f05, after(SMALL, number, SEEDS, test)) for number in numbers), strict=True
        )
        saved.append(np.interp(arm[1], none, numbers) - 10)
    assert (round(min(saved)), np.ceil(max(saved))) == (2, 5)
    yield "Two to five passes are saved"
    records = pack(SMALL)[0].record.loc[("model", "pretrain-direct_noise-all-160000-seed1")]
    read, trained = sorted(json.loads(record)["result"]["updates"] for record in records)
    assert 3.5 < read / (trained / 30) < 4
    yield "reading the pseudo data takes nearly four"
    better = gains("better", LAST)
    yield "direct noise gains {:.1f}, {:.1f} and {:.1f} points, with all {:.1f}".format(*better)
    yield ("The lowest loss, as planned, gives {:.1f}, {:.1f} and {:.1f}").format(
        *gains("lowest", ("1k", "4k", "16k"))
    )
    sides = (beside(*(tuned(arm, track, "better") for track in ("16k", ""))) for arm in ARMS)
    yield ("With 16,000 that is {:.1f} more than with all ({:.1f} to {:.1f})").format(
        *interval(*sides, change)
    )
    kinds, ends = ("realistic", "direct_noise"), (("1k", "wi-dev"), ("16k", "fce-test"))
    few, many = ([tuned(kind, track, "lowest", test) for kind in kinds] for track, test in ends)
    yield ("realistic noise leads direct noise by {:.1f} points ({:.1f} to {:.1f})").format(
        *interval(*few)
    )
    sparse = interval(*(tuned(kind, "1k", "lowest") for kind in ("realistic", "random_sparse")))
    yield "random noise of its low rate by {:.1f} ({:.1f} to {:.1f};".format(*sparse)
    trails = [abs(round(interval(*many)[place], 1)) for place in (0, 2, 1)]
    yield "it trails direct noise on FCE test by {:.1f} ({:.1f} to {:.1f})".format(*trails)
    pairs = ("direct_noise", "copy"), ("realistic", "random_sparse")
    noise, whose = (
        interval(
            *(joined(arm, "lowest" if "realistic" in pair else "better") for arm in pair),
            mean_of_cells,
        )
        for pair in pairs
    )
    yield (
        "in as many updates, by {:.1f} points ({:.1f} to {:.1f}; mean of 4,000 and 16,000"
    ).format(*noise)
    yield "random noise is open ({:.1f}, {:.1f} to {:.1f};".format(*whose)
    trained = (
        released(f"{name}-wi-dev", "errant") for name in ("T5-11B", "wi.dev.ABC.pretlarge+sse+r2l")
    )
    yield "leads by {:.1f} points ({:.1f} to {:.1f})".format(*interval(*trained))
    prompted = (
        released(f"{name}-conll-2014", "maxmatch")
        for name in ("claude-sonnet-4-5.zs-minedit", "kiyono.pretlarge+sse+r2l")
    )
    yield "shows no difference ({:.1f}, {:.1f} to {:.1f})".format(*interval(*prompted))
    yield "Of {} claims of the papers, judged together, {} are decided,".format(*claims())


if __name__ == "__main__":
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    wrong = 0
    for phrase in phrases():
        wrong += phrase not in readme
        print("as README says  " if phrase in readme else "NOT IN README   ", phrase)
    sys.exit(wrong)
