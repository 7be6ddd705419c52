"""Which names announce a secret (`DB_PASSWORD`, `apiKey`, `X-Auth-Token`), and whether what one is given is a secret.

The name, the way it is written and the value decide together.
"""

from __future__ import annotations

import re
from functools import cache

from aicx.redaction.values import has_both, is_code, is_numbered_word, is_random, is_stand_in, words
from aicx.values import dataclass

# How a name may end, in folded text, for the scan to stop at the sign after it.
ENDINGS = (
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "pass",
    "-pat",
    "-auth",
    "key",
    "key-id",
    "key-base",
    "credential",
    "credentials",
    "sig",
    "cookie",
    "authorization",
    "value",
    " pw",
    " mdp",
    "-mdp",
    "-pw",
    "(pw",
    "\npw",
    "creds",
    "passcode",
    "storepass",
    "keypass",
    " auth",
    "key-data",
    "dockerconfigjson",
    "amz-signature",
    "goog-signature",
    "mnemonic",
    "phrase",
    " words",
    # options of Windows programs, and what people call a number that opens something
    " /p",
    "/user",
    " pin",
    "psk",
    "default",
    # in other languages, as far as ASCII writes them
    "passwort",
    "kennwort",
    "passe",
    "senha",
    "clave",
    "contrasena",
    "haslo",
    "wachtwoord",
    "parola",
    "sandi",
    "heslo",
    "passord",
    "salasana",
    "jelszo",
    "adgangskode",
)

# Squashed endings (lower case, no separators) and the rule each announces; the first that fits decides.
_KINDS: tuple[tuple[str, str], ...] = (
    ("authorization", "authorization"),
    ("cookie", "cookie"),
    ("secretaccesskey", "aws-secret-key"),
    ("awssecretkey", "aws-secret-key"),
    ("accountkey", "azure-key"),
    ("sharedaccesskey", "azure-key"),
    ("privatekeyid", "gcp-key-id"),
    ("password", "password"),
    ("passwd", "password"),
    ("passphrase", "password"),
    ("pwd", "password"),
    *((name, "password") for name in ("requirepass", "sshpass", "storepass", "keypass", "passcode", "passord")),
    *((name, "password") for name in ("passwort", "kennwort", "motdepasse", "senha", "contrasena", "haslo", "heslo")),
    *((name, "password") for name in ("wachtwoord", "katasandi", "salasana", "jelszo", "adgangskode")),
    ("clientkeydata", "private-key"),
    ("dockerconfigjson", "docker-auth"),
    ("amzsignature", "signature"),
    ("googsignature", "signature"),
    ("mnemonic", "mnemonic"),
    *((f"{of}phrase", "mnemonic") for of in ("seed", "recovery", "wallet", "mnemonic", "backup", "secretrecovery")),
    *((f"{of}words", "mnemonic") for of in ("seed", "recovery", "wallet", "mnemonic", "backup")),
    ("creds", "secret"),
    ("token", "token"),
    ("secretkeybase", "secret"),
    ("secret", "secret"),
    ("credential", "secret"),
    ("credentials", "secret"),
    *((f"{of}key", "api-key") for of in ("api", "subscription", "license", "service", "x", "functions", "auth", "app")),
    *((f"{of}key", "secret") for of in ("secret", "private", "encryption", "encrypt", "signing", "master", "access")),
    *((f"{of}key", "secret") for of in ("session", "cookie", "hmac", "jwt", "crypto", "storage", "deploy", "webhook")),
)
# As the last word of several: `compass` and `dispatch` end so too, and a test that passes says `PASS: …`.
_LAST_WORDS = {"pass": "password", "pat": "token", "pw": "password", "mdp": "password"}
# Alone, these are names of passwords in some language, or in a hurry.
_ALONE = {
    "pw": "password",
    "psk": "password",
    "mdp": "password",
    "passe": "password",
    "clave": "password",
    "parola": "password",
    "sandi": "password",
}

# Tokens and keys that open nothing: of text, of pages, of tables, of caches.
_HARMLESS = (
    "next page previous prev start end continue continuation sync resume cursor pagination watch "
    "pad eos bos unk cls sep mask stop special image audio max min num first last total current lexer "
    "cancellation abort unexpected invalid bad public publishable partition sort primary foreign cache idempotency "
    "design syntax"
)


@cache
def _harmless() -> re.Pattern[str]:
    return re.compile(f"(?:^|_)(?:{_HARMLESS.replace(' ', '|')})_?(?:page_?)?(?:token|key|secret)$")


@dataclass(frozen=True, slots=True)
class SecretName:
    """A name that announces a secret of kind ``rule``; ``shouted`` when written as environment variables are.

    ``vague`` names announce one only before a generated value: `STRIPE_KEY` is one, `ROUTE_KEY` is none; `pass` is a
    password in a login and a result in a test report.
    """

    text: str
    rule: str
    shouted: bool
    vague: bool = False
    header: bool = False  # `X-Auth-Token`: nothing but a value follows it


@cache
def classify(text: str) -> SecretName | None:
    """Returns the kind of secret that the name ``text`` announces, or None when it announces nothing."""
    if text.startswith("arn:"):
        return None  # of Amazon: it names the place of a secret
    text = text.lstrip("-.:$")
    shouted = len(text) >= 3 and text.isupper()
    tail = text if shouted else text.rsplit(".", 1)[-1]
    squashed = re.sub(r"[^a-z0-9]", "", tail.lower())
    said = words(tail)
    rule = next((rule for ending, rule in _KINDS if squashed.endswith(ending)), None) or _by_last_word(tail, said)
    vague = False
    if rule is None and shouted and text.endswith("_KEY"):
        rule, vague = "api-key", True
    elif rule is None and tail == "pass":
        rule, vague = "password", True
    if rule is None or squashed.endswith("1password") or _harmless().search("_".join(said)):
        return None
    return SecretName(text, rule, shouted, vague, header=tail.lower().startswith("x-"))


def _by_last_word(tail: str, said: list[str]) -> str | None:
    if tail.lower() == "sig":
        return "azure-sas"
    if tail.lower() == "auth":
        return "docker-auth"
    if tail.lower() in _ALONE:
        return _ALONE[tail.lower()]
    if len(said) < 2 and not tail.startswith("_"):
        return None
    # `_auth` is a password of npm; `basic_auth` and `oauth` are words about one.
    return "secret" if tail.lower() == "_auth" else _LAST_WORDS.get(said[-1]) if said else None


# How much of a value is judged: a bound on the work that hostile text can cause.
SAMPLE = 128
# Shorter ones protect nothing, and are mostly words, types and numbers.
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class Value:
    """The value that a name is given: ``text[start:end]``, of which ``given`` is as much as is needed to judge it.

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
    return certain and len(parts) <= 4 and any(has_both(part) for part in parts) and not is_code(given)


# Words that a sentence has and a passphrase lacks.
_SENTENCE = frozenset(
    """
    a an and are at be by can for from in is it must not of or should that the this to was with your
    """.split()  # noqa: SIM905 - a paragraph of words reads better than twenty quoted ones
)


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
