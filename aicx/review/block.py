"""A statement as a block of an instruction file, between markers that name its record and hash its text."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Literal, NamedTuple

from aicx.memory.record import Record

# What begins a block of its own in Markdown, at the beginning of a list item.
_OPENS = re.compile(r"^(?:[#>+*|~=-]|(\d+)(?=[.)]))")
# Programs import the file that follows such a sign, unless it is in a code span.
_IMPORT = re.compile(r"(?<![\w`])@[\w./~-]*[\w/]")
_DIGEST = 12  # hexadecimal digits

Presence = Literal["absent", "present", "altered", "damaged"]


class Found(NamedTuple):
    """Whether a text has the block of a record, and the characters it takes, line ends of its last line left out."""

    presence: Presence
    start: int = 0
    end: int = 0


def item_of(record: Record) -> str:
    """The statement as a list item: markup that would reach beyond its line, or import a file, is plain text."""
    text = record.statement.replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    parts = text.split("`")
    for number, part in enumerate(parts):
        in_code = number % 2 == 1 and number < len(parts) - 1
        if not in_code:
            parts[number] = _IMPORT.sub(lambda found: f"`{found[0]}`", part)
    text = _OPENS.sub(lambda found: f"{found[1]}\\" if found[1] else f"\\{found[0]}", "`".join(parts))
    return f"- {text}"


def digest_of_item(item: str) -> str:
    return sha256(item.encode()).hexdigest()[:_DIGEST]


def block_of(record: Record) -> list[str]:
    """The lines of the block, without their ends."""
    item = item_of(record)
    return [f"<!-- aicx:review {record.ref} sha256:{digest_of_item(item)} -->", item, _end(record)]


def find_block(text: str, record: Record) -> Found:
    """Where ``text`` has the block of ``record``: ``altered`` with another text, ``damaged`` with half of its markers
    or with several."""
    start = re.compile(rf"^<!-- aicx:review {re.escape(record.ref)} sha256:(\w+) -->[ \t]*\r?$", re.MULTILINE)
    end = re.compile(rf"^{re.escape(_end(record))}(?=[ \t]*\r?$)", re.MULTILINE)
    starts, ends = list(start.finditer(text)), list(end.finditer(text))
    if not starts and not ends:
        return Found("absent")
    if len(starts) != 1 or len(ends) != 1 or starts[0].start() > ends[0].start():
        return Found("damaged")
    whole = text[starts[0].start() : ends[0].end()]
    same = [line.rstrip() for line in whole.splitlines()] == [line.rstrip() for line in block_of(record)]
    return Found("present" if same else "altered", starts[0].start(), ends[0].end())


def _end(record: Record) -> str:
    return f"<!-- aicx:review:end {record.ref} -->"
