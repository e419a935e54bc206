"""The field's terms become fairseq's arguments; impossible values are refused."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from pseudogec.seq2seq import compat
from pseudogec.seq2seq.options import Architecture, AverageLast, Optimisation


def configuration(architecture: Architecture, optimisation: Optimisation):
    arguments = [".", "--source-lang", "src", "--target-lang", "trg"]
    return compat.configuration(
        arguments + architecture.fairseq_arguments() + optimisation.fairseq_arguments()
    )


def test_transformer_big_of_the_paper_arrives_at_fairseq():
    big = Architecture(
        attention_heads=16, model_size=1024, feed_forward_size=4096, dropout=0.3, pre_norm=True
    )
    adam = Optimisation(
        learning_rate=5e-4, warmup_updates=4000, epochs=40, selection=AverageLast(average_last=20)
    )
    found = configuration(big, adam)
    model = found.model
    assert (model.encoder_layers, model.decoder_layers) == (6, 6)
    assert (model.encoder_attention_heads, model.decoder_attention_heads) == (16, 16)
    assert (model.encoder_embed_dim, model.decoder_embed_dim) == (1024, 1024)
    assert (model.encoder_ffn_embed_dim, model.decoder_ffn_embed_dim) == (4096, 4096)
    assert model.dropout == 0.3 and model.share_all_embeddings
    assert model.encoder_normalize_before and model.decoder_normalize_before
    assert found.optimizer._name == "adam"
    assert (found.optimizer.adam_betas, found.optimizer.adam_eps) == ("(0.9, 0.98)", 1e-8)
    assert found.lr_scheduler._name == "inverse_sqrt" and found.lr_scheduler.warmup_updates == 4000
    assert (
        found.criterion._name == "label_smoothed_cross_entropy"
        and found.criterion.label_smoothing == 0.1
    )
    assert found.optimization.clip_norm == 1.0 and found.optimization.max_epoch == 40


def test_adafactor_keeps_the_constant_learning_rate_it_is_given():
    fine_tuning = Optimisation(
        optimiser="adafactor", learning_rate=3e-5, schedule="constant", epochs=30, selection="best"
    )
    arguments = fine_tuning.fairseq_arguments()
    assert not [argument for argument in arguments if "adam-" in argument]
    found = configuration(Architecture(), fine_tuning)
    assert found.optimizer._name == "adafactor"
    assert (
        not found.optimizer.scale_parameter
        and not found.optimizer.relative_step
        and not found.optimizer.warmup_init
    )
    assert found.lr_scheduler._name == "fixed" and list(found.optimization.lr) == [3e-5]


def test_a_linear_schedule_ends_with_the_updates():
    options = {"learning_rate": 1e-3, "warmup_updates": 10, "schedule": "linear"}
    found = configuration(Architecture(), Optimisation(**options, updates=50)).lr_scheduler
    assert (found._name, found.total_num_update, found.end_learning_rate, found.power) == (
        "polynomial_decay",
        50,
        0.0,
        1.0,
    )
    for updates in (None, 10):
        with pytest.raises(ValidationError, match="warmup_updates"):
            Optimisation(**options, updates=updates, epochs=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learning_rate": 1e-3}, "epochs"),
        ({"learning_rate": 0, "epochs": 1}, "learning_rate"),
        ({"learning_rate": 1e-3, "epochs": 1, "optimizer": "adam"}, "optimizer"),
    ],
)
def test_impossible_optimisations_are_refused(options, message):
    with pytest.raises(ValidationError, match=message):
        Optimisation.model_validate(options)
