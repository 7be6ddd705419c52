"""The scans: where a text is worth a closer look, and which function takes it there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from aicx.redaction import shapes
from aicx.redaction.anchors import UNMARKED, LiteralScan, SecretFinding, fold_name, nearly_preceded_by, preceded_by
from aicx.redaction.announced import c_word_at, key_word_at, p_word_at
from aicx.redaction.bare import BEGINNINGS, PHRASE
from aicx.redaction.headers import bearer_at
from aicx.redaction.issuers import DEMANDS, TOKENS, WORDS
from aicx.redaction.names import ENDINGS
from aicx.redaction.prose import identified_at
from aicx.redaction.tokens import token_at

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
