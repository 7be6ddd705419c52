"""Values given to a name that announces a secret: `KEY=value`, `"key": "value"`, options, table cells, `.netrc`.

First what looks for them, then how names and values are written: quotes, blocks, annotations, wrappers, blanks, signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.bare import words_at
from aicx.redaction.encoded import decoded
from aicx.redaction.names import SAMPLE, Value, classify, is_secret
from aicx.redaction.prose import app_password, is_said
from aicx.redaction.values import end_of_wrapped, is_random, is_stand_in
from aicx.redaction.web import cookies_after, credentials_after


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        # openssl's `-passin pass:…`
        "passed": re.compile(r"-pass(?:in|out|word)?[ =][\"']?pass\Z"),
        "user above": re.compile(
            r"(?i)\b(?:login|user(?:name)?|email)[\"']?[ ]?[:=][^\n]{1,80}\n\s{0,20}[\"'-]?[ ]?\w{0,20}[\"']?\s?\Z"
        ),
        "after user": re.compile(r"""[ ]{0,2}["'`]?[\w.@-]{2,60}["'`]?[ ]?[/:][ ]?["'`]?([^\s"'`/]{6,100})"""),
        "rest": re.compile(rf"""[^\s"'`;&|,<>#(){{}}\[\]\\\x1b]{{1,{_MAX_CHARS}}}"""),
        "continued": re.compile(r"\\\r?\n[ \t]*([^\s\"'`\\]{4,4096})"),
    }


def assigned_at(text: str, at: int) -> Iterator[SecretFinding]:
    """Finds the value of the name before the sign at ``at``, if the name announces a secret and the value is one."""
    word, spaced = name_before(text, at)
    name = classify(word)
    if name is None:
        return
    if name.rule == "authorization":
        yield from credentials_after(text, at + 1)
    elif name.rule == "cookie":
        yield from cookies_after(text, at + 1)
    elif name.rule == "mnemonic":
        yield from words_at(text, at + 1)
    elif name.rule == "docker-auth":
        value = value_after(text, at, spaced=spaced)
        plain = decoded(value.given) if value else None
        if value and plain and (":" in plain[1:-2] and not is_stand_in(plain.partition(":")[2])):
            yield SecretFinding(value.start, value.end, name.rule)
    elif name.rule == "password" and (groups := app_password().match(text, at + 1)) and not is_said(groups[1]):
        yield SecretFinding(groups.start(1), groups.end(1), name.rule)
    elif word == "pass" and _patterns()["passed"].search(text, max(0, at - 20), at):
        value = value_after(text, at, spaced=False)
        if value and not is_stand_in(value.given):
            yield SecretFinding(value.start, value.end, name.rule)
    elif name.rule == "secret" and word.lower().endswith(("creds", "credentials")):
        pair = _patterns()["after user"].match(text, at + 1)
        if pair and is_random(pair[1], 6) and not is_stand_in(pair[1]):
            yield SecretFinding(pair.start(1), pair.end(1), name.rule)
    elif name.vague and word.lower() == "pass" and _patterns()["user above"].search(text, max(0, at - 120), at):
        value = value_after(text, at, spaced=spaced)
        if value and is_random(value.given, 6) and not is_stand_in(value.given):
            yield SecretFinding(value.start, value.end, name.rule)
    else:
        value = value_after(text, at, spaced=spaced)
        if value and is_secret(name, value):
            yield SecretFinding(value.start, _end_of_value(text, value), name.rule)


def _end_of_value(text: str, value: Value) -> int:
    """Where ``value`` ends, counting the lines it continues on."""
    end = value.end
    if not value.quote and end - value.start == SAMPLE:
        rest = _patterns()["rest"].match(text, end)
        end = rest.end() if rest else end
    continued = _patterns()["continued"].match(text, end)
    if continued and value.sign == "=":
        return continued.end()
    if is_random(value.given, 16) and (not value.quote or text[end : end + 1] == "\n"):
        return end_of_wrapped(text, end, end - value.start, "A-Za-z0-9+/_-")
    return end


_MAX_CHARS = 4096


@cache
def _notations() -> dict[str, re.Pattern[str]]:
    bare = r"""[^\s"'`;,&|<>(){}\[\]\\\x1b]"""
    return {
        # Read backwards from the sign: closing quotes, then the name.
        "name": re.compile(r"""[\s"'`\\\])*]{0,8}([\w.:$-]{2,80})""", re.ASCII),
        # «API key: …», as people write it
        "word before": re.compile(r"\b(api|secret|access|auth|license|signing|encryption)[ ]\Z", re.IGNORECASE),
        "pair": re.compile(
            r"""(?:name|key)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?([\w.-]{3,80})[\\"',\s]{1,60}\Z""",
            re.IGNORECASE | re.ASCII,
        ),
        "variable": re.compile(r"""variable[ ]["']?([\w-]{3,80})["']?[ ]?\{[^{}]{1,200}\Z"""),
        "mark": re.compile(r"\[REDACTED:[a-z0-9-]+\]?[\s\"'`\\)]*\Z"),
        "sign": re.compile(r"(?:u003[dD]|:=|=>|\|\|=|\?\?=|[=:>|,])(?![=:>|])"),
        # a YAML block scalar
        "block": re.compile(r"[ ]?[|>][+-]?\d?[ \t]*(?:#[^\n]*)?\r?\n[ \t]+([^\s#][^\n]{2,4096})"),
        "gap": re.compile(r"[ \t*]{0,20}(?:\\\r?\n[ \t]*)?"),
        # `password: str = "…"`
        "annotation": re.compile(
            r"""[A-Za-z_][\w.]{0,40}(?:\[[^\]\n]{0,40}\])?(?:[ ]\|[ ]\w{1,20}){0,3}[ ]?=[ ]?(?=["']|[A-Za-z][\w.]*\()"""
        ),
        # `[]byte("…")`, `SecretStr("…")`, `Field(default="…")`
        "wrapper": re.compile(r"""(?:\[\]byte|[A-Za-z][\w.:]{0,40}!?)\((?:[a-z]{1,20}=)?(?=["'])"""),
        "quote": re.compile(r"""[brBRN]{0,2}(\\{1,7}["']|&quot;|"|'|`)"""),
        "bare": re.compile(rf"(?:{bare}|\$(?=[^({{A-Za-z_])){{1,{SAMPLE}}}"),
        # In a `.env` file or a shell a value ends at white space, whatever signs it holds.
        "shell": re.compile(rf"""[^\s"'`;&|\\\x1b]{{1,{SAMPLE}}}"""),
        "next pair": re.compile(r",[\w.-]{1,40}="),
        "query": re.compile(r"\?[^\s\"'#]*\Z"),
        "in element": re.compile(rf"[^\s<>]{{1,{_MAX_CHARS}}}(?=</)"),
        "line end": re.compile(r"[\s\"'`]"),
    }


def name_before(text: str, at: int) -> tuple[str, bool]:
    """The name that ends at the sign at ``at`` (empty if none does), and whether a blank stands between them."""
    patterns = _notations()
    window = text[max(0, at - 90) : at]
    match = patterns["name"].match(window[::-1])
    if match is None or ("]" in window[-10:] and patterns["mark"].search(window)):
        return "", False
    name = match[1][::-1]
    start = at - match.end()
    before = text[max(0, start - 2) : start]
    if before == "//":
        return "", False  # the user name of a URL
    if before.strip(" \"'").endswith("?") and match[0][0] in "\"' ":
        return "", False  # the first branch of a conditional: passed ? 'token' : 'none'
    if before.endswith("\\") and name[0] in "nrt":
        name = name[1:]
    if name.lower() in ("key", "token"):
        word = patterns["word before"].search(window, 0, len(window) - match.end())
        name = f"{word[1]}_{name}" if word else name
    elif name.lower() in ("phrase", "words"):
        announced = re.search(
            r"\b(seed|recovery|wallet|mnemonic|backup)[ ]\Z", window[: len(window) - match.end()], re.IGNORECASE
        )
        name = f"{announced[1]}_{name}" if announced else name
    elif name.lower() == "value":
        pair = patterns["pair"].search(text[max(0, start - 160) : start])
        name = pair[1] if pair else ""
    elif name.lower() == "default":
        variable = patterns["variable"].search(text[max(0, start - 240) : start])
        name = variable[1] if variable else ""
    return name, match[0][0] in " \t"


def value_after(text: str, at: int, *, spaced: bool) -> Value | None:
    """Returns the value behind the sign at ``at``; None for comparisons, arrows and signs with nothing behind them."""
    patterns = _notations()
    sign = patterns["sign"].match(text, at)
    if sign is None or (text[at - 1] in "-:=!<>" and sign[0] in "=:>"):
        return None
    block = patterns["block"].match(text, sign.end()) if sign[0] == ":" else None
    if block:
        end = trimmed(text, *block.span(1))
        return _value(text, block.start(1), end, "|", sign[0], spaced=True, vague=" " in text[block.start(1) : end])
    gap = patterns["gap"].match(text, sign.end())
    assert gap is not None, "an empty gap matches everywhere"
    start = gap.end()
    spaced = spaced or gap.end() > gap.start()
    annotation = patterns["annotation"].match(text, start) if sign[0] == ":" else None
    start = annotation.end() if annotation else start
    wrapper = patterns["wrapper"].match(text, start)
    quote = patterns["quote"].match(text, wrapper.end() if wrapper else start)
    if quote:
        vague = wrapper is not None or sign[0] in ("|", ",")
        return _value(text, quote.end(), _closing(text, quote.end(), quote[1]), quote[1], sign[0], spaced, vague)
    if sign[0] == ",":
        return None  # only what stands in quotes on both sides is a pair
    if sign[0] == ">":
        element = patterns["in element"].match(text, start)
        return _value(text, start, element.end(), "<", sign[0], spaced) if element else None
    return _bare_value(text, at, start, sign[0], spaced=spaced)


def _bare_value(text: str, at: int, start: int, sign: str, *, spaced: bool) -> Value | None:
    patterns = _notations()
    bare = patterns["shell" if sign == "=" and not spaced else "bare"].match(text, start)
    if bare is None:
        return None
    end = trimmed(text, start, bare.end())
    ends = [end]
    listed = patterns["next pair"].search(text, start, end)
    if listed:
        ends.append(listed.start())
    if patterns["query"].search(text[max(0, at - 200) : at]):
        ends += [found for found in (text.find("#", start, end),) if found >= 0]
    end = min(ends)
    if text[end : end + 1] in ("(", "["):
        return None
    return _value(text, start, end, "", sign, spaced, vague=sign == "|")


def _value(text: str, start: int, end: int, quote: str, sign: str, spaced: bool, vague: bool = False) -> Value | None:
    return (
        Value(start, end, text[start : min(end, start + SAMPLE)], quote, sign, spaced, vague) if end > start else None
    )


def trimmed(text: str, start: int, end: int) -> int:
    """``end`` without the punctuation that closes what the value stands in."""
    while end > start and text[end - 1] in ".,:)]}>":
        opening = {")": "(", "]": "[", "}": "{", ">": "<"}.get(text[end - 1])
        if opening and text.find(opening, start, end) >= 0:
            break
        end -= 1
    return end


def _closing(text: str, start: int, quote: str) -> int:
    """Where the quoted value that begins at ``start`` ends: at its quote, or at the end of a line cut short."""
    line_end = text.find("\n", start, start + _MAX_CHARS)
    stop = line_end if line_end >= 0 else min(len(text), start + _MAX_CHARS)
    at = text.find(quote, start, stop)
    while at > start and quote in "\"'" and text[at - 1] == "\\" and text[at - 2] != "\\":
        at = text.find(quote, at + 1, stop)
    if at >= 0:
        return at
    blank = _notations()["line end"].search(text, start, stop)
    return blank.start() if blank else stop


@cache
def _label_patterns() -> dict[str, re.Pattern[str]]:
    return {
        "given": re.compile(r"""[ \t]{1,4}(?:-p[ ]?|→ ?|-> ?)?(?:\\?["'])?([^\s"'`\\]{3,4096})"""),
        "joined login": re.compile(r"""(?<=[uU])[ =]{1,3}(?:\\?["'])?[^\s:"'`\\]{1,64}:([^\s"'`\\]{3,200})"""),
        "login": re.compile(
            r"""[ ]-(?:u|-user|-proxy-user)[ =]{0,3}(?:\\?["'])?[^\s:"'`\\]{1,64}:([^\s"'`\\]{3,200})"""
        ),
    }


def labelled_at(text: str, at: int) -> Iterator[SecretFinding]:
    """Finds the value after the blank at ``at``, if the name before it announces a secret and it looks generated."""
    given = _label_patterns()["given"].match(text, at)
    if given is None:
        return
    word, _ = name_before(text, at)
    name = classify({"--key": "api_key", "--pass": "password"}.get(word, word))
    start, end = given.start(1), trimmed(text, *given.span(1))
    # Prose has names and blanks too; an option or a password is meant more often than not.
    least = 8 if word.startswith("--") or (name and name.rule == "password") else 16
    if name and end - start >= least:
        sample = text[start : min(end, start + SAMPLE)]
        if is_secret(name, Value(start, end, sample, "", " ", spaced=True, vague=True)):
            yield SecretFinding(start, end, name.rule)


def curl_login_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The password in the login that curl's options, several as one, end with at ``at``: ``-su name:password``."""
    login = _label_patterns()["joined login"].match(text, at)
    if login is not None and not login[1].startswith(("$", "{", "<", "/")) and not is_stand_in(login[1]):
        yield SecretFinding(login.start(1), login.end(1), "password")


def login_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The password in curl's ``-u name:password``."""
    login = _label_patterns()["login"].match(text, at)
    # `-u 1000:1000` and `-u host:/path` have other second halves.
    if login is None or login[1].isdigit() or login[1].startswith("/"):
        return
    if is_random(login[1], 6) and not is_stand_in(login[1]):
        yield SecretFinding(login.start(1), login.end(1), "password")
