"""Facts of a tool message guessed from a chunk's text, for chunks stored before sidecars kept them and without a log.

Nothing else reads our own Markdown back. Whatever uses these facts says so; see `transcript.read_steps`.
"""

from __future__ import annotations

import re
from typing import Any

# The last line before a message's text, as `aicx.corpus.ingest.render` writes it.
_HEADING = re.compile(rb"### \d\d:\d\d:\d\d (?P<speaker>[^\n]*)\n\n(?:`{3,}\n)?\Z")
_HEADING_BYTES = 400
_PART = re.compile(r" \(\d+/\d+\)(?: · repeated)?$")
# A script's commands as JSON strings, in any of the ways in which models write them.
_SCRIPTED = re.compile(r"""\bcmd["']?\s*:\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)""", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# The arguments that `aicx.sources.tools` wrote below a command.
_ARGUMENT = re.compile(
    r"\n(?:cwd|description|justification|login|prefix_rule|run_in_background|sandbox_permissions|shell|timeout|tty"
    r"|workdir)\w*: "
)
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)


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
