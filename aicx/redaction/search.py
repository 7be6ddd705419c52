"""Runs every scan over a text, and gathers what is found at the places they stop at.

Last the passwords whose name is in another language and another script than ASCII: `пароль`, `密码`, `contraseña`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from aicx.redaction import shapes
from aicx.redaction.anchors import SHORTEST_BODY, UNMARKED, SecretFinding, as_bytes, as_utf8, literals_copy, names_copy
from aicx.redaction.assignments import assigned_at, labelled_at
from aicx.redaction.bare import bare_after, hash_at, windows_hash_at
from aicx.redaction.commands import argument_at, figures_after, here_string_at, option_at, piped_at, slashed_at
from aicx.redaction.encoded import behind_quotes, in_percent_signs, run_at, says_secret
from aicx.redaction.scans import SCANS
from aicx.redaction.values import is_code, is_numbered_word, is_random, is_stand_in
from aicx.redaction.web import url_at

# How many encodings are taken off, one within the other.
_DEEPEST = 3
_SHORTEST_RUN = 24
_MAX_NAME = 40  # that is looked for before a sign, and what is between them
# «pw: abcd» is the shortest text that holds a secret.
_SHORTEST_TEXT = 7
# What follows the colon in a token of Asana and in a line of `.pgpass`, where it stands before the port.
_BEGIN_UNNAMED = b"0123456789abcdef*"
_BEFORE_OPTIONS = " \n\t\"'`("


def find_all(text: str, depth: int = 0) -> list[SecretFinding]:
    """Every secret of ``text``, in no order and possibly overlapping; ``depth`` counts the encodings taken off."""
    data = as_bytes(text)
    return find_in(text, data, names_copy(data), as_utf8(text), depth)


def find_in(text: str, data: bytes, names: bytes, utf8: bytes, depth: int = 0) -> list[SecretFinding]:
    """``find_all`` of ``text``, of which the copies are made already."""
    if len(text) < _SHORTEST_TEXT:
        return []
    literals = literals_copy(data)
    # Names are shorter than a prefix with its body, and the scan for those takes longest to compile.
    is_long = len(text) > SHORTEST_BODY
    found = _by_prefix(text, literals, depth) if is_long and SCANS.literals.hop.search(literals) else []
    # A search that finds nothing costs half of what it costs to begin with `finditer`, and most find nothing.
    if SCANS.begin.match(names):
        found += bare_after(text, 0)
    if b" " not in names and b"=" not in names and b"%" not in names and not utf8:
        if b"$" in data:
            found += (f for dollar in SCANS.hashes.finditer(data) for f in hash_at(text, dollar.start()))
        return found  # one word: an id, a path
    if b"=" in names and (first := SCANS.signs.search(names)):
        for sign in SCANS.signs.finditer(names, first.start()):
            if sign.lastindex is None or _is_off(names, sign.start()):
                found += _at_sign(text, names, sign.start())
    if names.startswith((b"pw=", b"pin=")):
        found += _at_sign(text, names, names.index(b"="))
    for words, find in SCANS.words:
        if first := words.search(names):
            found += (finding for hit in words.finditer(names, first.start()) for finding in find(text, hit))
    for needed, where, find in SCANS.rare:
        if needed in names:
            found += (finding for hit in where.finditer(names) for finding in find(text, hit))
    if first := SCANS.dashes.search(data):
        for dash in SCANS.dashes.finditer(data, first.start()):
            found += _at_dash(text, dash.start())
    quoted = False
    if b"\\" in data:
        quoted = SCANS.quotes.search(data) is not None
        if b" u003d" in names:  # `=` as JSON escapes it
            found += (f for escaped in re.finditer(b"u003d", names) for f in assigned_at(text, escaped.start()))
    if quoted or SCANS.marks.search(literals):
        found += _by_mark(text, data, literals, depth, quoted)
    if utf8:
        found += foreign(text, names, utf8)
    return found


def _at_dash(text: str, at: int) -> Iterable[SecretFinding]:
    """Finds secrets after the dash at ``at``: of an option, or of a name that ends in a secret's."""
    if text.startswith(("-secret ", "-SECRET "), at):
        return labelled_at(text, at + len("-secret"))
    if text.startswith("-cli ", at):
        return argument_at(text, at)
    return option_at(text, at) if text[at - 1] in _BEFORE_OPTIONS else shapes.mailchimp_at(text, at)


def _by_mark(text: str, data: bytes, literals: bytes, depth: int, quoted: bool) -> list[SecretFinding]:
    """Finds secrets after `| $ % & <`; and, where quotes are written as entities or ``quoted``, those behind them."""
    found: list[SecretFinding] = []
    percent = False
    here = 0
    for mark in SCANS.marks.finditer(literals):
        at = mark.start()
        sign = text[at]
        if sign == "|":
            found += piped_at(text, at) if SCANS.pipes.match(data, at) else ()
        elif sign == "$":
            found += hash_at(text, at) if SCANS.hashes.match(data, at) else ()
        elif sign == "%":
            percent = percent or SCANS.percent.match(data, at) is not None
        elif sign == "&":
            quoted = quoted or SCANS.entities.match(data, at) is not None
        elif at >= here and text.startswith("<<<", at):
            found += here_string_at(text, at)
            here = at + 3
    if percent:
        found += in_percent_signs(text)
    if quoted and depth < _DEEPEST:
        found += behind_quotes(text, lambda plain: find_all(plain, _DEEPEST))
    return found


def _is_off(names: bytes, at: int) -> bool:
    """Whether a name that announces a secret ends some quotes before the sign at ``at``."""
    return names[max(0, at - _MAX_NAME) : at].rstrip(b" ").endswith(SCANS.endings)


def _at_sign(text: str, names: bytes, at: int) -> list[SecretFinding]:
    """Finds secrets after the sign at ``at``, or around it."""
    if names.startswith((b"//", b" / /"), at + 1):
        return list(url_at(text, at))
    if names.endswith(b"/user", 0, at) or names.startswith(b" auth ", at + 1):
        return list(argument_at(text, at))
    if names.endswith((b" /p", b" /pass"), 0, at):
        return list(slashed_at(text, at))
    if names.endswith(b"pin", 0, at):
        return list(figures_after(text, at))
    found = list(bare_after(text, at + 1)) if SCANS.bare.match(names, at + 1) else []
    found = found or list(assigned_at(text, at))
    if not found and names[at + 1 : at + 2] in _BEGIN_UNNAMED:
        found += list(shapes.unnamed_at(text, at)) or windows_hash_at(text, at)
    return found


def _by_prefix(text: str, literals: bytes, depth: int) -> list[SecretFinding]:
    """The tokens with a mark of their own, and the runs of base64 that hide one."""
    found: list[SecretFinding] = []
    reached = run_end = 0
    for start, literal in SCANS.literals.hits(text, literals):
        if start < reached:
            continue  # inside the last one found
        secrets = list(SCANS.finders[literal](text, start, literal))
        if not secrets and literal == UNMARKED and depth < _DEEPEST and start >= run_end:
            begin, run_end = run_at(text, start)
            if run_end - begin >= _SHORTEST_RUN and says_secret(
                text[begin:run_end], lambda plain: find_all(plain, depth + 1)
            ):
                secrets = [SecretFinding(begin, run_end, "encoded-secret")]
        found += secrets
        reached = secrets[0].end if secrets else reached
    return found


# In small letters, as people write them before a colon or in a sentence.
_PASSWORDS = (
    *("contraseña", "hasło", "hasła", "lösenord", "şifre", "mật khẩu", "clé secrète", "senha", "parola", "clave"),
    *("пароль", "пароля", "паролем", "密码", "密碼", "口令", "パスワード", "合言葉", "暗証番号"),
    *("비밀번호", "암호", "पासवर्ड", "كلمة المرور", "كلمة السر", "كلمة مرور", "סיסמה", "κωδικός", "รหัสผ่าน", "পাসওয়ার্ড"),
)
_TOKENS = (
    "токен",
    "ключ api",
    "令牌",
    "密钥",
    "密鑰",
    "トークン",
    "토큰",
    "clé d'api",
    "clé api",
    "clave de api",
    "مفتاح api",
)


@cache
def _pattern() -> re.Pattern[str]:
    ends = r"(?:[:\uff1a=\uff1d\u2013\u2014→-]|是|为|為|は|が|é|è|es|to|ist|est|là|है)"
    names = "|".join(map(re.escape, sorted((*_PASSWORDS, *_TOKENS), key=len, reverse=True)))
    return re.compile(
        rf"""(?P<name>(?i:{names}))
        (?:[\s_]{{0,2}}[^\W\d_a-zA-Z]{{1,16}}|[ ](?:do|de|la|del|der|a|na)[ ]\w{{1,16}}){{0,3}}
        ["'`]?\s{{0,3}}(?P<sign>{ends})?\s{{0,3}}
        (?:(?P<quote>\\?["'`]|[“„«「『])(?P<inside>[!-~ ]{{4,100}}?)(?:\\?["'`]|[”“»」』])|(?P<bare>[!-~]{{4,100}}))""",
        re.VERBOSE,
    )


@cache
def _first_signs() -> re.Pattern[str]:
    words = (*_PASSWORDS, *_TOKENS)
    return re.compile(
        "[" + "".join(sorted({s for word in words if word[0] > "ÿ" for s in word[0] + word[0].upper()})) + "]"
    )


@cache
def _unwritten() -> re.Pattern[bytes]:
    """Signs in a row that the copy cannot write, or the one in `hasło`."""
    return re.compile(rb"\?(?:\?|(?<=has\?)(?=o)|(?=ifre)|(?=t kh\?u))")


def places(text: str, names: bytes) -> Iterator[int]:
    """Where in ``text``, folded in ``names``, a name in another language may begin."""
    unwritten = _unwritten().search(names)
    if unwritten:
        yield from (sign.start() for sign in _first_signs().finditer(text))
    for rare, word in _LATIN:
        if (unwritten if rare == b"?" else rare in names) and word in names:
            yield from (match.start() for match in re.finditer(re.escape(word), names))


# Those that begin in ASCII: a byte that is quick to look for, and the word.
_LATIN = (
    *(
        (b"\xf1", b"contrase\xf1a"),
        (b"?", b"has?o"),
        (b"?", b"m?t kh?u"),
        (b"\xf6", b"l\xf6senord"),
        (b"\xe9", b"cl\xe9 "),
    ),
    *((b"\xe9", b"senha \xe9 "), (b"\xe8", b"parola \xe8 ")),
)


@cache
def _first_bytes() -> tuple[bytes, ...]:
    """In UTF-8, how each sign beyond ASCII begins that may be in a name: one byte is looked for in no time."""
    signs = (sign for word in (*_PASSWORDS, *_TOKENS) for sign in word.lower() + word.upper() if sign > "\x7f")
    return tuple(sorted({sign.encode()[:1] for sign in signs}))


def foreign(text: str, names: bytes, utf8: bytes) -> Iterator[SecretFinding]:
    """Finds values given to a name in another language, in ``text``, of which ``names`` is the copy for names."""
    # Most that is not ASCII is dashes, arrows, frames and emoji.
    if not any(map(utf8.__contains__, _first_bytes())):
        return
    for place in places(text, names):
        match = _pattern().match(text, place)
        if match is None:
            continue
        group = "inside" if match["inside"] else "bare"
        given = match[group]
        value = given.rstrip(".,;:!?)]}\"'`") if group == "bare" else given
        if is_stand_in(value) or is_code(value) or " " in value or value.startswith(("$", "<", "{", "[", "(", "/")):
            continue
        if match["name"].lower() in _TOKENS:
            if is_random(value, 16):
                yield SecretFinding(match.start(group), match.start(group) + len(value), "token")
        elif is_numbered_word(value) and len(value) < 8:
            continue
        elif is_random(value, 6) or (match["inside"] and match["sign"]) or re.search(r"\w[!#$%^&*+?@~]+\w", value):
            yield SecretFinding(match.start(group), match.start(group) + len(value), "password")
