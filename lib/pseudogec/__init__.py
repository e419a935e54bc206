"""A reproducible study of pseudo data for grammatical error correction (GEC)."""

METADATA = "pseudogec"
"""Key of our metadata of a notebook's output: ``figure`` and ``caption``, ``caption_of``, or ``while_running``."""
