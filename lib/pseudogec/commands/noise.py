"""``pseudogec noise``: make pseudo data of a grammatical text, of any size in constant memory."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from artefacts.errors import DataError, UserError
from artefacts.files import COMPRESSIONS, read_lines, refuse_pipe, write_atomically
from pseudogec.corpora import M2, FilePairs, Pair, Parallel, read_parallel, read_plain, sample
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

_CHUNK = 2000  # sentences a worker takes at a time
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
        add_help=False,
    )
    parser.add_argument("-h", "--help", action="store_true", help="show this, with the parameters of --method or of every method")
    parser.add_argument("--list", action="store_true", help="explain the methods and their parameters, and stop")
    parser.add_argument(
        "--show-dictionary", action="store_true", help="show the edits that the method learns from genuine data, and stop"
    )
    parser.add_argument("--method", metavar="M", help="a noising method's name, or package.module:Class; --list explains them")
    parser.add_argument("--input", type=Path, metavar="F", help="grammatical text, a sentence a line; plain, gz, zst, xz or bz2")
    parser.add_argument("--output-prefix", metavar="P", help="writes P.src and P.trg, with the ending of the compression")
    parser.add_argument("--seed", default="1", metavar="S", help="of the random streams, a number or any text (default: 1)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the method; may be repeated"
    )
    parser.add_argument(
        "--genuine-source", type=Path, metavar="F", help="ungrammatical side of genuine data, tokenised as the input is"
    )
    parser.add_argument("--genuine-target", type=Path, metavar="F", help="its corrections; random tokens are drawn from these")
    m2_help = "instead: genuine data as M2 files, words with their edits"
    parser.add_argument("--genuine-m2", type=Path, nargs="+", default=[], metavar="F", help=m2_help)
    endings = [ending.removeprefix(".") for ending in COMPRESSIONS]
    parser.add_argument("--compress", choices=[*endings, "none"], help="compression of the output (default: the input's)")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes; the result is the same for any number (default: 1)"
    )
    parser.add_argument(
        "--show-profile",
        action="store_true",
        help="then show what was made: operations and, with genuine data, ERRANT's error types\nbeside the genuine ones",
    )
    parser.set_defaults(run=run, format_help=parser.format_help)


def run(options: argparse.Namespace) -> None:
    if options.help or options.list:
        head = [options.format_help(), "methods and their parameters:"] if options.help else []
        _print([*head, *_descriptions(options.method)])
        return
    for name in ("method",) if options.show_dictionary else ("method", "input", "output_prefix"):
        if getattr(options, name) is None:
            raise UserError(f"--{name.replace('_', '-')} is missing; pseudogec noise --help explains the options")
    if options.output_prefix == "":
        raise UserError("--output-prefix is empty; give the names of the two files up to .src and .trg")
    if options.jobs < 1:
        raise UserError(f"--jobs {options.jobs}: at least 1 process is needed")
    parameters = _parse_parameters(options.set)
    method = make_method(options.method, parameters, "--set" if parameters else "--method")
    if not isinstance(method, TextMethod):
        raise UserError(f"--method {options.method}: works with a reverse model; name it under `methods` in a profile instead")
    if options.show_dictionary:
        _print(_describe_dictionary(_learnt_edits(method, options)))
        return
    outputs = _outputs(options)
    genuine = _genuine(method, options)
    noiser = Noiser(method, _resources(method, genuine, options))
    made = _write(noiser, options, outputs)
    counts = ", ".join(f"{kind} {count:,}" for kind, count in made.operations.items())
    print(
        f"{options.method}, seed {options.seed}: {made.sentences:,} sentences, {made.edits_per_token:.3f} edits per token "
        f"({counts}) -> {outputs[0]} {outputs[1]}",
        file=sys.stderr,
    )
    if options.show_profile:
        _show_profile(made, genuine, outputs)


def _descriptions(named: str | None) -> Iterator[str]:
    """The method named, or all methods that need no model."""
    try:
        methods = [METHODS.find(named)] if named else [method for method in METHODS if issubclass(method, TextMethod)]
    except ValueError as error:
        raise UserError(f"--method: {error}") from None
    for method in methods:
        yield from describe(method)


def _show_profile(made: NoiseProfile, genuine: FilePairs | None, outputs: tuple[Path, Path]) -> None:
    _print(_describe_noise(made))
    if genuine is not None:
        annotator = load_annotator()
        noised = sample(read_parallel(*outputs), min(made.sentences, _SAMPLE), seed=1)
        types = _profile_of_pairs(noised, annotator), _edit_profile(genuine, annotator)
        _print(_describe_types(*types, annotator.signature))


def _print(lines: Iterable[str]) -> None:
    print(*lines, sep="\n")


def _parse_parameters(settings: Sequence[str]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise UserError(f"--set {setting}: NAME=VALUE was expected, such as --set mu_mask=0.3")
        if name in parameters:
            raise UserError(f"--set {setting}: {name} is given twice")
        parameters[name] = value
    return parameters


def _outputs(options: argparse.Namespace) -> tuple[Path, Path]:
    if options.compress is None:
        ending = options.input.suffix if options.input.suffix in COMPRESSIONS else ""
    else:
        ending = "" if options.compress == "none" else f".{options.compress}"
    source, target = Path(f"{options.output_prefix}.src{ending}"), Path(f"{options.output_prefix}.trg{ending}")
    for given in (options.input, *_genuine_paths(options)):
        if os.path.realpath(given) in map(os.path.realpath, (source, target)):
            raise UserError(f"--output-prefix {options.output_prefix}: {given} would be overwritten; choose another prefix")
    return source, target


def _genuine(method: TextMethod, options: argparse.Namespace) -> FilePairs | None:
    genuine = _read_genuine(options)
    if options.input is not None:
        _refuse_empty(options.input)
    if genuine is None and method.needs_pairs:
        ways = "--genuine-source and --genuine-target, or with --genuine-m2"
        raise UserError(f"{options.method} learns from learners' edits: give genuine data with {ways}")
    return genuine


def _resources(method: TextMethod, genuine: FilePairs | None, options: argparse.Namespace) -> NoiseResources:
    """The data that the method learns from: genuine data or, without any, the input."""
    if genuine is None:
        return NoiseResources.from_sentences(read_plain(options.input))
    if not method.needs_pairs:
        return NoiseResources.from_sentences(sentence.pair.target for sentence in genuine.read())
    held = list(genuine.read())
    pairs = [(" ".join(sentence.pair.source), " ".join(sentence.pair.target)) for sentence in held]
    words = Counter(word for sentence in held for word in sentence.pair.target)
    return NoiseResources(words, pairs, annotated=[sentence.annotated for sentence in held if sentence.annotated is not None])


def _learnt_edits(method: TextMethod, options: argparse.Namespace) -> EditDictionary:
    if not isinstance(method, RealisticNoise):
        raise UserError(f"--show-dictionary: {options.method} learns no edits; --method realistic does")
    return _resources(method, _genuine(method, options), options).edits(method.minimum_count)


class _Noised(NamedTuple):
    source: bytes
    target: bytes
    profile: NoiseProfile


def _write(noiser: Noiser, options: argparse.Namespace, outputs: tuple[Path, Path]) -> NoiseProfile:
    profile = NoiseProfile(0, 0, {})
    with (
        write_atomically(outputs[0]) as source,
        write_atomically(outputs[1]) as target,
        tqdm(unit=" sentences", desc="noise", leave=False, disable=None) as progress,  # None: only in a terminal
    ):
        for chunk in _noised_chunks(noiser, options):
            source.write(chunk.source)
            target.write(chunk.target)
            profile += chunk.profile
            progress.update(chunk.profile.sentences)
    return profile


def _noised_chunks(noiser: Noiser, options: argparse.Namespace) -> Iterator[_Noised]:
    chunks = _chunks(options.input)
    if options.jobs == 1:
        _set_up(noiser, options.seed)
        yield from (_noise(*chunk) for chunk in chunks)
        return
    # Executor.map would read the whole input at once; here only a few chunks wait at any time.
    waiting: deque[Future[_Noised]] = deque()
    pool = ProcessPoolExecutor(options.jobs, get_context("spawn"), _set_up, (noiser, options.seed))
    try:
        for chunk in chunks:
            waiting.append(pool.submit(_noise, *chunk))
            if len(waiting) > 4 * options.jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise UserError("a process was killed, mostly for lack of memory; use fewer with --jobs") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _chunks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines, each with the number of its first sentence."""
    lines = read_lines(path)
    first = 0
    while chunk := list(islice(lines, _CHUNK)):
        yield first, chunk
        first += len(chunk)


_worker: tuple[Noiser, SentenceStreams]  # of this process


def _set_up(noiser: Noiser, seed: str) -> None:
    global _worker
    _worker = noiser, SentenceStreams(seed)


def _noise(first: int, lines: list[str]) -> _Noised:
    noiser, streams = _worker
    sources: list[str] = []
    targets: list[str] = []
    operations: Counter[str] = Counter()
    length = 0
    for number, line in enumerate(lines, start=first):
        tokens, random = line.split(), streams[number]
        done = noiser.operations(tokens, random)
        sources.append(" ".join(noised_tokens(done)))
        targets.append(" ".join(noiser.target(tokens, done, random)))
        length += len(tokens)
        operations.update([operation.kind for operation in done])
    source, target = ("".join(f"{line}\n" for line in side).encode() for side in (sources, targets))
    return _Noised(source, target, NoiseProfile(len(lines), length, dict(operations)))


# --- Genuine data


def _edit_profile(genuine: FilePairs, annotator: Annotator) -> EditProfile:
    """The edits of a sample of genuine data, found by the annotator if they are not known."""
    count = sum(1 for _ in genuine.read())
    chosen = sample(genuine.read(), min(count, _SAMPLE), seed=1)
    annotated = [sentence.annotated for sentence in chosen if sentence.annotated is not None]
    if not annotated:
        return _profile_of_pairs([sentence.pair for sentence in chosen], annotator)
    # Known edits are typed again, since files have different names for types.
    return EditProfile.of(
        (item.source, edits) for item in annotator.retype(annotated) for edits in item.annotators.values() or [()]
    )


def _profile_of_pairs(pairs: Sequence[Pair], annotator: Annotator) -> EditProfile:
    """The edits that an annotator finds in pairs; subwords are joined to words first."""
    sources, targets = [Bpe.undo(pair.source) for pair in pairs], [Bpe.undo(pair.target) for pair in pairs]
    return EditProfile.of(zip(sources, annotator.annotate(sources, targets), strict=True))


def _refuse_empty(path: Path) -> None:
    refuse_pipe(path)
    if next(read_lines(path), None) is None:
        raise DataError(path, "the file is empty; sentences were expected")


def _genuine_paths(options: argparse.Namespace) -> list[Path]:
    return [path for path in (options.genuine_source, options.genuine_target, *options.genuine_m2) if path is not None]


def _read_genuine(options: argparse.Namespace) -> FilePairs | None:
    if (options.genuine_source is None) != (options.genuine_target is None):
        raise UserError("--genuine-source and --genuine-target belong together; give both or neither")
    if options.genuine_m2 and options.genuine_source is not None:
        raise UserError("genuine data are either --genuine-source and --genuine-target or --genuine-m2; give one of the two")
    for path in _genuine_paths(options):
        _refuse_empty(path)
    files = {"files": _genuine_paths(options)}
    if options.genuine_m2:
        return M2.model_validate(files)
    return Parallel.model_validate(files) if options.genuine_source is not None else None


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
