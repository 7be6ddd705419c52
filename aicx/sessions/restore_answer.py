"""The answer of a restore, made from what was given back."""

from __future__ import annotations

from aicx.api.answers.session_restore import RestoreAnswer, RestoredItem
from aicx.api.fields import taken_from
from aicx.sessions.restore_block import Restored


def restored_answer(found: Restored) -> RestoreAnswer:
    items = [taken_from(item, RestoredItem) for item in found.items]
    return taken_from(found, RestoreAnswer, restored=bool(found.text), context=found.text, items=items)
