"""The smallest study that shows something in every part of every notebook: the profile `smoke`,
smaller still.
"""

SMALLEST = [
    "seeds=[1]",
    "corpora.validation.sentences=30",
    "corpora.development.sentences=40",
    "corpora.tests.classroom-test.sentences=60",
    "pseudo_data.shard=100",
    "scale.base=200",
    "scale.small=100",
    *(
        f"optimisations.{name}.{key}={value}"
        for name in ("copying", "joint", "fine_tuning", "adaptation")
        for key, value in (("updates", 10), ("checkpoint_updates", 5))
    ),
]

ARGUMENTS = ["--profile", "smoke", *(part for override in SMALLEST for part in ("--set", override))]
