"""The update of all weights together: the same weights as fairseq's own, tensor by tensor."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from pseudogec.seq2seq import compat
from pseudogec.seq2seq.options import Optimisation

SHAPES = [(7, 5), (5,), (3, 4, 2), (1,)]


def optimiser_of(weights: list[torch.nn.Parameter], decay: float, name: str = "adam") -> Any:
    from fairseq import optim

    options = Optimisation(
        optimiser=name, learning_rate=0.01, warmup_updates=4, weight_decay=decay, updates=10
    )  # type: ignore[arg-type]
    arguments = ["/nowhere", "--arch", "transformer", *options.fairseq_arguments()]
    return optim.build_optimizer(compat.configuration(arguments).optimizer, weights)


@pytest.mark.parametrize("decay", [0.0, 0.01])
@pytest.mark.parametrize("most", [0.0, 0.5])
def test_weights_are_those_of_fairseq(decay: float, most: float) -> None:
    compat.apply()
    from pseudogec.seq2seq.fused_update import use_fused_update

    random = torch.Generator().manual_seed(1)
    start = [torch.randn(shape, generator=random) for shape in SHAPES]
    ours, theirs = ([torch.nn.Parameter(each.clone()) for each in start] for _ in range(2))
    fused, plain = optimiser_of(ours, decay), optimiser_of(theirs, decay)
    assert use_fused_update(fused)
    for update in range(6):
        gradients = [torch.randn(shape, generator=random) for shape in SHAPES]
        for weights, optimiser in ((ours, fused), (theirs, plain)):
            optimiser.set_lr(0.01 / (update + 1))
            for each, gradient in zip(weights, gradients, strict=True):
                each.grad = gradient.clone()
            optimiser.multiply_grads(torch.tensor(0.5))
            optimiser.multiply_grads(3.0)
        norms = [
            optimiser.clip_grad_norm(most, aggregate_norm_fn=None) for optimiser in (fused, plain)
        ]
        assert norms[0] == pytest.approx(float(norms[1]), rel=1e-6)
        fused.step(), plain.step()
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-7)
    states = [optimiser.state_dict()["state"] for optimiser in (fused, plain)]
    for one, other in zip(*(state.values() for state in states), strict=True):
        assert one["step"] == other["step"] == 6
        torch.testing.assert_close(one["exp_avg_sq"], other["exp_avg_sq"], rtol=1e-6, atol=1e-9)


def test_weights_that_missed_an_update_go_on_from_their_own_number() -> None:
    """A layer that was dropped has no gradient."""
    compat.apply()
    from pseudogec.seq2seq.fused_update import use_fused_update

    random = torch.Generator().manual_seed(2)
    start = [torch.randn(shape, generator=random) for shape in SHAPES]
    ours, theirs = ([torch.nn.Parameter(each.clone()) for each in start] for _ in range(2))
    fused, plain = optimiser_of(ours, 0.0), optimiser_of(theirs, 0.0)
    assert use_fused_update(fused)
    for update in range(4):
        gradients = [torch.randn(shape, generator=random) for shape in SHAPES]
        for weights, optimiser in ((ours, fused), (theirs, plain)):
            for place, (each, gradient) in enumerate(zip(weights, gradients, strict=True)):
                each.grad = None if (update, place) == (1, 2) else gradient.clone()
            optimiser.step()
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-7)
