"""fairseq's helpers in numpy against its documented algorithms, and against its compiled modules
where those are installed.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from pseudogec.seq2seq import compat, compiled


def fairseqs_own(name: str) -> ModuleType:
    """fairseq's own compiled module."""
    compat.apply()
    import importlib

    module = importlib.import_module(f"fairseq.data.{name}")
    if not (module.__file__ or "").endswith((".so", ".pyd")):
        pytest.skip(f"this fairseq was installed without its compiled module {name}")
    return module


def random_cases(seed: int, count: int) -> list[tuple[np.ndarray, np.ndarray, int, int, int]]:
    """Indices, lengths, max_tokens, max_sentences, multiple."""
    numbers = np.random.default_rng(seed)
    cases = []
    for case in range(count):
        lengths = numbers.integers(1, numbers.integers(2, 60), numbers.integers(1, 200))
        lengths = np.sort(lengths) if case % 2 else lengths
        longest = int(lengths.max())
        max_tokens = int(numbers.choice([-1, longest, longest * 3, longest * 17]))
        max_sentences = int(numbers.choice([-1, 1, 3, 8, 20]))
        indices = numbers.permutation(len(lengths))
        cases.append(
            (
                indices,
                lengths.astype(np.int64),
                max_tokens,
                max_sentences,
                int(numbers.choice([1, 2, 3, 8, 16])),
            )
        )
    return cases


def as_lists(batches: list[np.ndarray]) -> list[list[int]]:
    return [batch.tolist() for batch in batches if len(batch)]


def test_batches_keep_order_and_limits():
    for indices, lengths, max_tokens, max_sentences, multiple in random_cases(seed=2, count=100):
        length_of = dict(zip(indices.tolist(), lengths.tolist(), strict=True))
        batches = as_lists(
            compiled.batch_by_size_vec(indices, lengths, max_tokens, max_sentences, multiple)
        )
        assert [index for batch in batches for index in batch] == indices.tolist()
        for batch in batches:
            assert (
                max_tokens < 0
                or len(batch) * max(length_of[index] for index in batch) <= max_tokens
            )
            assert max_sentences < 0 or len(batch) <= max_sentences or multiple > max_sentences


def test_batches_equal_the_compiled_ones():
    module = fairseqs_own("data_utils_fast")
    for indices, lengths, *limits in random_cases(seed=3, count=500):
        expected = module.batch_by_size_vec(indices, lengths, *limits)
        found = compiled.batch_by_size_vec(indices, lengths, *limits)
        assert [batch.tolist() for batch in found] == [batch.tolist() for batch in expected]


def test_token_blocks_equal_the_compiled_ones():
    module = fairseqs_own("token_block_utils_fast")
    numbers = np.random.default_rng(5)
    for _ in range(200):
        sizes = numbers.integers(0, 12, 60)
        expected = module._get_slice_indices_fast(sizes, "eos", 20, 1)
        assert compiled._get_slice_indices_fast(sizes, "eos", 20, 1).tolist() == expected.tolist()


def test_torch_load_stays_strict_for_others(tmp_path):
    compat.apply()
    import pickle

    import torch

    class Anything:
        pass

    globals()["Anything"] = Anything
    Anything.__qualname__ = "Anything"
    torch.save({"cfg": Anything()}, tmp_path / "file.pt")
    with pytest.raises(pickle.UnpicklingError):
        torch.load(tmp_path / "file.pt")
