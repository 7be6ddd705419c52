"""Diagnostics of rustc and clippy: their codes, and what tells two of one wording apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from aicx.toolchains.family import Diagnostic, place
from aicx.values import regex

# The lint's name, the surest form first: as an attribute, as an option, as the anchor of clippy's page.
_LINTS = (
    re.compile(r"#!?\[(?:warn|deny|forbid|allow)\(([\w:]{1,80})\)\]"),
    re.compile(r"`-[DWF] ([\w:-]{1,80})`"),
    re.compile(r"rust-clippy/\S{1,80}#(\w{1,60})"),
)
# What only repeats that something failed; an error of its own when nothing else is there.
WRAPPER = regex(
    r"could not compile|aborting due to|\d+ warnings? emitted|build failed|(?:test|doctest|bench) failed|"
    r"\d+ targets? failed|process didn't exit successfully|`.{1,200}` \(.{1,80}\) generated \d+ warning|"
    r"Some errors have detailed|For more information about"
)
_UNDEFINED = regex(r"undefined symbol: (?P<lld>\S+)|undefined reference to [`'\u2018](?P<ld>[^'\u2019]{1,300})")
_REFERENCE = regex(r"(?:>>> referenced by \S+ \()?(?P<file>[\w./-]{1,300}\.rs):(?P<line>\d+)")
_QUOTED = regex(r"`[^`]*`")
_TYPES = regex(r"E0(?:023|02[67]|05[03]|06[01]|069|277|282|283|308|369|38[24]|49\d|50\d|51[56]|59\d|60[0-9]|61\d)")


def with_codes(found: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """A lint's name is printed for its first finding alone; the others are known by the same wording."""
    shapes = {_shape(each): each.code for each in reversed(found) if each.code}
    for each in found:
        code = each.code or (shapes.get(_shape(each)) if each.file and each.test is None else None)
        phase = "lint" if code and code.startswith("clippy::") else each.phase
        yield replace(each, code=code, phase=phase)


def _shape(found: Diagnostic) -> str:
    return _QUOTED.sub("`", found.message.partition("\n")[0].partition(": help: ")[0])


def phase(code: str | None, message: str) -> str:
    if message.startswith("linking with"):
        return "link"
    if code is None and re.match(r"expected |unexpected |unknown start|this file contains|mismatched closing", message):
        return "syntax"
    return "type" if code and _TYPES.match(code) else "build"


def diagnostic(row: dict[str, Any]) -> Iterator[Diagnostic]:
    said, level, code = str(row.get("message")), row.get("level"), (row.get("code") or {}).get("code")
    if level not in ("error", "warning") or WRAPPER.match(said):
        return
    span: dict[str, Any] = next((span for span in row["spans"] if span.get("is_primary")), {})
    label = span.get("label")
    yield Diagnostic(
        said,
        span.get("file_name"),
        span.get("line_start"),
        span.get("column_start"),
        code,
        phase=phase(code, said),
        severity=level,
        identity=identity(said, label),
    )


def identity(said: str, label: str | None) -> str:
    """Two of one wording differ by the label, as the short style prints them in one; advice is not in every style."""
    return (f"{said}: {label}" if label else said).partition(": help: ")[0]


def lint(lines: Sequence[str]) -> str | None:
    noted = [line for line in lines if re.match(r"\s*= (?:note|help): ", line)]
    # An attribute in the source names it where no note does.
    noted += [line for line in lines if re.match(r"\d+ +\| *#!\[(?:deny|warn|forbid)\([\w:]+\)\]$", line)]
    for pattern in _LINTS:
        if match := next((match for line in noted if (match := pattern.search(line))), None):
            name = match[1].replace("-", "_")
            return f"clippy::{name}" if pattern is _LINTS[-1] else name
    return None


def unlinked(said: str, lines: Sequence[str]) -> Iterator[Diagnostic]:
    """One error a symbol that no object defines."""
    any_found = False
    for at, line in enumerate(lines):
        if not (symbol := _UNDEFINED.search(line)):
            continue
        any_found = True
        near = next((match for each in lines[at : at + 3] if (match := _REFERENCE.search(each))), None)
        yield Diagnostic(f"{said}\n{symbol[0]}", *place(near), phase="link", identity=symbol["lld"] or symbol["ld"])
    if not any_found:
        notes = [line.partition("= note: ")[2] for line in lines if "= note: " in line and '"-' not in line]
        yield Diagnostic("\n".join([said, *notes]), phase="link")
