"""The go command, its compiler, vet and tests; panics, races, and the linters that print as the compiler does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from aicx.toolchains.family import Diagnostic, Output, ToolFamily, number, place
from aicx.toolchains.go_runs import Runs

_TOOLS = frozenset({
    "go", "gofmt", "gofumpt", "goimports", "golangci-lint", "golint", "gotestsum", "govulncheck", "richgo",
    "staticcheck", "revive", "errcheck", "ginkgo",
})  # fmt: skip

_PLACE = re.compile(
    r"(?:vet: |# )?(?P<file>[^\s:][^:\n]{0,300}(?:\.go|go\.(?:mod|sum|work))):(?P<line>\d+)(?::(?P<column>\d+))?: "
    r"(?P<message>\S.*)$"
)
_LINTER = re.compile(r" \((?P<code>[A-Za-z][\w-]{1,40})(?:: [^()]{1,60})?\)$")  # how linters name the rule
_SYNTAX = re.compile(r"syntax error|expected |illegal |missing ',' |newline in|unexpected ")
_TYPE = re.compile(
    r"cannot use|mismatched types|does not implement|not enough arguments|too many|assignment mismatch|"
    r"invalid operation|cannot convert|missing return"
)
_COMMAND = re.compile(
    r"go(?: (?:build|fix|generate|get|install|list|mod|run|test|tool|vet|work)[\w ]{0,20})?: (?!downloading |"
    r"finding |extracting |creating |added |upgraded |downgraded |removed |to add |warning|"
    r"errors parsing|updates to |found |trying |using )(?P<message>\S.*)$"
)
_REFUSED = re.compile(
    r"pattern \S+: |stat \S+: |no Go files in |package \S+ is not in |no required module provides |"
    r"can't load package: |"
    r"cannot find (?:package|module)|build constraints exclude |flag provided but not defined: |"
    r"go \w+: unknown command|"
    r"runtime\.main_main\S*: |\S+: relocation target \S+ not defined"
)
_IMPORTS = re.compile(r"(?:package )?\S+(?: imports| tested by \S+ imports)?$")
_CLOCK = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)? ")
_NOISE = re.compile(
    r"(?:FAIL|PASS|ok  |\?   |---|===|# |exit status|Exit code \d+$|go: downloading |go: finding )|\s*$"
)
_UNFORMATTED = re.compile(r"[^\s:]+\.go$")
_GO = re.compile(
    r"(?:vet: )?\S+\.go:\d+:\d+: |\s*--- (?:FAIL|PASS|SKIP): (?:Test|Example|Fuzz)|=== RUN   |(?:FAIL|ok  )\t\S+|"
    r"goroutine \d+ \[|panic: |go: \S+|\s+\S+_test\.go:\d+: |\{(?:\"Time\":\"[^\"]{1,40}\",)?\"Action\":|"
    r"\{\"ImportPath\":|\timports \S+: import cycle|runtime\.main_main\S*: "
)


def _tool(words: Sequence[str]) -> str | None:
    if words[0] not in _TOOLS:
        return None
    return "vet" if words[:2] == ("go", "vet") else words[0]


def _parse(output: Output) -> Iterator[Diagnostic]:
    lines = _unfolded(output)
    found = [*_documents(output.text), *_commands(lines, output.words)]
    found += Runs(lines).read()
    yield from found
    if not found and (output.exit_code or _failed(output)):
        yield from _last_word(lines)


def _unfolded(output: Output) -> Sequence[str]:
    """Unwraps the output of `-json`, package by package as without it; returns any other output as it is."""
    if '"Action":"' not in output.text:
        return output.lines
    packages: dict[str, list[str]] = {}
    for line in output.text.split("\n"):
        if not line.startswith("{"):
            packages.setdefault("", []).append(line + "\n")
            continue
        row = _loaded(line)
        packages.setdefault(str(row.get("Package") or row.get("ImportPath")), []).append(str(row.get("Output") or ""))
    return [line for parts in packages.values() for line in "".join(parts).split("\n")]


def _documents(text: str) -> Iterator[Diagnostic]:
    """Findings of `go vet -json` and of linters, each in one document."""
    if '"posn"' in text:
        for document in re.split(r"^# .*$", text, flags=re.MULTILINE):
            for package in _loaded(document).values():
                for rule, rows in package.items() if isinstance(package, dict) else ():
                    for row in rows if isinstance(rows, list) else ():
                        if match := _PLACE.match(f"{row.get('posn')}: {row.get('message')}"):
                            yield _reported(match, match["message"], rule)
    start = text.find('{"Issues":')
    for row in (_loaded(text[start:].partition("\n")[0]).get("Issues") or []) if start >= 0 else []:
        pos = row.get("Pos") or {}
        where = (pos.get("Filename"), pos.get("Line"), pos.get("Column"), row.get("FromLinter"))
        yield Diagnostic(str(row.get("Text")), *where, phase="lint", severity=row.get("Severity") or "error")


def _loaded(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _reported(match: re.Match[str], message: str, code: str | None, phase: str = "lint") -> Diagnostic:
    return Diagnostic(message, *place(match), number(match, "column"), code, phase=phase)


def _commands(lines: Sequence[str], words: Sequence[str]) -> Iterator[Diagnostic]:
    """Finds the reports of the compiler, vet, linters and go itself, a line each with what is indented below."""
    linter = bool(words) and words[0] not in ("go", "gofmt", "gotestsum")
    vetting = tuple(words[:2]) == ("go", "vet")
    for at, line in enumerate(lines):
        if match := _PLACE.match(line):
            if match["message"].startswith("note: "):  # of the C compiler below cgo
                continue
            rule = _LINTER.search(match["message"])
            if linter or (rule and at + 2 < len(lines) and lines[at + 2].strip() == "^"):
                said = match["message"][: rule.start()] if rule else match["message"]
                yield _reported(match, said, rule["code"] if rule else None)
            else:
                said = "\n".join([match["message"], *_indented(lines, at + 1)])
                phase = (
                    "install"
                    if match["file"].endswith(("go.mod", "go.sum")) or "no required module" in said
                    else (
                        "syntax"
                        if _SYNTAX.match(said)
                        else "type"
                        if _TYPE.match(said)
                        else "lint"
                        if vetting
                        else "build"
                    )
                )
                yield _reported(match, said.removeprefix("error: "), None, phase)
        elif _REFUSED.match(line):
            yield Diagnostic("\n".join([line, *_indented(lines, at + 1)]), phase="build")
        elif match := _COMMAND.match(line):
            yield Diagnostic("\n".join([match["message"], *_indented(lines, at + 1)]), phase="install")
        elif _IMPORTS.match(line) and (below := list(_indented(lines, at + 1))) and ": " in below[-1]:
            yield Diagnostic("\n".join([line, *below]), phase="install" if line.endswith("imports") else "build")
        elif tuple(words[:1]) == ("gofmt",) and _UNFORMATTED.match(line):
            yield Diagnostic(f"{line} is not formatted", line, phase="format")


def _indented(lines: Sequence[str], start: int) -> Iterator[str]:
    for line in lines[start : start + 20]:
        if not line.startswith("\t") or line.startswith("\t/"):
            return
        yield line.strip()


def _last_word(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Why the command gave up, where it is in no form: the go command's first line, or a program's last one."""
    packages = [line for line in lines if line.startswith("FAIL\t")]
    said = [] if packages else [line for line in lines if not _NOISE.match(line)]
    ended = any(line.startswith("exit status ") for line in lines)
    if said:
        yield Diagnostic(_CLOCK.sub("", said[-1] if ended else said[0]).strip(), phase="runtime" if ended else "build")
    else:
        yield from (Diagnostic(" ".join(line.split("\t")[:2]), phase="test") for line in packages)


def _looks_like(output: Output) -> int:
    return sum(1 for line in output.lines if _GO.match(line))


def _failed(output: Output) -> bool | None:
    failing = passing = False
    for line in output.lines:
        failing = failing or line == "FAIL" or line.startswith(("FAIL\t", "--- FAIL: ", "exit status "))
        passing = passing or line == "PASS" or line.startswith("ok  \t")
    if failing or ('"Action":"fail"' in output.text):
        return True
    return False if passing else None


FAMILY = ToolFamily("go", _tool, _looks_like, _parse, _failed)
