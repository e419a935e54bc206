"""An update of all weights in a few kernels, where fairseq launches a dozen for each tensor.
Imports fairseq.

A small model's update is little work in many launches, which determine the speed on a GPU. Adam,
the norm of the gradients and their scaling launch some for each tensor. torch's own fused Adam is
not used: it adds epsilon elsewhere than fairseq's does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MethodType
from typing import Any

from pseudogec.seq2seq import compat

compat.apply()

import torch  # noqa: E402
from fairseq.optim.adam import Adam, FairseqAdam  # noqa: E402


def use_fused_update(optimiser: Any) -> bool:
    """Let fairseq's Adam in full precision treat all tensors together; returns whether this
    optimiser is one.

    The same operations in the same order, so weights and state are the same except for the order in
    which norms are summed.
    """
    if type(optimiser) is not FairseqAdam or type(optimiser.optimizer) is not Adam:
        return False
    if any(group["amsgrad"] for group in optimiser.param_groups):
        return False
    if any(weights.dtype != torch.float32 for weights in optimiser.params):
        return False
    optimiser.multiply_grads = MethodType(_multiply_grads, optimiser)
    optimiser.clip_grad_norm = MethodType(_clip_grad_norm, optimiser)
    optimiser.optimizer.step = MethodType(_step, optimiser.optimizer)
    return True


def _gradients(optimiser: Any) -> list[torch.Tensor]:
    return [weights.grad for weights in optimiser.params if weights.grad is not None]


def _multiply_grads(optimiser: Any, factor: float | torch.Tensor) -> None:
    gradients = _gradients(optimiser)
    if torch.is_tensor(factor):
        factor = factor.to(gradients[0].device)
    torch._foreach_mul_(gradients, factor)


def _clip_grad_norm(
    optimiser: Any,
    max_norm: float,
    aggregate_norm_fn: Callable[[torch.Tensor], torch.Tensor] | None = None,
) -> torch.Tensor:
    gradients = _gradients(optimiser)
    norm: torch.Tensor = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
    if aggregate_norm_fn is not None:
        norm = aggregate_norm_fn(norm)
    if max_norm > 0:
        torch._foreach_mul_(gradients, (max_norm / (norm + 1e-6)).clamp_(max=1))
    return norm


@torch.no_grad()
def _step(adam: Adam, closure: None = None) -> None:
    """Adam as fairseq computes it: epsilon is added before the correction of the second moment's
    bias.
    """
    for group in adam.param_groups:
        weights = [each for each in group["params"] if each.grad is not None]
        if not weights:
            continue
        gradients = [each.grad for each in weights]
        states = [adam.state[each] for each in weights]
        for each, state in zip(weights, states, strict=True):
            if not state:
                state.update(
                    step=0, exp_avg=torch.zeros_like(each), exp_avg_sq=torch.zeros_like(each)
                )
            state["step"] += 1
        first, second = ([state[name] for state in states] for name in ("exp_avg", "exp_avg_sq"))
        (beta1, beta2), rate = group["betas"], group["lr"]
        torch._foreach_mul_(first, beta1)
        torch._foreach_add_(first, gradients, alpha=1 - beta1)
        torch._foreach_mul_(second, beta2)
        torch._foreach_addcmul_(second, gradients, gradients, value=1 - beta2)
        spread = torch._foreach_sqrt(second)
        torch._foreach_add_(spread, group["eps"])
        if group["weight_decay"]:
            torch._foreach_add_(weights, weights, alpha=-group["weight_decay"] * rate)
        # Several if layers are dropped, which then miss an update
        for step in {state["step"] for state in states}:
            size = rate * math.sqrt(1 - beta2**step) / (1 - beta1**step)
            chosen = [place for place, state in enumerate(states) if state["step"] == step]
            moved, means, spreads = (
                [each[place] for place in chosen] for each in (weights, first, spread)
            )
            torch._foreach_addcdiv_(moved, means, spreads, value=-size)
