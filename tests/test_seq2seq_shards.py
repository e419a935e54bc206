"""Training from data that are read in shards: the weights of fairseq-train, every pair once an
epoch, exact resumption.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import pytest

from helpers.seq2seq_training import (
    assert_close_weights,
    assert_same_weights,
    kill_while_saving,
    train_by_fairseq,
    train_tiny,
    weights_of,
)
from helpers.seq2seq_world import TINY, WORDS, make_dataset, make_dictionary, make_pairs
from pseudogec.seq2seq import checkpoints, read_binarised
from pseudogec.seq2seq.data import binarise, data_name, dictionary_name, prepare
from pseudogec.seq2seq.options import AverageLast
from pseudogec.seq2seq.training import TrainingProgress

SHARDS = tuple(f"shard{number}" for number in range(5))
STEADY = TINY.model_copy(update={"dropout": 0.0})

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """A folder with dict.txt, genuine data, validation data and five shards of pseudo data."""
    folder = tmp_path_factory.mktemp("data")
    dictionary = make_dictionary(make_pairs(400, seed=1), folder / "dict.txt")
    make_dataset(folder / "genuine", dictionary, 101, seed=1)
    make_dataset(folder / "valid", dictionary, 50, seed=2)
    for number, shard in enumerate(SHARDS):
        make_dataset(folder / shard, dictionary, 60, seed=10 + number)
    return folder


def train_in_shards(data: Path, save_dir: Path, *, datasets=SHARDS, **options):
    return train_tiny(data, save_dir, datasets=datasets, **options)


# --- What is in the shards


def pairs_of(folder: Path, split: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The pairs of a split, read as a dataset of its own."""
    alone = folder / f"{split} alone"
    alone.mkdir()
    for side in ("src", "trg"):
        for ending in ("bin", "idx"):
            (alone / f"{data_name(side)}.{ending}").symlink_to(
                folder / f"{split}.src-trg.{side}.{ending}"
            )
        (alone / dictionary_name(side)).symlink_to(folder.parent / "shard1" / dictionary_name(side))
    return pairs_of_dataset(alone)


def pairs_of_dataset(folder: Path) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(tuple(source), tuple(target)) for source, target in read_binarised(folder)]


def test_every_turn_is_a_run_of_datasets(data, tmp_path):
    shards = prepare(
        [data / name for name in SHARDS],
        data / "valid",
        data / "dict.txt",
        tmp_path / "data",
        at_once=130,
    )
    assert len(shards) == 3
    found = [
        [split.name.split(".")[0] for split in sorted(shard.glob("train*.src.idx"))]
        for shard in shards
    ]
    assert found == [["train"], ["train", "train1"], ["train", "train1"]]
    read = [
        pair
        for shard, splits in zip(shards, found, strict=True)
        for split in splits
        for pair in pairs_of(shard, split)
    ]
    assert read == [pair for shard in SHARDS for pair in pairs_of_dataset(data / shard)]


# Datasets stay whole
@pytest.mark.parametrize(("at_once", "shards"), [(300, 1), (180, 2), (120, 3), (10, 5)])
def test_as_few_shards_as_keep_within_the_limit(data, tmp_path, at_once, shards):
    folders = prepare(
        [data / name for name in SHARDS],
        None,
        data / "dict.txt",
        tmp_path / "data",
        at_once=at_once,
    )
    assert len(folders) == shards


# --- Training


def test_weights_equal_those_of_fairseq_train_over_the_same_folders(data, tmp_path):
    options = {
        "pairs_at_once": 130,
        "update_frequency": 2,
        "selection": AverageLast(average_last=1),
    }
    result = train_in_shards(data, tmp_path / "ours", **options)
    datasets = [data / name for name in SHARDS]
    folders = prepare(datasets, data / "valid", data / "dict.txt", tmp_path / "data", at_once=130)
    assert len(folders) == 3
    train_by_fairseq(result.arguments, folders, tmp_path / "fairseq")
    assert_same_weights(
        weights_of(tmp_path / "ours/model.pt"), weights_of(tmp_path / "fairseq/checkpoint_last.pt")
    )
    history = checkpoints.load(tmp_path / "fairseq/checkpoint_last.pt")["optimizer_history"]
    assert result.updates == history[-1]["num_updates"]


def test_an_epoch_is_a_pass_over_all_shards(data, tmp_path):
    reports: list[TrainingProgress] = []
    options = {"epochs": 3, "progress": reports.append, "updates_per_point": 1}
    result = train_in_shards(data, tmp_path / "model", pairs_at_once=150, **options)
    sizes = {
        name: sum(len(target) + 1 for _, target in read_binarised(data / name)) for name in SHARDS
    }
    an_epoch = result.updates // 3
    assert (result.pairs, result.skipped_pairs, result.epochs) == (5 * 60, 0, 3)
    assert result.target_words == 3 * sum(sizes.values())
    assert {report.total_updates for report in reports} == {3 * an_epoch} == {result.updates}
    assert [(point.epoch, point.update) for point in result.validation_curve] == [
        (n, n * an_epoch) for n in (1, 2, 3)
    ]
    assert [point.epoch for point in result.training_curve] == [
        n for n in (1, 2, 3) for _ in range(an_epoch)
    ]
    assert result.chosen == [f"checkpoint_{n}_{n * an_epoch}.pt" for n in (2, 3)]


def test_a_training_killed_in_any_turn_ends_with_the_same_bytes(data, tmp_path):
    """The child is killed by SIGKILL in the middle of writing a state, at several updates of both
    epochs.
    """
    training = f"""
        from test_seq2seq_shards import train_in_shards

        train_in_shards(Path({str(data)!r}), Path({str(tmp_path / "model")!r}), pairs_at_once=150, seconds_between_saves=0.0)
    """
    whole = train_in_shards(data, tmp_path / "model", pairs_at_once=150)
    (tmp_path / "model").rename(tmp_path / "whole")  # the model file holds the path of its folder
    stopped_at = []
    for saves in (3, 8, 7):
        kill_while_saving(training, saves)
        state = checkpoints.load(tmp_path / "model/unfinished/checkpoint_last.pt")
        stopped_at.append(
            (
                state["extra_state"]["train_iterator"]["epoch"],
                state["optimizer_history"][-1]["num_updates"],
            )
        )
    resumed = train_in_shards(data, tmp_path / "model", pairs_at_once=150)
    assert len({shard for shard, _ in stopped_at}) == 3 and stopped_at[-1][1] < whole.updates
    assert (tmp_path / "model/model.pt").read_bytes() == (tmp_path / "whole/model.pt").read_bytes()
    different = {"seconds", "words_per_second"}
    assert resumed.model_dump(exclude=different) == whole.model_dump(exclude=different)


# --- The same loss as from one dataset


def test_batches_in_the_same_order_give_the_same_losses(tmp_path):
    """The shards are the batches of the one dataset, in the order in which fairseq draws them for
    the first epoch.
    """
    random_numbers, seed, shards, batch = random.Random(3), 5, 12, 8
    pairs = [
        (random_numbers.choices(WORDS, k=6), random_numbers.choices(WORDS, k=6))
        for _ in range(shards * batch)
    ]
    dictionary = make_dictionary(make_pairs(400, seed=1), tmp_path / "dict.txt")
    order = np.random.RandomState(seed).permutation(len(pairs))
    batches = list(np.split(order, shards))
    np.random.RandomState(seed + 1).shuffle(batches)
    binarise(pairs, dictionary, tmp_path / "one")
    for number, places in enumerate(batches):
        binarise([pairs[place] for place in places], dictionary, tmp_path / f"batch{number}")
    make_dataset(tmp_path / "valid", dictionary, 50, seed=2)
    options = {
        "seed": seed,
        "architecture": STEADY,
        "epochs": 1,
        "updates_per_point": 1,
        "max_tokens": 7 * batch,
    }
    one = train_in_shards(tmp_path, tmp_path / "whole", datasets=["one"], **options)
    in_shards = train_in_shards(
        tmp_path,
        tmp_path / "shards",
        datasets=[f"batch{number}" for number in range(shards)],
        pairs_at_once=batch,
        **options,
    )
    assert one.updates == in_shards.updates == shards
    assert in_shards.arguments[0].count(os.pathsep) == shards - 1
    for first, second in zip(one.training_curve, in_shards.training_curve, strict=True):
        # Fairseq rounds to three places
        assert second.loss == pytest.approx(first.loss, abs=0.0011)
    assert in_shards.validation_curve[0].loss == pytest.approx(
        one.validation_curve[0].loss, rel=1e-6
    )
    assert_close_weights(
        tmp_path / "whole/model.pt", tmp_path / "shards/model.pt", rtol=1e-5, atol=1e-6
    )
