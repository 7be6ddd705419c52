"""Secrets that commands read on their standard input, or as their last argument."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.commands import VALUE, WINDOW, command_before, end_of_command
from aicx.redaction.values import is_stand_in


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    consumer = r"""(?:sudo[ ](?:-\w+[ ])*)?(?:
        (?:docker|podman|nerdctl|buildah|helm|oras|crane|skopeo)\b[^\n|;]{0,200}--password-stdin
      | (?:gh|glab)[ ]auth[ ]login\b | (?:gh|glab)[ ](?:secret|variable)[ ]set\b | vault[ ](?:login|kv)\b
      | chpasswd\b | passwd\b | kinit\b | su\b | cryptsetup\b | sshpass\b | smbpasswd\b | pass[ ]insert\b
      | gpg\b[^\n|;]{0,200}--passphrase-fd[ ]0 | openssl\b[^\n|;]{0,200}stdin | npm[ ]login | wrangler[ ]secret
      | (?:\w+[ ]){0,4}--(?:password|token|secret)-stdin | kubectl[ ]create[ ]secret | ssh-add\b | fly[ ]secrets )
      | sudo[ ](?:-\w+[ ])*-\w*S\b """
    return {
        "lines": re.compile(r"\s*<<-?\s*['\"]?(\w+)['\"]?\n((?:[\w.@-]{1,64}:[^\s:]{4,200}\n){1,50})"),
        "last value": re.compile(rf"{VALUE}[ \t]*\Z"),
        "said": re.compile(
            r"(?:echo|printf)(?:[ ]-[neE]{1,3})*[ ]{1,3}"
            rf"""(?:\\?["']?%s(?:\\\\?n)?\\?["']?[ ])?{VALUE}[ ]{{0,3}}\Z"""
        ),
        "consumer": re.compile(rf"[ ]{{0,3}}(?:{consumer})", re.VERBOSE),
        "here": re.compile(rf"[ ]{{0,2}}{VALUE}"),
        "user": re.compile(r"[\w.@-]{1,64}:(?=.)"),
    }


def piped_at(text: str, at: int) -> Iterator[SecretFinding]:
    """Finds a secret that `echo` or `printf` gives through the pipe at ``at`` to a command that reads a secret."""
    patterns = _patterns()
    consumer = patterns["consumer"].match(text, at + 1)
    said = patterns["said"].search(text[max(0, at - WINDOW) : at]) if consumer else None
    if consumer and said:
        yield from _spoken(text, at - min(at, WINDOW), said, pairs="chpasswd" in consumer[0])


def here_string_at(text: str, at: int) -> Iterator[SecretFinding]:
    """Finds a secret that the here-string with its ``<<<`` at ``at`` gives to a command that reads a secret."""
    patterns = _patterns()
    command = command_before(text, at).strip()
    if patterns["consumer"].match(command):
        value = patterns["here"].match(text, at + 3)
        if value:
            yield from _spoken(text, 0, value, pairs="chpasswd" in command)


def _spoken(text: str, offset: int, value: re.Match[str], *, pairs: bool) -> Iterator[SecretFinding]:
    group = "inside" if value["inside"] else "bare"
    start, end = value.start(group) + offset, value.end(group) + offset
    user = _patterns()["user"].match(text, start, end) if pairs else None
    start = user.end() if user else start
    given = text[start:end]
    if not is_stand_in(given) and not given.startswith("$") and len(given) >= 4:
        yield SecretFinding(start, end, "password")


# Commands whose last argument, or the lines on their standard input, hold the password.
LAST_ARGUMENT = ("htpasswd", "openssl passwd", "chpasswd", "wpa_passphrase")


def last_argument_after(text: str, at: int) -> Iterator[SecretFinding]:
    """The password that ends the `htpasswd -b` or `openssl passwd` command whose name ends at ``at``."""
    if text[max(0, at - 8) : at] == "chpasswd":
        lines = _patterns()["lines"].match(text, at)
        if lines is None:
            return
        for row in re.finditer(r"[^\n:]+:([^\n]+)\n", lines[2]):
            yield SecretFinding(lines.start(2) + row.start(1), lines.start(2) + row.end(1), "password")
        return
    line_end = text.find("\n", at, at + WINDOW)
    line = text[at : line_end if line_end >= 0 else at + WINDOW]
    end = end_of_command().search(line)
    line = line[: end.start()] if end else line
    before = text[max(0, at - 20) : at]
    if before.endswith("htpasswd"):
        if not re.search(r" -[A-Za-z]*b[A-Za-z]*(?= )", line) or len(line.split()) < 3:
            return
    elif before.endswith("wpa_passphrase"):
        if len(line.split()) != 2:
            return
    elif not (before.endswith("openssl passwd") and re.match(r"(?: -[\w-]+)+ [^-]", line)):
        return
    value = _patterns()["last value"].search(line)
    if value:
        group = "inside" if value["inside"] else "bare"
        given = value[group]
        if not is_stand_in(given) and not given.startswith(("$", "-")):
            yield SecretFinding(at + value.start(group), at + value.end(group), "password")
