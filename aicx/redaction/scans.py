"""The scans: where a text is worth a closer look, and which function takes it there.

First what the words for a password, a key, a token and a secret announce with no sign behind them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property

from aicx.redaction import shapes
from aicx.redaction.anchors import UNMARKED, LiteralScan, SecretFinding, fold_name, nearly_preceded_by, preceded_by
from aicx.redaction.assignments import labelled_at
from aicx.redaction.bare import BEGINNINGS, PHRASE
from aicx.redaction.commands import LAST_ARGUMENT, argument_at, figures_after, last_argument_after
from aicx.redaction.encoded import key_at, manifest_at
from aicx.redaction.issuers import DEMANDS, TOKENS, WORDS
from aicx.redaction.names import ENDINGS
from aicx.redaction.prose import identified_at, told_at
from aicx.redaction.shapes import token_at
from aicx.redaction.web import bearer_at, hook_at


@cache
def _opens() -> re.Pattern[str]:
    return re.compile(r"(?i)\b(?:pin|(?:pin|pass|unlock|door|gate|alarm|lock|access|backup|entry)[ -]?code)\Z")


def password_word_at(text: str, hit: re.Match[bytes]) -> Iterator[SecretFinding]:
    """Finds secrets told by the word for a password that ends before a blank."""
    yield from labelled_at(text, hit.end())
    yield from told_at(text, hit.start(), hit.end(), "password")
    if "mysqladmin" in text[max(0, hit.start() - 100) : hit.start()]:
        yield from argument_at(text, hit.start())
    if text.endswith(LAST_ARGUMENT, 0, hit.end()):
        yield from last_argument_after(text, hit.end())


def said_word_at(text: str, at: int) -> Iterator[SecretFinding]:
    """Finds the value that a PIN, a code, a pw or a secret is said to have, with ` is ` at ``at``."""
    if text.endswith(("secret", "Secret", "SECRET"), 0, at):
        yield from told_at(text, at - 6, at, "secret")
    elif text[at - 3 : at].lower() == " pw":
        yield from told_at(text, at - 2, at, "password")
    elif _opens().search(text[max(0, at - 20) : at]):
        yield from figures_after(text, at)


def p_word_at(text: str, hit: re.Match[bytes]) -> Iterator[SecretFinding]:
    """Finds secrets after `pass`, `password` and their like, a PIN or a pw."""
    return password_word_at(text, hit) if len(hit[0]) > 3 else said_word_at(text, hit.end())


def c_word_at(text: str, hit: re.Match[bytes]) -> Iterator[SecretFinding]:
    """Finds secrets after a code, a secret, `clave`, or a command; which of ``c q v`` begins it, the text says."""
    begin = text[hit.start()].lower()
    if hit[0] in (b"code", b"cret"):
        return said_word_at(text, hit.end()) if begin == "c" else iter(())
    if hit[0] == b"clace":
        return told_at(text, hit.start(), hit.end(), "password")
    return argument_at(text, hit.start())


def key_word_at(text: str, hit: re.Match[bytes]) -> Iterator[SecretFinding]:
    """Finds secrets by the word with a k in it: `hook/`, `PRIVATE KEY`, `--key X`, «the key is X»."""
    word = text[hit.start() : hit.end()].lower()
    if text.startswith("ind:", hit.end()):
        yield from manifest_at(text, hit.start())
        return
    if word == "k" and text.startswith(" ", hit.end()):
        yield from argument_at(text, hit.start())
        return
    if word == "k" or (word == "key" and text.startswith("/", hit.end())):
        yield from hook_at(text, hit.end())
        return
    if text[hit.start() - 1] == " " and text[hit.start() - 8 : hit.start() - 1].lower() == "private":
        yield from key_at(text, hit.start())
    if text[hit.end() - 6 : hit.end() - 5] in ("-", "_", ".") or text[hit.start() - 1] in "-_" or word == "ken":
        yield from labelled_at(text, hit.end())
    yield from told_at(text, hit.start(), hit.end(), "token" if word == "ken" else "api-key")


Finder = Callable[[str, re.Match[bytes]], Iterator[SecretFinding]]
LiteralFinder = Callable[[str, int, str], Iterator[SecretFinding]]


def _literal_finders() -> dict[str, LiteralFinder]:
    finders: dict[str, LiteralFinder] = dict.fromkeys(WORDS, token_at)
    finders |= {prefix: token_at for token in TOKENS for prefix in token.prefixes}
    finders |= {
        "eyJ": shapes.jwt_at,
        ":AA": shapes.telegram_at,
        "SK": shapes.twilio_at,
        UNMARKED: shapes.unmarked_at,
    }
    return finders


# Commands that read a secret from a pipe.
_READERS = (
    "sudo|docker|podman|nerdctl|buildah|helm|oras|crane|skopeo|gh |glab |vault"
    "|chpasswd|passwd|kinit|su |cryptsetup|sshpass|smbpasswd|pass |gpg|openssl|npm login|wrangler|kubectl|ssh-add|fly "
)
_DOLLAR = r"\$"
_MARK = r"\|"  # any of `| $ % & <` in the copy for prefixes


def _hash(dollar: str) -> str:
    """A regular expression for what follows the first ``dollar`` of the hash of a password."""
    methods = r"2[abxy]|[1567y]|gy|apr1|md5|sha1|scrypt|argon2(?:id?|d)|pbkdf2[\w-]{0,12}"
    return rf"(?:{methods}){dollar}|(?<=[0-9t]{dollar})\d"


def _after_a_name() -> str:
    """A regular expression for «a name that announces a secret ends here»: at the sign, or up to eight quotes off.

    Its group is there when the name is off, and then only may be one that announces a secret.
    """
    names = [fold_name(ending) for ending in ENDINGS]
    off = [nearly_preceded_by(names, " " * gap + "=") for gap in range(9)]
    # Nested, so that most signs are given up after one look at the byte before them.
    far = f"(?<=     =)(?:{'|'.join(off[5:])})"
    exact = preceded_by(dict.fromkeys(names, ""), "=")
    return f"{exact}|(?<= =)(?:{off[1]}|(?<=  =)(?:{off[2]}|{off[3]}|{off[4]}|{far}))()"


class Scans:
    """The scans: one for prefixes, the others for the copy for names. A name or a line needs two or three of them.

    So each is compiled when a text first needs it.
    """

    @cached_property
    def finders(self) -> dict[str, LiteralFinder]:
        return _literal_finders()

    @cached_property
    def literals(self) -> LiteralScan:
        return LiteralScan([prefix for prefix in self.finders if prefix != UNMARKED], shapes.UNMARKED_PLACES, DEMANDS)

    @cached_property
    def signs(self) -> re.Pattern[bytes]:
        # One sign is taken, not looked at: the engine then leaves out in no time what begins in another.
        host = r"(?:hooks\.slack|discord|ecents\.|hc-ping|alerts?\.|(?:canary|ptb)\.discord|[^ \n/@]{1,300}@)"
        pgpass = r"[\d*](?=(?:\d{3,4}|(?<=\*))=[^ \n=]{1,63}=[^ \n=]{1,63}=[^ \n=])"
        asana = r"[0-9a-f](?=[0-9a-f]{31})(?<=\d{12}=.)"
        windows = r"[0-9a-f](?=[0-9a-f]{31}=)(?<=[0-9a-f]{32}=.)"
        bare = rf"{{0,2}}+(?:{BEGINNINGS}|{PHRASE})"
        return re.compile(
            f"=(?:/(?=/{host})|{pgpass}|{asana}|{windows}|{BEGINNINGS}|\n(?= {bare})"
            f"| (?=/ /{host}|auth [^ \\n]{{4}}| {bare})|{_after_a_name()})".encode("latin-1")
        )

    @cached_property
    def endings(self) -> tuple[bytes, ...]:
        """Of names that announce a secret, in the copy for names."""
        return tuple(fold_name(ending).encode("latin-1") for ending in ENDINGS)

    @cached_property
    def words(self) -> tuple[tuple[re.Pattern[bytes], Finder], ...]:
        """(where to look, what looks)"""
        told = r"(?= (?:(?:is|was|-|for|to|\?) |[A-Za-z0-9]{20}))"
        return (
            # From k to k: `key` and `token` before a blank, private keys, hooks.
            (
                re.compile(
                    rf"k(?:en(?<=token)(?:(?= )(?<=[-.]token)|(?= )(?<=authtoken)|{told})"
                    rf"|ey(?:(?<=pricate key)|(?= )(?<=-key)|{told}|(?<=/key)(?=/))"
                    rf"|(?<=[/.b]hook)(?=[a-z0-9]{{0,12}}[./ ])|(?<=bw unlock)(?= )|(?=ind= secret))".encode("latin-1")
                ),
                key_word_at,
            ),
            # From p to p: words for a password, and what is said of a PIN or a pw.
            (
                re.compile(
                    # The word `pass` alone mostly says how a test ended.
                    rb"p(?:ass(?:(?:word|[ -]?phrase|code|wort|wd|e)(?:(?=[ (])"
                    rb"|(?<=as password)|(?<=as the password)|(?<=as my password)|(?<=as a password))"
                    rb"|(?= )(?:(?<=-pass)|(?= {1,3}(?=[^ \n]{6})[^ \n]{0,40}[0-9!#$%^&*+?~])))"
                    rb"|in(?= is )|w(?<= pw)(?= is ))"
                ),
                p_word_at,
            ),
            # From c to c, as which `q` and `v` read in the copy: what is said of a code or a secret, `clave`, and
            # commands with a password in a fixed place.
            (
                re.compile(
                    rb"c(?:ode(?= is )|ret(?= is )|lace(?= es )|ault login |ladmin |tl (?:add-user|change-password) )"
                ),
                c_word_at,
            ),
        )

    @cached_property
    def begin(self) -> re.Pattern[bytes]:
        """Matches at the very beginning of a text."""
        return re.compile(
            f"{BEGINNINGS}|{PHRASE}|1[.)] (?:[a-z]{{3,8}} ?[ ,\n] ?\\d{{1,2}}[.)] ){{11}}".encode("latin-1")
        )

    @cached_property
    def bare(self) -> re.Pattern[bytes]:
        return re.compile(f"[ \n]? {{0,3}}+(?:{BEGINNINGS}|{PHRASE})".encode("latin-1"))

    @cached_property
    def rare(self) -> tuple[tuple[bytes, re.Pattern[bytes], Finder], ...]:
        """(what must occur, where to look then, what looks): one quick search each"""
        return (
            # Looked for without the blank at the end, which any search would stop at too often.
            (b"identif", re.compile(b"identified(?= (?:by|with) )"), lambda text, hit: identified_at(text, hit.end())),
            (b"bearer", re.compile(b"bearer "), lambda text, hit: bearer_at(text, hit.start())),
        )

    # In the text's own bytes: options after a blank, pipes into commands that read a secret, hashes of passwords, and
    # signs that are written in another way.

    @cached_property
    def dashes(self) -> re.Pattern[bytes]:
        return re.compile(
            rb"-(?:(?<=[ \n\t\"'`(]-)(?=[awkPUbXANuS][ =]|[bw][^ \n]{0,30}\d|u|p(?! /)|hp|storepass|keypass|AsPlain"
            rb"|(?=[A-Za-z]{2,7}(?<=[uUaPpwAX])[ =])"  # several short options as one, the last with a value
            rb"|-(?:body|value|creds|src-c|dest-c|from-lit|mnem|user|proxy-u))"
            rb"(?<!mkdir -)|u(?=s\d)(?<=[0-9a-f]{6}-u)"
            rb"|s(?=ecret )|S(?=ECRET )|c(?=li [^\n|;]{0,80}(?:AUTH|auth) ))"
        )

    @cached_property
    def marks(self) -> re.Pattern[bytes]:
        """In the copy for prefixes: where one of the five signs may begin what the patterns below are for."""
        return re.compile(
            rf"\|(?= {{0,3}}(?:{_READERS}|[\w-]+ (?:[\w-]+ ){{0,3}}--)|{_hash(_MARK)}|3[aDd-]|20(?<=earer\|20)"
            r"|quot;|#34;|\|\|)".encode()
        )

    @cached_property
    def pipes(self) -> re.Pattern[bytes]:
        return re.compile(rf"\|(?= {{0,3}}(?:{_READERS}|\w+ (?:\w+ ){{0,3}}--))".encode())

    @cached_property
    def hashes(self) -> re.Pattern[bytes]:
        return re.compile(rf"{_DOLLAR}(?={_hash(_DOLLAR)})".encode())

    @cached_property
    def percent(self) -> re.Pattern[bytes]:
        return re.compile(rb"%(?:3[aAdD]|20(?<=earer%20))")

    @cached_property
    def quotes(self) -> re.Pattern[bytes]:
        return re.compile(rb"\\(?=u0022)")

    @cached_property
    def entities(self) -> re.Pattern[bytes]:
        return re.compile(b"&(?=quot;|#34;)")


SCANS = Scans()
