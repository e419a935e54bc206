"""Write a synthetic cirrussearch dump and Gigaword file of a given size, in the form in which the
real ones are distributed.

    python tests/bench/make_dumps.py FOLDER [--megabytes 1000] [--kind cirrussearch] [--kind
    gigaword]

The text is the classroom's blogs and novels, with what the readers must cope with: pages of other
name spaces, documents that are no stories, entities, letters outside ASCII, lines broken within
sentences. The size is that of the uncompressed text, and sentences occur many times.
"""

from __future__ import annotations

import argparse
import html
import json
import random
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

from pseudogec.artefacts.files import write_atomically
from pseudogec.corpora.classroom import Text, classroom_sentences
from pseudogec.edits import joined


def paragraphs(text: Text) -> Iterator[list[str]]:
    """Endlessly: paragraphs of some sentences of running text; one in twenty holds a name with
    letters outside ASCII.
    """
    sentences = [joined(tokens) for tokens in classroom_sentences(text, "seed")]
    draw = random.Random(text)
    while True:
        chosen = draw.choices(sentences, k=draw.randint(2, 9))
        if draw.random() < 0.05:
            chosen.append("The café in Zürich was closed in 1998.")
        yield chosen


def cirrussearch() -> Iterator[bytes]:
    """Pages as JSON lines in twos; one in ten belongs to another name space."""
    text = paragraphs("blogs")
    for number, _ in enumerate(iter(int, 1)):
        body = " ".join(" ".join(next(text)) for _ in range(number % 7 + 1))
        page = {"title": f"Page {number}", "namespace": 0 if number % 10 else 14, "text": body}
        index = json.dumps({"index": {"_type": "page", "_id": str(number)}})
        yield f"{index}\n{json.dumps(page)}\n".encode()


def gigaword() -> Iterator[bytes]:
    """Documents in SGML; one in ten is no story."""
    text = paragraphs("novels")
    for number, _ in enumerate(iter(int, 1)):
        kind = "story" if number % 10 else "multi"
        lines = [
            f'<DOC id="AFP_ENG_2010.{number:07d}" type="{kind}" >',
            "<HEADLINE>",
            "A headline",
            "</HEADLINE>",
            "<TEXT>",
        ]
        for _ in range(number % 7 + 1):
            wrapped = textwrap.wrap(html.escape(" ".join(next(text)), quote=False), 75)
            lines += ["<P>", *wrapped, "</P>"]
        yield "\n".join([*lines, "</TEXT>", "</DOC>", ""]).encode()


KINDS: dict[str, tuple[str, Callable[[], Iterator[bytes]]]] = {
    "cirrussearch": ("synthetic-cirrussearch-content.json.gz", cirrussearch),
    "gigaword": ("synthetic_eng_201012.gz", gigaword),
}


def make(kind: str, folder: Path, size: int) -> Path:
    """Write a dump of at least ``size`` bytes of text."""
    name, entries = KINDS[kind]
    with write_atomically(folder / name) as stream:
        written = 0
        for entry in entries():
            stream.write(entry)
            written += len(entry)
            if written >= size:
                break
    print(
        f"{folder / name}: {written:,} bytes of text, {(folder / name).stat().st_size:,} compressed"
    )
    return folder / name


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    options = parser.parse_args()
    for kind in options.kind or KINDS:
        make(kind, options.folder, options.megabytes * 1_000_000)


if __name__ == "__main__":
    main()
