"""Models as steps of a system: n-best corrections, and their ranking from right to left."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from helpers.seq2seq_world import TINY, short_training
from pseudogec.correct import Models, ReadyStep, RightToLeft, as_written
from pseudogec.seq2seq import Decoder, binarise, compat, train
from pseudogec.text import Bpe, Vocabulary

pytestmark = pytest.mark.slow

SYLLABLES = [consonant + vowel for consonant in "bkm" for vowel in "aeo"]
BPE = Bpe([f"{one} {two}{end}" for one, two in SYLLABLES for end in ("", "</w>")])
LONGEST = 24


def make_pairs(count: int, seed: int) -> list[tuple[list[str], list[str]]]:
    """Sentences of 1 to 5 words of 1 or 2 syllables; every tenth syllable of a source is wrong."""
    numbers = random.Random(seed)

    def word() -> str:
        return "".join(numbers.choices(SYLLABLES, weights=range(1, 10), k=numbers.randint(1, 2)))

    def miswritten(right: str) -> str:
        parts = [right[place : place + 2] for place in range(0, len(right), 2)]
        return "".join(
            numbers.choice(SYLLABLES) if numbers.random() < 0.1 else part for part in parts
        )

    targets = [[word() for _ in range(numbers.randint(1, 5))] for _ in range(count)]
    return [([miswritten(right) for right in target], target) for target in targets]


@pytest.fixture(scope="module")
def models(one_thread, tmp_path_factory) -> dict[str, list[Path]]:
    """Two models of each direction, all of one vocabulary."""

    folder = tmp_path_factory.mktemp("models")
    pairs = [(BPE.apply(source), BPE.apply(target)) for source, target in make_pairs(800, seed=1)]
    dictionary = folder / "dict.txt"
    Vocabulary(
        Counter(piece for pair in pairs for side in pair for piece in side), symbols=()
    ).save(dictionary)
    turned = [(source[::-1], target[::-1]) for source, target in pairs]
    trained: dict[str, list[Path]] = {}
    for direction, data in (("left to right", pairs), ("right to left", turned)):
        binarise(data, dictionary, folder / direction / "data")
        trained[direction] = [folder / direction / str(seed) for seed in (1, 2)]
        for seed, model in enumerate(trained[direction], start=1):
            architecture = TINY.model_copy(update={"max_positions": LONGEST + 1})
            train(
                [folder / direction / "data"],
                None,
                dictionary,
                model,
                architecture,
                short_training(epochs=3),
                seed,
            )
    return trained


def model_step(decoder: Decoder, n_best: int = 1, **search: Any) -> ReadyStep:
    return partial(Models(models="any", n_best=n_best).correct, decoder=decoder, bpe=BPE, **search)


def ranking(decoder: Decoder, **search: Any) -> ReadyStep:
    return partial(RightToLeft(models="any").rank, decoder=decoder, bpe=BPE, **search)


@pytest.fixture(scope="module")
def left_to_right(models) -> Decoder:
    return Decoder(models["left to right"])


@pytest.fixture(scope="module")
def right_to_left(models) -> Decoder:
    return Decoder(models["right to left"])


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    return [source for source, _ in make_pairs(40, seed=2)]


class ForcedDecoding:
    """The score of a given target, from the definition: the models' probabilities averaged piece by
    piece.
    """

    def __init__(self, models: Sequence[Path]) -> None:
        compat.apply()
        from fairseq import checkpoint_utils

        self._models, _, task = checkpoint_utils.load_model_ensemble_and_task(
            [str(model / "model.pt") for model in models], arg_overrides={"data": str(models[0])}
        )
        self._dictionary = task.target_dictionary

    def __call__(
        self, source: Sequence[str], target: Sequence[str], length_penalty: float
    ) -> float:
        import torch

        end = self._dictionary.eos()
        read, written = ([*map(self._dictionary.index, pieces), end] for pieces in (source, target))
        with torch.no_grad():
            distributions = []
            for model in self._models:
                model.eval()
                output = model(
                    torch.tensor([read]),
                    torch.tensor([len(read)]),
                    torch.tensor([[end, *written[:-1]]]),
                )
                distributions.append(model.get_normalized_probs(output, log_probs=False)[0])
            probabilities = (
                torch.stack(distributions).mean(dim=0).gather(1, torch.tensor(written)[:, None])
            )
        return float(probabilities.log().sum()) / len(written) ** length_penalty


def test_a_model_corrects_words(left_to_right, sentences):
    corrected = model_step(left_to_right)(sentences, as_written(sentences))
    outputs = left_to_right.decode([BPE.apply(tokens) for tokens in sentences])
    assert [sentence.tokens for sentence in corrected] == [
        tuple(BPE.undo(found[0].subwords)) for found in outputs
    ]
    assert not any(sentence.candidates or sentence.note for sentence in corrected)


def test_the_n_best_are_kept_best_first(left_to_right, sentences):
    corrected = model_step(left_to_right, beam=6, n_best=4)(sentences, as_written(sentences))
    for tokens, sentence in zip(sentences, corrected, strict=True):
        scores = [candidate.score for candidate in sentence.candidates]
        assert len(scores) == 4 and scores == sorted(scores, reverse=True)
        assert len({candidate.subwords for candidate in sentence.candidates}) == 4
        assert tuple(BPE.undo(sentence.candidates[0].subwords)) == sentence.tokens
        assert BPE.undo(sentence.corrected_subwords) == tokens


def test_what_no_model_can_take_is_left_alone(left_to_right, right_to_left):
    # A token that looks like a piece cannot be joined again
    sentences = [[], ["ba", "a@@"] * LONGEST, ["bake", "mo"]]
    subwords = len(BPE.apply(sentences[1]))
    for n_best in (1, 3):
        corrected = model_step(left_to_right, n_best=n_best)(sentences, as_written(sentences))
        assert [corrected[0].tokens, corrected[1].tokens] == [(), tuple(sentences[1])]
        assert corrected[0].note == ""
        assert f"{subwords} subwords" in corrected[1].note and str(LONGEST) in corrected[1].note
        assert corrected[2].note == ""
    ranked = ranking(right_to_left)(sentences, corrected)
    assert [sentence.tokens for sentence in ranked[:2]] == [(), tuple(sentences[1])]
    assert ranked[2].note.endswith("of 3")


@pytest.mark.parametrize("length_penalty", [1.0, 0.5])
def test_scores_are_those_of_forced_decoding_of_the_reversed_sentence(
    models, left_to_right, right_to_left, sentences, length_penalty
):
    forced = ForcedDecoding(models["right to left"])
    found = model_step(left_to_right, n_best=5, length_penalty=length_penalty)(
        sentences, as_written(sentences)
    )
    ranked = ranking(right_to_left, length_penalty=length_penalty)(sentences, found)
    moved = 0
    for tokens, before, after in zip(sentences, found, ranked, strict=True):
        source = BPE.apply(tokens)[::-1]
        sums = [
            candidate.score + forced(source, candidate.subwords[::-1], length_penalty)
            for candidate in before.candidates
        ]
        best = max(range(5), key=lambda place: sums[place])
        assert after.note == f"candidate {best + 1} of 5"
        assert after.tokens == tuple(BPE.undo(before.candidates[best].subwords))
        expected = dict(
            zip((candidate.subwords for candidate in before.candidates), sums, strict=True)
        )
        assert [candidate.score for candidate in after.candidates] == pytest.approx(
            sorted(expected.values(), reverse=True), abs=1e-4
        )
        assert all(
            candidate.score == pytest.approx(expected[candidate.subwords], abs=1e-4)
            for candidate in after.candidates
        )
        moved += best > 0
    assert moved, "no sentence was ranked anew, so nothing was tested"
