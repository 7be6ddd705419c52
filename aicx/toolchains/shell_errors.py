"""What shells and the basic commands print when something is missing, forbidden or misspelt."""

from __future__ import annotations

import re

from aicx.toolchains.family import Diagnostic

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
_SCRIPT = re.compile(r"(?P<file>[^\s:\[][^:\n\[\]]{0,300}): (?:line )?(?P<line>\d+): (?P<message>\S.*)$")
_ZSH = re.compile(
    r"(?P<file>[^\s:\[][^:\n\[\]]{0,300}):(?P<line>\d+): (?P<message>(?:command not found|no such|permission denied|parse error|no matches|bad |unknown |not an identifier|math).*)$"
)
_BARE = re.compile(
    rf"{_SHELL}: (?P<message>.*(?:command not found|not found|no matches found|no such file or directory|permission denied|parse error|syntax error|bad substitution|unbound variable|{_SYSTEM}).*)$",
    re.IGNORECASE,
)
_SCRIPT_WORDS = re.compile(
    rf"command not found|not found$|syntax error|unbound variable|parameter (?:null or )?not set|bad substitution|unexpected |ambiguous redirect"
    rf"|cannot (?:create|open|overwrite)|readonly variable|not a valid identifier|invalid option|numeric argument required|too many arguments"
    rf"|integer expression expected|unary operator expected|binary operator expected|division by 0|bad interpreter|Killed|Segmentation fault|Aborted"
    rf"|Terminated|Bus error|Illegal instruction|Floating point exception|arithmetic|Bad |can't (?:cd|open|create)|{_SYSTEM}",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    rf"(?P<tool>(?!(?:error|fatal|warning|Error): )(?:/\S{{0,200}}/)?[a-zA-Z_][\w.+-]{{0,40}}): (?P<message>.*(?:{_SYSTEM}|invalid option|unrecognized option|unrecognised option|missing operand|command not found|extra operand|illegal option|unknown option|omitting directory|not found in archive|cannot open|cannot stat|invalid number|unterminated|unknown command|missing argument|option requires an argument|-r not specified)\S*.*)$"
)
_TIMEOUT = re.compile(r"(?P<tool>g?timeout): (?P<message>(?:sending signal|failed to run command|invalid time).*)")
_FAILED_RUN = re.compile(
    r"(?P<tool>\S{1,80}): (?P<message>failed to run command .*)|exec: (?P<exec>\"[^\"\n]+\": executable file not found in \$PATH.*)|fish: (?P<fish>Unknown command.*)"
)
_DIED = re.compile(
    r"(?P<message>(?:Segmentation fault|Aborted|Killed|Bus error|Illegal instruction|Floating point exception|Terminated|Trace/breakpoint trap|Alarm clock|Hangup)(?: \(core dumped\))?)\s*(?P<rest>.*)$"
)
_SIGNALS = ("Seg", "Abort", "Kill", "Bus", "Ill", "Float", "Term")
_QUOTED = re.compile(r"['‘`\"](?P<file>[^'’`\"\n]{1,300})['’`\"]")
_SUBJECT = re.compile(
    rf"(?:cannot \w+ (?:regular file |directory |file )?|can't \w+ |cd: |failed to access |error opening )?(?P<file>[^\s:'‘\"][^:\n]{{0,300}}): (?:{_SYSTEM})",
    re.IGNORECASE,
)
_SHELLS = re.compile(rf"{_SHELL}$")
_PATHLIKE = re.compile(r"[\w.@~+-]*[/.][\w./@~+-]*$")
_MISSING = re.compile(r"not found|Unknown command")


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
