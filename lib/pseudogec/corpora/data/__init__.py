"""What is known of the papers' corpora, as data: ``catalogue.yaml``."""
