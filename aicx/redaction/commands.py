"""Secrets given to commands: in options (`mysql -pX`), as arguments in a fixed place, on standard input."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.assignments import curl_login_at, login_at
from aicx.redaction.bare import words_at
from aicx.redaction.values import is_code, is_numbered_word, is_random, is_stand_in
from aicx.values import dataclass

# How far before an option its command is looked for, on lines joined by a backslash.
WINDOW = 400
_MAX_CHARS = 200


@dataclass(frozen=True, slots=True)
class _Option:
    """An option of ``commands`` (a regular expression) that takes a secret.

    ``glued``: it must touch its value, since with a blank between them it asks, or means something else.
    ``after``: what stands before the secret in the value, such as a user and a percent sign.
    ``needs``: a word that the command must hold, or the option means something else.
    """

    commands: str
    flags: tuple[str, ...]
    glued: bool = False
    after: str = ""
    needs: str = ""
    generated: bool = False  # the value must look generated: the option has other uses


_OPTIONS = (
    _Option(r"(?:mysql|mariadb)\w*", ("-p",), glued=True),
    _Option(r"7z\w{0,2}", ("-p",), glued=True),
    _Option(r"7z\w{0,2}", ("-p",), generated=True),
    _Option(r"(?:un)?rar", ("-hp", "-p"), glued=True),
    _Option(r"docker|podman|nerdctl|buildah|helm|oras|crane|skopeo", ("-p",), needs="login"),
    _Option(r"docker|podman|nerdctl|skopeo|crictl", ("--creds", "--src-creds", "--dest-creds"), after=r"[^\s:]+:"),
    _Option(r"az", ("-p",), generated=True),
    _Option(r"redis-cli|valkey-cli|keydb-cli", ("-a",)),
    _Option(r"ldap(?:search|modify|add|delete|whoami|passwd|modrdn|compare)", ("-w",)),
    _Option(r"smb\w*|rpcclient|net|nmblookup|winexe|wbinfo", ("-U",), after=r"[^\s%]+%"),
    _Option(r"sshpass", ("-p",)),
    _Option(r"openssl", ("-k",), needs="enc"),
    _Option(r"gh|glab", ("-b", "--body", "--value"), needs="secret"),
    _Option(r"az", ("--value",), needs="secret"),
    _Option(r"unzip|zip|sqlcmd|bcp|mosquitto_(?:pub|sub|rr)|ipmitool|ipmi-\w+", ("-P",)),
    _Option(r"snmp\w+", ("-A", "-X")),
    _Option(r"mongo\w*|cqlsh|ncftp\w*|clickhouse-client|exasol|cbc|arangosh|isql", ("-p",)),
    _Option(r"crackmapexec|nxc|netexec|evil-winrm|hydra|medusa|bloodhound-python|kerbrute", ("-p",)),
    _Option(r"lftp|ncftp", ("-u",), after=r"[^\s,]+,"),
    _Option(r"https?|xh", ("-a",), after=r"[^\s:]+:"),
    _Option(r"ssh-keygen", ("-N", "-P")),
    _Option(r"keytool|jarsigner|apksigner", ("-storepass", "-keypass")),
    _Option(r"x?freerdp\w*|rdesktop", ("-p",)),
)


_QUOTED = rf"""(?P<quote>\\{{0,3}}["'])(?P<inside>(?:[^\n"'\\]|\\(?!["'])){{3,{_MAX_CHARS}}})(?P=quote)"""
_BARE = rf"""(?P<bare>[^\s"'`|;&<>()\\]{{3,{_MAX_CHARS}}})"""
# An argument, in quotes (group `inside`) or not (group `bare`).
VALUE = rf"(?:{_QUOTED}|{_BARE})"


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    commands = "|".join(dict.fromkeys(option.commands for option in _OPTIONS))
    return {
        "command": re.compile(rf"(?:^|[\s/\"'`(=$])({commands})(?:\.exe)?(?=\s)"),
        "value": re.compile(VALUE),
        "secure string": re.compile(rf"(?i:SecureString)[ ](?:-String[ ])?{VALUE}[ ]{{1,3}}(?:-Force[ ])?\Z"),
        # `-su X` is `-s -u X`
        "joined": re.compile(r"-[A-Za-z]{0,6}(?P<last>[A-Za-z])(?=[ =])"),
        "curl": re.compile(r"(?:^|[\s/\"'`(=$:;|&])curl(?:\.exe)?\s"),
        "literal": re.compile(rf"--from-literal[= ]['\"]?[\w.-]{{1,60}}={VALUE}"),
    }


@cache
def end_of_command() -> re.Pattern[str]:
    """Returns the pattern of a shell command's end: a line end without a backslash, a pipe, a semicolon."""
    return re.compile(r"(?<!\\)\n|[|;]|&&|\$\(")


@cache
def _options() -> tuple[tuple[re.Pattern[str], _Option], ...]:
    return tuple((re.compile(rf"(?:{option.commands})\Z"), option) for option in _OPTIONS)


def option_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The secret in the option whose first dash is at ``at``, if the command before it takes one there."""
    patterns = _patterns()
    if text.startswith("-AsPlainText", at):
        secure = patterns["secure string"].search(text, max(0, at - WINDOW), at)
        if secure:
            yield from _given(text, secure)
        return
    if text.startswith("--from-literal", at):
        literal = patterns["literal"].match(text, at)
        if literal:
            yield from _given(text, literal)
        return
    if text.startswith("--mnem", at):
        yield from words_at(text, at + len("--mnemonic"))
        return
    window = command_before(text, at)
    if text.startswith(("-u", "--user", "--proxy-user"), at):
        yield from login_at(text, at - 1)
    joined = patterns["joined"].match(text, at)
    if joined and patterns["curl"].search(window):
        yield from curl_login_at(text, joined.end())
        return
    names = patterns["command"].findall(window)
    if not names:
        return
    for pattern, option in _options():
        flag = next((flag for flag in option.flags if text.startswith(flag, at)), None)
        if flag is None and joined and not option.glued and f"-{joined['last']}" in option.flags:
            flag = joined[0]
        if flag is None or (option.needs and option.needs not in window):
            continue
        if not any(map(pattern.match, names)):
            continue
        start = at + len(flag)
        spaced = text.startswith((" ", "="), start)
        if (spaced and option.glued) or (option.generated and not spaced):
            continue
        value = patterns["value"].match(text, start + (1 if spaced else 0))
        if value:
            yield from _given(text, value, option.after, generated=option.generated)
        return


def command_before(text: str, at: int) -> str:
    """Returns the text between the beginning of the command and ``at``."""
    window = text[max(0, at - WINDOW) : at]
    begin = 0
    for end in end_of_command().finditer(window):
        begin = end.end()
    return window[begin:]


def _given(text: str, value: re.Match[str], after: str = "", *, generated: bool = False) -> Iterator[SecretFinding]:
    """``value``, a match of the pattern for values, without what stands in it before the secret."""
    group = "inside" if value["inside"] else "bare"
    start, end = value.span(group)
    if after:
        lead = re.compile(after).match(text, start, end)
        if lead is None:
            return
        start = lead.end()
    elif value.group(group).startswith("-"):
        return  # the next option
    given = text[start:end]
    if len(given) < 3 or is_stand_in(given) or given.startswith(("$", "@", "/", "~/", "./")):
        return
    if given.isdigit() and len(given) < 6:
        return
    if generated and (
        not is_random(given, 6) or is_numbered_word(given) or "=" in given or re.search(r"\.\w{1,5}\Z", given)
    ):
        return
    yield SecretFinding(start, end, "password")


_LINE = 200


@cache
def _commands() -> tuple[re.Pattern[str], ...]:
    """One for each command, with its password in the group `inside` or `bare`."""
    word = r"""["']?[^\s"']{1,100}["']?"""
    return tuple(
        re.compile(rf"(?:{command})[ ]{{1,3}}{VALUE}", re.IGNORECASE)
        for command in (
            r"\bnet[ ]use[ ](?:[a-z*]:?[ ])?\\{2,4}[\w.\\$-]{1,100}(?:[ ]/user:[^\s]{1,60})?",
            r"\bnet[ ]user[ ][\w.-]{1,40}",
            rf"\brabbitmqctl[ ](?:-\w[ ]{word}[ ])?(?:add_user|change_password)[ ]{word}",
            r"\bvault[ ]login(?:[ ]-(?!method)[\w-]{1,20}){0,3}",
            r"\bbw[ ]unlock",
            r"\bmysqladmin[ ][^\n]{0,100}?\bpassword",
            r"(?:\bredis-cli[^\n|;]{0,80}|>[ ])auth(?:[ ][\w.-]{1,40}(?=[ ][^\s-]))?",
        )
    )


def argument_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The password among the arguments of the command on whose line ``at`` is."""
    start = max(text.rfind("\n", max(0, at - _LINE), at) + 1, at - _LINE)
    for command in _commands():
        for found in command.finditer(text, start, at + _LINE):
            group = "inside" if found["inside"] else "bare"
            given = found[group]
            if given.startswith(("-", "/", "$", "<", "*")) or is_stand_in(given) or is_code(given):
                continue
            if group == "inside" or is_random(given, 6) or re.search(r"\w[!#%^&*+?@~]", given):
                yield SecretFinding(*found.span(group), "password")


@cache
def _slashed() -> re.Pattern[str]:
    return re.compile(rf":{VALUE}")


def slashed_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The password in the option `/p:X` of a Windows program, with the colon at ``at``."""
    match = _slashed().match(text, at)
    if match:
        group = "inside" if match["inside"] else "bare"
        if is_random(match[group], 6) and not is_stand_in(match[group]) and not is_code(match[group]):
            yield SecretFinding(*match.span(group), "password")


@cache
def _figures() -> re.Pattern[str]:
    return re.compile(r"(?:[ ](?:code|number))?(?:[ ](?:is|was))?[ ]?:?[ ]{1,2}[\"'`]?(\d{4,8})(?![\w.,:/-]{0,20}\d)")


def figures_after(text: str, at: int) -> Iterator[SecretFinding]:
    """The number that is said to be a PIN or a code that opens something, behind the word that ends at ``at``."""
    match = _figures().match(text, at)
    if match and not match[1].startswith(("19", "20")):
        yield SecretFinding(*match.span(1), "password")


@cache
def _input_patterns() -> dict[str, re.Pattern[str]]:
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
    patterns = _input_patterns()
    consumer = patterns["consumer"].match(text, at + 1)
    said = patterns["said"].search(text[max(0, at - WINDOW) : at]) if consumer else None
    if consumer and said:
        yield from _spoken(text, at - min(at, WINDOW), said, pairs="chpasswd" in consumer[0])


def here_string_at(text: str, at: int) -> Iterator[SecretFinding]:
    """Finds a secret that the here-string with its ``<<<`` at ``at`` gives to a command that reads a secret."""
    patterns = _input_patterns()
    command = command_before(text, at).strip()
    if patterns["consumer"].match(command):
        value = patterns["here"].match(text, at + 3)
        if value:
            yield from _spoken(text, 0, value, pairs="chpasswd" in command)


def _spoken(text: str, offset: int, value: re.Match[str], *, pairs: bool) -> Iterator[SecretFinding]:
    group = "inside" if value["inside"] else "bare"
    start, end = value.start(group) + offset, value.end(group) + offset
    user = _input_patterns()["user"].match(text, start, end) if pairs else None
    start = user.end() if user else start
    given = text[start:end]
    if not is_stand_in(given) and not given.startswith("$") and len(given) >= 4:
        yield SecretFinding(start, end, "password")


# Commands whose last argument, or the lines on their standard input, hold the password.
LAST_ARGUMENT = ("htpasswd", "openssl passwd", "chpasswd", "wpa_passphrase")


def last_argument_after(text: str, at: int) -> Iterator[SecretFinding]:
    """The password that ends the `htpasswd -b` or `openssl passwd` command whose name ends at ``at``."""
    if text[max(0, at - 8) : at] == "chpasswd":
        lines = _input_patterns()["lines"].match(text, at)
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
    value = _input_patterns()["last value"].search(line)
    if value:
        group = "inside" if value["inside"] else "bare"
        given = value[group]
        if not is_stand_in(given) and not given.startswith(("$", "-")):
            yield SecretFinding(at + value.start(group), at + value.end(group), "password")
