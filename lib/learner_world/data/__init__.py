"""Curated word lists of the simulated world: plain text, one section a class, meant to be read and extended by a teacher."""
