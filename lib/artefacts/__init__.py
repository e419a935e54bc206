"""Recipes, the store that keeps what they make, and the engine that builds what is missing; knows nothing of language."""
