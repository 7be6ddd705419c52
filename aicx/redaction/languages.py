"""Passwords whose name is in another language and another script than ASCII: `пароль`, `密码`, `contraseña`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.values import is_code, is_numbered_word, is_random, is_stand_in

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
