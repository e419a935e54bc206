"""A simulated world of English and of its learners: see README.md."""

from learner_world.corpus import LEVEL_SHARES, LearnerSentence, learner_sentences, seed_sentences
from learner_world.mistakes import LEVELS, Edit
from learner_world.registers import REGISTERS

__all__ = [
    "LEVELS",
    "LEVEL_SHARES",
    "REGISTERS",
    "Edit",
    "LearnerSentence",
    "learner_sentences",
    "seed_sentences",
]
