"""Edits: corrected spans of a sentence. How they are applied, stored in M2 files, and found and
typed by ERRANT.
"""

from pseudogec.edits.annotators import (
    Annotator,
    AnnotatorName,
    SentenceProgress,
    annotator_of,
    annotator_signature,
    load_annotator,
)
from pseudogec.edits.edit import (
    DETECTION_TYPES,
    AnnotatedSentence,
    Edit,
    EditProfile,
    apply_edits,
    edit_text,
    joined,
    place_edits,
    token_edits,
    type_distance,
    typed_otherwise,
)
from pseudogec.edits.m2 import M2File, is_m2, read_m2, write_m2

__all__ = [
    "DETECTION_TYPES",
    "AnnotatedSentence",
    "Annotator",
    "AnnotatorName",
    "Edit",
    "EditProfile",
    "M2File",
    "SentenceProgress",
    "annotator_of",
    "annotator_signature",
    "apply_edits",
    "edit_text",
    "is_m2",
    "joined",
    "load_annotator",
    "place_edits",
    "read_m2",
    "token_edits",
    "type_distance",
    "typed_otherwise",
    "write_m2",
]
