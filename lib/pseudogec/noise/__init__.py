"""Noising methods, one small class each: a grammatical sentence and its random stream in, an ungrammatical sentence out."""

from pseudogec.noise.characters import SyntheticSpelling
from pseudogec.noise.confusion_sets import ConfusionSets
from pseudogec.noise.direct import DirectNoise, DirectNoiseParameters
from pseudogec.noise.edit_dictionary import DictionarySummary, EditDictionary, WrittenFor
from pseudogec.noise.methods import METHODS, Method, check_method, describe_methods, find_method, make_noiser
from pseudogec.noise.noiser import NoiseParameters, Noiser, Operation, noised_tokens
from pseudogec.noise.profile import NoiseProfile, profile_of
from pseudogec.noise.random_words import RandomNoise, RandomNoiseParameters
from pseudogec.noise.realistic import RealisticNoise, RealisticNoiseParameters
from pseudogec.noise.resources import NoiseResources
from pseudogec.noise.spell import SpellNoise, SpellNoiseParameters
from pseudogec.noise.unigram import UnigramDistribution
from pseudogec.noise.units import OnWords

__all__ = [
    "METHODS",
    "ConfusionSets",
    "DictionarySummary",
    "DirectNoise",
    "DirectNoiseParameters",
    "EditDictionary",
    "Method",
    "NoiseParameters",
    "NoiseProfile",
    "NoiseResources",
    "Noiser",
    "OnWords",
    "Operation",
    "RandomNoise",
    "RandomNoiseParameters",
    "RealisticNoise",
    "RealisticNoiseParameters",
    "SpellNoise",
    "SpellNoiseParameters",
    "SyntheticSpelling",
    "UnigramDistribution",
    "WrittenFor",
    "check_method",
    "describe_methods",
    "find_method",
    "make_noiser",
    "noised_tokens",
    "profile_of",
]
