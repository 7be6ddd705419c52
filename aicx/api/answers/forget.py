"""`aicx.forget/1`: what was taken out of the corpus."""

from __future__ import annotations

from typing import Annotated

from aicx.corpus.forget.holding import Affected
from aicx.values import dataclass

SCHEMA = "aicx.forget/1"


@dataclass(frozen=True, slots=True)
class ForgetAnswer:
    """What was removed, or would be. The pattern is not repeated.

    After a kill the same call finishes the work and reports all of it, with `[forgotten]` for titles that are gone.
    """

    dry_run: bool
    sessions: Annotated[list[Affected], "oldest first"]
    chunks_removed: Annotated[int, "chunks that are gone"]
    chunks_rewritten: Annotated[int, "chunks that lost a message"]
    messages_blanked: Annotated[int, "messages replaced by `[forgotten]`"]
    references_removed_from: Annotated[int, "chunks that only lost references to forgotten sessions"]
    runs_removed: Annotated[int, "logs of `aicx run` that are gone"]
    set_apart_removed: Annotated[int, "chunks deleted of those that `doctor --fix` had set apart"]
    memory_removed: Annotated[int, "records of the memory that are gone"]
    review_removed: Annotated[int, "patches for instruction files that are gone"]
    work_removed: Annotated[int, "tasks that are gone"]
    cas_removed: Annotated[int, "objects that are gone, packs that quoted it among them"]
    identities_removed: Annotated[int, "files of `aicx sessions open` that are gone"]
    continuity_removed: Annotated[int, "notes of continuity that lost something, or are gone"]
    stays: Annotated[list[str], "tasks, handoffs and notes that only lose a part, because somebody stated the rest"]
    notes: Annotated[
        list[str], "matches outside messages, which a pattern cannot remove; whether the text was forgotten before"
    ]
