"""The steering block (``---`` … ``---``) that orchestrators put in front of a prompt or report."""

from __future__ import annotations

import re
from typing import Any

from aicx.types import KINDS

_BLOCK = re.compile(r"\A---[ \t]*\r?\n(?P<fields>.*?)(?:^---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"(?P<name>[A-Za-z_][\w-]*)[ \t]*:[ \t]*(?P<value>.*)")
_NUMBER = re.compile(r"[0-9]{1,15}")
_ALIASES = {"phase": "workflow_phase", "skill": "skill_code"}
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
    }
)
_NUMBERS = frozenset({"token_usage", "findings_count"})
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
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
