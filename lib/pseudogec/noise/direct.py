"""Direct noise (TASLP section III-B, algorithm 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, ModelWrapValidatorHandler, model_validator

from pseudogec.artefacts.errors import UserError
from pseudogec.noise.method import (
    METHODS,
    Operation,
    TextMethod,
    delete,
    insert,
    keep,
    mask,
    noised_tokens,
)
from pseudogec.noise.resources import NoiseResources, UnigramDistribution
from pseudogec.random_streams import SentenceStreams, bounded, uniforms
from pseudogec.text import MASK

_TOLERANCE = 1e-6
_PROBABILITIES = ("mu_mask", "mu_del", "mu_ins", "mu_keep")


@METHODS.register
class DirectNoise(TextMethod):
    """Mask, delete, insert after, or keep each subword; the four probabilities sum to 1.

    Defaults follow TASLP section IV-B: ``mu_keep`` is 0.2, ``mu_mask`` is 3/8 of the rest (0.3 of
    0.8), and ``mu_del`` and ``mu_ins`` share the rest equally. So ``mu_mask`` alone describes each
    point of the paper's sweep; 0.3 is the setting of TASLP 2020, 0.5 that of EMNLP 2019.
    """

    name = "direct_noise"
    label = "Direct noise"
    colour = "#0072B2"
    summary = "mask, delete, insert after, or keep each subword (Kiyono et al. 2020, algorithm 1)"
    unit: ClassVar[Literal["subword", "word"]] = "subword"

    mu_mask: float = Field(
        ge=0, le=1, description="probability that a subword becomes the mask token; default 0.3"
    )
    mu_del: float = Field(
        ge=0,
        le=1,
        description="probability that a subword is deleted; default half of what mask "
        "and keep leave",
    )
    mu_ins: float = Field(
        ge=0,
        le=1,
        description="probability that a random subword follows; default half of what "
        "mask and keep leave",
    )
    mu_keep: float = Field(ge=0, le=1, description="probability that a subword stays; default 0.2")
    mask_token: str = Field(
        MASK, pattern=r"^\S+$", description="the mask token; the authors' code has '|'"
    )
    legacy: bool = Field(
        False,
        description="as in the authors' code, put 1 to 8 masks before the target of a pair "
        "that noising left identical",
    )

    @model_validator(mode="wrap")
    @classmethod
    def _complete(cls, values: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(values, Mapping):
            return validate(values)
        method = validate(_completed(values))
        # Derived values do not count as given, so that `changed` derives them anew.
        method.model_fields_set.intersection_update(values)
        return method

    @model_validator(mode="after")
    def _sum_to_one(self) -> Self:
        total = self.mu_mask + self.mu_del + self.mu_ins + self.mu_keep
        if abs(total - 1) > _TOLERANCE:
            share = max((1 - self.mu_mask - self.mu_keep) / 2, 0)
            raise ValueError(
                f"mu_mask {self.mu_mask:g} + mu_del {self.mu_del:g} + mu_ins {self.mu_ins:g} + "
                f"mu_keep {self.mu_keep:g} "
                f"= {total:g}; they must sum to 1 (leave out mu_del and mu_ins, and each is "
                f"{share:g})"
            )
        return self

    @cached_property
    def _thresholds(self) -> np.ndarray:
        thresholds = np.cumsum([self.mu_mask, self.mu_del, self.mu_ins])
        if self.mu_keep == 0:
            thresholds[-1] = 1.0  # the sum of the other three may miss 1 by a rounding error
        return thresholds

    def learn(self, resources: NoiseResources) -> UnigramDistribution:
        if resources.bpe is not None and resources.bpe.apply([self.mask_token]) != [
            self.mask_token
        ]:
            raise UserError(
                f"the mask token {self.mask_token!r} is in no vocabulary of subwords; "
                f"take {MASK!r} or one character"
            )
        return resources.subwords

    def draw(
        self, tokens: Sequence[str], learnt: UnigramDistribution, random: np.random.Generator
    ) -> list[Operation]:
        """One operation for each subword, two (keep, insert) where a subword is inserted after
        it.
        """
        actions = self._thresholds.searchsorted(random.random(len(tokens)), side="right").tolist()
        insertions = actions.count(2)
        inserted = iter(learnt.draw(insertions, random) if insertions else ())
        written = self.mask_token
        operations: list[Operation] = []
        for token, action in zip(tokens, actions, strict=True):
            if action == 0:
                operations.append(mask(token, written))
            elif action == 1:
                operations.append(delete(token))
            else:
                operations.append(keep(token))
                if action == 2:
                    operations.append(insert(next(inserted)))
        return operations

    def draw_block(
        self,
        sentences: Sequence[Sequence[str]],
        learnt: UnigramDistribution,
        streams: SentenceStreams,
        first: int,
    ) -> tuple[list[list[str]], Counter[str]] | None:
        """What `draw` does, on arrays of the tokens of all sentences, one sentence after the other.

        Of the words of its stream, a sentence needs one for each token and half of one for each
        insertion, or somewhat more.
        """
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        needed = lengths + lengths // 2 + 2
        if self.legacy or learnt.total > 2**32:
            return None
        words = streams.words(first, needed.tolist())
        for_actions = _among_first(lengths, needed)
        actions = (uniforms(words[for_actions]) >= self._thresholds[:, None]).sum(axis=0)
        draws, taken = bounded(words[~for_actions], learnt.total)
        inserting = actions == 2
        insertions, drawn = _sums(inserting, lengths), _sums(taken, 2 * (needed - lengths))
        if (insertions > drawn).any():
            return None  # numpy passed over so many draws that the words do not suffice
        tokens = np.fromiter(chain.from_iterable(sentences), object, len(actions))
        tokens[actions == 0] = self.mask_token
        copies = np.array([1, 0, 2, 1])[actions]
        sources = tokens.repeat(copies)
        sources[copies.cumsum()[inserting] - 1] = learnt.at(
            draws[taken][_among_first(insertions, drawn)]
        )
        left = _sums(copies, lengths)
        masks, deletions, inserted, kept = np.bincount(
            actions[(left > 0).repeat(lengths)], minlength=4
        ).tolist()
        counts = Counter(mask=masks, delete=deletions, insert=inserted, keep=inserted + kept)
        row = sources.tolist()
        return [row[start:end] for start, end in pairwise([0, *left.cumsum().tolist()])], +counts

    def target(
        self, tokens: Sequence[str], operations: Sequence[Operation], random: np.random.Generator
    ) -> list[str]:
        """The sentence itself; with ``legacy``, 1 to 8 masks stand before it when its source equals
        it.
        """
        if self.legacy and tokens and noised_tokens(operations) == list(tokens):
            return [*[self.mask_token] * int(random.integers(1, 9)), *tokens]
        return list(tokens)


def _sums(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The sum of each group of a row, in which so many values of one group stand after those of
    another.
    """
    return np.diff(np.append(0, values.cumsum())[counts.cumsum()], prepend=0)


def _among_first(chosen: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """For a row of groups of so many things: is a thing among the first ``chosen`` of its group?
    Shape (sum of the counts,).
    """
    return np.tile([True, False], len(counts)).repeat(
        np.column_stack([chosen, counts - chosen]).ravel()
    )


def _completed(values: Mapping[str, Any]) -> dict[str, Any]:
    try:
        complete = {
            "mu_keep": 0.2,
            **values,
            **{name: float(values[name]) for name in _PROBABILITIES if name in values},
        }
    except (TypeError, ValueError):
        # The field's own check says what is wrong
        return {**dict.fromkeys(_PROBABILITIES, 0.0), **values}
    complete.setdefault("mu_mask", round(0.375 * (1 - complete["mu_keep"]), 12))
    missing = [name for name in _PROBABILITIES if name not in complete]
    rest = 1 - sum(complete[name] for name in _PROBABILITIES if name in complete)
    if missing and rest < -_TOLERANCE:
        known = " + ".join(
            f"{name} {complete[name]:g}" for name in _PROBABILITIES if name in complete
        )
        raise ValueError(
            f"{known} exceed 1, and leave nothing for {' and '.join(missing)}; lower one of them"
        )
    complete.update({name: round(max(rest, 0.0) / len(missing), 12) for name in missing})
    return complete
