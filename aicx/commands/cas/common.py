"""Shared by the actions: the digest as an argument, and how an object is shown."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console
from aicx.api.answers.cas import ObjectEntry
from aicx.api.fields import taken_from
from aicx.cas.entry import Entry
from aicx.text import instant, local

Digest = Annotated[str, typer.Argument(metavar="DIGEST", help="sha256: and at least 8 of its digits.")]


def entry_of(entry: Entry) -> ObjectEntry:
    return taken_from(entry, ObjectEntry, created_at=instant(entry.created_at), put_at=instant(entry.put_at))


def print_entry(entry: Entry) -> None:
    facts = [f"{local(entry.put_at):%Y-%m-%d %H:%M}", entry.kind.replace("_", " "), f"{entry.size:,} bytes"]
    facts += [*(["pinned"] if entry.pinned else []), *entry.tags]
    console.out(f"{console.style(entry.digest, fg='cyan')}  {console.style(' · '.join(facts), fg='bright_black')}")
