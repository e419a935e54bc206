"""Replacing ``<unk>`` in an output by the piece that it stands for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pseudogec.seq2seq.vocabulary import SPECIAL_SYMBOLS, UNKNOWN

UNKNOWN_SYMBOL = SPECIAL_SYMBOLS[UNKNOWN]


def replace_unknown(pieces: Sequence[str], source: Sequence[str], attention: npt.NDArray[np.floating]) -> list[str]:
    """Replace every ``<unk>`` by the source piece to which the decoder attended most when it wrote it (Jean et al. 2015).

    Args:
        pieces: the output.
        source: its source, in pieces.
        attention: the decoder's attention, shape (output pieces or more, source pieces or more); surplus columns (the end of
            sentence) are not looked at.
    """
    return [
        source[int(np.argmax(attention[place, : len(source)]))] if piece == UNKNOWN_SYMBOL else piece
        for place, piece in enumerate(pieces)
    ]
