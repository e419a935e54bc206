"""What an edit is: a corrected span of a sentence; how it is applied, how M2 files hold it, how ERRANT finds and types it."""

from pseudogec.edits.annotators import Annotator, AnnotatorName, annotator_of, annotator_signature, load_annotator
from pseudogec.edits.edit import DETECTION_TYPES, AnnotatedSentence, Edit, apply_edits, drop_edits, place_edits
from pseudogec.edits.m2 import M2File, read_m2, write_m2
from pseudogec.edits.type_profile import EditProfile, type_distance

__all__ = [
    "DETECTION_TYPES",
    "AnnotatedSentence",
    "Annotator",
    "AnnotatorName",
    "Edit",
    "EditProfile",
    "M2File",
    "annotator_of",
    "annotator_signature",
    "apply_edits",
    "drop_edits",
    "load_annotator",
    "place_edits",
    "read_m2",
    "type_distance",
    "write_m2",
]
