"""The copy-augmented Transformer (Zhao et al. 2019, section 3.2; Choe et al. 2019, appendix A),
architecture "copy_transformer".

The decoder has a second distribution, over the source's subwords: the weights of another attention
over the encoder's output. A gate, computed from that attention's output, mixes it with the
distribution over the vocabulary. Imports fairseq.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

import torch
from fairseq import utils
from fairseq.data import Dictionary
from fairseq.models import register_model, register_model_architecture
from fairseq.models.transformer import (
    TransformerDecoder,
    TransformerEncoder,
    TransformerModel,
    base_architecture,
)
from fairseq.modules import MultiheadAttention

# Keeps the logarithm of a mixed probability finite. What is smaller has no gradient, so that
# training would never raise it.
_SMALLEST_PROBABILITY = torch.finfo(torch.float32).tiny


class CopyEncoder(TransformerEncoder):
    """A Transformer's encoder that hands the source's subwords on to the decoder."""

    def forward(
        self, src_tokens: torch.Tensor, *arguments: Any, **options: Any
    ) -> dict[str, list[torch.Tensor]]:
        output: dict[str, list[torch.Tensor]] = super().forward(src_tokens, *arguments, **options)
        return output | {"src_tokens": [src_tokens]}


class CopyDecoder(TransformerDecoder):
    """A Transformer's decoder with copy attention and gate."""

    def __init__(
        self, options: Namespace, dictionary: Dictionary, embeddings: torch.nn.Embedding
    ) -> None:
        super().__init__(options, dictionary, embeddings)
        self.copy_attention = MultiheadAttention(
            self.output_embed_dim,
            options.copy_attention_heads,
            kdim=options.encoder_embed_dim,
            vdim=options.encoder_embed_dim,
            dropout=options.attention_dropout,
            encoder_decoder_attention=True,
        )
        self.copy_gate = torch.nn.Linear(self.output_embed_dim, 1)
        self.gate_warmup = getattr(options, "copy_gate_warmup", 0)
        self.gate_opening = 1.0

    def set_num_updates(self, num_updates: int) -> None:
        """Open the gate step by step during training: a model that may copy from the start hardly
        learns to generate.
        """
        self.gate_opening = min(1.0, num_updates / self.gate_warmup) if self.gate_warmup else 1.0

    def forward(
        self,
        prev_output_tokens: torch.Tensor,
        encoder_out: dict[str, list[torch.Tensor]],
        incremental_state: dict[str, Any] | None = None,
        **options: Any,
    ) -> tuple[torch.Tensor, dict[str, Any]]:
        """The vocabulary's logits, shape (sentences, subwords, vocabulary), and what mixing needs.

        The copy attention is also the attention by which unknown subwords are replaced.
        """
        features, extra = self.extract_features(prev_output_tokens, encoder_out, incremental_state)
        padding = encoder_out["encoder_padding_mask"]
        copied, weights = self.copy_attention(
            query=features.transpose(0, 1),
            key=encoder_out["encoder_out"][0],
            value=encoder_out["encoder_out"][0],
            key_padding_mask=padding[0] if padding else None,
            incremental_state=incremental_state,
            static_kv=True,
            need_weights=True,
        )
        opening = self.gate_opening if self.training else 1.0
        gate = self.copy_gate(copied.transpose(0, 1)).float()
        extra["copy_share"] = opening * torch.sigmoid(gate)
        # 1 - copy_share, computed so that it neither rounds to 0 nor loses its gradient where the
        # gate is wide open.
        extra["generated_share"] = (1 - opening) + opening * torch.sigmoid(-gate)
        extra["attn"] = [weights]
        extra["source"] = encoder_out["src_tokens"][0]
        return self.output_layer(features), extra

    def get_normalized_probs(
        self,
        net_output: tuple[torch.Tensor, dict[str, Any]],
        log_probs: bool,
        sample: dict[str, Any] | None = None,
    ) -> torch.Tensor:
        """Probabilities of the vocabulary: (1 - a) p_generate + a p_copy."""
        logits, extra = net_output
        attention = extra["attn"][0].float()
        probabilities = extra["generated_share"] * utils.softmax(logits, dim=-1).float()
        places = extra["source"].unsqueeze(1).expand_as(attention)
        probabilities = probabilities.scatter_add(2, places, extra["copy_share"] * attention)
        return probabilities.clamp_min(_SMALLEST_PROBABILITY).log() if log_probs else probabilities


@register_model("copy_transformer")
class CopyTransformer(TransformerModel):
    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        TransformerModel.add_args(parser)
        parser.add_argument(
            "--copy-attention-heads", type=int, metavar="N", help="heads of the copy attention"
        )
        parser.add_argument(
            "--copy-gate-warmup", type=int, metavar="N", help="updates until the gate is fully open"
        )

    @classmethod
    def build_model(cls, args: Namespace, task: Any) -> CopyTransformer:
        if task.source_dictionary != task.target_dictionary:
            raise ValueError(
                "copy_transformer copies source subwords into the target and needs "
                "one dictionary for both"
            )
        model: CopyTransformer = super().build_model(args, task)
        return model

    @classmethod
    def build_encoder(
        cls, args: Namespace, src_dict: Dictionary, embed_tokens: torch.nn.Embedding
    ) -> CopyEncoder:
        return CopyEncoder(args, src_dict, embed_tokens)

    @classmethod
    def build_decoder(
        cls, args: Namespace, tgt_dict: Dictionary, embed_tokens: torch.nn.Embedding
    ) -> CopyDecoder:
        return CopyDecoder(args, tgt_dict, embed_tokens)


@register_model_architecture("copy_transformer", "copy_transformer")
def _base(args: Namespace) -> None:
    args.copy_attention_heads = getattr(args, "copy_attention_heads", 8)
    base_architecture(args)
