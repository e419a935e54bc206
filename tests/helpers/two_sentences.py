"""Two sentences with one edit each, in the M2 format."""

M2 = [
    "S This are a sentence .",
    "A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0",
    "",
    "S I like cat .",
    "A 2 3|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0",
    "",
]
