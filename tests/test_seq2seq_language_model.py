"""Language models: probabilities by their definition, fairseq's own figures, exact resumption after a kill, and refusals."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from pydantic import ValidationError

from artefacts.errors import DataError, UserError
from pseudogec.seq2seq import (
    LanguageModel,
    LanguageModelArchitecture,
    TrainingProgress,
    binarise_text,
    compat,
    model_cache,
    train_language_model,
)
from pseudogec.seq2seq.data import END, UNKNOWN, read_dictionary
from seq2seq_training import (
    assert_same_weights,
    kill_while_saving,
    optimisation_among,
    run_fairseq,
    train_by_fairseq,
    updates_saved,
    weights_of,
)
from seq2seq_world import WORDS, make_dictionary, make_pairs, short_training

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

LONGEST = 12
TINY = LanguageModelArchitecture(
    layers=1, attention_heads=2, model_size=32, feed_forward_size=64, dropout=0.1, max_positions=LONGEST
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


def train_tiny(data: Path, save_dir: Path, *, texts=("one",), valid="valid", seed=1, architecture=TINY, **options):
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
    (tmp_path / "text").write_text("".join(" ".join(sentence) + "\n" for sentence in sentences), encoding="utf-8")
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
    assert_same_weights(weights_of(tmp_path / "ours/model.pt"), weights_of(theirs / "checkpoint_last.pt"))
    assert result.pairs == 151
    assert result.target_words == 2 * sum(len(sentence) + 1 for sentence in [*make_sentences(150, seed=1), []])


def test_a_killed_training_ends_with_the_same_weights(data, tmp_path):
    """The child is killed by SIGKILL in the middle of writing a checkpoint, within an epoch."""
    training = f"""
        from test_seq2seq_language_model import train_tiny

        train_tiny(Path({str(data)!r}), Path({str(tmp_path / "killed")!r}), epochs=3, seconds_between_saves=0.0)
    """
    kill_while_saving(training, 6)
    stopped_at = updates_saved(tmp_path / "killed")
    resumed = train_tiny(data, tmp_path / "killed", epochs=3)
    whole = train_tiny(data, tmp_path / "whole", epochs=3)
    assert 0 < stopped_at < whole.updates
    assert_same_weights(weights_of(tmp_path / "killed/model.pt"), weights_of(tmp_path / "whole/model.pt"))
    assert (resumed.validation_curve, resumed.target_words) == (whole.validation_curve, whole.target_words)
    for name in ("killed", "whole"):
        assert sorted(path.name for path in (tmp_path / name).iterdir()) == ["dict.txt", "model.pt", "training.json"]
    assert train_tiny(data, tmp_path / "killed", epochs=3) == resumed


def test_an_unfinished_training_with_other_options_is_refused(data, tmp_path):
    def interrupt(report: TrainingProgress) -> None:
        if report.update >= 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_tiny(data, tmp_path / "model", updates=8, epochs=None, seconds_between_saves=0.0, progress=interrupt)
    with pytest.raises(UserError, match="other options"):
        train_tiny(data, tmp_path / "model", updates=8, epochs=None, learning_rate=1e-4)


def test_sentences_longer_than_the_positions_are_left_out_and_counted(data, tmp_path):
    architecture = TINY.model_copy(update={"max_positions": 6})
    result = train_tiny(data, tmp_path / "model", valid=None, architecture=architecture)
    assert result.skipped_pairs == sum(len(sentence) + 1 > 6 for sentence in make_sentences(150, seed=1))


# --- Probabilities


def next_probabilities(folder: Path, prefix: list[int]) -> torch.Tensor:
    """The distribution over the next piece after some numbers, without batch or padding, from the network's logits."""
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
        arguments = [*paths, "--sample-break-mode", "eos", "--max-tokens", "200", "--cpu", "--no-progress-bar"]
        namespace = options.parse_args_and_arch(options.get_eval_lm_parser(), arguments)
        found = eval_lm.main(convert_namespace_to_omegaconf(namespace))
    total = sum(LanguageModel(folder).log_probabilities(sentences))
    pieces = sum(len(sentence) + 1 for sentence in sentences)
    assert -total / pieces / math.log(2) == pytest.approx(float(found["loss"]), abs=1e-4)


def test_perplexity_is_that_of_the_validation(data, tmp_path):
    result = train_tiny(data, tmp_path / "model")
    sentences = make_sentences(50, seed=3)
    pieces = sum(len(sentence) + 1 for sentence in sentences)
    perplexity = math.exp(-sum(LanguageModel(tmp_path / "model").log_probabilities(sentences)) / pieces)
    assert perplexity == pytest.approx(result.validation_curve[-1].perplexity, rel=1e-4)
    assert 1 < perplexity < len(read_dictionary(data / "dict.txt"))


def test_likely_sentences_are_those_of_the_language(folder):
    frequent, rare = [WORDS[-1]] * 4, [WORDS[0]] * 4  # in this language a word's frequency grows with its place in the list
    found = LanguageModel(folder).log_probabilities([frequent, rare])
    assert found[0] > found[1]


def test_order_batches_and_repetitions_do_not_matter(folder):
    sentences = [*make_sentences(60, seed=5), [], ["ba"], ["ba"]]
    whole = LanguageModel(folder).log_probabilities(sentences)
    small = LanguageModel(folder, max_tokens=10).log_probabilities(sentences[::-1])
    alone = [LanguageModel(folder).log_probabilities([sentence])[0] for sentence in sentences]
    assert whole == pytest.approx(small[::-1], abs=1e-4)
    assert whole == pytest.approx(alone, abs=1e-4)
    assert whole[-1] == whole[-2]
    assert LanguageModel(folder).log_probabilities([]) == []


def test_pieces_that_look_like_symbols_of_fairseq_are_unknown_text(folder):
    model = LanguageModel(folder)
    symbols = [[symbol, "ba"] for symbol in ("<pad>", "</s>", "<s>", "<unk>")]
    unknown = model.log_probabilities([["unheard", "ba"]] * 4)
    assert model.log_probabilities(symbols) == pytest.approx(unknown)


@pytest.mark.parametrize("kind", ["folder", "convolutional"])
def test_a_sentence_longer_than_the_positions_has_no_probability(kind, request):
    model = LanguageModel(request.getfixturevalue(kind))
    longest, too_long = ["ba"] * (LONGEST - 1), ["ba"] * LONGEST
    found = model.log_probabilities([too_long, longest, ["ba"]])
    assert found[0] == -math.inf
    assert found[1] > -math.inf and found[2] > -math.inf


# --- Refusals


def test_what_does_not_fit_together_is_refused(data, tmp_path):
    other = make_dictionary([*make_pairs(10, seed=9), (["new"], ["piece"])], tmp_path / "dict.txt")
    binarise_text([["new"]], other, tmp_path / "other")
    options = (tmp_path / "model", TINY, short_training(), 1)
    with pytest.raises(UserError, match="another vocabulary"):
        train_language_model([tmp_path / "other"], None, data / "dict.txt", *options)
    with pytest.raises(UserError, match="no training data"):
        train_language_model([], None, data / "dict.txt", *options)
    with pytest.raises(UserError, match="needs validation data"):
        train_tiny(data, tmp_path / "model", valid=None, selection="best")
    with pytest.raises(DataError, match="nowhere"):
        train_language_model([tmp_path / "nowhere"], None, data / "dict.txt", *options)
    with pytest.raises(UserError, match="no sentence"):
        binarise_text([], other, tmp_path / "empty")
    (tmp_path / "other/train.bin").unlink()
    with pytest.raises(UserError, match=r"train\.bin is missing"):
        train_language_model([tmp_path / "other"], None, other, *options)


def test_impossible_shapes_are_refused():
    with pytest.raises(ValidationError, match="multiple of attention_heads"):
        LanguageModelArchitecture(model_size=30, attention_heads=4)
    with pytest.raises(ValidationError, match="fairseq_options"):
        LanguageModelArchitecture(name="fconv_lm", layers=3)


def test_folders_without_a_language_model_are_refused(folder, tmp_path):
    with pytest.raises(DataError, match=r"dict\.txt"):
        LanguageModel(tmp_path)
    (tmp_path / "dict.txt").write_bytes((folder / "dict.txt").read_bytes())
    with pytest.raises(DataError, match=r"model\.pt"):
        LanguageModel(tmp_path)
