"""Direct noise as a stand-alone script does it, line by line and token by token: what ``bench_pseudo_data.py`` compares with.

    python line_by_line_noise.py UNIGRAMS TEXT OUTPUT_PREFIX

UNIGRAMS holds a piece, a tab and its count a line; TEXT is in pieces. Writes OUTPUT_PREFIX.src and OUTPUT_PREFIX.trg. Random
numbers come from Python's own generator and inserted pieces from a list in which each stands as often as it was counted, which is
the fastest way to draw single numbers; numpy's ``choice`` and ``multinomial`` take many times longer for one token.
"""

from __future__ import annotations

import random
import sys

MASK, DELETE, INSERT = 0.3, 0.25, 0.25


def main(unigrams: str, text: str, prefix: str) -> None:
    random.seed(1)
    pieces: list[str] = []
    with open(unigrams, encoding="utf-8") as stream:  # noqa: PTH123 - a script as people write them
        for line in stream:
            piece, count = line.rstrip("\n").split("\t")
            pieces += [piece] * int(count)
    with (
        open(text, encoding="utf-8") as stream,  # noqa: PTH123
        open(f"{prefix}.src", "w", encoding="utf-8") as source,  # noqa: PTH123
        open(f"{prefix}.trg", "w", encoding="utf-8") as target,  # noqa: PTH123
    ):
        for line in stream:
            noised = []
            for token in line.split():
                draw = random.random()
                if draw < MASK:
                    noised.append("<mask>")
                elif draw >= MASK + DELETE:
                    noised.append(token)
                    if draw < MASK + DELETE + INSERT:
                        noised.append(random.choice(pieces))
            source.write(" ".join(noised) + "\n")
            target.write(line)


if __name__ == "__main__":
    main(*sys.argv[1:])
