"""What an edit is: one corrected span of a sentence, how it is applied, how M2 files hold it and how ERRANT finds and types it."""

from pseudogec.edits.edit import AnnotatedSentence, Edit, apply_edits, drop_edits

__all__ = ["AnnotatedSentence", "Edit", "apply_edits", "drop_edits"]
