"""Attention by torch's fused function also where fairseq multiplies the matrices itself. Imports fairseq.

In training, fairseq 0.12.2 uses torch's function for the attention within encoder and decoder. In the decoder's attention to the
encoder, and wherever keys and values are kept from step to step, it writes the weights of every head to memory, which
``scaled_dot_product_attention`` (Dao et al. 2022; Rabe and Staats 2021) avoids.
"""

from __future__ import annotations

from pseudogec.seq2seq import compat

compat.apply()

import torch  # noqa: E402
from fairseq.modules import MultiheadAttention  # noqa: E402
from fairseq.modules.transformer_layer import TransformerDecoderLayerBase  # noqa: E402
from torch.nn.functional import scaled_dot_product_attention  # noqa: E402

Buffer = dict[str, torch.Tensor | None]


def use_fused_attention(model: torch.nn.Module, weights_are_read: bool = True) -> int:
    """Let a fairseq model compute attention by ``scaled_dot_product_attention``; returns how many attentions were changed.

    Outputs, gradients and kept states are the same up to rounding. Attention weights that are needed are computed in fairseq's
    way: those of the decoder's last layer, which replace unknown subwords, and those of the copy attention. Attentions with more
    than projections, masks and dropout are not changed.

    Args:
        model: any model.
        weights_are_read: whether training reads the weights of the decoder's last layer, as alignment losses do, but not label
            smoothing, our criterion.
    """
    changed = 0
    for module in model.modules():
        if type(module) is MultiheadAttention and _is_plain(module):
            module.__class__ = FusedAttention
            changed += 1
        elif isinstance(module, TransformerDecoderLayerBase):
            module.need_attn = False  # else decoding asks all layers but the last for weights that are not used
    for module in model.modules():
        if isinstance(module, TransformerDecoderLayerBase) and isinstance(module.encoder_attn, FusedAttention):
            module.encoder_attn.trains_without_weights = not weights_are_read
    return changed


def _is_plain(attention: MultiheadAttention) -> bool:
    return attention.bias_k is None and not attention.add_zero_attn and not attention.use_xformers


class FusedAttention(MultiheadAttention):
    """fairseq's attention with the product of weights and values fused; made by `use_fused_attention` only."""

    trains_without_weights = False  # in training, weights are not computed even when asked for

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor | None,
        value: torch.Tensor | None,
        key_padding_mask: torch.Tensor | None = None,
        incremental_state: dict[str, Buffer] | None = None,
        need_weights: bool = True,
        static_kv: bool = False,
        attn_mask: torch.Tensor | None = None,
        before_softmax: bool = False,
        need_head_weights: bool = False,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Attend; arguments and return value are fairseq's. Shapes are (subwords, sentences, width).

        The output of a query all of whose keys are masked is zero; fairseq's is NaN.
        """
        weights = (need_weights or need_head_weights) and not (self.training and self.trains_without_weights)
        left_to_torch = incremental_state is None and not static_kv
        if weights or before_softmax or left_to_torch:
            return super().forward(
                query,
                key,
                value,
                key_padding_mask=key_padding_mask,
                incremental_state=incremental_state,
                need_weights=weights,
                static_kv=static_kv,
                attn_mask=attn_mask,
                before_softmax=before_softmax,
                need_head_weights=weights and need_head_weights,
            )
        keys, values, padding = self._keys_and_values(query, key, value, key_padding_mask, incremental_state, static_kv)
        return self._attend(query, keys, values, padding, attn_mask), None

    def _keys_and_values(
        self,
        query: torch.Tensor,
        key: torch.Tensor | None,
        value: torch.Tensor | None,
        padding: torch.Tensor | None,
        incremental_state: dict[str, Buffer] | None,
        static: bool,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Keys and values of all steps so far, (sentences, heads, subwords, head size), and their padding; both are kept.

        The hypotheses of one beam, which read the same source, share its keys and values.
        """
        kept = self._get_input_buffer(incremental_state) if incremental_state is not None else {}
        if static and kept.get("prev_key") is not None:
            keys, values = kept["prev_key"], kept["prev_value"]
        else:
            if self.self_attention:
                key = value = query
            elif self.encoder_decoder_attention and key is not None and self.beam_size > 1 and query.size(1) == key.size(1):
                key = value = key[:, :: self.beam_size]
                padding = None if padding is None else padding[:: self.beam_size]
            elif self.encoder_decoder_attention:
                value = key
            keys, values = self._split(self.k_proj(key)), self._split(self.v_proj(value))
            if kept.get("prev_key") is not None:
                keys, values = torch.cat([kept["prev_key"], keys], dim=2), torch.cat([kept["prev_value"], values], dim=2)
        if incremental_state is not None:
            padding = self._append_prev_key_padding_mask(
                padding, kept.get("prev_key_padding_mask"), keys.size(0), keys.size(2), static
            )
            kept |= {"prev_key": keys, "prev_value": values, "prev_key_padding_mask": padding}
            self._set_input_buffer(incremental_state, kept)
        return keys, values, padding

    def _split(self, states: torch.Tensor) -> torch.Tensor:
        """States of shape (subwords, sentences, width) as (sentences, heads, subwords, head size)."""
        subwords, sentences, _ = states.shape
        return states.view(subwords, sentences, self.num_heads, self.head_dim).permute(1, 2, 0, 3)

    def _attend(
        self,
        query: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        padding: torch.Tensor | None,
        attn_mask: torch.Tensor | None,
    ) -> torch.Tensor:
        subwords, hypotheses, _ = query.shape
        sentences = keys.size(0)
        beam = hypotheses // sentences
        queries = self._split(self.q_proj(query))
        if beam > 1:
            # The hypotheses of one sentence become further queries, so that they share its keys.
            queries = queries.reshape(sentences, beam, self.num_heads, subwords, self.head_dim).transpose(1, 2).flatten(2, 3)
            attn_mask = None if attn_mask is None else attn_mask.repeat(beam, 1)
        attended = scaled_dot_product_attention(
            queries,
            keys,
            values,
            attn_mask=_joint_mask(padding, attn_mask, queries.dtype),
            dropout_p=self.dropout_module.p if self.training or self.dropout_module.apply_during_inference else 0.0,
            scale=self.scaling,
        )
        if beam > 1:
            attended = attended.view(sentences, self.num_heads, beam, subwords, self.head_dim).transpose(1, 2).flatten(0, 1)
        output: torch.Tensor = self.out_proj(attended.permute(2, 0, 1, 3).reshape(subwords, hypotheses, self.embed_dim))
        return output


def _joint_mask(padding: torch.Tensor | None, attn_mask: torch.Tensor | None, dtype: torch.dtype) -> torch.Tensor | None:
    """One mask from padding, (sentences, keys), true where there is nothing, and a mask to add, (queries, keys).

    It is true where a query may look if there is only padding, else the numbers to add.
    """
    hidden = None if padding is None else padding.to(torch.bool)[:, None, None, :]
    if attn_mask is None:
        return None if hidden is None else ~hidden
    added = attn_mask.to(dtype)[None, None]
    return added if hidden is None else added.masked_fill(hidden, float("-inf"))
