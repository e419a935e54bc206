"""Files that would run a program when they are read: refused everywhere, and nothing runs; what is
ours is read as before.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
from argparse import Namespace
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from helpers.seq2seq_world import TINY, make_dataset, make_dictionary, make_pairs, short_training
from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.seq2seq import (
    Decoder,
    TrainingProgress,
    checkpoints,
    import_checkpoint,
    model_files,
    train,
)
from pseudogec.seq2seq.checkpoints import TRUST, UnsafeFileError
from pseudogec.seq2seq.detector import Detector
from pseudogec.seq2seq.language_model import LanguageModel
from pseudogec.seq2seq.model_files import architecture_of

pytestmark = pytest.mark.slow


class Malicious:
    """Whoever reads its pickle makes a file."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return os.mkdir, (str(self.marker),)


def poison(path: Path, marker: Path, **options: Any) -> None:
    """Add to a checkpoint what makes the marker when it is read."""
    state = checkpoints.load(path)
    state["extra_state"] = {**state["extra_state"], "payload": Malicious(marker)}
    torch.save(state, path, **options)


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[Path]:
    """Where a malicious file would leave its mark; must not be there in the end."""
    place = tmp_path / "executed"
    yield place
    assert not place.exists(), "the file's code was executed"


@pytest.fixture(scope="module")
def dictionary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_dictionary(
        make_pairs(100, seed=1), tmp_path_factory.mktemp("dictionary") / "dict.txt"
    )


@pytest.fixture(scope="module")
def dataset(dictionary: Path) -> Path:
    return make_dataset(dictionary.parent / "dataset", dictionary, 200, seed=1)


@pytest.fixture(scope="module")
def trained(dictionary: Path, dataset: Path) -> Path:
    folder = dictionary.parent / "model"
    train([dataset], dataset, dictionary, folder, TINY, short_training(updates=4), seed=1)
    return folder


@pytest.fixture
def model(trained: Path, tmp_path: Path) -> Path:
    return Path(
        shutil.copytree(trained, tmp_path / "model", ignore=shutil.ignore_patterns("ctranslate2-*"))
    )


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "early format"])
@pytest.mark.parametrize(
    "read",
    [
        lambda folder: Decoder([folder], engine="ctranslate2"),
        lambda folder: Decoder([folder], engine="fairseq"),
        lambda folder: Decoder([folder, folder]),
        LanguageModel,
        model_files.model_options,
        lambda folder: checkpoints.load(folder / "model.pt"),
    ],
    ids=["ctranslate2", "fairseq", "ensemble", "language model", "options", "weights"],
)
def test_a_malicious_model_is_refused(
    read: Callable[[Path], object], zipped: bool, model: Path, marker: Path, dictionary: Path
) -> None:
    shutil.copyfile(dictionary, model / "dict.txt")
    poison(model / "model.pt", marker, _use_new_zipfile_serialization=zipped)
    with pytest.raises(DataError, match=r"model\.pt"):
        read(model)


def test_a_malicious_detector_is_refused(model: Path, marker: Path) -> None:
    architecture = architecture_of(model_files.model_options(model))
    (model / "detector.json").write_text(json.dumps({"architecture": architecture}))
    (model / "classifier.safetensors").write_bytes(pickle.dumps(Malicious(marker)))
    with pytest.raises(DataError, match=r"classifier\.safetensors"):
        Detector.load(model)


class InterruptedTrainingError(Exception):
    pass


def stop(progress: TrainingProgress) -> None:
    if progress.update >= 6:
        raise InterruptedTrainingError


def interrupted(folder: Path, dataset: Path, dictionary: Path) -> Path:
    """A training that has saved its state and then stopped."""
    with pytest.raises(InterruptedTrainingError):
        train(
            *([dataset], dataset, dictionary, folder, TINY, short_training(updates=7)),
            seed=1,
            progress=stop,
            seconds_between_saves=0,
        )
    return folder / "unfinished" / checkpoints.LAST


def test_a_state_with_a_flipped_bit_is_not_resumed(
    dataset: Path, dictionary: Path, tmp_path: Path
) -> None:
    options = short_training(updates=7)
    train([dataset], dataset, dictionary, tmp_path / "undisturbed", TINY, options, seed=1)
    state = interrupted(tmp_path / "model", dataset, dictionary)
    damaged = bytearray(state.read_bytes())
    damaged[len(damaged) // 2] ^= 1  # within the weights, where no reader would stumble
    state.write_bytes(damaged)
    train([dataset], dataset, dictionary, tmp_path / "model", TINY, options, seed=1)
    ours, undisturbed = (
        checkpoints.load(tmp_path / name / "model.pt")["model"] for name in ("model", "undisturbed")
    )
    assert all(torch.equal(ours[name], undisturbed[name]) for name in undisturbed)


def old_checkpoint(model: Path, path: Path, **extra: object) -> Path:
    """A model as others release theirs: options as a namespace, in the format of early torch."""
    state = checkpoints.load(model / "model.pt")
    options = Namespace(
        **{
            **vars(state["cfg"]["model"]),
            "source_lang": "en",
            "target_lang": "xx",
            "task": "translation",
        }
    )
    state |= {"args": options, "extra_state": {"train_iterator": {"epoch": 3}, **extra}}
    del state["cfg"]
    torch.save(state, path, _use_new_zipfile_serialization=False)
    return path


def test_a_malicious_released_checkpoint_is_refused_with_the_way_to_allow_it(
    model: Path, marker: Path, dictionary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = old_checkpoint(model, tmp_path / "checkpoint_best.pt", payload=Malicious(marker))
    with pytest.raises(UserError, match=rf"checkpoint_best\.pt.*posix\.mkdir.*{TRUST}={released}"):
        import_checkpoint(released, dictionary, dictionary, tmp_path / "imported")
    monkeypatch.setenv(TRUST, str(model))  # another file
    with pytest.raises(UnsafeFileError):
        import_checkpoint(released, dictionary, dictionary, tmp_path / "imported")
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize("named", ["the file", "its folder", "among others"])
def test_a_released_checkpoint_is_read_whatever_it_holds_when_the_user_names_it(
    named: str, model: Path, dictionary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = old_checkpoint(
        model, tmp_path / "checkpoint_best.pt", payload=Malicious(tmp_path / "made")
    )
    trusted = {"the file": [released], "its folder": [tmp_path], "among others": [model, released]}[
        named
    ]
    monkeypatch.setenv(TRUST, os.pathsep.join(map(str, trusted)))
    import_checkpoint(released, dictionary, dictionary, tmp_path / "imported")
    assert (tmp_path / "made").exists()
    assert "payload" not in checkpoints.load(tmp_path / "imported/model.pt")["extra_state"]
    sentences = [source for source, _ in make_pairs(20, seed=5)]
    again, first = (
        Decoder([folder]).decode(sentences) for folder in (tmp_path / "imported", model)
    )
    assert [best[0].subwords for best in again] == [best[0].subwords for best in first]


CODE = "[__import__('os').mkdir({!r})]"  # as fairseq's eval would run it

HARMFUL = (
    *(
        "__import__('os').getpid()",
        "[(512, 3)] * len([1])",
        "[i for i in (1, 2)]",
        "f'{1}'",
        "(lambda: 1)()",
        "[1][0]",
        "(x := 1)",
    ),
    *(
        "[0] * 1000000000",
        "'a' * 1000000000",
        "[0] * 1000 * 1000",
        "9**9**9",
        "1 << 99999999",
        "-" * 100_000 + "(1)",
        "[" * 5000,
    ),
    *(
        " open('a')",
        "${a}('b')",
        "'${model.z}'",
        "['a', '${model.z}']",
        b"exit()",
        bytearray(b"exit()"),
        1j,
    ),
)


@pytest.mark.parametrize("value", HARMFUL, ids=lambda value: str(value)[:30])
def test_an_option_that_runs_or_fills_the_memory_is_refused(value: object) -> None:
    for nested in (
        {"cfg": {"layers": value}},
        {"args": Namespace(model=Namespace(layers=[value]))},
    ):
        with pytest.raises(ValueError, match="layers"):
            checkpoints.plain(nested)


def test_attributes_of_containers_are_no_options(
    model: Path, marker: Path, dictionary: Path, tmp_path: Path
) -> None:
    released = old_checkpoint(model, tmp_path / "checkpoint_best.pt")
    state = torch.load(released, weights_only=True)
    disguised: OrderedDict[str, object] = OrderedDict()
    vars(disguised).update(vars(state["args"]), adaptive_softmax_cutoff=CODE.format(str(marker)))
    torch.save({**state, "args": disguised}, released)
    with pytest.raises((UserError, AttributeError, KeyError)):
        import_checkpoint(released, dictionary, dictionary, tmp_path / "imported")


def test_a_released_checkpoint_is_read_without_attributes_of_its_containers(model: Path) -> None:
    state = OrderedDict(checkpoints.load(model / "model.pt"))
    vars(state)["cfg"] = "code"
    torch.save(state, model / "model.pt")
    again = checkpoints.load(model / "model.pt")
    assert type(again) is dict and type(again["model"]) is dict
    assert again["cfg"] == state["cfg"]


def test_a_released_checkpoint_whose_option_is_code_is_refused_until_it_is_named(
    model: Path, marker: Path, dictionary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = checkpoints.load(model / "model.pt")
    state["cfg"]["model"].adaptive_softmax_cutoff = CODE.format(str(marker))
    torch.save(state, model / "model.pt")
    with monkeypatch.context() as trusting:
        trusting.setenv(TRUST, str(model))
        released = old_checkpoint(model, tmp_path / "checkpoint_best.pt")
    with pytest.raises(
        UnsafeFileError, match=rf"checkpoint_best\.pt.*adaptive_softmax_cutoff.*{TRUST}={released}"
    ):
        import_checkpoint(released, dictionary, dictionary, tmp_path / "imported")
    monkeypatch.setenv(TRUST, str(released))
    import_checkpoint(released, dictionary, dictionary, tmp_path / "imported")
    with pytest.raises(UnsafeFileError):  # the user has not named this file
        Decoder([tmp_path / "imported"])
