"""A stored session read back from its chunks: what was said and what tools did, in order, each with where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from aicx.corpus.files.read import load_markdown, load_sidecar
from aicx.corpus.files.sidecar import Sidecar
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout

# The last line before a message's text, as `aicx.corpus.ingest.render` writes it.
_HEADING = re.compile(rb"### \d\d:\d\d:\d\d (?P<speaker>[^\n]*)\n\n(?:`{3,}\n)?\Z")
_PART = re.compile(r" \(\d+/\d+\)$")


class Step(NamedTuple):
    """One message of a session. ``tool`` and ``phase`` are set for tool messages; ``failed`` as the log said so."""

    chunk: str
    at: datetime
    role: str
    origin: str
    text: str
    tool: str | None = None
    phase: Literal["call", "result"] | None = None
    failed: bool = False


def read_steps(
    layout: Layout, paths: Iterable[str], until: datetime | None = None, *, repeated: bool = False
) -> tuple[list[Step], list[str]]:
    """The messages of the chunks at ``paths``, in order and once each, and notes on chunks that cannot be read.

    With ``repeated``, those too with which the chunk before ended and that stand in both. Messages later than ``until``
    are left out. What aicx itself answered is left out too: it quotes older sessions.
    """
    steps: list[Step] = []
    notes: list[str] = []
    for path in paths:
        try:
            found = list(_steps(load_sidecar(layout, path), load_markdown(layout, path), repeated))
        except (CorpusDamaged, NotFound) as error:
            notes.append(f"{error.message}; `aicx doctor` says more")
            continue
        except (LookupError, TypeError, ValueError):
            notes.append(f"{path}: its sidecar does not fit it; `aicx doctor` says more")
            continue
        for step, continues in found:
            if until is not None and step.at > until:
                continue
            if continues and steps:
                steps[-1] = steps[-1]._replace(text=steps[-1].text + step.text)
            else:
                steps.append(step)
    return steps, notes


def _steps(sidecar: Sidecar, markdown: bytes, repeated: bool) -> Iterator[tuple[Step, bool]]:
    """Each message of a chunk, and whether it goes on with the one before: a long message is stored in parts."""
    for message in sidecar.messages:
        if (message.get("repeated") and not repeated) or message.get("echo"):
            continue
        low, high = message["span"]
        tool: str | None = None
        phase: Literal["call", "result"] | None = None
        failed = False
        if message["role"] == "tool" and (found := _HEADING.search(markdown, max(0, low - 400), low)):
            speaker = _PART.sub("", found["speaker"].decode("utf-8", "replace")).removeprefix("tool · ")
            failed = speaker.endswith(" failed")
            phase = "result" if failed or speaker.endswith(" result") else "call"
            tool = speaker.removesuffix(" failed").removesuffix(" result")
        text = markdown[low:high].decode("utf-8", "replace")
        at = datetime.fromisoformat(message["at"])
        step = Step(sidecar.id, at, message["role"], message["origin"], text, tool, phase, failed)
        yield step, (message.get("part") or [1])[0] > 1
