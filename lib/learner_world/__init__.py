"""A simulated world of English and of its learners, for running the whole study where no corpus may be shipped.

This is a simulation, not data: a seeded grammar writes the sentences, a model of learners makes the mistakes, and the truth is
known. Start with ``registers.py`` (kinds of text), ``sentences.py`` (patterns) and ``learner.py`` (levels and kinds of
mistakes); the words and what goes with what are plain lists in ``data/``.
"""

from learner_world.corpus import LEVEL_SHARES, LearnerSentence, learner_sentences, seed_sentences
from learner_world.facts import describe
from learner_world.learner import LEVELS
from learner_world.registers import REGISTERS

__all__ = ["LEVELS", "LEVEL_SHARES", "REGISTERS", "LearnerSentence", "describe", "learner_sentences", "seed_sentences"]
