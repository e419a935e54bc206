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

from artefacts.errors import UserError
from artefacts.files import COMPRESSIONS, read_lines, refuse_pipe, write_atomically
from pseudogec.corpora import M2, read_plain, sample
from pseudogec.edits import Annotator, EditProfile, load_annotator, type_distance
from pseudogec.noise import (
    METHODS,
    EditDictionary,
    NoiseProfile,
    Noiser,
    NoiseResources,
    RealisticNoise,
    TextMethod,
    describe,
    make_method,
    noised_tokens,
)
from pseudogec.random_streams import SentenceStreams
from pseudogec.text import Bpe

_SAMPLE = 1000  # most sentences of a text whose edits are found or typed to describe it
_TYPES_SHOWN = 12
_EDITS_SHOWN = 10

_DESCRIPTION = """\
Make pseudo data: P.src holds the sentences with noise, P.trg the sentences themselves, line by line.
Tokens are separated by spaces: give BPE subwords to put noise on subwords, as the paper does.

Example: pseudogec noise --method rules --input text.txt --output-prefix pseudo"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "noise",
        help="make pseudo data of a grammatical text",
        description=_DESCRIPTION,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--list", action="store_true", help="explain --method, or every method, with its parameters, and stop")
    parser.add_argument(
        "--show-dictionary", action="store_true", help="show the edits that the method learns from genuine data, and stop"
    )
    parser.add_argument("--method", metavar="M", help="a noising method's name, or package.module:Class; --list explains them")
    parser.add_argument("--input", type=Path, metavar="F", help="grammatical text, a sentence a line; plain, gz, zst, xz or bz2")
    parser.add_argument("--output-prefix", metavar="P", help="writes P.src and P.trg, compressed as the input is")
    parser.add_argument("--seed", default="1", metavar="S", help="of the random streams, a number or any text (default: 1)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the method; may be repeated"
    )
    parser.add_argument(
        "--genuine-m2",
        type=Path,
        nargs="+",
        metavar="F",
        help="genuine data as M2 files, tokenised as the input is; random tokens are drawn from their corrections",
    )
    parser.add_argument(
        "--show-profile",
        action="store_true",
        help="then show what was made: operations and, with genuine data, ERRANT's error types\nbeside the genuine ones",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    if options.list:
        _print(_descriptions(options.method))
        return
    for name in ("method",) if options.show_dictionary else ("method", "input", "output_prefix"):
        if getattr(options, name) is None:
            raise UserError(f"--{name.replace('_', '-')} is missing; pseudogec noise --help explains the options")
    parameters = _parse_parameters(options.set)
    method = make_method(options.method, parameters, "--set" if parameters else "--method")
    if not isinstance(method, TextMethod):
        raise UserError(f"--method {options.method}: works with a reverse model; name it under `methods` in a profile instead")
    if options.show_dictionary and not isinstance(method, RealisticNoise):
        raise UserError(f"--show-dictionary: {options.method} learns no edits; --method realistic does")
    if options.genuine_m2 is None and method.needs_pairs:
        raise UserError(f"{options.method} learns from learners' edits: give genuine data with --genuine-m2")
    genuine = M2.model_validate({"files": options.genuine_m2}) if options.genuine_m2 else None
    if options.show_dictionary:
        assert isinstance(method, RealisticNoise)
        _print(_describe_dictionary(_resources(method, genuine, options).edits(method.minimum_count)))
        return
    refuse_pipe(options.input)  # it is read twice
    outputs = _outputs(options)
    made = _write(Noiser(method, _resources(method, genuine, options)), options, outputs)
    counts = ", ".join(f"{kind} {count:,}" for kind, count in made.operations.items())
    print(
        f"{options.method}, seed {options.seed}: {made.sentences:,} sentences, {made.edits_per_token:.3f} edits per token "
        f"({counts}) -> {outputs[0]} {outputs[1]}",
        file=sys.stderr,
    )
    if options.show_profile:
        _print(_describe_noise(made))
        if genuine is not None:
            annotator = load_annotator()
            types = _noised_profile(outputs, made.sentences, annotator), _genuine_profile(genuine, annotator)
            _print(_describe_types(*types, annotator.signature))


def _descriptions(named: str | None) -> Iterator[str]:
    """The method named, or all methods that need no model."""
    try:
        methods = [METHODS.find(named)] if named else [method for method in METHODS if issubclass(method, TextMethod)]
    except ValueError as error:
        raise UserError(f"--method: {error}") from None
    for method in methods:
        yield from describe(method)


def _print(lines: Iterable[str]) -> None:
    print(*lines, sep="\n")


def _parse_parameters(settings: Sequence[str]) -> dict[str, str]:
    for setting in settings:
        if "=" not in setting:
            raise UserError(f"--set {setting}: NAME=VALUE was expected, such as --set mu_mask=0.3")
    return dict(setting.split("=", 1) for setting in settings)


def _outputs(options: argparse.Namespace) -> tuple[Path, Path]:
    ending = options.input.suffix if options.input.suffix in COMPRESSIONS else ""
    source, target = Path(f"{options.output_prefix}.src{ending}"), Path(f"{options.output_prefix}.trg{ending}")
    if os.path.realpath(options.input) in map(os.path.realpath, (source, target)):
        raise UserError(f"--output-prefix {options.output_prefix}: {options.input} would be overwritten; choose another prefix")
    return source, target


def _resources(method: TextMethod, genuine: M2 | None, options: argparse.Namespace) -> NoiseResources:
    """The data that the method learns from: genuine data or, without any, the input."""
    if genuine is None:
        return NoiseResources.from_sentences(read_plain(options.input))
    if not method.needs_pairs:
        return NoiseResources.from_sentences(sentence.pair.target for sentence in genuine.read())
    held = list(genuine.read())
    pairs = [(" ".join(sentence.pair.source), " ".join(sentence.pair.target)) for sentence in held]
    words = Counter(word for sentence in held for word in sentence.pair.target)
    return NoiseResources(words, pairs, annotated=[sentence.annotated for sentence in held if sentence.annotated is not None])


def _write(noiser: Noiser, options: argparse.Namespace, outputs: tuple[Path, Path]) -> NoiseProfile:
    streams = SentenceStreams(options.seed)
    operations: Counter[str] = Counter()
    sentences = length = 0
    # A progress bar only in a terminal.
    lines = tqdm(read_lines(options.input), unit=" sentences", desc="noise", leave=False, disable=None)
    with write_atomically(outputs[0]) as source, write_atomically(outputs[1]) as target:
        for number, line in enumerate(lines):
            tokens, random = line.split(), streams[number]
            done = noiser.operations(tokens, random)
            source.write(f"{' '.join(noised_tokens(done))}\n".encode())
            target.write(f"{' '.join(noiser.target(tokens, done, random))}\n".encode())
            sentences, length = sentences + 1, length + len(tokens)
            operations.update([operation.kind for operation in done])
    return NoiseProfile(sentences, length, dict(sorted(operations.items())))


def _noised_profile(outputs: tuple[Path, Path], count: int, annotator: Annotator) -> EditProfile:
    """The edits that an annotator finds in a sample of pairs; subwords are joined to words first."""
    drawn = sample(zip(*map(read_plain, outputs), strict=True), min(count, _SAMPLE), seed=1)
    sources, targets = ([Bpe.undo(side) for side in sides] for sides in zip(*drawn, strict=True))
    return EditProfile.of(zip(sources, annotator.annotate(sources, targets), strict=True))


def _genuine_profile(genuine: M2, annotator: Annotator) -> EditProfile:
    """The edits of a sample of genuine data, typed again, since files have different names for types."""
    count = sum(1 for _ in genuine.read())
    drawn = [sentence.annotated for sentence in sample(genuine.read(), min(count, _SAMPLE), seed=1)]
    typed = annotator.retype([sentence for sentence in drawn if sentence is not None])
    return EditProfile.of((sentence.source, edits) for sentence in typed for edits in sentence.annotators.values() or [()])


# --- Noise and edits as lines of text


def _describe_noise(made: NoiseProfile) -> Iterator[str]:
    yield f"{'sentences':<20}{made.sentences:>12,}"
    yield f"{'tokens':<20}{made.tokens:>12,}"
    yield f"{'edits per token':<20}{made.edits_per_token:>12.3f}"
    total = sum(made.operations.values())
    yield f"{'operation':<20}{'count':>12}{'share':>9}"
    for kind, count in sorted(made.operations.items(), key=lambda item: -item[1]):
        yield f"  {kind:<18}{count:>12,}{count / total:>9.1%}"


def _describe_types(noised: EditProfile, genuine: EditProfile, annotator: str) -> Iterator[str]:
    """The most frequent error types of both texts, and their distance."""
    shares = {
        name: tuple(text.types.get(name, 0) / text.edits if text.edits else 0.0 for text in (noised, genuine))
        for name in {**noised.types, **genuine.types}
    }
    frequent = sorted(shares, key=lambda name: (-max(shares[name]), name))[:_TYPES_SHOWN]
    yield f"{'':<20}{'noised':>12}{'genuine':>12}"
    yield f"{'sentences typed':<20}{noised.sentences:>12,}{genuine.sentences:>12,}"
    yield f"{'edits per token':<20}{noised.edits_per_token:>12.3f}{genuine.edits_per_token:>12.3f}"
    for name in frequent:
        yield f"  {name:<18}{shares[name][0]:>12.1%}{shares[name][1]:>12.1%}"
    yield f"{'types in all':<20}{len(noised.types):>12}{len(genuine.types):>12}"
    if noised.types and genuine.types:
        distance = type_distance(noised.types, genuine.types)
        yield f"distance of types   {distance:>12.3f}  (Jensen-Shannon, base 2: 0 the same shares, 1 no type in common)"
    else:
        yield f"distance of types   {'none':>12}  (there are no edits to compare)"
    yield f"annotator           {annotator}"


def _describe_dictionary(dictionary: EditDictionary) -> Iterator[str]:
    summary = dictionary.summary()
    yield f"{'entries':<20}{summary.entries:>12,}  correct tokens"
    yield f"{'edits':<20}{summary.edits:>12,}  distinct"
    yield f"{'left alone':<20}{summary.identity_share:>12.1%}  of {summary.occurrences:,} times that these tokens were right"
    yield f"{'correct':<16}{'written':<16}{'times':>8}{'share':>9}"
    for edit in dictionary.most_frequent(_EDITS_SHOWN):
        yield f"{edit.correct:<16}{edit.written or '(nothing)':<16}{edit.times:>8,}{edit.share:>9.1%}"
