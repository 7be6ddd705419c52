"""Decides whether a value is a secret or a substitute: a reference, a mask, a placeholder, a type, a word.

Last where a secret ends that a terminal, an editor or an author split in two.
"""

from __future__ import annotations

import re
from functools import cache

# Values made of these words only say that a secret belongs here. `password = "secret"` in a test hides nothing, and
# redacting it would spoil the code for the reader.
_STAND_IN_WORDS = frozenset(
    """
    a access actual add admin all an and another any api apikey are array auth authorization bad basic bcrypt bearer
    bool boolean bytes change changeme char client confirm confirmed correct credential credentials current db default
    demo disabled dummy empty enabled encrypted enter env environment example expired fake false fetch field fixme
    foo bar baz format from generated get github gitlab goes hash hashed header here hidden hide id in input insert
    int integer invalid is it jwt key keyword login masked me missing mock must my name new nil no none not null number
    object of old omitted openai optional or original otp pass passphrase passwd password pat placeholder postgres
    private prompt provided public put pwd qux random real redacted removed replace required root sample secret
    secrets see session set shared show signing some str string tbd temp test tested testing text that the there this
    to todo token tokens true type undefined unknown unset update use user username valid value var variable wrong
    with xxx yes you your
    ant ghp github glpat gsk hf lin live npm phc pk production proj rk sk whsec xai xoxb
    """.split()  # noqa: SIM905 - a paragraph of words reads better than two hundred quoted ones
)
# With one of these, numbers may be added: `test-token-123` is as empty as `test-token`, `secret123` may be meant.
_FAKE_WORDS = frozenset(
    ("changeme", "dummy", "example", "fake", "foo", "mock", "placeholder", "sample", "test", "testing", "xxx", "your")
)
# Types whose names hold a digit and so look less like words.
_TYPE_NAME = (
    r"(?:[iuf](?:8|16|32|64|128)|u?int\d+|float\d+|utf-?8|base64|sha\d+|md5|oauth2?|argon2\w*|uuid\d?|[A-Z][a-z]+\d?)"
)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """The regular expressions, compiled when the first value is judged."""
    return {
        "word": re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+"),
        "mask": re.compile(r"[xX]{4,}|[*•·●▪█]{3,}|\.{3,}|…|(?<![^\W_])x{3}(?![^\W_])", re.ASCII),
        "mask only": re.compile(r"[xX*•·●▪█#_.=…?\s/-]+"),
        "reference": re.compile(
            r"""\$\{?[A-Za-z_][\w.:-]*\}?$ | \$[({] | \{\{ | \{[\w.\[\]"'()!:-]*\}? $ | <[^<>]*>?$
            | %\w+%$ | %[sd]$ | %\( | @[\w.]+$ | ![A-Za-z.]+$ | \[[^\]]*\]?$ | \([^)]*\)?$ | &[\w]+$ | \*[\w]*$
            | (?:env|ENV|secretref|vault|file|op|arn|projects|ssm|resolve|keychain)[:/]
            | [A-Za-z][A-Za-z0-9+.-]*:\\?/\\?/""",
            re.VERBOSE,
        ),
        # Templates, format strings and regular expressions.
        "inside": re.compile(
            r"\$\{|\{\{|\$\(|#\{|%\(|%[sdr](?![0-9A-Za-z])|\{\w+\}|\[[^\]]*\w-\w[^\]]*\]|\{\d+,?\d*\}|\(\?|\\[sdwSDW]"
        ),
        "dotted": re.compile(r"[A-Za-z_$][\w$]*(?:(?:\?\.|\.|->|::|!\.)[A-Za-z_$][\w$]*)+[!?]?$"),
        "call": re.compile(r"[A-Za-z_$][\w$.]*!?[(\[]"),
        "separator": re.compile(r"[-_./\\:,;@+|=()\[\]{}<>\s]+"),
        "numbered": re.compile(r"[A-Z]?[a-z]+\d{1,4}|[A-Z]+\d{1,4}|v?\d+[a-z]{1,3}|(?:[A-Z][a-z]+){2,}\d{1,3}"),
        "path": re.compile(
            r"(?:\.{1,2}|~|[A-Za-z]:)?(?:[/\\][\w.@-]{1,40})+/?$|[\w-]+\.(?:pem|key|txt|json|ya?ml|env|p12|crt)$"
        ),
        "type": re.compile(_TYPE_NAME + "$"),
    }


def words(value: str) -> list[str]:
    """``value`` cut at punctuation, changes of case and digits, in lower case."""
    return [word.lower() for word in _patterns()["word"].findall(value)]


def is_reference(value: str) -> bool:
    """Whether ``value`` is masked, or names the place where the secret comes from."""
    patterns = _patterns()
    return bool(
        patterns["mask only"].fullmatch(value) or patterns["reference"].match(value) or patterns["inside"].search(value)
    )


def is_stand_in(value: str) -> bool:
    """Whether ``value`` only says that a secret belongs here: masked, referenced, or a placeholder."""
    patterns = _patterns()
    if is_reference(value):
        return True
    if patterns["mask"].search(value):
        visible = patterns["mask"].sub("", value)
        # A token cut short («abcdef1234...») has most of itself in sight; a masked one has only its ends.
        if len(visible) <= 12 or _is_words(visible):
            return True
    return _is_words(value)


def _is_words(value: str) -> bool:
    found = words(value)
    if not all(word in _STAND_IN_WORDS or (word.isdigit() and len(word) <= 4) for word in found):
        return False
    return not any(word.isdigit() for word in found) or not _FAKE_WORDS.isdisjoint(found)


def is_code(value: str) -> bool:
    """Whether an unquoted ``value`` reads as an expression, a path or a type."""
    patterns = _patterns()
    if patterns["type"].match(value) or patterns["call"].match(value):
        return True
    if patterns["dotted"].match(value) or patterns["path"].match(value):
        return not any(is_random(run, 16) for run in re.split(r"[./\\-]", value))
    return False


def is_random(value: str, least: int = 8) -> bool:
    """Whether ``value`` has the mixture of a generated string, which names, paths and sentences lack."""
    if len(value) < least:
        return False
    segments = [segment for segment in _patterns()["separator"].split(value) if segment]
    if len(segments) == 1:
        return has_both(value) or _is_jumbled(value)
    mixed = [segment for segment in segments if len(segment) >= 4 and (_is_generated(segment) or _is_jumbled(segment))]
    return any(len(segment) >= 10 for segment in mixed) or sum(map(len, mixed)) * 3 >= len(value)


def is_numbered_word(value: str) -> bool:
    """Whether ``value`` is a word and its number or a number and its unit: `refresh2`, `250ms`."""
    return _patterns()["numbered"].fullmatch(value) is not None


def has_both(segment: str) -> bool:
    """Whether a string has letters and digits."""
    return any(map(str.isdigit, segment)) and any(map(str.isalpha, segment))


def _is_generated(segment: str) -> bool:
    return has_both(segment) and not is_numbered_word(segment)


def _is_jumbled(segment: str) -> bool:
    """Capitals in odd places, as in `dQwXkzPb`: in camelCase the words between them are longer."""
    if len(segment) < 8 or segment.isupper() or segment.islower():
        return False
    found = words(segment)
    return len(segment) < 2.8 * len(found)


_MAX_LINES = 60

_LINE_END = r"""(?:\r?\n|\\{1,4}r?\\{0,4}n|\\{1,4}n)"""
# Bounded, because two runs of blanks that may each take the other's share make a match quadratic.
_BLANKS = r"[ \t]{0,40}"
_GUTTER = rf"{_BLANKS}(?:[│┃|>+#-][ \t]?|\d{{1,6}}[→\t:|][ \t]?)?{_BLANKS}"


@cache
def _joint() -> re.Pattern[str]:
    """A line break with its decoration: quotes, a plus or a backslash, box drawing, diff signs, line numbers."""
    return re.compile(
        rf"""\\?["'`]?{_BLANKS}[\\+.,│┃|]?{_BLANKS}{_LINE_END}{_GUTTER}(?:\+{_BLANKS})?["'`]?
        | ["'`]{_BLANKS}\+{_BLANKS}["'`]""",
        re.VERBOSE,
    )


@cache
def _run(alphabet: str) -> re.Pattern[str]:
    # The continuation has the rest of its line to itself: a name before a `=` or a word of a sentence is none.
    return re.compile(rf"""([{alphabet}]{{1,4096}})(?=["'`]?(?:[\\+,;)}}│┃|\s"'`]|\Z))""")


def end_of_wrapped(text: str, end: int, length: int, alphabet: str, full: int = 0) -> int:
    """Where a token ends whose first ``length`` characters end at ``end``, counting what continues on later lines.

    ``alphabet`` is the inside of a character class. With ``full``, the token's length is known, and only pieces that
    complete it are taken; without, pieces that look generated and stand alone on their line.
    """
    for _ in range(_MAX_LINES):
        joint = _joint().match(text, end)
        run = joint and _run(alphabet).match(text, joint.end())
        if not run:
            break
        piece = len(run[1])
        if full:
            if length + piece > full or (length + piece < full and not is_random(run[1], 12)):
                break
        elif not (is_random(run[1], 24) or (is_random(run[1], 8) and _stands_alone(text, run.end()))):
            break
        length += piece
        end = run.end()
        if full and length == full:
            break
    return end


def _stands_alone(text: str, end: int) -> bool:
    """Whether nothing but decoration follows on the line."""
    line_end = text.find("\n", end, end + 200)
    rest = text[end : line_end if line_end >= 0 else end + 40]
    return not rest.strip(" \t\"'`\\+,;)}│┃|") or rest.lstrip("\"'").startswith(("\\n", "\\r"))
