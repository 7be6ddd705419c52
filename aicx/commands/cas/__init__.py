"""`aicx pack objects`: objects under the digest of what they are."""

from __future__ import annotations

HELP = """Keep bytes under their SHA-256: packs, and what you want to cite by its digest.

An object is verified whenever it is read. Text is redacted before it is stored, so its digest is that of the redacted
text. What was not put for 30 days goes with `aicx pack objects gc --apply`, unless it is pinned. DIGEST is sha256: and
at least 8 digits.

Example: aicx pack objects put notes.md --tag release
Example: aicx pack objects get sha256:3fa29c01
Example: aicx pack objects gc
"""
COMMANDS = {
    "list": "aicx.commands.cas.actions:list_objects",
    "get": "aicx.commands.cas.actions:get",
    "put": "aicx.commands.cas.actions:put_object",
    "pin": "aicx.commands.cas.actions:pin_object",
    "unpin": "aicx.commands.cas.actions:unpin_object",
    "gc": "aicx.commands.cas.actions:collect_objects",
}
DEFAULT = "list"
