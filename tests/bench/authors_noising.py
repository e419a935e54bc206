"""Direct noise as the paper's authors' public scripts make it, written anew: the bar for
`bench_noise.py`.

    python tests/bench/authors_noising.py TEXT OUTPUT SEED

A first reading counts the tokens. Then Python draws a number for each token, a second one where it
is neither kept nor masked, and inserted tokens from a list that holds each token as often as the
text does. It imports nothing of this project.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

KEEP, MASK = 0.2, 0.3


def noise(text: Path, output: Path, seed: int) -> None:
    counts: Counter[str] = Counter()
    with text.open(encoding="utf-8") as lines:
        for line in lines:
            counts.update(line.split())
    as_often = [token for token, count in counts.items() for _ in range(count)]
    random.seed(seed)
    with text.open(encoding="utf-8") as lines, output.open("w", encoding="utf-8") as pairs:
        for line in lines:
            noised = ""
            for token in line.strip().split(" "):
                drawn = random.random()
                if drawn < KEEP:
                    noised += token + " "
                elif drawn < KEEP + MASK:
                    noised += "<mask> "
                elif random.random() < 0.5:
                    noised += token + " " + random.choice(as_often) + " "
            pairs.write(f"{noised}||| {line}")


if __name__ == "__main__":
    noise(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
