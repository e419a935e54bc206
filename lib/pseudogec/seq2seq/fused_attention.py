"""The decoder's attention to the encoder by torch's fused function, in training. Imports fairseq.

For the attention within encoder and decoder fairseq 0.12.2 uses torch's function. In that from decoder to encoder it writes the
weights of every head to memory, which ``scaled_dot_product_attention`` (Dao et al. 2022; Rabe and Staats 2021) avoids.
"""

from __future__ import annotations

from typing import Any

from pseudogec.seq2seq import compat

compat.apply()

import torch  # noqa: E402
from fairseq.modules import MultiheadAttention  # noqa: E402
from fairseq.modules.transformer_layer import TransformerDecoderLayerBase  # noqa: E402
from torch.nn.functional import scaled_dot_product_attention  # noqa: E402


def use_fused_attention(model: torch.nn.Module) -> None:
    """Let a fairseq model that is to be trained attend to the encoder by torch's function; the same up to rounding."""
    for layer in model.modules():
        if isinstance(layer, TransformerDecoderLayerBase) and type(layer.encoder_attn) is MultiheadAttention:
            layer.encoder_attn.__class__ = FusedAttention
            layer.need_attn = False  # else validation asks all layers but the last for weights that are not used


class FusedAttention(MultiheadAttention):
    """fairseq's attention with the product of weights and values fused; made by `use_fused_attention` only."""

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        key_padding_mask: torch.Tensor | None = None,
        need_weights: bool = True,
        **options: Any,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Attend; arguments and return value are fairseq's. Shapes are (subwords, sentences, width).

        Weights are computed in validation alone, where they are needed; our criterion, label smoothing, does not read them. The
        output of a query all of whose keys are masked is zero; fairseq's is NaN.
        """
        if need_weights and not self.training:
            output: tuple[torch.Tensor, torch.Tensor | None]
            output = super().forward(query, key, value, key_padding_mask=key_padding_mask, need_weights=True, **options)
            return output
        subwords, sentences, _ = query.shape
        attended = scaled_dot_product_attention(
            self._split(self.q_proj(query)),
            self._split(self.k_proj(key)),
            self._split(self.v_proj(key)),
            attn_mask=None if key_padding_mask is None else ~key_padding_mask.to(torch.bool)[:, None, None, :],
            dropout_p=self.dropout_module.p if self.training else 0.0,
            scale=self.scaling,
        )
        return self.out_proj(attended.permute(2, 0, 1, 3).reshape(subwords, sentences, self.embed_dim)), None

    def _split(self, states: torch.Tensor) -> torch.Tensor:
        """States of shape (subwords, sentences, width) as (sentences, heads, subwords, head size)."""
        subwords, sentences, _ = states.shape
        return states.view(subwords, sentences, self.num_heads, self.head_dim).permute(1, 2, 0, 3)
