"""The compiled scans: where a text is worth a closer look, and which function takes it there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from aicx.redaction import shapes
from aicx.redaction.anchors import UNMARKED, Finding, LiteralScan, fold_name, preceded_by
from aicx.redaction.announced import password_word_at, said_word_at
from aicx.redaction.bare import BEGINNINGS, PHRASE
from aicx.redaction.headers import bearer_at
from aicx.redaction.issuers import DEMANDS, TOKENS, WORDS
from aicx.redaction.names import ENDINGS
from aicx.redaction.prose import identified_at
from aicx.redaction.tokens import token_at

Finder = Callable[[str, re.Match[bytes]], Iterator[Finding]]
LiteralFinder = Callable[[str, int, str], Iterator[Finding]]


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


@dataclass(frozen=True, slots=True)
class Scans:
    """The compiled scans: one for prefixes, the others for the copy for names."""

    finders: dict[str, LiteralFinder]
    literals: LiteralScan
    signs: re.Pattern[bytes]
    # `key` and `token` before a blank, private keys, commands with a password in a fixed place, and `clave`, in one
    # scan that hops from k to k: `q` and `v` read as `k` in the copy
    keys: re.Pattern[bytes]
    # what stands at the very beginning of a text
    begin: re.Pattern[bytes]
    bare: re.Pattern[bytes]
    hashes: re.Pattern[bytes]
    # (what must occur, where to look then, what looks): one quick search each
    rare: tuple[tuple[bytes, re.Pattern[bytes], Finder], ...]
    # in the text's own bytes: options after a blank, and pipes into commands that read a secret
    dashes: re.Pattern[bytes]
    pipes: re.Pattern[bytes]
    # what begins with one fixed byte, which is quicker to look for than a longer string
    percent: re.Pattern[bytes]
    quotes: re.Pattern[bytes]
    entities: re.Pattern[bytes]


def _after_a_name() -> str:
    """A regular expression for «a name that announces a secret ends here»: at the sign, or up to eight quotes off."""
    endings = [fold_name(ending) for ending in ENDINGS]
    near = [preceded_by(dict.fromkeys(endings, ""), " " * gap + "=") for gap in range(9)]
    # Nested, so that most signs are given up after one look at the byte before them.
    far = f"(?<=     =)(?:{'|'.join(near[5:])})"
    return f"{near[0]}|(?<= =)(?:{near[1]}|(?<=  =)(?:{near[2]}|{near[3]}|{near[4]}|{far}))"


@cache
def scans() -> Scans:
    finders = _literal_finders()
    # One sign is taken, not looked at: the engine then leaves out in no time what begins in another.
    host = r"(?:hooks\.slack|discord|ekents\.|hc-ping|alerts?\.|(?:canary|ptb)\.discord|[^ \n/@]{1,300}@)"
    pgpass = r"[\d*](?<==[\d*])(?=(?:\d{3,4}|(?<=\*))=[^ \n=]{1,63}=[^ \n=]{1,63}=[^ \n=])"
    asana = r"[0-9a-f](?=[0-9a-f]{31})(?<=\d{12}=.)"
    told = r"(?= (?:(?:is|was|-|for|to|\?) |[A-Za-z0-9]{20}))"
    bare = rf"{{0,2}}+(?:{BEGINNINGS}|{PHRASE})"
    windows = r"[0-9a-f](?=[0-9a-f]{31}=)(?<=[0-9a-f]{32}=.)"
    return Scans(
        finders,
        LiteralScan([prefix for prefix in finders if prefix != UNMARKED], shapes.UNMARKED_PLACES, DEMANDS),
        re.compile(
            f"=(?:/(?=/{host})|{pgpass}|{asana}|{windows}|{BEGINNINGS}|\n(?= {bare})"
            f"| (?=/ /{host}|auth [^ \\n]{{4}}| {bare})|{_after_a_name()})".encode("latin-1")
        ),
        re.compile(
            rf"k(?:en(?<=token)(?:(?= )(?<=[-.]token)|(?= )(?<=authtoken)|{told})"
            rf"|ey(?:(?<=prikate key)|(?= )(?<=-key)|{told}|(?<=/key)(?=/))"
            rf"|(?<=[/.b]hook)(?=[a-z0-9]{{0,12}}[./ ])|(?<=bw unlock)(?= )|(?=ind= secret)"
            rf"|ault login |ctl (?:add-user|change-password) |ladmin |e(?<=clake)(?= es ))".encode("latin-1")
        ),
        re.compile(f"{BEGINNINGS}|{PHRASE}|1[.)] (?:[a-z]{{3,8}} ?[ ,\n] ?\\d{{1,2}}[.)] ){{11}}".encode("latin-1")),
        re.compile(f"[ \n]? {{0,3}}+(?:{BEGINNINGS}|{PHRASE})".encode("latin-1")),
        re.compile(
            rb"\$(?=(?:2[abxy]|[1567y]|gy|apr1|md5|sha1|scrypt|argon2(?:id?|d)|pbkdf2[\w-]{0,12})\$|(?<=[0-9t]\$)\d)"
        ),
        (
            # Looked for one by one, and without the blank at the end, which any search would stop at too often.
            *(
                (word, re.compile(rb" is (?<=" + word + b" )"), said_word_at)
                for word in (b"pin is", b"ode is", b" pw is", b"ret is")
            ),
            (b"identif", re.compile(b"identified(?= (?:by|with) )"), lambda text, hit: identified_at(text, hit.end())),
            (
                b"pass",
                # The word `pass` alone mostly says how a test ended.
                re.compile(
                    rb"pass(?:(?:word|[ -]?phrase|code|wort|wd|e)(?:(?=[ (])"
                    rb"|(?<=as password)|(?<=as the password)|(?<=as my password)|(?<=as a password))"
                    rb"|(?= )(?:(?<=-pass)|(?= {1,3}(?=[^ \n]{6})[^ \n]{0,40}[0-9!#$%^&*+?~])))"
                ),
                password_word_at,
            ),
            (b"bearer", re.compile(b"bearer "), lambda text, hit: bearer_at(text, hit.start())),
        ),
        re.compile(
            rb"-(?:(?<=[ \n\t\"'`(]-)(?=[awkPUbXANuS][ =]|[bw][^ \n]{0,30}\d|u|p(?! /)|hp|storepass|keypass|AsPlain"
            rb"|-(?:body|value|creds|src-c|dest-c|from-lit|mnem|user|proxy-u))"
            rb"(?<!mkdir -)|u(?=s\d)(?<=[0-9a-f]{6}-u)"
            rb"|s(?=ecret )|S(?=ECRET )|c(?=li [^\n|;]{0,80}(?:AUTH|auth) ))"
        ),
        re.compile(
            rb"\|(?= {0,3}(?:sudo|docker|podman|nerdctl|buildah|helm|oras|crane|skopeo|gh |glab |vault"
            rb"|chpasswd|passwd|kinit|su |cryptsetup|sshpass|smbpasswd|pass |gpg|openssl"
            rb"|npm login|wrangler|kubectl|ssh-add|fly |\w+ (?:\w+ ){0,3}--))"
        ),
        re.compile(rb"%(?:3[aAdD]|20(?<=earer%20))"),
        re.compile(rb"\\(?=u0022)"),
        re.compile(b"&(?=quot;|#34;)"),
    )
