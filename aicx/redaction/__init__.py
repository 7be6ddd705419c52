"""Replaces secrets in a text by typed marks, before anything is written."""

from aicx.redaction.redactor import redact, redact_plain
from aicx.redaction.rules import RULES

__all__ = ["RULES", "redact", "redact_plain"]
