"""Methods to make errors: one class for each, found by its registered name or as
``package.module:Class``.

A new method derives from `TextMethod` or `DecoderMethod`. Its fields are its parameters: in
profiles, in the tidy table and on the command line.
"""

from pseudogec.noise.back_translation import (
    BackTranslation,
    NoisyBackTranslation,
    SampledBackTranslation,
)
from pseudogec.noise.classroom import ClassroomPairs, LearnerNoise
from pseudogec.noise.content_words import ContentWords
from pseudogec.noise.copied import CopiedText
from pseudogec.noise.direct import DirectNoise
from pseudogec.noise.method import (
    METHODS,
    DecoderMethod,
    Method,
    Operation,
    TextMethod,
    describe,
    noised_tokens,
)
from pseudogec.noise.noised_text import NoisedText
from pseudogec.noise.noiser import NoiseProfile, Noiser
from pseudogec.noise.random_words import RandomNoise
from pseudogec.noise.realistic import RealisticNoise
from pseudogec.noise.resources import (
    ConfusionSets,
    DictionarySummary,
    EditDictionary,
    NoiseResources,
    UnigramDistribution,
    WrittenFor,
)
from pseudogec.noise.rules import RuleNoise
from pseudogec.noise.spell import SpellNoise
from pseudogec.noise.spelling_errors import SpellingErrors

__all__ = [
    "METHODS",
    "BackTranslation",
    "ClassroomPairs",
    "ConfusionSets",
    "ContentWords",
    "CopiedText",
    "DecoderMethod",
    "DictionarySummary",
    "DirectNoise",
    "EditDictionary",
    "LearnerNoise",
    "Method",
    "NoiseProfile",
    "NoiseResources",
    "NoisedText",
    "Noiser",
    "NoisyBackTranslation",
    "Operation",
    "RandomNoise",
    "RealisticNoise",
    "RuleNoise",
    "SampledBackTranslation",
    "SpellNoise",
    "SpellingErrors",
    "TextMethod",
    "UnigramDistribution",
    "WrittenFor",
    "describe",
    "noised_tokens",
]
