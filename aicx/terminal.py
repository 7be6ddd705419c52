"""Terminal sequences and invisible characters: found here, so that they are neither stored nor printed.

Here, too, is what nobody sees at all: text written in it reads as nothing to people, and as words to an agent.

And links (OSC 8): a reference that is printed opens its file or its pull request where terminals can. What is printed
goes through folding and the pager's count of rows first, which know styles alone. So a link begins as a style with
numbers that no log can know, and becomes the real sequence last.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

# Drawn anew by every process: what a log says is no link of ours.
_OURS = int.from_bytes(os.urandom(6))
MARK = rf"\x1b\[{_OURS};\d+m"
_RESET = "\x1b[0m"
_urls: list[str] = []

_REQUEST = r"https?://[\w.-]+/[\w./-]+?/(?:-/)?(?:pull|merge_requests)/\d+\b"
_PROGRAMS = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "WarpTerminal"})
_TERMINALS = r"xterm-kitty|xterm-ghostty|alacritty|foot|wezterm|contour"
_VARIABLES = ("WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "DOMTERM", "ALACRITTY_WINDOW_ID")
_VTE = 5000  # the first version of GNOME's terminals that has links


def has_links(environ: Mapping[str, str]) -> bool:
    """Whether the terminal says that it shows links. `FORCE_HYPERLINK` decides, as with other tools."""
    if asked := environ.get("FORCE_HYPERLINK"):
        return asked != "0"
    terminal, vte = environ.get("TERM", ""), environ.get("VTE_VERSION", "")
    if terminal in ("", "dumb", "linux") or terminal.startswith(("screen", "tmux")):
        return False  # what holds a terminal may not hand links on
    return (
        environ.get("TERM_PROGRAM") in _PROGRAMS
        or re.match(_TERMINALS, terminal) is not None
        or any(environ.get(name) for name in _VARIABLES)
        or (vte.isdecimal() and int(vte) >= _VTE)
    )


def linked(text: str, url: str) -> str:
    """``text`` as a link, for `with_links`."""
    _urls.append(url)
    return f"\x1b[{_OURS};{len(_urls) - 1}m{text}{_RESET}"


def file_url(path: Path | str) -> str:
    from urllib.parse import quote  # imported here: most answers have no links

    return f"file://{quote(os.fsencode(Path(path).absolute()))}"


def with_requests(text: str) -> str:
    """``text`` whose addresses of pull requests are links, so that one which is folded can still be opened."""
    return re.sub(_REQUEST, lambda found: linked(found[0], found[0]), text) if "://" in text else text


def with_links(text: str) -> str:
    """``text`` with the terminal's own sequences in the place of marks; a link ends with its style, or its row."""
    if f"\x1b[{_OURS};" not in text:
        return text
    pieces = re.split(rf"({MARK})", text)
    done = [pieces[0]]
    for mark, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        url = _urls[int(mark.rpartition(";")[2][:-1])]
        inside, reset, after = piece.partition(_RESET)
        if after.startswith(_RESET):  # the text had a style of its own
            reset, after = 2 * _RESET, after.removeprefix(_RESET)
        done.append(f"\x1b]8;;{url}\x1b\\{inside}{reset}\x1b]8;;\x1b\\{after}")
    return "".join(done)


def without_links(text: str) -> str:
    """``text`` with no links."""
    return re.sub(MARK, "", text)


# Never the beginning of a mark that redaction left: `[R` behind an escape reads as a sequence of its own.
_NO_MARK = r"(?!\[?REDACTED:)"
_AFTER_ESCAPE = (
    rf"\[{_NO_MARK}[0-?]*+[ -/]*+{_NO_MARK}[@-~]"  # colours, moves, erasing
    rf"|[ -/]{{1,4}}+{_NO_MARK}[0-~]"  # character sets
)
# Titles, links, device strings: everything up to their end on the same line.
_STRING = r"[\]PX^_][^\x07\x1b\x9c\n]{0,2000}+(?:\x07|\x9c|\x1b\\)"
_ESCAPE = rf"\x1b(?:{_AFTER_ESCAPE}|{_STRING}|[0-Z\\-~])|\x9b[0-?]*+[ -/]*+{_NO_MARK}[@-~]"

# What turns the direction of writing, and single signs; tabs and line ends stay.
_SINGLE = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
# An escape as source code, JSON and `cat -v` write it. The end of a literal string is written out, too.
_WRITTEN = r"(?:\\{1,4}+(?:u001[bB]|u\{0{0,4}1[bB]\}|x1[bB]|x\{1[bB]\}|0?33|[eE])|\^\[|␛)"
_WRITTEN_STRING = rf"[\]PX^_][^\x07\x1b\n\\^]{{0,2000}}+(?:\x07|\\a|\^G|\\0?07|\\x07|\\u0007|{_WRITTEN}\\{{1,4}})"
_LITERAL = rf"{_WRITTEN}(?:{_AFTER_ESCAPE}|{_WRITTEN_STRING}|\\{{1,4}}|[0-Z^_])"
# The signs of Latin-1 among them: dropping them from a copy is ten times as fast as looking for one.
CONTROLS = bytes([*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)])
# Styles that `console.style` writes, and our links before they are written; to hide text is not among them.
_STYLE = rf"\x1b\[(?:[0-4]|22|[39][0-7]|38;5;\d{{1,3}})m|{MARK}"

# What has no shape of its own: signs that Unicode lets every program leave out (among them fillers, variation selectors
# and tags), and all its format characters. Emoji that are joined of several, or chosen over a letter, fall into their
# parts.
_INVISIBLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x600, 0x605), (0x61C, 0x61C), (0x6DD, 0x6DD), (0x70F, 0x70F), (0x890, 0x891)),
    *((0x8E2, 0x8E2), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E)),
    *((0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB)),
    *((0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A)),
    (0xE0000, 0xE0FFF),
)
_PATTERNS = {
    # Reads far fewer places than a match would: it hops from one backslash to the next.
    "backslashed": r"\\(?:u(?:001|\{)|x[1{]|0?33|[eE])",
    "first signs": f"[{_SINGLE[1:-1]}\\\\^␛]",
    "controls": f"{_ESCAPE}|{_SINGLE}",
    "all sequences": f"{_ESCAPE}|{_LITERAL}|{_SINGLE}",
    # A line end that goes back to the beginning of its line would let what follows write over it.
    "foreign": rf"(?!(?:{_STYLE}))(?:{_ESCAPE}|{_SINGLE})|\r(?!\n)",
}


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Compiled when it is first used: what prints a short answer needs one of them."""
    return re.compile(_PATTERNS[name])


@cache
def _turning() -> re.Pattern[bytes]:
    """The single signs beyond Latin-1, in UTF-8: they begin with one byte, so a search hops from one to the next."""
    return re.compile(rb"\xe2(?:\x80[\xaa-\xae]|\x81[\xa6-\xa9])")


@cache
def invisible() -> dict[int, str | None]:
    """For `str.translate`, which takes out with it what nobody sees. The text is redacted after, not before."""
    return {sign: None for first, last in _INVISIBLE for sign in range(first, last + 1)}


def has_controls(text: str) -> bool:
    """Whether a terminal would obey anything in ``text``."""
    data = text.encode("latin-1", "replace")
    return len(data.translate(None, CONTROLS)) < len(data) or _turns(text)


def _turns(text: str) -> bool:
    """Whether ``text`` holds a sign that turns the direction of writing."""
    return not text.isascii() and turns(text.encode("utf-8", "surrogatepass"))


def turns(utf8: bytes) -> bool:
    """Whether a text in UTF-8 holds a sign that turns the direction of writing."""
    return _turning().search(utf8) is not None


def without_controls(text: str) -> str:
    """``text`` without what a terminal would obey."""
    return _pattern("controls").sub("", text) if has_controls(text) else text


def only_styles(text: str) -> str:
    """``text`` with the colours that we give it and nothing else that a terminal would obey."""
    return _pattern("foreign").sub("", text) if "\r" in text or has_controls(text) else text


def sequences(text: str, controls: bool) -> list[tuple[int, int]]:
    """Where in ``text`` sequences stand, real ones and those written out as ``\\033[31m`` or ``^[[K``.

    ``controls`` says whether ``text`` holds one of `CONTROLS`, or a sign that turns the direction of writing.
    """
    # One sign is looked for in a tenth of the time that two take.
    written = "\\" in text and _pattern("backslashed").search(text) is not None
    written = written or ("^" in text and "^[" in text) or "␛" in text
    if not written and not controls:
        return []
    return list(_spans(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """The sequences of ``text``: a search for their first signs is ten times as fast as one for all their forms."""
    first, whole = _pattern("first signs"), _pattern("all sequences")
    begin = first.search(text)
    while begin:
        match = whole.match(text, begin.start())
        if match:
            yield match.span()
        begin = first.search(text, match.end() if match else begin.end())
