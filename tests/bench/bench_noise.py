"""How many sentences a second each method noises on one core, on words and on subwords, with cold and with warm caches.

    OMP_NUM_THREADS=1 python tests/bench/bench_noise.py [--sentences 20000] [--repeats 3] [--text F]

Figures are of processor time. A cold cache knows no word of the text yet: neither its subwords, nor its inflections, nor its
confusion set; the first pass is cold, the fastest of the repeated ones warm. What is loaded once in a process (dictionaries, the
tagger's model) counts in neither. Text: newswire of the embedded world, or the lines of F.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from measuring import Ratio, describe_machine, genuine_text, in_turns, seed_text, show_ratios

from pseudogec.noise import METHODS, Noiser, NoiseResources, TextMethod
from pseudogec.noise.misspellings import known_misspellings
from pseudogec.noise.realistic import type_choices
from pseudogec.noise.rules import within_sentence
from pseudogec.random_streams import SentenceStreams
from pseudogec.text import Bpe

Sentences = list[list[str]]
TARGETS = {"realistic": 10_000, "rules": 3_000}  # sentences a second


def noise(noiser: Noiser, sentences: Sentences) -> None:
    streams = SentenceStreams(1)
    for number, tokens in enumerate(sentences):
        noiser(tokens, streams[number])


def measure(method: TextMethod, resources: NoiseResources, sentences: Sentences, repeats: int) -> tuple[float, float]:
    """Sentences a second of the first pass and of the fastest later one."""
    noiser = Noiser(method, resources)
    noise(noiser, [["Walking", "of", "informations", "teh"]])  # loads dictionaries and models
    for cache in (type_choices, within_sentence, known_misspellings):
        cache.cache_clear()
    cold, *warm = in_turns({method.name: lambda: noise(noiser, sentences)}, repeats + 1, time.process_time)[method.name]
    return len(sentences) / cold, len(sentences) / min(warm)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--text", type=Path, metavar="F")
    options = parser.parse_args()
    print(describe_machine())
    sources, targets = genuine_text(4000)
    pairs = [(" ".join(source), " ".join(target)) for source, target in zip(sources, targets, strict=True)]
    counts = Counter(word for target in targets for word in target)
    bpe = Bpe.learn(targets, 2000)
    words = seed_text(options.text, options.sentences)
    subwords = [bpe.apply(tokens) for tokens in words]
    print(f"{len(words):,} sentences, {sum(map(len, words)):,} words, {sum(map(len, subwords)):,} subwords")
    print(f"\n{'sentences a second and core':30}{'words, cold':>14}{'warm':>10}{'subwords, cold':>16}{'warm':>10}")
    ratios: list[Ratio] = []
    texts = ("words, cold", "words, warm", "subwords, cold", "subwords, warm")
    for method in (each.model_validate({}) for each in METHODS if issubclass(each, TextMethod)):
        on_words = measure(method, NoiseResources(counts, pairs), words, options.repeats)
        of_its_own = NoiseResources(counts, pairs, Bpe(bpe.merges))  # a segmentation that has seen no word
        on_subwords = measure(method, of_its_own, subwords, options.repeats)
        print(f"{method.name:30}{on_words[0]:14,.0f}{on_words[1]:10,.0f}{on_subwords[0]:16,.0f}{on_subwords[1]:10,.0f}")
        if target := TARGETS.get(method.name):
            speeds = zip(texts, (*on_words, *on_subwords), strict=True)
            ratios += [
                Ratio(f"{method.name} on {text}, in {target:,} sentences a second", speed / target, at_least=1)
                for text, speed in speeds
            ]
    show_ratios(ratios)


if __name__ == "__main__":
    main()
