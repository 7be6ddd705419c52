"""The steering block (``---`` … ``---``) that orchestrators put in front of a prompt or report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from aicx.types import KINDS

_BLOCK = re.compile(r"\A---[ \t]*\r?\n(?P<fields>.*?)(?:^---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"(?P<name>[A-Za-z_][\w-]*)[ \t]*:[ \t]*(?P<value>.*)")
_NUMBER = re.compile(r"[0-9]{1,15}")
# Which agent a chunk is from its log says, so what the block says of it has a name of its own.
_ALIASES = {"phase": "workflow_phase", "skill": "skill_code", "agent": "stated_agent"}
_TEXTS = frozenset(
    {
        "run_id",
        "prompt_id",
        "status",
        "model",
        "started_at",
        "completed_at",
        "workflow_phase",
        "mode",
        "skill_code",
        "framework_version",
        "stated_agent",
    }
)
_NUMBERS = frozenset({"token_usage", "findings_count"})
# A quotation mark and those that may end what it begins: editors make typographic ones of what was typed.
_QUOTES = {
    '"': '"',
    "'": "'",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u201c": "\u201d\u201c",
    "\u201d": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019\u2018",
    "\u2019": "\u2019",
    "\u201a": "\u2018\u2019",
}
_SINGULAR_KINDS = {kind.removesuffix("s"): kind for kind in KINDS}


def split_frontmatter(text: str) -> tuple[dict[str, Any], str]:
    """The steering fields of a block that opens ``text``, and the text without it.

    Only flat ``name: value`` lines count: that is all orchestrators write, and a damaged block then costs a line rather
    than the block. A text whose first line merely is ``---`` (a rule in Markdown) stays whole.
    """
    match = _BLOCK.match(text)
    if match is None:
        return {}, text
    lines = [line for line in match["fields"].splitlines() if line.strip() and not line.lstrip().startswith("#")]
    named = [found for line in lines if (found := _FIELD.fullmatch(line.strip()))]
    if not named or len(named) * 2 < len(lines):
        return {}, text
    fields: dict[str, Any] = {}
    for found in named:
        name = found["name"].lower().replace("-", "_")
        _take(fields, _ALIASES.get(name, name), _unquote(found["value"].strip()))
    return fields, text[match.end() :].lstrip("\r\n")


def next_run(run: Mapping[str, Any], block: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the run that steers from a block on, after ``run`` did.

    A block that names a run begins it. One that only names a prompt is a further prompt of the run; one that names
    neither says more of the same prompt.
    """
    kept = () if "run_id" in block else ("run_id", "run_from") if "prompt_id" in block else run
    return {name: run[name] for name in kept if name in run} | dict(block)


def _take(fields: dict[str, Any], name: str, value: str) -> None:
    if not value:
        return
    if name in _TEXTS:
        fields[name] = value
    elif name in _NUMBERS and _NUMBER.fullmatch(digits := value.replace("_", "").replace(",", "")):
        fields[name] = int(digits)
    elif name == "kind":
        kind = _SINGULAR_KINDS.get(value.lower(), value.lower())
        if kind in KINDS:
            fields[name] = kind


def _unquote(value: str) -> str:
    return value[1:-1].strip() if len(value) > 1 and value[-1] in _QUOTES.get(value[0], "") else value
