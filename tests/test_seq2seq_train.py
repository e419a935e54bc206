"""Training: the weights of fairseq-train, exact resumption after a kill, averaging, fine-tuning,
and refusals.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.seq2seq_training import (
    assert_same_weights,
    kill_while_saving,
    train_by_fairseq,
    train_tiny,
    updates_saved,
    weights_of,
)
from helpers.seq2seq_world import TINY, make_dataset, make_dictionary, make_pairs, short_training
from pseudogec.artefacts.errors import UserError
from pseudogec.seq2seq import checkpoints
from pseudogec.seq2seq.data import binarise, prepare
from pseudogec.seq2seq.options import AverageLast
from pseudogec.seq2seq.training import TrainingProgress, computes_in_bf16, train

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """A folder with dict.txt and the datasets genuine, pseudo and valid."""
    folder = tmp_path_factory.mktemp("data")
    dictionary = make_dictionary(make_pairs(400, seed=1), folder / "dict.txt")
    for name, count, seed in (("genuine", 150, 1), ("pseudo", 250, 2), ("valid", 50, 3)):
        make_dataset(folder / name, dictionary, count, seed)
    return folder


def test_weights_equal_those_of_fairseq_train(data, tmp_path):
    result = train_tiny(
        data,
        tmp_path / "ours",
        datasets=("genuine", "pseudo"),
        upsample_primary=3,
        update_frequency=2,
        selection=AverageLast(average_last=1),
    )
    folder = tmp_path / "fairseq"
    prepare([data / "genuine", data / "pseudo"], data / "valid", data / "dict.txt", folder / "data")
    train_by_fairseq(result.arguments, [folder / "data"], folder)
    assert result.pairs == 3 * 150 + 250
    assert_same_weights(
        weights_of(tmp_path / "ours/model.pt"), weights_of(folder / "checkpoint_last.pt")
    )
    assert (
        result.updates
        == checkpoints.load(folder / "checkpoint_last.pt")["optimizer_history"][-1]["num_updates"]
    )


def test_average_is_the_mean_of_the_last_checkpoints_of_fairseq_train(data, tmp_path):
    result = train_tiny(
        data, tmp_path / "ours", valid=None, epochs=3, selection=AverageLast(average_last=2)
    )
    folder = tmp_path / "fairseq"
    prepare([data / "genuine"], None, data / "dict.txt", folder / "data")
    train_by_fairseq(result.arguments, [folder / "data"], folder)
    last = [weights_of(folder / f"checkpoint{epoch}.pt") for epoch in (2, 3)]
    ours = weights_of(tmp_path / "ours/model.pt")
    for name, mean in ours.items():
        expected = (last[0][name].double() + last[1][name].double()) / 2
        assert torch.equal(mean, expected.to(mean.dtype))
    assert len(result.chosen) == 2


def test_a_snapshot_is_the_model_of_a_training_that_ended_there(data, tmp_path):
    options = {"selection": AverageLast(average_last=2)}
    train_tiny(data, tmp_path / "long", epochs=5, snapshots=(2, 3), **options)
    for epochs in (2, 3):
        train_tiny(data, tmp_path / f"{epochs}", epochs=epochs, **options)
        assert_same_weights(
            weights_of(tmp_path / f"long/model_after_{epochs}.pt"),
            weights_of(tmp_path / f"{epochs}/model.pt"),
        )


def test_a_killed_training_ends_with_the_same_weights(data, tmp_path):
    """The child is killed by SIGKILL in the middle of writing a checkpoint, within an epoch."""
    training = f"""
        from helpers.seq2seq_training import train_tiny

        train_tiny(Path({str(data)!r}), Path({str(tmp_path / "killed")!r}), epochs=4, seconds_between_saves=0.0)
    """
    for saves in (7, 9):
        kill_while_saving(training, saves)
    stopped_at = updates_saved(tmp_path / "killed")
    resumed = train_tiny(data, tmp_path / "killed", epochs=4)
    whole = train_tiny(data, tmp_path / "whole", epochs=4)
    assert 0 < stopped_at < whole.updates
    assert_same_weights(
        weights_of(tmp_path / "killed/model.pt"), weights_of(tmp_path / "whole/model.pt")
    )
    assert resumed.validation_curve == whole.validation_curve
    assert resumed.training_curve == whole.training_curve
    assert (resumed.updates, resumed.target_words, resumed.chosen) == (
        whole.updates,
        whole.target_words,
        whole.chosen,
    )
    assert sorted(path.name for path in (tmp_path / "killed").iterdir()) == sorted(
        path.name for path in (tmp_path / "whole").iterdir()
    )


def interrupt_after(updates: int):
    def progress(report: TrainingProgress) -> None:
        if report.update >= updates:
            raise KeyboardInterrupt

    return progress


def stop_early(data: Path, save_dir: Path, **options) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_tiny(
            data,
            save_dir,
            updates=8,
            epochs=None,
            seconds_between_saves=0.0,
            progress=interrupt_after(8),
            **options,
        )


def test_an_unfinished_training_with_other_options_is_refused(data, tmp_path):
    stop_early(data, tmp_path / "model")
    for changed in ({"learning_rate": 1e-4}, {"selection": "best"}, {"datasets": ("pseudo",)}):
        with pytest.raises(UserError, match="unfinished"):
            train_tiny(data, tmp_path / "model", **{"updates": 8, "epochs": None, **changed})


def test_what_a_training_leaves(data, tmp_path):
    reports: list[TrainingProgress] = []
    result = train_tiny(data, tmp_path / "model", progress=reports.append, updates_per_point=2)
    names = sorted(path.name for path in (tmp_path / "model").iterdir())
    assert names == ["dict.src.txt", "dict.trg.txt", "model.pt", "training.json"]
    assert (reports[-1].update, reports[-1].total_updates, reports[-1].seconds_left) == (
        result.updates,
        result.updates,
        0,
    )
    assert result.epochs == 2 and result.pairs == 150 and result.skipped_pairs == 0
    assert result.target_words == 2 * sum(len(target) + 1 for _, target in make_pairs(150, seed=1))
    assert [point.update for point in result.training_curve] == list(
        range(2, result.updates + 1, 2)
    )
    assert len(result.validation_curve) == 2
    losses = [point.loss for point in result.training_curve]
    assert losses[-1] < losses[0]
    state = checkpoints.load(tmp_path / "model/model.pt")
    assert "last_optimizer_state" not in state


def test_seeds_decide_and_nothing_else(data, tmp_path):
    train_tiny(data, tmp_path / "a", seed=1)
    torch.manual_seed(99)
    np.random.seed(99)
    train_tiny(data, tmp_path / "b", seed=1)
    train_tiny(data, tmp_path / "c", seed=2)
    a, b, c = (weights_of(tmp_path / name / "model.pt") for name in "abc")
    assert_same_weights(a, b)
    assert not torch.equal(a["encoder.embed_tokens.weight"], c["encoder.embed_tokens.weight"])


def test_fine_tuning_starts_from_the_given_weights_with_a_fresh_optimiser(data, tmp_path):
    pretrained = train_tiny(data, tmp_path / "pretrained", datasets=("pseudo",), epochs=6)
    options = {
        "optimiser": "adafactor",
        "learning_rate": 3e-5,
        "schedule": "constant",
        "warmup_updates": 0,
        "selection": "best",
    }
    tuned = train_tiny(
        data, tmp_path / "tuned", initial_model=tmp_path / "pretrained", seed=7, **options
    )
    assert tuned.validation_curve[0].loss == pytest.approx(
        pretrained.validation_curve[-1].loss, rel=0.05
    )
    before, after = (
        weights_of(tmp_path / "pretrained/model.pt"),
        weights_of(tmp_path / "tuned/model.pt"),
    )
    name = "decoder.layers.0.fc1.weight"
    change = (after[name] - before[name]).abs().max()
    # Adafactor's update has a root mean square of at most the learning rate (clip threshold 1).
    assert 0 < change < 1e-2
    best = min(tuned.validation_curve, key=lambda point: point.nll_loss)
    assert tuned.chosen == [f"checkpoint_{best.epoch}_{best.update}.pt"]


def test_a_training_that_breaks_down_says_what_may_help(data, tmp_path):
    with pytest.raises(UserError, match="learning_rate"):
        train_tiny(data, tmp_path / "model", learning_rate=1e30, warmup_updates=1, epochs=20)
    assert not (tmp_path / "model/unfinished/crash.pt").exists()


def test_what_does_not_fit_together_is_refused(data, tmp_path):
    other = make_dictionary([*make_pairs(10, seed=9), (["new"], ["piece"])], tmp_path / "dict.txt")
    make_dataset(tmp_path / "other", other, 10, seed=9)
    with pytest.raises(UserError, match=r"dict\.src\.txt"):
        train(
            [tmp_path / "other"],
            None,
            data / "dict.txt",
            tmp_path / "model",
            TINY,
            short_training(),
            1,
        )
    with pytest.raises(UserError, match="validation data"):
        train_tiny(data, tmp_path / "model", valid=None, selection="best")
    train_tiny(data, tmp_path / "small", architecture=TINY.model_copy(update={"decoder_layers": 2}))
    with pytest.raises(UserError, match="another architecture"):
        train_tiny(data, tmp_path / "tuned", initial_model=tmp_path / "small")


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU trains by fairseq's own bf16")
@pytest.mark.skipif(not computes_in_bf16(), reason="this processor cannot compute in bf16")
def test_bf16_on_a_cpu_rounds_products_and_not_weights(data, tmp_path):
    full, rounded = (
        train_tiny(data, tmp_path / precision, precision=precision, epochs=6)
        for precision in ("fp32", "bf16")
    )
    assert [point.loss for point in rounded.validation_curve] == pytest.approx(
        [point.loss for point in full.validation_curve], rel=0.05
    )
    weights, others = (
        weights_of(tmp_path / precision / "model.pt") for precision in ("bf16", "fp32")
    )
    assert all(weight.dtype == torch.float32 for weight in weights.values())
    assert not all(torch.equal(weights[name], others[name]) for name in weights)


def test_too_long_pairs_are_left_out_and_counted(data, tmp_path):
    architecture = TINY.model_copy(update={"max_positions": 9})
    result = train_tiny(data, tmp_path / "model", valid=None, architecture=architecture)
    assert result.skipped_pairs == sum(len(source) + 1 > 9 for source, _ in make_pairs(150, seed=1))


def test_validation_pairs_longer_than_the_positions_are_left_out_and_said(data, tmp_path, caplog):
    pairs = make_pairs(60, seed=2)
    binarise(pairs, data / "dict.txt", tmp_path / "short")
    binarise(
        [*pairs[:30], (["ba"] * 40, ["ba"] * 40), *pairs[30:]], data / "dict.txt", tmp_path / "long"
    )
    architecture = TINY.model_copy(update={"max_positions": 20})
    short, long = (
        train_tiny(
            data, tmp_path / f"{name} model", valid=tmp_path / name, architecture=architecture
        )
        for name in ("short", "long")
    )
    assert [point.loss for point in long.validation_curve] == pytest.approx(
        [point.loss for point in short.validation_curve]
    )
    assert "1 of 61 validation sentences have more than 20 subwords" in caplog.text
    with pytest.raises(UserError, match="max_positions"):
        train_tiny(
            data, tmp_path / "none", architecture=TINY.model_copy(update={"max_positions": 1})
        )
