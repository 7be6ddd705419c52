"""Shells, scripts of Python and Node, git, Terraform, Docker, curl, pip, databases, and what no other family reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains import services
from aicx.toolchains.family import Diagnostic, Output, ToolFamily
from aicx.toolchains.javascript_errors import crashes
from aicx.toolchains.python_tracebacks import SYNTAX, tracebacks
from aicx.values import regex

_TOOLS = frozenset({
    "python", "python3", "python2", "pypy3", "node", "nodejs", "tsx", "ts-node", "deno", "bun", "perl", "lua", "Rscript",
    "terraform", "tofu", "terragrunt", "ansible-playbook", "ansible", "docker", "docker-compose", "podman", "buildah", "kubectl",
    "helm", "curl", "wget", "ssh", "scp", "rsync", "pip", "pip3", "pipx", "uv", "poetry", "pipenv", "pdm", "conda", "apt",
    "apt-get", "brew", "psql", "mysql", "sqlite3", "redis-cli", "aws", "gcloud", "az", "gh", "systemctl", "alembic",
    "pre-commit", "tox", "webpack", "vite", "rollup", "esbuild", "parcel", "next", "nuxt", "shellcheck", "hadolint", "yamllint",
    "actionlint", "protoc", "buf", "sqlfluff", "sphinx-build", "mkdocs", "tar", "make", "timeout", "swift", "zig", "dart", "flutter",
})  # fmt: skip
# git's commands that only show something.
_SHOWING = frozenset({
    "log", "diff", "show", "blame", "grep", "status", "branch", "shortlog", "ls-files", "ls-tree", "rev-parse", "rev-list",
    "reflog", "config", "remote", "describe", "tag", "cat-file", "stash", "help", "for-each-ref", "whatchanged",
})  # fmt: skip
_WRAPPER = regex(
    r"(?:g?make(?:\[\d+\])?: \*\*\*|npm (?:ERR!|error)|error: script .* exited with code|ninja: build stopped"
    r"|\[[\w:.-]{1,60}\] ERROR task failed)"
)
# The last resort where a command failed: words that begin an error's line.
_SAID = regex(
    r"\s*(?:\[?(?P<stamp>\d{4}-\d\d-\d\d[T ][\d:.,Z+-]{5,30})\]?\s+)?[\[(]?(?P<word>error|fatal|panic|critical|exception|failed|failure|abort(?:ed)?|E)"
    r"(?:\[[\w-]{1,20}\]|\(\w{1,20}\))?[\])]?\s*[:!]\s*(?P<message>\S.*)",
    re.IGNORECASE,
)
_NAMED = regex(
    r"(?P<tool>[a-zA-Z][\w.+-]{0,40}): (?:(?:error|fatal|failed|critical)\b[:,]? ?)(?P<message>\S.*)", re.IGNORECASE
)
_PLACED = regex(
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]{0,300}?\.\w{1,8}):(?P<line>\d+):(?:(?P<column>\d+):)? ?"
    r"(?:(?P<severity>fatal error|error|warning|ERROR|WARNING|Error|Warning)(?: ?[\[(](?P<code>[\w-]+)[\])])?:? )(?P<message>.+)$"
)
# A last line that says nothing of the error.
_SILENT = regex(
    r"(?:(?:exit(?:ed)? (?:with )?(?:code|status)|return(?:ed)? code|Process finished with|real|user|sys|run with|mise ERROR (?:run with|version)"
    r"|backtrace omitted)\b|hint:|\^C$|\[[\w:.-]{1,60}\] \$ )",
    re.IGNORECASE,
)
# Words that say that something is wrong: a line with one is the error rather than what is printed last.
_WRONG = regex(
    r"\b(?:abort\w*|cannot|can't|conflict\w*|could(?: not|n't)|denied|does(?: not|n't)|(?:\w*error|\w*exception)s?|expected|fail\w*"
    r"|fatal|forbidden|invalid|missing|must|no such|not (?:allowed|found|permitted|supported)|refused|rejected|unable"
    r"|unexpected|unknown|unsupported)\b",
    re.IGNORECASE,
)
_MAX_LAST = 500  # characters of a last line that stands for an error
_SOUNDS = 40  # last lines among which one that sounds like an error is looked for
_SYSTEM = (
    r"No such file or directory|Permission denied|Is a directory|Not a directory|File exists|Directory not empty"
    r"|No space left on device|Read-only file system|Operation not permitted|Operation not supported|Text file busy|Broken pipe"
    r"|Too many open files|Argument list too long|Exec format error|Cross-device link|File name too long|Device or resource busy"
    r"|Connection refused|Connection timed out|Connection reset by peer|Network is unreachable|No route to host"
    r"|Name or service not known|Temporary failure in name resolution|Address already in use|Cannot allocate memory|File too large"
    r"|Too many levels of symbolic links|Bad file descriptor|Invalid argument|No such process|No such device(?: or address)?"
    r"|Invalid cross-device link|Function not implemented|Input/output error|Stale file handle|Disk quota exceeded|Resource temporarily unavailable"
)
_SHELL = r"(?:-?(?:/(?:usr/)?(?:local/)?bin/)?(?:ba|z|da|a|k|fi)?sh)"
# A script's name; a mark in brackets, as a tool puts before its errors, is none.
_SCRIPT = regex(r"(?P<file>[^\s:\[][^:\n\[\]]{0,300}): (?:line )?(?P<line>\d+): (?P<message>\S.*)$")
_ZSH = regex(
    r"(?P<file>[^\s:\[][^:\n\[\]]{0,300}):(?P<line>\d+): (?P<message>(?:command not found|no such|permission denied|parse error|no matches|bad |unknown |not an identifier|math).*)$"
)
_BARE = regex(
    rf"{_SHELL}: (?P<message>.*(?:command not found|not found|no matches found|no such file or directory|permission denied|parse error|syntax error|bad substitution|unbound variable|{_SYSTEM}).*)$",
    re.IGNORECASE,
)
_SCRIPT_WORDS = regex(
    rf"command not found|not found$|syntax error|unbound variable|parameter (?:null or )?not set|bad substitution|unexpected |ambiguous redirect"
    rf"|cannot (?:create|open|overwrite)|readonly variable|not a valid identifier|invalid option|numeric argument required|too many arguments"
    rf"|integer expression expected|unary operator expected|binary operator expected|division by 0|bad interpreter|Killed|Segmentation fault|Aborted"
    rf"|Terminated|Bus error|Illegal instruction|Floating point exception|arithmetic|Bad |can't (?:cd|open|create)|{_SYSTEM}",
    re.IGNORECASE,
)
_COMMAND = regex(
    rf"(?P<tool>(?!(?:error|fatal|warning|Error): )(?:/\S{{0,200}}/)?[a-zA-Z_][\w.+-]{{0,40}}): (?P<message>.*(?:{_SYSTEM}|invalid option|unrecognized option|unrecognised option|missing operand|command not found|extra operand|illegal option|unknown option|omitting directory|not found in archive|cannot open|cannot stat|invalid number|unterminated|unknown command|missing argument|option requires an argument|-r not specified)\S*.*)$"
)
_TIMEOUT = regex(r"(?P<tool>g?timeout): (?P<message>(?:sending signal|failed to run command|invalid time).*)")
_FAILED_RUN = regex(
    r"(?P<tool>\S{1,80}): (?P<message>failed to run command .*)|exec: (?P<exec>\"[^\"\n]+\": executable file not found in \$PATH.*)|fish: (?P<fish>Unknown command.*)"
)
_DIED = regex(
    r"(?P<message>(?:Segmentation fault|Aborted|Killed|Bus error|Illegal instruction|Floating point exception|Terminated|Trace/breakpoint trap|Alarm clock|Hangup)(?: \(core dumped\))?)\s*(?P<rest>.*)$"
)
_SIGNALS = ("Seg", "Abort", "Kill", "Bus", "Ill", "Float", "Term")
_QUOTED = regex(r"['‘`\"](?P<file>[^'’`\"\n]{1,300})['’`\"]")
_SUBJECT = regex(
    rf"(?:cannot \w+ (?:regular file |directory |file )?|can't \w+ |cd: |failed to access |error opening )?(?P<file>[^\s:'‘\"][^:\n]{{0,300}}): (?:{_SYSTEM})",
    re.IGNORECASE,
)
_SHELLS = regex(rf"{_SHELL}$")
_PATHLIKE = regex(r"[\w.@~+-]*[/.][\w./@~+-]*$")
_MISSING = regex(r"not found|Unknown command")


def _tool(words: Sequence[str]) -> str | None:
    if not words:
        return None
    if words[0] == "git":
        verb = next((word for word in words[1:] if not word.startswith("-")), "")
        return None if verb in _SHOWING else "git"
    return words[0] if words[0] in _TOOLS or re.fullmatch(r"python\d[\d.]*", words[0]) else None


def _parse(output: Output) -> Iterator[Diagnostic]:
    found = list(certain(output))
    if not any(each.severity == "error" for each in found) and (output.exit_code or _failed(output)):
        found += last_resort(output)
    yield from found


def certain(output: Output) -> Iterator[Diagnostic]:
    """Finds the lines that are errors whatever printed them."""
    errors = list(tracebacks(output.lines))
    for error in errors:
        place = error.place
        syntax = error.kind in SYNTAX
        yield Diagnostic(
            error.message,
            place.file if place else None,
            place.line if place else None,
            code=error.kind,
            phase="syntax" if syntax else "runtime",
            tool="python",
            identity=error.message.partition("\n")[0],
        )
    yield from crashes(output.lines)
    yield from services.diagnoses(output)
    docker, shown = services.dockerfile(output.lines), set[tuple[str, str]]()
    for line in output.lines:
        found = services.error_in(line, docker) or error_in(line, shown) or _placed(line)
        if found:
            yield found


def _placed(line: str) -> Diagnostic | None:
    """`file:line: error: message`, which many compilers and checkers print."""
    match = _PLACED.match(line) if ":" in line else None
    if match is None:
        return None
    severity = "warning" if match["severity"].lower() == "warning" else "error"
    column = int(match["column"]) if match["column"] else None
    return Diagnostic(match["message"], match["file"], int(match["line"]), column, match["code"], severity=severity)


def last_resort(output: Output) -> list[Diagnostic]:
    """Of a command that failed in words that nothing knows: lines that say so, else the last of those that sound so,
    else its last one.
    """
    said = []
    for line in output.lines[-400:]:
        if _WRAPPER.match(line):
            continue
        if match := _NAMED.match(line) or _SAID.match(line):
            said.append(Diagnostic(line.strip(), phase="runtime", tool=match.groupdict().get("tool")))
    if said:
        return said[:12]
    wrappers = [line for line in output.lines if _WRAPPER.match(line)]
    last = [
        line.strip()
        for line in output.lines
        if line.strip() and not _SILENT.match(line.strip()) and line not in wrappers
    ]
    last = [line for line in last[-_SOUNDS:] if _WRONG.search(line)] or last
    text = last[-1] if last else wrappers[-1] if wrappers else ""
    return [Diagnostic(text[:_MAX_LAST], phase="runtime")] if text else []


def _failed(output: Output) -> bool | None:
    """Tells from a wrapper's last words whether a command failed, also where a pipe hides its exit code."""
    return True if any(_WRAPPER.match(line) for line in output.lines) else None


FAMILY = ToolFamily("generic", _tool, lambda _output: 0, _parse, _failed)


def error_in(line: str, shown: set[tuple[str, str]]) -> Diagnostic | None:
    """The error of a shell or a basic command that ``line`` is. ``shown`` holds the places of scripts seen so far."""
    if ":" not in line and not line.startswith(_SIGNALS):
        return None
    text = line.strip()
    return _script(text, shown) or _plain(text)


def _script(line: str, shown: set[tuple[str, str]]) -> Diagnostic | None:
    """`deploy.sh: line 3: docker: command not found`, of a script or of text given to a shell."""
    match = _SCRIPT.match(line) or _ZSH.match(line)
    if match is None:
        return None
    message = match["message"]
    if message.startswith("`") or (match["file"], match["line"]) in shown:  # the source after a syntax error
        return None
    died = _DIED.match(re.sub(r"^\d+ ", "", message))
    if not died and not _SCRIPT_WORDS.search(message):
        return None
    if died:
        message = died["message"]
    shown.add((match["file"], match["line"]))
    script = not _SHELLS.fullmatch(match["file"])
    syntax = "syntax error" in message or "unexpected" in message
    return Diagnostic(
        message,
        match["file"] if script else _subject(message),
        int(match["line"]) if script else None,
        phase="syntax" if syntax else "runtime",
        tool="bash" if "line " in line else "sh",
    )


def _plain(line: str) -> Diagnostic | None:
    """`cat: notes.txt: No such file or directory`, and a shell's own word outside a script."""
    if match := _BARE.match(line):
        return Diagnostic(match["message"], _subject(match["message"]), phase="runtime", tool="bash")
    if match := _TIMEOUT.match(line):
        return Diagnostic(f"{match['tool']}: {match['message']}", phase="runtime", tool="timeout")
    if match := _FAILED_RUN.match(line):
        return Diagnostic(line, phase="runtime", tool=match["tool"] or "exec")
    if match := _COMMAND.match(line):
        tool = match["tool"].rpartition("/")[2]
        return Diagnostic(line, None if "make" in tool else _subject(match["message"]), phase="runtime", tool=tool)
    if (match := _DIED.match(line)) and not match["rest"]:
        return Diagnostic(match["message"], phase="runtime", tool="bash")
    return None


def _subject(message: str) -> str | None:
    """The file that a message is about, where it looks like one."""
    if _MISSING.search(message):
        return None
    if match := _SUBJECT.match(message):
        quoted = _QUOTED.search(match["file"])
        return quoted["file"] if quoted else match["file"]
    if (quoted := _QUOTED.search(message)) and _PATHLIKE.match(quoted["file"]):
        return quoted["file"]
    return None
