"""npm, pnpm, yarn and bun as installers and runners of scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from aicx.toolchains import generic
from aicx.toolchains.family import Diagnostic, Output, ToolFamily

_NPM = re.compile(r"npm (?P<kind>error|ERR!|warn|WARN|notice)(?: (?P<text>.*))?$")
_CODE = re.compile(r"code (?P<code>[A-Z][A-Z0-9_]{2,40}|\d{1,4})$")
_WARNED = re.compile(r"(?P<code>E[A-Z]{3,30}) (?P<text>.*)$")
# Lines of npm that repeat where and how, or how npm is used.
_NOISE = re.compile(
    r"(?:errno|syscall|path|dest|file|stack|command|location|workspace|node -|npm -|cwd|argv|signal|gyp (?:info|ver)|$)(?: |$)"
    r"|A complete log of this run|Clean install a project|Usage:|Options:|Run \"npm help|npm (?:ci|install|run)\b|\[-|aliases?:|  ?--(?!workspace=)|    |  npm |  \w+: .*,$|\}|at \S+ \("
    r"|Fix the upstream|to accept an incorrect|See /|For a full report|Did you mean|To see a list|Note that you can|This is probably not"
    r"|or use|If you are behind|Note: |In most cases you|Lifecycle script|A full report|This is related to npm|It's related to"
)
_PREFIX = re.compile(
    r"^(?:notarget|notsup|engine|enoent|network|eresolve|ERESOLVE|404|EJSONPARSE|JSON\.parse|must|git|audit|eacces|[A-Z]{2,}[A-Z0-9]{2,}) "
)
_SCRIPT = re.compile(r"(?:command failed|Lifecycle script|Test failed|Failed at the|Exit status|.*@.* \w+: `)")
_COMMAND = re.compile(r"command (?P<text>.+)$")
_PATH = re.compile(r"(?:path|file) (?P<file>\S.*package(?:-lock)?\.json)$")
_PNPM = re.compile(r"\s*(?:\[?ERROR\]?\s+)?(?P<code>ERR_PNPM_[A-Z0-9_]+|ELIFECYCLE)\s+(?P<text>\S.*)$")
_YARN = re.compile(r"error (?P<text>(?!Command failed).+)$")
_YARN_COMMAND = re.compile(
    r"(?:error Command failed with (?:exit code|signal)|info Visit https://yarnpkg|ERROR: \"\S+\" exited with|error: script \".*\" (?:exited|was terminated))"
)
_BERRY = re.compile(r"➤ (?P<code>YN\d{4}): (?:│ )?(?P<text>.+)$")
_USAGE = re.compile(r"(?P<text>(?:Usage Error|Internal Error): .+)$")
_UNKNOWN = re.compile(r"(?P<text>Unknown command: .+)$")
_BUN = re.compile(
    r"error: (?P<text>(?:Script not found|package |No version matching|lockfile had changes|Missing|.* failed to resolve|InstallFailed).*)$"
)
_AUDIT = re.compile(r"(?P<text>\d+ vulnerabilit(?:y|ies) .*|found \d+ vulnerabilit(?:y|ies).*)$")
_HARMLESS = frozenset({"YN0000", "YN0013", "YN0002", "YN0060", "YN0086", "YN0007", "YN0019", "YN0085", "YN0087"})
_HEADER = re.compile(r"> \S+(?:@\S+)? \S+|> \S.*|\$ .+")
_INSTALLING = frozenset(
    {
        "install",
        "i",
        "ci",
        "add",
        "update",
        "up",
        "upgrade",
        "clean-install",
        "rebuild",
        "publish",
        "audit",
        "dedupe",
        "exec",
    }
)
_MAX_LINES = 8  # of a message


def _tool(words: Sequence[str]) -> str | None:
    return (
        words[0]
        if words and words[0] in ("npm", "pnpm", "yarn", "bun", "cnpm", "lerna", "turbo", "nx", "npx")
        else None
    )


def _verb(output: Output) -> str:
    words = [word for word in output.words[1:] if not word.startswith("-")]
    if not words:
        return "install" if output.words[:1] == ("yarn",) else ""
    return words[1] if words[0] in ("run", "run-script") and len(words) > 1 else words[0]


def _phase(output: Output) -> str:
    verb = _verb(output)
    if verb in _INSTALLING:
        return "install"
    return "test" if verb.startswith(("test", "t", "tst")) and verb != "typecheck" else "build"


def _parse(output: Output) -> Iterator[Diagnostic]:
    own = [*_from_npm(output), *_from_others(output)]
    errors = [each for each in own if each.severity == "error"]
    yield from (each for each in own if each.severity != "error")
    wrapped = not errors or all(each.phase == "script" for each in errors)
    if not wrapped:
        yield from (each for each in errors if each.phase != "script")
        return
    inside = list(_from_script(output))
    yield from inside or (replace(each, phase=_phase(output)) for each in errors)


def _from_npm(output: Output) -> Iterator[Diagnostic]:
    """Finds npm's own error, as one, and its warnings that have a code."""
    said: list[str] = []
    ran_as: list[str] = []  # how npm says that a script failed
    code: str | None = None
    script, file = False, None
    warned: dict[str, list[str]] = {}
    for line in output.lines:
        match = _NPM.match(line) if line.startswith("npm ") else None
        if match is None or match["kind"] == "notice":
            continue
        text = (match["text"] or "").rstrip()
        if match["kind"] in ("warn", "WARN"):
            if warning := _WARNED.match(text):
                warned.setdefault(warning["code"], []).append(warning["text"].strip())
            continue
        if coded := _CODE.match(text):
            code = coded["code"]
            script = script or code.isdigit() or code == "ELIFECYCLE"
            ran_as.append(text)
            continue
        if _SCRIPT.match(text) or _COMMAND.match(text):
            script = script or bool(_SCRIPT.match(text))
            ran_as.append(text)
        if named := _PATH.match(text):
            file = named["file"]
        bare = _PREFIX.sub("", text)
        if not _NOISE.match(text) and not _NOISE.match(bare) and not _SCRIPT.match(text):
            said.append(bare.strip())
    for name, lines in warned.items():
        yield Diagnostic("\n".join(lines[:_MAX_LINES]), code=name, phase="install", severity="warning", tool="npm")
    if not said and not script and code is None:
        return
    lines = list(dict.fromkeys(line for line in said if line))[:_MAX_LINES]
    message = "\n".join(lines)
    if script and not _says_more(lines):
        yield Diagnostic("\n".join(ran_as) or message or "command failed", phase="script", tool="npm")
        return
    phase = "setup" if "issing script" in message or "No workspaces found" in message else "install"
    yield Diagnostic(message or code or "npm failed", file, code=code, phase=phase, tool="npm")


def _says_more(lines: Sequence[str]) -> bool:
    """Whether npm names an error of its own besides the script that failed."""
    return any(re.match(r"(?:Missing script|ERESOLVE|No matching|An unknown git error)", line) for line in lines)


def _from_others(output: Output) -> Iterator[Diagnostic]:
    """pnpm, yarn of both generations, bun, and the audit."""
    tool = output.words[0] if output.words else None
    phase = _phase(output)
    for line in output.lines:
        if match := _PNPM.match(line):
            lifecycle = (
                match["code"] == "ELIFECYCLE" or "RECURSIVE_RUN" in match["code"] or "RECURSIVE_EXEC" in match["code"]
            )
            kind = "script" if lifecycle else "setup" if "NO_SCRIPT" in match["code"] else "install"
            yield Diagnostic(match["text"], code=match["code"], phase=kind, tool="pnpm")
        elif (match := _BERRY.match(line)) and match["code"] not in _HARMLESS:
            yield Diagnostic(match["text"].strip(), code=match["code"], phase="install", tool="yarn")
        elif match := _USAGE.match(line) or _UNKNOWN.match(line):
            yield Diagnostic(match["text"], phase="setup", tool=tool or "yarn")
        elif match := _BUN.match(line):
            yield Diagnostic(match["text"], phase="setup" if "cript" in match["text"] else "install", tool="bun")
        elif _YARN_COMMAND.match(line):
            yield Diagnostic(line, phase="script", tool=tool)
        elif tool == "yarn" and (match := _YARN.match(line)):
            yield Diagnostic(match["text"], phase="setup" if "Command" in match["text"] else phase, tool="yarn")
        elif _verb(output) == "audit" and (match := _AUDIT.match(line)):
            yield Diagnostic(match["text"], phase="install", tool=tool)


def _from_script(output: Output) -> Iterator[Diagnostic]:
    """Returns the output of the script that was run, without the lines of its runner."""
    lines = tuple(line for line in output.lines if not _is_runner(line))
    inner = Output("\n".join(lines), lines, (), output.exit_code)
    found = [each for each in generic.certain(inner) if each.severity == "error"]
    if not found and output.exit_code:
        found = generic.last_resort(inner)
    return (replace(each, phase=_phase(output), tool=each.tool or "npm") for each in found)


def _is_runner(line: str) -> bool:
    return bool(
        line.startswith(("npm ", "yarn run v")) or _HEADER.match(line) or _YARN_COMMAND.match(line) or _PNPM.match(line)
    )


def _looks_like(output: Output) -> int:
    """Little: what ran below npm says more of the output than npm's own lines."""
    if any(
        (line.startswith("npm ") and _NPM.match(line)) or _PNPM.match(line) or _BERRY.match(line)
        for line in output.lines
    ):
        return 1
    return 0


FAMILY = ToolFamily("npm", _tool, _looks_like, _parse)
