"""Evidence of a stored session's work: its commands, edits, commits, failures, fixes and statements.

Here the session is read back from its chunks: messages and tool actions in order, each with its chunk.

Of chunks stored before sidecars kept the facts of tool messages, and whose log is gone, the facts are guessed from the
text: nothing else reads our own Markdown back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from aicx.corpus.files import Sidecar, lacks_tool_facts
from aicx.corpus.files.read import ALTERED, read_chunk
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.types import PROMPTS
from aicx.values import regex

# The last line before a message's text, as `aicx.corpus.ingest.render` writes it.
_HEADING = regex(rb"### \d\d:\d\d:\d\d (?P<speaker>[^\n]*)\n\n(?:`{3,}\n)?\Z")
_HEADING_BYTES = 400
_PART = regex(r" \(\d+/\d+\)(?: · repeated)?$")
# A script's commands as JSON strings, in any of the ways in which models write them.
_SCRIPTED = regex(r"""\bcmd["']?\s*:\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)""", re.DOTALL)
_ESCAPE = regex(r"\\(.)", re.DOTALL)
# The arguments that `aicx.sources.tools` wrote below a command.
_ARGUMENT = regex(
    r"\n(?:cwd|description|justification|login|prefix_rule|run_in_background|sandbox_permissions|shell|timeout|tty"
    r"|workdir)\w*: "
)
_PATCHED = regex(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)


def facts_in_text(markdown: bytes, start: int, text: str) -> dict[str, Any]:
    """The facts of the message whose ``text`` begins at byte ``start``; empty where its heading names no tool."""
    found = _HEADING.search(markdown, max(0, start - _HEADING_BYTES), start)
    if found is None:
        return {}
    speaker = _PART.sub("", found["speaker"].decode("utf-8", "replace")).removeprefix("tool · ")
    failed = speaker.endswith(" failed")
    if failed or speaker.endswith(" result"):
        name = speaker.removesuffix(" failed").removesuffix(" result")
        return {"name": name, "phase": "result", "failed": failed}
    return {"name": speaker, "phase": "call", "command": _command(text), "files": _files(text)}


def _command(text: str) -> str:
    """The command line in a call's text; empty when it runs none."""
    rest = text.partition("\n")[2]
    if rest.startswith("$ "):
        return _ARGUMENT.split(rest[2:], maxsplit=1)[0]
    return "\n".join(_unquoted(literal) for literal in _SCRIPTED.findall(text))


def _files(text: str) -> list[str]:
    # Inside a script the patch is a string, its line breaks escaped.
    if "*** " in text and (patched := _PATCHED.findall(text.replace("\\n", "\n"))):
        return list(dict.fromkeys(path.strip() for path in patched))
    _, _, path = text.partition("\n")[0].partition(" ")
    return [path] if path else []


def _unquoted(literal: str) -> str:
    return _ESCAPE.sub(lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), literal[1:-1])


class Step(NamedTuple):
    """One message of a session. What follows ``text`` is for tool messages, as their log said it.

    ``failed`` and ``exit_code`` are a result's, ``command`` and ``files`` a call's. ``seconds`` is how long it ran.
    """

    chunk: str
    at: datetime
    role: str
    origin: str
    text: str
    tool: str | None = None
    phase: Literal["call", "result"] | None = None
    failed: bool = False
    call_id: str | None = None
    command: str = ""
    files: tuple[str, ...] = ()
    exit_code: int | None = None
    seconds: float | None = None


class Statement(NamedTuple):
    """A sentence of what was said, done or left behind, with when, and the references that prove it."""

    text: str
    at: datetime
    refs: tuple[str, ...]


def statement_in(text: str, step: Step) -> Statement:
    """Returns what a message says, as a statement."""
    return Statement(text, step.at, (str(Ref("chunk", step.chunk)),))


def in_time(steps: Sequence[Step]) -> list[Step]:
    """The messages of a log with a prompt that stands behind later ones put before them.

    What a person typed while a turn ran has no record of its own in some logs, and is stored at their end. Where the
    messages after it are earlier too, it was the clock that went back.
    """
    found: list[Step] = []
    for number, step in enumerate(steps):
        place = len(found)
        if _is_prompt(step) and found and found[-1].at > step.at:
            following = next((one for one in steps[number + 1 :] if not _is_prompt(one)), None)
            if following is None or following.at >= found[-1].at:
                while place and found[place - 1].at > step.at:
                    place -= 1
        found.insert(place, step)
    return found


def _is_prompt(step: Step) -> bool:
    return step.role == "user" and step.origin in PROMPTS


def read_steps(
    layout: Layout,
    paths: Iterable[str],
    until: datetime | None = None,
    *,
    repeated: bool = False,
    altered: set[str] | None = None,
) -> tuple[list[Step], list[str]]:
    """The messages of the chunks at ``paths``, in order and once each, and notes on what could not be read as it is.

    With ``repeated``, those too with which the chunk before ended and that stand in both. Messages later than ``until``
    are left out. What aicx itself answered is left out too: it quotes older sessions. So are chunks that were altered
    on disk; their ids are put into ``altered`` where it is given, and the notes name them where it is not.
    """
    steps: list[Step] = []
    notes: list[str] = []
    guessed = 0
    for path in paths:
        try:
            stored = read_chunk(layout, path)
            if stored.altered and altered is not None:
                altered.add(stored.sidecar.id)
                continue
            if stored.altered:
                raise CorpusDamaged(f"{path} was {ALTERED}")
            found = list(_steps(stored.sidecar, stored.markdown, repeated))
        except (CorpusDamaged, NotFound) as error:
            notes.append(f"{error.message}; `aicx doctor` says more")
            continue
        except (LookupError, TypeError, ValueError):
            notes.append(f"{path}: its sidecar does not fit it; `aicx doctor` says more")
            continue
        guessed += lacks_tool_facts(stored.sidecar.fields)
        for step, continues in found:
            if until is not None and step.at > until:
                continue
            if continues and steps:
                steps[-1] = steps[-1]._replace(text=steps[-1].text + step.text)
            else:
                steps.append(step)
    if guessed:
        notes.append(f"{guessed} chunks have no tool facts; their commands and outcomes were read from the text")
    return in_time(steps), notes


def _steps(sidecar: Sidecar, markdown: bytes, repeated: bool) -> Iterator[tuple[Step, bool]]:
    """Each message of a chunk, and whether it goes on with the one before: a long message is stored in parts."""
    for message in sidecar.messages:
        if (message.get("repeated") and not repeated) or message.get("echo"):
            continue
        low, high = message["span"]
        text = markdown[low:high].decode("utf-8", "replace")
        facts: dict[str, Any] = message.get("tool") or {}
        if message["role"] == "tool" and not facts:
            facts = facts_in_text(markdown, low, text)
        step = Step(
            sidecar.id,
            datetime.fromisoformat(message["at"]),
            message["role"],
            message["origin"],
            text,
            facts.get("name"),
            facts.get("phase"),
            facts.get("failed") is True,
            facts.get("call_id"),
            facts.get("command") or "",
            tuple(facts.get("files") or ()),
            facts.get("exit_code"),
            facts.get("seconds"),
        )
        yield step, (message.get("part") or [1])[0] > 1
