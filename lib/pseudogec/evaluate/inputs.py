"""What is checked before anything is scored, and how what was scored is named."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence

from artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence

Tokens = Sequence[str]

_SENTENCE_ENDS = frozenset(".?!")
_SUSPICIOUS_SHARE = 0.05
"""Share of sentences that must look wrong before a warning: single sentences may well differ from the rest."""


def check_hypotheses(sources: Sequence[Tokens], hypotheses: Sequence[Tokens], name: str, reference_name: str) -> None:
    """Refuse what cannot be scored and warn of what can, but hardly means what it says.

    Args:
        sources: tokenised source sentences.
        hypotheses: tokenised outputs of a system, line for line.
        name: what the hypotheses are called in messages, such as a file's name.
        reference_name: the same for the references.

    Raises:
        UserError: the numbers of sentences differ, there are none, or the hypotheses are not tokenised.
    """
    if len(sources) != len(hypotheses):
        raise UserError(
            f"{name} has {len(hypotheses)} sentences and {reference_name} has {len(sources)}; line for line they must correspond"
        )
    if not sources:
        raise UserError(f"{reference_name} has no sentences; nothing can be scored")
    if isinstance(hypotheses[0], str):
        raise UserError(f"{name} holds texts; lists of tokens are scored, for instance text.split()")
    empty = [
        line for line, (source, tokens) in enumerate(zip(sources, hypotheses, strict=True), start=1) if source and not tokens
    ]
    if empty:
        warnings.warn(
            f"{name}: {len(empty)} of {len(hypotheses)} hypotheses are empty (the first is line {empty[0]}); "
            "each is scored as the deletion of its whole sentence",
            stacklevel=3,
        )
    for looks_wrong, problem in (
        (_is_in_pieces, "hold pieces that end in '@@'; undo the byte-pair encoding first"),
        (_is_spaced_otherwise, "are tokenised otherwise than the references; the difference would be scored as errors"),
    ):
        wrong = sum(looks_wrong(source, tokens) for source, tokens in zip(sources, hypotheses, strict=True))
        if wrong > _SUSPICIOUS_SHARE * len(sources):
            warnings.warn(f"{name}: {wrong} of {len(hypotheses)} hypotheses {problem}", stacklevel=3)


def check_references(references: Sequence[AnnotatedSentence], reference_name: str) -> None:
    """Warn where some sentences lack an annotator that others have, as after a concatenation or a filter that went wrong.

    Such sentences can be scored, against the annotators that they have; files with a varying number of annotators exist.

    Args:
        references: annotated sentences.
        reference_name: what they are called in the message.
    """
    everyone = {number for sentence in references for number in sentence.annotators}
    if len(everyone) < 2:
        return
    lacking = [line for line, sentence in enumerate(references, start=1) if set(sentence.annotators) != everyone]
    if lacking:
        absent = sorted(everyone - set(references[lacking[0] - 1].annotators))
        warnings.warn(
            f"{reference_name}: {len(lacking)} of {len(references)} sentences lack an annotator (the first is sentence "
            f"{lacking[0]}, without annotator {', '.join(map(str, absent))}); an annotator who found nothing to correct needs a "
            "`noop` line, else the sentence is scored against the others alone",
            stacklevel=3,
        )


def describe_references(references: Sequence[AnnotatedSentence]) -> str:
    """Number and digest of the references, for signatures."""
    digest = hashlib.sha256()
    for sentence in references:
        edits = [
            (number, [(edit.start, edit.end, edit.correction, edit.type) for edit in edits])
            for number, edits in sentence.annotators.items()
        ]
        digest.update(repr((sentence.source, edits)).encode())
    numbers = {max(len(sentence.annotators), 1) for sentence in references}
    how_many = str(min(numbers)) if len(numbers) == 1 else f"{min(numbers)}-{max(numbers)}"
    return f"references:{how_many}|digest:{digest.hexdigest()[:12]}"


def _is_in_pieces(source: Tokens, tokens: Tokens) -> bool:
    return any(token.endswith("@@") for token in tokens) and not any(token.endswith("@@") for token in source)


def _is_spaced_otherwise(source: Tokens, tokens: Tokens) -> bool:
    """The same characters with other spaces, or a last full stop that hangs on its word where the source's stands alone."""
    if not source or not tokens:
        return False
    if list(source) != list(tokens) and "".join(source) == "".join(tokens):
        return True
    return source[-1] in _SENTENCE_ENDS and len(tokens[-1]) > 1 and tokens[-1][-1] == source[-1] and tokens[-1][-2].isalnum()
