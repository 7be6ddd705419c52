"""Whether what a name is given is a secret: the name, the way it is written and the value decide together."""

from __future__ import annotations

import re
from functools import cache

from aicx.redaction.names import SecretName
from aicx.redaction.values import is_code, is_numbered_word, is_random, is_stand_in, words
from aicx.values import dataclass

# How much of a value is judged: a bound on the work that hostile text can cause.
SAMPLE = 128
# Shorter ones protect nothing, and are mostly words, types and numbers.
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class Value:
    """What a name is given: ``text[start:end]``, of which ``given`` is as much as is needed to judge it.

    ``quote`` is empty when it stands unquoted.
    """

    start: int
    end: int
    given: str
    quote: str
    sign: str  # what stood between name and value
    spaced: bool  # with blanks around the sign
    vague: bool = False  # in a table, a list or a call, where only a generated value can be told from others


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        "validation": re.compile(r"[a-z_]+(?:[|:,][a-z_0-9]+)+"),
        "odd": re.compile(r"\w[!#$%^&*+?@~]+\w"),
    }


def is_secret(name: SecretName, value: Value) -> bool:
    """Whether ``value``, given to ``name``, is a secret and not code, a reference, a word or a number."""
    given = value.given.strip()
    if len(given) < _SHORTEST or is_stand_in(given) or _repeats(name.text, given):
        return False
    if not value.quote and is_code(given):
        return False
    in_shell = name.shouted and value.sign.lower() in ("=", "u003d") and not value.spaced
    if given.isdigit():
        return len(given) >= _fewest_digits(name, value, in_shell=in_shell)
    if name.vague or value.vague or name.rule == "azure-sas":
        if name.vague and name.rule == "password" and not value.quote:
            return False
        return is_random(given, 20 if name.vague and name.rule == "api-key" else 8) and not is_code(given)
    if " " in given and _is_chosen_phrase(name, value):
        return True
    if in_shell:
        # `API_KEY=anything` is what people paste; only sentences and `required|min:8` are not values.
        return is_random(given, 12) or (" " not in given and not _patterns()["validation"].fullmatch(given))
    if name.header and value.sign == ":" and len(given) >= 6 and re.search(r"[\d-]", given) and not is_code(given):
        return " " not in given
    if " " in given or is_code(given) or _patterns()["validation"].fullmatch(given):
        return False
    if name.rule == "password":
        return bool(value.quote) or is_random(given, 6) or _is_odd(given)
    return is_random(given) and (bool(value.quote) or not is_numbered_word(given))


def _is_chosen_phrase(name: SecretName, value: Value) -> bool:
    """Whether a quoted value with blanks is a password all the same: of an option, a shell, or a passphrase."""
    given = value.given.strip()
    parts = given.split()
    if name.rule != "password" or not value.quote or len(given) > 60 or (value.quote == "|" and len(parts) > 4):
        return False
    if name.text.lower().endswith("phrase"):
        return 3 <= len(parts) <= 10 and given.isascii() and not _SENTENCE.intersection(words(given))
    certain = name.shouted or name.text.startswith("--") or value.quote == "|"
    return certain and len(parts) <= 4 and any(_has_both(part) for part in parts) and not is_code(given)


# Words that a sentence has and a passphrase lacks.
_SENTENCE = frozenset(
    """
    a an and are at be by can for from in is it must not of or should that the this to was with your
    """.split()  # noqa: SIM905 - a paragraph of words reads better than twenty quoted ones
)


def _has_both(part: str) -> bool:
    return any(map(str.isdigit, part)) and any(map(str.isalpha, part))


def _fewest_digits(name: SecretName, value: Value, *, in_shell: bool) -> int:
    """How long a number must be to be a secret: PINs are short, counts of tokens are not."""
    if name.rule == "password" and value.quote:
        return _SHORTEST
    if in_shell and name.rule == "password":
        return _SHORTEST
    return 6 if name.rule == "password" else 16


def _is_odd(given: str) -> bool:
    """Whether punctuation sits inside the value, as in chosen passwords."""
    return len(given) >= 6 and _patterns()["odd"].search(given) is not None


def _repeats(name: str, given: str) -> bool:
    """Whether the value only says the name again: `RESET_PASSWORD = "auth/resetPassword"`."""
    said = words(given)
    return bool(said) and not any(map(str.isdigit, given)) and words(name)[-len(said) :] == said[-len(words(name)) :]
