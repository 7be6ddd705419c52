"""The answer of a restore, made from what was given back."""

from __future__ import annotations

from aicx.api.answers.session_restore import RestoreAnswer, RestoredItem
from aicx.sessions.restore_block import Restored


def restored_answer(found: Restored) -> RestoreAnswer:
    return RestoreAnswer(
        restored=bool(found.text),
        session=found.session,
        because=found.because,
        stored_to=found.stored_to,
        context=found.text,
        items=[RestoredItem(item.part, item.text, list(item.refs), item.label) for item in found.items],
        omitted={str(part): count for part, count in found.omitted.items()},
        cleared=found.cleared,
        notes=list(found.notes),
    )
