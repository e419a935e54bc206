"""Label-smoothed cross-entropy in place, without arrays of log-probabilities. Imports fairseq.

The largest arrays of an update are those over the vocabulary. fairseq 0.12.2 writes four of them
one after the other: logits, log-probabilities, and the gradients of both. Here the logits are read
once, a few rows at a time, and overwritten by their gradient.
"""

from __future__ import annotations

from typing import Any

from pseudogec.seq2seq import compat

compat.apply()

import torch  # noqa: E402
from fairseq.criterions.label_smoothed_cross_entropy import LabelSmoothedCrossEntropyCriterion  # noqa: E402
from fairseq.models import BaseFairseqModel, FairseqDecoder  # noqa: E402

# Of the logits at a time on a CPU; with some thousand subwords they stay in a core's cache
_ROWS = 128


def use_fused_loss(criterion: LabelSmoothedCrossEntropyCriterion, model: BaseFairseqModel) -> None:
    """Let fairseq's criterion compute the loss of a model in place; the result is the same up to
    rounding.

    A model that mixes distributions, such as one that copies, keeps fairseq's computation.
    """
    if type(model.decoder).get_normalized_probs is not FairseqDecoder.get_normalized_probs:
        return

    def compute_loss(
        _: Any, net_output: Any, sample: Any, reduce: bool = True
    ) -> tuple[torch.Tensor, torch.Tensor]:
        logits, target = net_output[0], model.get_targets(sample, net_output)
        losses: tuple[torch.Tensor, torch.Tensor] = _SmoothedCrossEntropy.apply(
            logits.reshape(-1, logits.size(-1)),
            target.reshape(-1),
            criterion.eps,
            criterion.padding_idx,
        )
        return losses

    criterion.compute_loss = compute_loss


class _SmoothedCrossEntropy(torch.autograd.Function):
    """The loss (1 - e - f) nll + f sum_v nll_v with f = e / (V - 1), as fairseq smooths a
    vocabulary of V subwords by e.

    The gradient by the logits is p - f - (1 - e - f) at the target, and p - f elsewhere.
    """

    @staticmethod
    def forward(
        ctx: Any, logits: torch.Tensor, target: torch.Tensor, smoothing: float, padding: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Of logits (subwords, vocabulary) and a target (subwords), the losses with and without
        smoothing, summed in nats.
        """
        vocabulary = logits.size(1)
        other = smoothing / (vocabulary - 1)
        right = 1.0 - smoothing - other
        gradient = logits.detach()
        counts = target.ne(padding)
        nll, every = torch.empty(2, len(target), device=logits.device)
        at_once = _ROWS if logits.device.type == "cpu" else len(target)
        for start in range(0, len(target), at_once):
            rows = slice(start, start + at_once)
            # The rows themselves, or a copy of those in half precision
            row = gradient[rows].float()
            answer, counted = target[rows].unsqueeze(1), counts[rows].unsqueeze(1)
            row.sub_(row.amax(1, keepdim=True))
            of_answer, of_all = row.gather(1, answer), row.sum(1, keepdim=True)
            total = row.exp_().sum(1, keepdim=True)
            nll[rows] = ((total.log() - of_answer) * counted).squeeze(1)
            every[rows] = ((vocabulary * total.log() - of_all) * counted).squeeze(1)
            row.mul_(counted / total).sub_(other * counted)
            row.scatter_add_(1, answer, -right * counted)
            if row.dtype != gradient.dtype:
                gradient[rows] = row
        ctx.save_for_backward(gradient)
        plain = nll.sum()
        ctx.mark_non_differentiable(plain)
        return right * plain + other * every.sum(), plain

    @staticmethod
    def backward(
        ctx: Any, of_loss: torch.Tensor, _: torch.Tensor
    ) -> tuple[torch.Tensor, None, None, None]:
        (gradient,) = ctx.saved_tensors
        return gradient.mul_(of_loss), None, None, None
