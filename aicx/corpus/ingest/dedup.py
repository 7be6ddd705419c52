"""Recognises copies: of records that a fork or resume took along, and of texts given to several agents at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.chunks import KnownMessage, messages_with_keys, messages_with_texts
from aicx.corpus.ingest.drafts import MessageDraft
from aicx.corpus.ingest.session_chunks import SessionScope
from aicx.text import instant
from aicx.values import dataclass

# A shorter text ("yes", "continue") typed in two sessions is two answers, not one message twice.
_SHORT_REPLY = 40
_OVERLAP_SECONDS = 60
# The prompt history and the session's own log note the same prompt up to this far apart.
_HISTORY_MILLISECONDS = 2000


@dataclass(frozen=True, slots=True)
class StoredCopy:
    """A message that is stored elsewhere already: ``owner`` is the chunk that has it, None for this session itself."""

    draft: MessageDraft
    key: str
    owner: str | None


def separate_copies(
    drafts: Iterable[MessageDraft], catalog: Catalog, scope: SessionScope, before_chunk: int = 0
) -> tuple[list[MessageDraft], list[StoredCopy]]:
    """The messages that are new or this session's own, and the copies among them.

    What was stored first owns a message, so a session that has its chunks keeps them whatever turns up later. Its
    chunks before the number ``before_chunk`` are of messages that are not among ``drafts``, or of their first ones.
    """
    drafts = list(drafts)
    by_key = _grouped(messages_with_keys(catalog, [draft.key for draft in drafts]), scope, "key")
    talk = [draft.text_key for draft in drafts if _is_talk(draft) and len(draft.entry.text) >= _SHORT_REPLY]
    by_text = _grouped(messages_with_texts(catalog, talk), scope, "text_key")
    earlier = _said_before(drafts, catalog, scope, before_chunk) if before_chunk else {}
    own: list[MessageDraft] = []
    copies: list[StoredCopy] = []
    seen: set[str] = set()
    said: dict[tuple[int, str, str], str] = {}
    for draft in drafts:
        second = (int(draft.entry.at.timestamp()), draft.entry.role, draft.text_key)
        if draft.key in seen:
            copies.append(StoredCopy(draft, draft.key, None))
        elif _is_talk(draft) and second in said:
            copies.append(StoredCopy(draft, said[second], None))
        elif _is_talk(draft) and (first := earlier.get(second)) and first.key != draft.key:
            copies.append(StoredCopy(draft, first.key, first.chunk_id))
        elif (known := _owner(draft, by_key.get(draft.key, ()), by_text.get(draft.text_key, ()))) is not None:
            copies.append(StoredCopy(draft, known.key, known.chunk_id))
        else:
            own.append(draft)
            seen.add(draft.key)
            said.setdefault(second, draft.key)
    return own, copies


def _said_before(
    drafts: Sequence[MessageDraft], catalog: Catalog, scope: SessionScope, before_chunk: int
) -> dict[tuple[int, str, str], KnownMessage]:
    """Returns what the session's own earlier chunks have of the same texts, by second, role and text."""
    texts = [draft.text_key for draft in drafts if _is_talk(draft)]
    return {
        (known.at // 1000, known.role, known.text_key): known
        for known in messages_with_texts(catalog, texts)
        if (known.agent, known.session_id, known.stream) == (scope.agent, scope.session_id, scope.stream)
        and int(known.chunk_id.rpartition(":")[2]) < before_chunk
    }


def covered_by_log(
    drafts: Iterable[MessageDraft], known: list[KnownMessage]
) -> tuple[list[MessageDraft], list[StoredCopy]]:
    """Splits prompts of a prompt history into those the session's own chunks lack and those they have."""
    prompts = [message for message in known if message.role == "user"]
    missing: list[MessageDraft] = []
    copies: list[StoredCopy] = []
    for draft in drafts:
        at = draft.entry.at.timestamp() * 1000
        match = next(
            (
                message
                for message in prompts
                if message.text_key == draft.text_key or abs(message.at - at) <= _HISTORY_MILLISECONDS
            ),
            None,
        )
        if match is None:
            missing.append(draft)
        else:
            copies.append(StoredCopy(draft, match.key, match.chunk_id))
    return missing, copies


def reference(copy: StoredCopy) -> dict[str, Any]:
    """A copy as recorded in the ``duplicates`` of the chunk that has the original."""
    entry = copy.draft.entry
    return {
        "key": copy.key,
        "agent": entry.agent,
        "session_id": entry.session_id,
        "at": instant(entry.at),
        "path": entry.ref.path,
        "span": [entry.ref.start, entry.ref.end],
    }


def _owner(
    draft: MessageDraft, same_key: Iterable[KnownMessage], same_text: Iterable[KnownMessage]
) -> KnownMessage | None:
    for known in same_key:
        if known.text_key == draft.text_key:
            return known
    if not _is_talk(draft) or len(draft.entry.text) < _SHORT_REPLY:
        return None
    second = int(draft.entry.at.timestamp())
    for known in same_text:
        known_second = known.at // 1000
        if known.agent == draft.entry.agent and known_second == second:
            return known
        if known.agent != draft.entry.agent and known_second // _OVERLAP_SECONDS == second // _OVERLAP_SECONDS:
            return known
    return None


def _is_talk(draft: MessageDraft) -> bool:
    return draft.entry.role in ("user", "assistant")


def _grouped(messages: Iterable[KnownMessage], scope: SessionScope, field: str) -> dict[str, list[KnownMessage]]:
    """Messages of other sessions by ``field``. A prompt history never owns what a session's own log says."""
    groups: dict[str, list[KnownMessage]] = {}
    for message in messages:
        if (message.agent, message.session_id) != (scope.agent, scope.session_id) and not message.stream:
            groups.setdefault(getattr(message, field), []).append(message)
    return groups
