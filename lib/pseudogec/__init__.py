"""A reproducible study of pseudo data for grammatical error correction (GEC)."""
