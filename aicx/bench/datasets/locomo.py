"""LoCoMo: find the turns of a long dialogue that hold the evidence for a question.

Each dialogue is a corpus of its own. Categories 1 to 4 are asked; 5 has questions without an answer by design, and the
file gives evidence for them all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from aicx.bench.dataset import TIMELESS, Dataset, Query, QueryType, columns_at, text_document
from aicx.bench.datasets.files import read_json, wrong_form
from aicx.types import Document

_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D\d+:\d+")
_CLOCK = "%I:%M %p on %d %B, %Y"
# What the categories ask for: 1 several turns, 2 a time, 3 knowledge from outside too, 4 one turn.
_ASKED = (1, 2, 3, 4)
_TYPES: dict[int, QueryType] = {2: "temporal"}


def load(path: Path) -> Dataset:
    """The dialogues of a LoCoMo file."""
    corpora: dict[str, list[Document]] = {}
    queries: list[Query] = []
    split: list[str] = []
    dropped: list[str] = []
    try:
        for dialogue in read_json(path):
            name = str(dialogue["sample_id"])
            corpora[name] = list(_turns(dialogue["conversation"]))
            known = {document.id for document in corpora[name]}
            now = _end(dialogue["conversation"])
            for number, asked in enumerate(dialogue["qa"]):
                if asked["category"] not in _ASKED:
                    continue
                given = [str(turn) for turn in asked.get("evidence") or ()]
                turns = [_plain(turn) for text in given for turn in _TURN.findall(text)]
                split += [text for text in given if not _TURN.fullmatch(text)]
                dropped += [turn for turn in turns if turn not in known]
                relevant = {turn: 1 for turn in turns if turn in known}
                if not relevant:
                    dropped.append(f"question {name}/{number}")
                    continue
                kind = _TYPES.get(asked["category"], "question")
                queries.append(Query(f"{name}/{number}", asked["question"], relevant, kind, now, name))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise wrong_form(path, "LoCoMo", error) from error
    notes = []
    if split:
        notes.append(f"{len(split)} evidence entries that are not one turn id were split into those they hold: {split}")
    if dropped:
        notes.append(f"{len(dropped)} evidence turns and questions without any turn of their dialogue left out")
    return Dataset("locomo", queries, corpora, notes=notes)


def _turns(conversation: dict[str, Any]) -> Iterator[Document]:
    """A document a turn: who says what, shown which picture, in answer to the turn before."""
    for session in sorted(
        (key for key in conversation if _SESSION.fullmatch(key)), key=lambda key: int(key.removeprefix("session_"))
    ):
        at = _time(conversation.get(f"{session}_date_time", ""))
        before = ""
        for turn in conversation[session]:
            text = f"{turn['speaker']}: {turn['text']}"
            if turn.get("blip_caption"):
                text += f"\n[{turn['blip_caption']}]"
            header = f"{conversation.get(f'{session}_date_time', '')}\n{before}".strip()
            yield text_document(_plain(turn["dia_id"]), text, header, columns_at(at) if at else {})
            before = text


def _plain(turn: str) -> str:
    """``D1:05`` and ``D1:5`` are one turn."""
    session, _, number = turn.partition(":")
    return f"{session}:{int(number)}"


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, _CLOCK).replace(tzinfo=UTC)
    except ValueError:
        return None


def _end(conversation: dict[str, Any]) -> datetime:
    """A day after the dialogue's last session: when somebody who took part would look back."""
    times = [at for key, text in conversation.items() if key.endswith("_date_time") and (at := _time(text))]
    return max(times) + timedelta(days=1) if times else TIMELESS
