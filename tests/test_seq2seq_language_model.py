"""Language models: probabilities by their definition, fairseq's own figures, exact resumption after
a kill, and refusals.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from helpers.seq2seq_training import (
    assert_same_weights,
    optimisation_among,
    run_fairseq,
    train_by_fairseq,
    weights_of,
)
from helpers.seq2seq_world import make_dictionary, make_pairs
from pseudogec.seq2seq import (
    LanguageModel,
    LanguageModelArchitecture,
    binarise_text,
    compat,
    model_cache,
    train_language_model,
)
from pseudogec.seq2seq.data import END, UNKNOWN, read_dictionary

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

LONGEST = 12
TINY = LanguageModelArchitecture(
    layers=1,
    attention_heads=2,
    model_size=32,
    feed_forward_size=64,
    dropout=0.1,
    max_positions=LONGEST,
)
CONVOLUTIONAL = LanguageModelArchitecture(
    name="fconv_lm",
    max_positions=LONGEST,
    fairseq_options={"decoder-embed-dim": 16, "decoder-layers": "[(16, 3)] * 2", "dropout": 0.1},
)


def make_sentences(count: int, seed: int) -> list[list[str]]:
    return [target for _, target in make_pairs(count, seed)]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """A folder with dict.txt and the texts one, two and valid; an empty line is among them."""
    folder = tmp_path_factory.mktemp("texts")
    dictionary = make_dictionary(make_pairs(400, seed=1), folder / "dict.txt")
    binarise_text([*make_sentences(150, seed=1), []], dictionary, folder / "one")
    binarise_text(make_sentences(250, seed=2), dictionary, folder / "two")
    binarise_text(make_sentences(50, seed=3), dictionary, folder / "valid")
    return folder


def train_tiny(
    data: Path,
    save_dir: Path,
    *,
    texts=("one",),
    valid="valid",
    seed=1,
    architecture=TINY,
    **options,
):
    optimisation = optimisation_among(options, label_smoothing=0.0, selection={"average_last": 1})
    return train_language_model(
        [data / name for name in texts],
        data / valid if valid else None,
        data / "dict.txt",
        save_dir,
        architecture,
        optimisation,
        seed,
        **options,
    )


@pytest.fixture(scope="module")
def folder(data, tmp_path_factory) -> Path:
    """A trained model."""
    folder = tmp_path_factory.mktemp("language_model") / "model"
    train_tiny(data, folder, texts=("one", "two"), epochs=4)
    return folder


@pytest.fixture(scope="module")
def convolutional(data, tmp_path_factory) -> Path:
    """A trained model without positions."""
    folder = tmp_path_factory.mktemp("convolutional") / "model"
    train_tiny(data, folder, architecture=CONVOLUTIONAL)
    return folder


# --- Training


def test_files_equal_those_of_fairseq_preprocess(tmp_path):
    sentences = [*make_sentences(100, seed=1), [], ["unheard", "ba"]]
    dictionary = make_dictionary(make_pairs(400, seed=1), tmp_path / "dict.txt")
    (tmp_path / "text").write_text(
        "".join(" ".join(sentence) + "\n" for sentence in sentences), encoding="utf-8"
    )
    size = binarise_text(sentences, dictionary, tmp_path / "ours")
    run_fairseq(
        *("preprocess", "--only-source", "--trainpref", tmp_path / "text", "--srcdict", dictionary),
        *("--destdir", tmp_path / "theirs", "--workers", 1),
    )
    for name in ("train.bin", "train.idx", "dict.txt"):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()
    assert (size.sentences, size.tokens, size.unknown) == (102, sum(map(len, sentences)) + 102, 1)


def test_weights_equal_those_of_fairseq_train(data, tmp_path):
    result = train_tiny(data, tmp_path / "ours", update_frequency=2)
    theirs = tmp_path / "theirs"
    (theirs / "data").mkdir(parents=True)
    for split, text in (("train", "one"), ("valid", "valid")):
        for ending in ("bin", "idx"):
            (theirs / f"data/{split}.{ending}").symlink_to(data / text / f"train.{ending}")
    (theirs / "data/dict.txt").symlink_to(data / "dict.txt")
    train_by_fairseq(result.arguments, [theirs / "data"], theirs)
    assert_same_weights(
        weights_of(tmp_path / "ours/model.pt"), weights_of(theirs / "checkpoint_last.pt")
    )
    assert result.pairs == 151
    assert result.target_words == 2 * sum(
        len(sentence) + 1 for sentence in [*make_sentences(150, seed=1), []]
    )


# --- Probabilities


def next_probabilities(folder: Path, prefix: list[int]) -> torch.Tensor:
    """The distribution over the next piece after some numbers, without batch or padding, from the
    network's logits.
    """
    model = model_cache.load(folder).model
    with torch.no_grad(), compat.quiet():
        logits, _ = model(src_tokens=torch.tensor([[END, *prefix]]))
    return torch.softmax(logits[0, -1].double(), dim=0)


@pytest.mark.parametrize("kind", ["folder", "convolutional"])
def test_a_sentences_probability_is_the_product_of_its_pieces(kind, request):
    folder = request.getfixturevalue(kind)
    numbers = read_dictionary(folder / "dict.txt")
    sentences = [*make_sentences(20, seed=5), [], ["unheard", "ba", "unheard"]]
    expected = []
    for sentence in sentences:
        total, prefix = 0.0, []
        for number in [*(numbers.get(piece, UNKNOWN) for piece in sentence), END]:
            probabilities = next_probabilities(folder, prefix)
            assert probabilities.shape == (len(numbers),)
            assert float(probabilities.sum()) == pytest.approx(1.0)
            total += math.log(probabilities[number])
            prefix.append(number)
        expected.append(total)
    assert LanguageModel(folder).log_probabilities(sentences) == pytest.approx(expected, abs=1e-4)


def test_the_whole_texts_probability_is_that_of_fairseq_eval_lm(folder, data):
    sentences = make_sentences(50, seed=3)
    with compat.isolated():
        from fairseq import options
        from fairseq.dataclass.utils import convert_namespace_to_omegaconf
        from fairseq_cli import eval_lm

        paths = [str(data / "valid"), "--path", str(folder / "model.pt"), "--gen-subset", "train"]
        arguments = [
            *paths,
            "--sample-break-mode",
            "eos",
            "--max-tokens",
            "200",
            "--cpu",
            "--no-progress-bar",
        ]
        namespace = options.parse_args_and_arch(options.get_eval_lm_parser(), arguments)
        found = eval_lm.main(convert_namespace_to_omegaconf(namespace))
    total = sum(LanguageModel(folder).log_probabilities(sentences))
    pieces = sum(len(sentence) + 1 for sentence in sentences)
    assert -total / pieces / math.log(2) == pytest.approx(float(found["loss"]), abs=1e-4)


def test_order_batches_and_repetitions_do_not_matter(folder):
    sentences = [*make_sentences(60, seed=5), [], ["ba"], ["ba"]]
    whole = LanguageModel(folder).log_probabilities(sentences)
    small = LanguageModel(folder, max_tokens=10).log_probabilities(sentences[::-1])
    alone = [LanguageModel(folder).log_probabilities([sentence])[0] for sentence in sentences]
    assert whole == pytest.approx(small[::-1], abs=1e-4)
    assert whole == pytest.approx(alone, abs=1e-4)
    assert whole[-1] == whole[-2]
    assert LanguageModel(folder).log_probabilities([]) == []


@pytest.mark.parametrize("kind", ["folder", "convolutional"])
def test_a_sentence_longer_than_the_positions_has_no_probability(kind, request):
    model = LanguageModel(request.getfixturevalue(kind))
    longest, too_long = ["ba"] * (LONGEST - 1), ["ba"] * LONGEST
    found = model.log_probabilities([too_long, longest, ["ba"]])
    assert found[0] == -math.inf
    assert found[1] > -math.inf and found[2] > -math.inf


# --- Refusals
