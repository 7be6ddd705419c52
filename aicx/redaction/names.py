"""Names that announce a secret, and its kind: `DB_PASSWORD`, `apiKey`, `X-Auth-Token`, `:_authToken`."""

from __future__ import annotations

import re
from functools import cache

from aicx.redaction.values import words
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
