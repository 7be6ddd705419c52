"""Replaces secrets in a text by typed marks, before anything is written."""

from aicx.redaction.issuers import RULES
from aicx.redaction.redactor import redact, redact_plain, redactor

__all__ = ["RULES", "redact", "redact_plain", "redactor"]
