"""Kept summaries as a holder of people's text: derived, so that `forget` and redacting again delete them.

What `forget` deletes is everything below ``index/`` that no holder takes single chunks out of, and that is these too.
"""

from __future__ import annotations

from aicx.engine.holders import Holder


class _Summaries(Holder):
    name = "session-summaries"
    noun = "summary"
    copies = ("index/session-summaries",)


HOLDER = _Summaries()
