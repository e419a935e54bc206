"""``pseudogec noise``: make pseudo data of a grammatical text, of any size in constant memory."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import COMPRESSIONS, read_lines, refuse_pipe, write_atomically
from pseudogec.corpora import read_plain
from pseudogec.noise import METHODS, NoiseProfile, Noiser, TextMethod, describe
from pseudogec.random_streams import SentenceStreams

_DESCRIPTION = """\
Make pseudo data: P.src holds the sentences with noise, P.trg the sentences themselves, line by
line. Tokens are separated by spaces: give BPE subwords to put noise on subwords, as the paper does.

Example: pseudogec noise --method rules --input text.txt --output-prefix pseudo"""

# Edits per token; synthetic spelling errors at the paper's rate make ten times as many
_HARDLY_ANY = 0.002


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "noise",
        description=_DESCRIPTION,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--list",
        action="store_true",
        help="explain --method, or every method, with its parameters, and stop",
    )
    add(
        "--method",
        metavar="M",
        help="a noising method's name, or package.module:Class; --list explains them",
    )
    add(
        "--input",
        type=Path,
        metavar="F",
        help="grammatical text, a sentence a line; plain, gz, zst, xz or bz2",
    )
    add("--output-prefix", metavar="P", help="writes P.src and P.trg, compressed as the input is")
    add(
        "--seed",
        default="1",
        metavar="S",
        help="of the random streams, a number or any text (default: 1)",
    )
    add(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the method; may be repeated",
    )
    add(
        "--genuine-m2",
        type=Path,
        nargs="+",
        metavar="F",
        help="genuine data as M2 files, tokenised as the input is",
    )
    add(
        "--language",
        default="en",
        metavar="L",
        help="of the text: en, uk, or package.module:Class (default: en)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    if options.list:
        print(*_descriptions(options.method), sep="\n")
        return
    for name in ("method", "input", "output_prefix"):
        if getattr(options, name) is None:
            raise UserError(
                f"--{name.replace('_', '-')} is missing; pseudogec noise --help "
                "explains the options"
            )
    for setting in options.set:
        if "=" not in setting:
            raise UserError(f"--set {setting}: NAME=VALUE was expected, such as --set mu_mask=0.3")
    parameters = dict(setting.split("=", 1) for setting in options.set)
    refuse_pipe(options.input)  # it is read twice
    outputs = _outputs(options)
    genuine = options.genuine_m2 or ()
    noiser = Noiser.of(
        options.method, lambda: read_plain(options.input), genuine, options.language, **parameters
    )
    method = noiser.method
    profile = _write(noiser, options, outputs)
    if method.learns and profile.edits_per_token < _HARDLY_ANY:
        cause = (
            (f"; {options.method} takes it for {noiser.language.title}")
            if method.needed_parts
            else ""
        )
        print(
            f"warning: hardly anything was changed ({profile.edits_per_token:.4f} edits per "
            f"token){cause}",
            file=sys.stderr,
        )
    counts = ", ".join(f"{kind} {count:,}" for kind, count in profile.operations.items())
    print(
        f"{options.method}, seed {options.seed}: {profile.sentences:,} sentences, "
        f"{profile.edits_per_token:.3f} edits per token "
        f"({counts}) -> {outputs[0]} {outputs[1]}",
        file=sys.stderr,
    )


def _descriptions(named: str | None) -> Iterator[str]:
    """The method named, or all methods that need no model."""
    try:
        methods = (
            [METHODS.find(named)]
            if named
            else [method for method in METHODS if issubclass(method, TextMethod)]
        )
    except ValueError as error:
        raise UserError(f"--method: {error}") from None
    for method in methods:
        yield from describe(method)


def _outputs(options: argparse.Namespace) -> tuple[Path, Path]:
    ending = options.input.suffix if options.input.suffix in COMPRESSIONS else ""
    source, target = (
        Path(f"{options.output_prefix}.src{ending}"),
        Path(f"{options.output_prefix}.trg{ending}"),
    )
    if os.path.realpath(options.input) in map(os.path.realpath, (source, target)):
        raise UserError(
            f"--output-prefix {options.output_prefix}: {options.input} would be "
            "overwritten; choose another prefix"
        )
    return source, target


def _write(noiser: Noiser, options: argparse.Namespace, outputs: tuple[Path, Path]) -> NoiseProfile:
    streams = SentenceStreams(options.seed)
    operations: Counter[str] = Counter()
    sentences = length = 0
    # A progress bar only in a terminal.
    lines = tqdm(
        read_lines(options.input), unit=" sentences", desc="noise", leave=False, disable=None
    )
    with write_atomically(outputs[0]) as source, write_atomically(outputs[1]) as target:
        for block in noiser.blocks(map(str.split, lines), streams):
            source.write(_as_lines(block.sources))
            target.write(_as_lines(block.targets))
            sentences, length = (
                sentences + len(block.sentences),
                length + sum(map(len, block.sentences)),
            )
            operations.update(block.operations)
    return NoiseProfile(sentences, length, dict(sorted(operations.items())))


def _as_lines(sentences: Iterable[Sequence[str]]) -> bytes:
    return "".join(f"{' '.join(tokens)}\n" for tokens in sentences).encode()
