"""Links on a terminal (OSC 8): a reference that is printed opens its file or its pull request where terminals can.

What is printed goes through folding and the pager's count of rows first, which know styles alone. So a link begins as a
style with numbers that no log can know, and becomes the real sequence last.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
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
    """``text`` as a link, for `written`."""
    _urls.append(url)
    return f"\x1b[{_OURS};{len(_urls) - 1}m{text}{_RESET}"


def file_url(path: Path | str) -> str:
    from urllib.parse import quote  # imported here: most answers have no links

    return f"file://{quote(os.fsencode(Path(path).absolute()))}"


def with_requests(text: str) -> str:
    """``text`` whose addresses of pull requests are links, so that one which is folded can still be opened."""
    return re.sub(_REQUEST, lambda found: linked(found[0], found[0]), text) if "://" in text else text


def written(text: str) -> str:
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


def without(text: str) -> str:
    """``text`` with no links."""
    return re.sub(MARK, "", text)
