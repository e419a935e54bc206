"""Checkpoints as fairseq 0.6 to 0.9 wrote them, with separate dictionaries, against fairseq's own
reading of them.
"""

from __future__ import annotations

import os
import subprocess
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from helpers.fairseq_programs import FAIRSEQ
from helpers.seq2seq_world import make_pairs
from pseudogec.artefacts.errors import DataError
from pseudogec.seq2seq import Decoder, checkpoints, compat, import_checkpoint
from pseudogec.seq2seq.data import read_dictionary

pytestmark = pytest.mark.slow

ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}
SIZE, HEADS, INNER = 32, 2, 64

# The options of a training with fairseq 0.8, as its checkpoints hold them; later versions know some
# no more, and know others.
OLD_OPTIONS = {
    "activation_dropout": 0.0,
    "activation_fn": "relu",
    "adam_betas": "(0.9, 0.98)",
    "adam_eps": 1e-08,
    "adaptive_input": False,
    "adaptive_softmax_cutoff": None,
    "adaptive_softmax_dropout": 0,
    "arch": "transformer_vaswani_wmt_en_de_big",
    "attention_dropout": 0.0,
    "best_checkpoint_metric": "loss",
    "bucket_cap_mb": 25,
    "clip_norm": 1.0,
    "cpu": False,
    "criterion": "label_smoothed_cross_entropy",
    "cross_self_attention": False,
    "curriculum": 0,
    "data": "/somewhere/else/data-bin",
    "dataset_impl": None,
    "ddp_backend": "c10d",
    "decoder_attention_heads": HEADS,
    "decoder_embed_dim": SIZE,
    "decoder_embed_path": None,
    "decoder_ffn_embed_dim": INNER,
    "decoder_input_dim": SIZE,
    "decoder_layers": 1,
    "decoder_learned_pos": False,
    "decoder_normalize_before": False,
    "decoder_output_dim": SIZE,
    "device_id": 0,
    "distributed_backend": "nccl",
    "distributed_world_size": 4,
    "dropout": 0.1,
    "encoder_attention_heads": HEADS,
    "encoder_embed_dim": SIZE,
    "encoder_embed_path": None,
    "encoder_ffn_embed_dim": INNER,
    "encoder_layers": 1,
    "encoder_learned_pos": False,
    "encoder_normalize_before": False,
    "fp16": True,
    "fp16_init_scale": 128,
    "keep_last_epochs": 20,
    "label_smoothing": 0.1,
    "layer_wise_attention": False,
    "lazy_load": False,
    "left_pad_source": "True",
    "left_pad_target": "False",
    "load_alignments": False,
    "log_interval": 100,
    "lr": [0.0005],
    "lr_scheduler": "inverse_sqrt",
    "max_epoch": 40,
    "max_sentences": None,
    "max_source_positions": 1024,
    "max_target_positions": 1024,
    "max_tokens": 4000,
    "max_update": 0,
    "min_lr": 1e-09,
    "no_cross_attention": False,
    "no_token_positional_embeddings": False,
    "optimizer": "adam",
    "raw_text": False,
    "restore_file": "checkpoint_last.pt",
    "save_dir": "/somewhere/else/model",
    "seed": 1,
    "share_all_embeddings": False,
    "share_decoder_input_output_embed": True,
    "source_lang": "src_bpe8000",
    "target_lang": "trg_bpe8000",
    "task": "translation",
    "train_subset": "train",
    "update_freq": [2],
    "upsample_primary": 1,
    "user_dir": None,
    "valid_subset": "valid",
    "warmup_init_lr": -1,
    "warmup_updates": 4000,
    "weight_decay": 0.0,
}


def old_names(weights: dict[str, torch.Tensor], shared: bool) -> dict[str, torch.Tensor]:
    """Weights as early versions named them: one projection for query, key and value, and another
    output layer.
    """
    old = dict(weights)
    for name in weights:
        if name.endswith("q_proj.weight"):
            attention = name.removesuffix("q_proj.weight")
            for kind in ("weight", "bias"):
                parts = [old.pop(f"{attention}{part}_proj.{kind}") for part in "qkv"]
                old[f"{attention}in_proj_{kind}"] = torch.cat(parts)
    output = old.pop("decoder.output_projection.weight", None)  # a convolutional model has none
    if not shared:
        old["decoder.embed_out"] = output
    return {name: value.half() for name, value in old.items()}  # --fp16


def save_old_checkpoint(weights: dict[str, torch.Tensor], path: Path, **changes: Any) -> Path:
    options = Namespace(**(OLD_OPTIONS | changes))
    history = {
        "criterion_name": "LabelSmoothedCrossEntropyCriterion",
        "optimizer_name": "FP16Optimizer",
        "lr_scheduler_state": {"best": 2.5},
        "num_updates": 1000,
    }
    state = {
        "args": options,
        "model": old_names(
            weights, options.share_decoder_input_output_embed or options.share_all_embeddings
        ),
        "optimizer_history": [history],
        "extra_state": {
            "train_iterator": {"epoch": 41, "iterations_in_epoch": 0},
            "val_loss": 2.5,
            "best": 2.5,
        },
        "last_optimizer_state": {"state": {0: {"exp_avg": torch.zeros(100_000)}}},
    }
    torch.save(state, path, _use_new_zipfile_serialization=False)  # torch 1.0 knew no other
    return path


def run_fairseq(*arguments: object, text: str | None = None) -> str:
    command = [*FAIRSEQ, *map(str, arguments)]
    return subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        input=text,
        env=ENVIRONMENT,
        timeout=600,
    ).stdout


class Released:
    """What its makers handed out: a checkpoint and two dictionaries."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkpoint = folder / "checkpoint_best.pt"
        self.source, self.target = (folder / f"dict.{side}_bpe8000.txt" for side in ("src", "trg"))

    def import_to(self, folder: Path) -> Path:
        import_checkpoint(self.checkpoint, self.source, self.target, folder)
        return folder

    def outputs(self, sentences: list[list[str]]) -> list[list[str]]:
        """The best outputs of ``fairseq-interactive`` with the files as they are."""
        lines = run_fairseq(
            *(
                "interactive",
                self.folder,
                "--path",
                self.checkpoint,
                "--beam",
                5,
                "--max-len-a",
                1.5,
                "--max-len-b",
                10,
            ),
            *("--buffer-size", 100, "--max-tokens", 1000, "--cpu"),
            text="".join(" ".join(sentence) + "\n" for sentence in sentences),
        ).splitlines()
        found = [line.split("\t") for line in lines if line.startswith("H-")]
        return [pieces.split() for _, _, pieces in sorted(found, key=lambda line: int(line[0][2:]))]


@pytest.fixture(scope="module")
def released(tmp_path_factory) -> Released:
    """A model that has learnt to copy, by and large, from pieces to the same pieces in capitals."""
    folder = tmp_path_factory.mktemp("released")
    pairs = make_pairs(2000, seed=1)
    for side, sentences in (
        ("src_bpe8000", [s for s, _ in pairs]),
        ("trg_bpe8000", [[p.upper() for p in t] for _, t in pairs]),
    ):
        (folder / f"train.{side}").write_text(
            "".join(" ".join(s) + "\n" for s in sentences), encoding="utf-8"
        )
    # The target's dictionary lacks the rarest pieces.
    run_fairseq(
        *(
            "preprocess",
            "-s",
            "src_bpe8000",
            "-t",
            "trg_bpe8000",
            "--trainpref",
            folder / "train",
            "--destdir",
            folder,
        ),
        *("--nwordstgt", 16, "--workers", 1),
    )
    run_fairseq(
        *(
            "train",
            folder,
            "--arch",
            "transformer_vaswani_wmt_en_de_big",
            "--share-decoder-input-output-embed",
        ),
        *(
            option
            for side in ("encoder", "decoder")
            for option in (f"--{side}-layers", 1, f"--{side}-attention-heads", HEADS)
        ),
        *(
            o
            for side in ("encoder", "decoder")
            for o in (f"--{side}-embed-dim", SIZE, f"--{side}-ffn-embed-dim", INNER)
        ),
        *(
            "--dropout",
            0,
            "--optimizer",
            "adam",
            "--lr",
            5e-3,
            "--lr-scheduler",
            "inverse_sqrt",
            "--warmup-updates",
            30,
        ),
        *(
            "--criterion",
            "label_smoothed_cross_entropy",
            "--label-smoothing",
            0.1,
            "--max-tokens",
            500,
            "--max-epoch",
            14,
        ),
        *(
            "--save-dir",
            folder / "training",
            "--disable-validation",
            "--valid-subset",
            "train",
            "--no-epoch-checkpoints",
        ),
        *("--cpu", "--no-progress-bar", "--num-workers", 0),
    )
    weights = checkpoints.load(folder / "training/checkpoint_last.pt")["model"]
    found = Released(folder)
    save_old_checkpoint(weights, found.checkpoint)
    return found


@pytest.fixture(scope="module")
def imported(released, tmp_path_factory) -> Path:
    return released.import_to(tmp_path_factory.mktemp("imported") / "model")


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    return [source for source, _ in make_pairs(60, seed=5)]


def best(outputs) -> list[list[str]]:
    return [hypotheses[0].subwords for hypotheses in outputs]


@pytest.fixture(scope="module")
def expected(released, sentences) -> list[list[str]]:
    return released.outputs(sentences)


@pytest.mark.parametrize("engine", ["ctranslate2", "fairseq"])
def test_outputs_are_those_of_fairseq_with_the_released_files(
    imported, sentences, expected, engine
):
    known = ["<unk>" not in output for output in expected]
    outputs = best(Decoder([imported], engine=engine).decode(sentences))
    assert sum(known) > 30
    assert [o for o, k in zip(outputs, known, strict=True) if k] == [
        o for o, k in zip(expected, known, strict=True) if k
    ]
    right = [
        [piece.upper() for piece in sentence] == output
        for sentence, output in zip(sentences, outputs, strict=True)
    ]
    assert sum(right) > 20  # the model has learnt something at all


def build(options: Namespace, source: Path, target: Path) -> torch.nn.Module:
    """fairseq's model of the given options with random weights."""
    compat.apply()
    from fairseq.data import Dictionary
    from fairseq.models import ARCH_MODEL_REGISTRY

    task = SimpleNamespace(
        source_dictionary=Dictionary.load(str(source)),
        target_dictionary=Dictionary.load(str(target)),
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return ARCH_MODEL_REGISTRY[options.arch].build_model(options, task).eval()


@pytest.mark.parametrize("shared", [True, False])
def test_the_authors_dictionaries(shared_data, tmp_path, shared):
    """Weights are random: the authors' are not at hand."""
    files = Released(shared_data / "authors_bpe")
    changes = {"share_decoder_input_output_embed": shared}
    model = build(Namespace(**(OLD_OPTIONS | changes)), files.source, files.target)
    save_old_checkpoint(model.state_dict(), tmp_path / "checkpoint.pt", **changes)
    import_checkpoint(tmp_path / "checkpoint.pt", files.source, files.target, tmp_path / "model")
    source = list(read_dictionary(files.source))[10:20]
    target = list(read_dictionary(files.target))[10:20]
    scores = [
        Decoder([tmp_path / "model"], engine=engine).score([source], [[target]], 0.0)
        for engine in ("ctranslate2", "fairseq")
    ]
    assert np.allclose(*scores, atol=1e-3)
    rounded = model.half().float()  # the checkpoint's weights have half precision
    ids = [
        torch.tensor([[*range(10, 20), 2]]),
        torch.tensor([[11]]),
        torch.tensor([[2, *range(10, 20)]]),
    ]
    with torch.no_grad():
        logits, _ = rounded(*ids)
    expected = torch.log_softmax(logits[0], dim=-1)[range(11), [*range(10, 20), 2]].sum()
    assert scores[1][0][0] == pytest.approx(float(expected), abs=1e-3)
    # A random model comes to no end, so only beginnings can agree.
    greedy = [
        Decoder([tmp_path / "model"], engine=engine).decode([source], beam=1)
        for engine in ("ctranslate2", "fairseq")
    ]
    assert best(greedy[0])[0][:10] == best(greedy[1])[0][:10]


def test_dictionaries_of_another_size_are_refused(released, tmp_path):
    with pytest.raises(DataError, match="on its src side") as refusal:
        import_checkpoint(released.checkpoint, released.target, released.target, tmp_path / "model")
    assert str(released.target) in str(refusal.value)
    with pytest.raises(DataError, match="on its trg side") as refusal:
        import_checkpoint(released.checkpoint, released.source, released.source, tmp_path / "model")
    assert str(released.source) in str(refusal.value)
    assert not (tmp_path / "model").exists()


def test_a_profile_makes_a_system_of_released_models(released, sentences, shared_store, scheduler):
    from pseudogec.study import Study
    from pseudogec.study.corrector import Corrector, find_system

    # Merges that keep these words whole, as pieces.
    words = sorted({piece for sentence in sentences for piece in sentence if piece.isalpha()})
    merges = [f"{word[0]} {word[1:]}</w>" for word in words]
    (released.folder / "codes").write_text(
        "\n".join(["#version: 0.2", *merges]) + "\n", encoding="utf-8"
    )
    files = (
        "source_dictionary: dict.src_bpe8000.txt, target_dictionary: dict.trg_bpe8000.txt, "
        "codes: codes"
    )
    step = f"{{step: released_models, checkpoints: checkpoint_best.pt, {files}}}"
    overrides = [f"data_folder={released.folder}", f"systems.released.steps=[{step}]"]
    study = Study.open("smoke", overrides, store=shared_store, scheduler=scheduler)
    whole = [sentence for sentence in sentences if set(sentence) <= set(words)]
    assert len(whole) > 5
    with study.engine:
        corrected = Corrector(study, find_system(study, "released"), as_scored=True)(whole)
    expected = [" ".join(pieces).replace("@@ ", "").split() for pieces in released.outputs(whole)]
    for trace, tokens in zip(corrected, expected, strict=True):
        # Where fairseq writes <unk>, a system copies the source's piece.
        assert [
            ours
            for ours, theirs in zip(trace.tokens, tokens, strict=True)
            if theirs not in (ours, "<unk>")
        ] == []
