"""A Transformer that runs out of memory as a small GPU does: for fairseq's ``--user-dir``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

import torch
from fairseq.data import Dictionary
from fairseq.models import register_model, register_model_architecture
from fairseq.models.transformer import TransformerEncoder, TransformerModel, base_architecture


class SmallMemoryEncoder(TransformerEncoder):
    """There is memory for so many sentences; in training, only from an update on it is so small."""

    sentences, until, updates = 10**6, 0, 0

    def set_num_updates(self, num_updates: int) -> None:
        self.updates = num_updates

    def forward(self, src_tokens: torch.Tensor, *arguments: Any, **options: Any) -> Any:
        if len(src_tokens) > self.sentences and (self.updates >= self.until or not self.training):
            raise torch.OutOfMemoryError(
                "CUDA out of memory. Tried to allocate 20.00 MiB.\nAdvice of torch."
            )
        return super().forward(src_tokens, *arguments, **options)


@register_model("small_memory_transformer")
class SmallMemoryTransformer(TransformerModel):
    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        TransformerModel.add_args(parser)
        parser.add_argument("--memory-for-sentences", type=int, default=10**6)
        parser.add_argument(
            "--memory-until",
            type=int,
            default=0,
            help="the update until which memory is large enough",
        )

    @classmethod
    def build_encoder(
        cls, args: Namespace, src_dict: Dictionary, embed_tokens: torch.nn.Embedding
    ) -> SmallMemoryEncoder:
        encoder = SmallMemoryEncoder(args, src_dict, embed_tokens)
        encoder.sentences, encoder.until = args.memory_for_sentences, args.memory_until
        return encoder


@register_model_architecture("small_memory_transformer", "small_memory_transformer")
def _base(args: Namespace) -> None:
    base_architecture(args)
