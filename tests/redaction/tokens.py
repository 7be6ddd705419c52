"""Invented credentials for the labelled set, put together at import so that no file holds a string shaped like one."""

from __future__ import annotations

import base64
import random
import re
import string
from collections.abc import Callable

UPPER, LOWER, DIGITS, HEX = string.ascii_uppercase, string.ascii_lowercase, string.digits, "0123456789abcdef"
ALNUM = UPPER + LOWER + DIGITS
URL64 = ALNUM + "-_"
BASE64 = ALNUM + "+/"
PEM_LABEL = "PRIVATE " + "KEY"

# kind: the fixed start, then (alphabet, length) runs and fixed pieces, in order.
Shape = tuple[str | tuple[str, int], ...]
SHAPES: dict[str, Shape] = {
    "alnum20": ((ALNUM, 20),),
    "alnum22": ((ALNUM, 22),),
    "alnum24": ((ALNUM, 24),),
    "alnum32": ((ALNUM, 32),),
    "alnum43": ((ALNUM, 43),),
    "b64url40": ((URL64, 39), (ALNUM, 1)),
    "b64_28": ((BASE64, 27), "="),
    "b64_44": ((BASE64, 43), "="),
    "b64_64": ((BASE64, 64),),
    "b64_88": ((BASE64, 86), "=="),
    "hex7": ((HEX, 7),),
    "hex16": ((HEX, 16),),
    "hex32": ((HEX, 32),),
    "hex40": ((HEX, 40),),
    "hex64": ((HEX, 64),),
    "lower52": ((LOWER + DIGITS, 52),),
    "letters12": ((LOWER, 12),),
    "digits8": ((DIGITS, 8),),
    "uuid": ((HEX, 8), "-", (HEX, 4), "-4", (HEX, 3), "-a", (HEX, 3), "-", (HEX, 12)),
    "pw": ((LOWER, 4), (DIGITS, 2), "!", (ALNUM, 4), "#", (UPPER, 2)),
    "pwalnum": ((LOWER, 5), (DIGITS, 3), (UPPER, 2)),
    "pwurl": ((LOWER, 4), (DIGITS, 2), "%21", (ALNUM, 5)),
    "pw_at": ((LOWER, 4), (DIGITS, 2), "@", (ALNUM, 5)),
    "openai": ("sk-", (ALNUM, 20), "T3Blbk" + "FJ", (ALNUM, 20)),
    "openai_proj": ("sk-" + "proj-", (URL64, 74), "T3Blbk" + "FJ", (URL64, 73), (ALNUM, 1)),
    "openai_svc": ("sk-" + "svcacct-", (URL64, 58), "T3Blbk" + "FJ", (URL64, 57), (ALNUM, 1)),
    "openai_admin": ("sk-" + "admin-", (URL64, 58), "T3Blbk" + "FJ", (URL64, 57), (ALNUM, 1)),
    "sk_hex32": ("sk-", (HEX, 32)),
    "openrouter": ("sk-" + "or-v1-", (HEX, 64)),
    "anthropic": ("sk-" + "ant-api03-", (URL64, 93), "AA"),
    "anthropic_oat": ("sk-" + "ant-oat01-", (URL64, 93), "AA"),
    "anthropic_admin": ("sk-" + "ant-admin01-", (URL64, 93), "AA"),
    **{f"gh{c}": (f"gh{c}_", (ALNUM, 36)) for c in "pousr"},
    "github_pat": ("github_" + "pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    **{kind: (kind + "-", (URL64, 19), (ALNUM, 1)) for kind in ("glpat", "gldt", "glrt", "glft", "glagent")},
    "glpat_routable": ("glpat" + "-", (URL64, 27), ".01.", (LOWER + DIGITS, 9)),
    "glcbt": ("glcbt" + "-64_", (ALNUM, 20)),
    "glptt": ("glptt" + "-", (HEX, 40)),
    "glimt": ("glimt" + "-", (ALNUM, 25)),
    "xoxb": ("xox" + "b-", (DIGITS, 12), "-", (DIGITS, 13), "-", (ALNUM, 24)),
    "xoxp": ("xox" + "p-", (DIGITS, 12), "-", (DIGITS, 12), "-", (DIGITS, 13), "-", (HEX, 32)),
    "xoxc": ("xox" + "c-", (DIGITS, 12), "-", (DIGITS, 12), "-", (DIGITS, 13), "-", (HEX, 64)),
    "xoxd": ("xox" + "d-", (ALNUM, 60)),
    "xoxe": ("xox" + "e.xoxp-1-", (BASE64.replace("/", "").replace("+", ""), 160)),
    "xapp": ("xa" + "pp-1-A", (UPPER + DIGITS, 10), "-", (DIGITS, 13), "-", (HEX, 64)),
    "slack_hook": ("T", (UPPER + DIGITS, 8), "/B", (UPPER + DIGITS, 10), "/", (ALNUM, 24)),
    "slack_hook_escaped": ("T", (UPPER + DIGITS, 8), "\\/B", (UPPER + DIGITS, 10), "\\/", (ALNUM, 24)),
    "akia": ("AK" + "IA", (UPPER + "234567", 16)),
    "asia": ("AS" + "IA", (UPPER + "234567", 16)),
    "awssecret": ((ALNUM, 12), "/", (ALNUM, 13), "+", (ALNUM, 13)),
    "awssession": ("IQoJb3JpZ2lu" + "X2Vj", (BASE64, 300), "=="),
    "aiza": ("AI" + "za", (URL64, 34), (ALNUM, 1)),
    "ya29": ("ya" + "29.a0", (URL64, 150)),
    "gocspx": ("GOC" + "SPX-", (URL64, 27), (ALNUM, 1)),
    "refresh1": ("1/" + "/0", (URL64, 60), (ALNUM, 1)),
    "sk_live": ("sk_" + "live_", (ALNUM, 24)),
    "sk_test": ("sk_" + "test_", (ALNUM, 24)),
    "sk_live_long": ("sk_" + "live_51", (ALNUM, 97)),
    "rk_live": ("rk_" + "live_", (ALNUM, 99)),
    "whsec": ("wh" + "sec_", (ALNUM, 32)),
    "npm": ("np" + "m_", (ALNUM, 36)),
    "pypi": ("py" + "pi-AgEIcHlwaS5vcmc", (URL64, 150), (ALNUM, 1)),
    "hf": ("h" + "f_", (UPPER + LOWER, 34)),
    "rubygems": ("ruby" + "gems_", (HEX, 48)),
    "dckr": ("dckr_" + "pat_", (URL64, 26), (ALNUM, 1)),
    "crates": ("ci" + "o", (ALNUM, 32)),
    "sendgrid": ("S" + "G.", (URL64, 22), ".", (URL64, 42), (ALNUM, 1)),
    "twilio_sk": ("S" + "K", (HEX, 32)),
    "telegram": ((DIGITS, 10), ":A" + "A", (URL64, 32), (ALNUM, 1)),
    "dop": ("do" + "p_v1_", (HEX, 64)),
    "doo": ("do" + "o_v1_", (HEX, 64)),
    "dor": ("do" + "r_v1_", (HEX, 64)),
    "azure": ((BASE64, 86), "=="),
    "sas": ((ALNUM, 20), "%2B", (ALNUM, 20), "%3D"),
    "discord_hook": ((DIGITS, 18), "/", (URL64, 68)),
    "discord_bot": ("MT", (ALNUM, 22), ".G", (ALNUM, 5), ".", (URL64, 37), (ALNUM, 1)),
    "shpat": ("sh" + "pat_", (HEX, 32)),
    "lin_api": ("lin_" + "api_", (ALNUM, 40)),
    "ntn": ("nt" + "n_", (ALNUM, 46)),
    "dapi": ("da" + "pi", (HEX, 32)),
    "hvs": ("hv" + "s.", (URL64, 94), (ALNUM, 1)),
    "gsk": ("gs" + "k_", (ALNUM, 52)),
    "xai": ("xa" + "i-", (ALNUM, 80)),
    "pplx": ("pp" + "lx-", (ALNUM, 48)),
    "r8": ("r8" + "_", (ALNUM, 37)),
    "sbp": ("sb" + "p_", (HEX, 40)),
    "glsa": ("gl" + "sa_", (ALNUM, 32), "_", (HEX, 8)),
    "sntrys": ("sntr" + "ys_", (ALNUM, 60), "_", (ALNUM, 43)),
    "pmak": ("PM" + "AK-", (HEX, 24), "-", (HEX, 34)),
    "nrak": ("NR" + "AK-", (UPPER + DIGITS, 27)),
    "age": ("AGE-SECRET-" + "KEY-1", ("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "figd": ("fi" + "gd_", (URL64, 39), (ALNUM, 1)),
    "airtable": ("pa" + "t", (ALNUM, 14), ".", (HEX, 64)),
    "atatt": ("AT" + "ATT3", (URL64, 180), (ALNUM, 1)),
    "lsv2": ("lsv2_" + "pt_", (HEX, 32), "_", (HEX, 10)),
    "pcsk": ("pc" + "sk_", (ALNUM, 68)),
    "django": ("django-" + "insecure-", (ALNUM, 50)),
    "short6": ("abc", "123"),
    "short12": ("abc", "123def456"),
    "hunter": ("hun", "ter2"),
    "secretish": ("secret-", "value-123"),
    "ghp_x": ("gh" + "p_", ("x", 36)),
    "ghp_X": ("gh" + "p_", ("X", 36)),
    "glpat_x": ("glpat" + "-", ("x", 20)),
    "hf_x": ("h" + "f_", ("x", 34)),
    "ghp_same": ("gh" + "p_", ("a", 36)),
    "openai_alphabet": ("sk-", "abcdefghijklmnopqrst" + "uvwxyz123456"),
    "akia_example": ("AK" + "IA", "IOSFODNN7" + "EXAMPLE"),
    "word_number": ("supersecret", "value42"),
    "tvly": ("tv" + "ly-", (ALNUM, 32)),
}


def _pieces(kind: str, chance: random.Random) -> tuple[str, str]:
    """The fixed start of one invented token (empty if it has none), and its body."""
    shape = SHAPES[kind]
    start = shape[0] if isinstance(shape[0], str) else ""
    body = ""
    for piece in shape[1:] if start else shape:
        if isinstance(piece, str):
            body += piece
            continue
        alphabet, length = piece
        run = "".join(chance.choices(alphabet, k=length))
        if length >= 16 and alphabet == ALNUM and not any(c.isdigit() for c in run):
            run = "7" + run[1:]
        body += run
    return start, body


def _pem_lines(
    chance: random.Random, *, begin: bool = True, end: bool = True, label: str = "", rows: int = 6
) -> list[str]:
    body = ["MIIE" + "".join(chance.choices(BASE64, k=60))]
    body += ["".join(chance.choices(BASE64, k=64)) for _ in range(rows)]
    body.append("".join(chance.choices(BASE64, k=38)) + "==")
    return [f"-----BEGIN {label}{PEM_LABEL}-----"] * begin + body + [f"-----END {label}{PEM_LABEL}-----"] * end


def _pem(form: str, chance: random.Random) -> list[str]:
    """The lines of a key block in one of its forms, still to be joined by a newline."""
    name, _, label = form.partition(":")
    lines = _pem_lines(chance, label=label, begin=name != "pem_tail", end=name != "pem_cut")
    if name == "pem_cut":
        return [*lines[:4], lines[4][:30]]
    if name == "pem_json":
        return ["\\n".join(lines) + "\\n"]
    if name == "pem_json2":
        return ["\\\\n".join(lines)]
    if name == "pem_diff":
        return ["+" + line for line in lines]
    if name == "pem_numbered":
        return [f"{number:6d}→{line}" for number, line in enumerate(lines, start=21)]
    if name == "pem_indented":
        return [lines[0], *("    " + line for line in lines[1:])]
    if name == "pem_quoted":
        return [lines[0], *("> " + line for line in lines[1:])]
    if name == "pem_python":
        return [f'"{lines[0]}\\n"', *(f'    "{line}\\n"' for line in lines[1:])]
    return lines


def _pgp(chance: random.Random) -> list[str]:
    head, *body, tail = _pem_lines(chance, label="PGP ")
    block = "KEY BLOCK-----"
    return [head.replace("KEY-----", block), "Version: GnuPG v2", "", *body, "=aB3d", tail.replace("KEY-----", block)]


def _jwt(chance: random.Random) -> str:
    def part(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    subject = "".join(chance.choices(DIGITS, k=12))
    claims = part(f'{{"sub":"{subject}","iat":1700000000,"scope":"read write"}}'.encode())
    return ".".join((part(b'{"alg":"HS256","typ":"JWT"}'), claims, "".join(chance.choices(URL64, k=43))))


def _basic(chance: random.Random) -> str:
    return base64.b64encode(f"bob:{''.join(chance.choices(ALNUM, k=14))}".encode()).decode()


SPLITS: dict[str, str] = {
    "wrap": "\n",
    "wrapindent": "\n    ",
    "backslash": "\\\n",
    "concat": '" +\n    "',
    "box": " │\n│ ",
}


RUNS = {
    "alnum": ALNUM,
    "hex": HEX,
    "url64": URL64,
    "base64": BASE64,
    "lowernum": LOWER + DIGITS,
    "uppernum": UPPER + DIGITS,
    "digits": DIGITS,
}


def _joined(slot: str, chance: random.Random) -> tuple[str, tuple[str, ...]]:
    """A fixed start, then a shape or a run such as ``hex32``: `ico-+hex32`."""
    start, _, kind = slot.rpartition("+")
    run = re.fullmatch(r"(url64|base64|[a-z]+)(\d+)", kind)
    if kind in SHAPES or run is None:
        return start + "".join(_pieces(kind, chance)), ()
    body = "".join(chance.choices(RUNS[run[1]], k=int(run[2])))
    # Bodies that end in a dash, or have no digit, are rare among real ones, and would make the set a lottery.
    body = body[:-1] + "7" if run[1] in ("url64", "base64", "alnum", "lowernum") else body
    return start + body, (body,)


def make(slot: str, seed: str) -> tuple[str, tuple[str, ...]]:
    """What stands in a template for ``slot`` (``kind`` or ``kind|change``), and the parts of it that must vanish."""
    chance = random.Random(seed)
    if slot.startswith("="):
        return slot[1:], (slot[1:],)
    encoded = re.match(r"b64(b64)?:", slot)
    if encoded:
        text = slot[encoded.end() :].replace("\\n", "\n").encode()
        text = base64.b64encode(text) if encoded[1] else text
        return base64.b64encode(text).decode(), (base64.b64encode(text).decode().rstrip("="),)
    kind, _, change = slot.partition("|")
    if "+" in kind or (kind not in SHAPES and re.fullmatch(rf"({'|'.join(RUNS)})\d+", kind)):
        text, secrets = _joined(kind, chance)
        return text, secrets or (text,)
    if kind in ("pem_begin", "pem_end"):
        return f"-----{kind[4:].upper()} {PEM_LABEL}-----", ()
    if kind == "pgp" or kind.startswith("pem"):
        lines = _pgp(chance) if kind == "pgp" else _pem(kind, chance)
        text = "\n".join(lines)
        return text, tuple(re.findall("[A-Za-z0-9/=+]{30,}", text.replace("\\n", "\n").replace("\n+", "\n")))
    special: dict[str, Callable[[random.Random], str]] = {"jwt": _jwt, "basic": _basic}
    start, body = ("", special[kind](chance)) if kind in special else _pieces(kind, chance)
    if change.startswith("cut"):
        body = body[: int(change[3:])]
    elif change == "wrap76":
        rows = [body[at : at + 76] for at in range(0, len(body), 76)]
        return start + "\n".join(rows), tuple(rows)
    elif change:
        half = len(body) // 2
        return start + body[:half] + SPLITS[change] + body[half:], (body[:half], body[half:])
    return start + body, (body,)
