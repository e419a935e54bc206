"""Choose the sentences of the classroom: writes
lib/pseudogec/corpora/texts/{everyday.tsv,blogs.txt,novels.txt}.xz.

    python tests/bench/make_classroom_texts.py FOLDER     # with tatoeba.tsv.xz, govblog.tok.txt.xz,
    gutenberg.tok.txt.xz

A sentence is left out if it holds a word of `UNWANTED`, since a class reads it, or if it is nearly
a sentence that was taken: if at most a quarter of the words must be changed. So the texts may be
divided in any way, and no part has a sentence of another.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from rapidfuzz.distance import Levenshtein

import pseudogec.corpora.texts
from pseudogec.artefacts.files import read_lines, write_lines
from pseudogec.corpora import is_clean_seed_text
from pseudogec.text import tokenise

TEXTS = Path(pseudogec.corpora.texts.__file__).parent
LONGEST = 40
SHORTEST_NUMBERED, SHORTEST = 7, 9
"""Tokens of an everyday sentence with a number at Tatoeba, and of one without, which are taken as
far as they are long.
"""
OF_A_TEXT = 10_000
"""Sentences of blogs and of novels."""

UNWANTED = re.compile(
    r"""\b(?:sex\w*|rap(?:e|ed|es|ing|ist)|nake?d\w*|nud\w+|porn\w*|breasts?|whore\w*|prostitut\w*|slut\w*|bitch\w*|bastards?
    |fuck\w*|shit\w*|damn\w*|asses|asshole\w*|crap|piss\w*|nazi\w*|hitler\w*|jews?|jewish|negro\w*|nigg\w*|gays?|lesbian\w*
    |homosexual\w*|suicid\w*|kill(?:s|ed|ing|er|ers)?|murder\w*|strangl\w*|stabb?(?:ed|ing)|corpses?|penis|vagina|condoms?
    |virgin\w*|orgasm\w*|erotic|idiots?|stupid\w*|morons?|retard\w*|drunk\w*|drugs?|cocaine|heroin|marijuana|abortion\w*
    |pregnan\w*|tortur\w*|terroris\w*|hang(?:ed|ing)\ himself|shot\ (?:him|her|himself|herself|dead)|massacr\w*|slaves?|slavery
    |savages?|whip(?:ped|ping)|mistress\w*|harlot\w*|bosom\w*|seduc\w*|cunt\w*|dick|hell|lingerie|underwear|panties|bra
    |kiss(?:ed|es|ing)?|fat|ugly|bombs?|bombing|genocide|execut(?:ed|ion)|behead\w*|blood\w*)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words of sex, insults, drugs and violence, and of people of whom old novels and careless writers
speak ill.
"""

_PLAIN = re.compile(r"[A-Za-z0-9 ,.?!':$%-]+")


class NearDuplicates:
    """The sentences taken so far, found by three words in a row that they share."""

    def __init__(self) -> None:
        self._having: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)

    def takes(self, tokens: list[str]) -> bool:
        """Whether a sentence is new; if so, it is kept for later questions."""
        words = [token.lower() for token in tokens if token[0].isalnum()]
        triples = set(zip(words, words[1:], words[2:], strict=False))
        for triple in triples:
            for other in self._having[triple]:
                most = max(len(words), len(other)) // 4
                if Levenshtein.distance(words, other, score_cutoff=most) <= most:
                    return False
        for triple in triples:
            self._having[triple].append(words)
        return True


def wanted(tokens: list[str], shortest: int) -> bool:
    text = " ".join(tokens)
    fits = (
        shortest <= len(tokens) <= LONGEST
        and tokens[-1] in (".", "?", "!")
        and tokens[0][0].isupper()
    )
    return (
        fits
        and bool(_PLAIN.fullmatch(text))
        and not UNWANTED.search(text)
        and is_clean_seed_text(text)
    )


def everyday(file: Path, taken: NearDuplicates) -> Iterator[str]:
    rows = [tuple(line.split("\t")) for line in read_lines(file)]
    rows.sort(key=lambda row: not row[1])  # those with a number first
    for (text, source), tokens in zip(rows, tokenise(text for text, _ in rows), strict=True):
        if wanted(tokens, SHORTEST_NUMBERED if source else SHORTEST) and taken.takes(tokens):
            yield f"{text}\t{source}"


def of_file(file: Path, taken: NearDuplicates) -> Iterator[str]:
    lines = list(read_lines(file))
    random.Random(1).shuffle(lines)
    return (line for line in lines if wanted(line.split(), 8) and taken.takes(line.split()))


def first(lines: Iterable[str], count: int) -> list[str]:
    return sorted(line for line, _ in zip(lines, range(count), strict=False))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    taken = NearDuplicates()
    for name, lines in {
        "everyday.tsv.xz": sorted(everyday(folder / "tatoeba.tsv.xz", taken)),
        "blogs.txt.xz": first(of_file(folder / "govblog.tok.txt.xz", taken), OF_A_TEXT),
        "novels.txt.xz": first(of_file(folder / "gutenberg.tok.txt.xz", taken), OF_A_TEXT),
    }.items():
        write_lines(TEXTS / name, lines)
        print(f"{name}: {len(lines):,} sentences, {(TEXTS / name).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
