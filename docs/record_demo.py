"""Runs `aicx demo` and draws what it prints as docs/demo.svg; with --check says whether the picture is up to date."""

from __future__ import annotations

import difflib
import html
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

PICTURE = Path(__file__).parent / "demo.svg"
_COLUMNS = 82
# The invented sessions are a day older every day.
_AGE = re.compile(r"\b\d+ \w+ ago\b")
_THEME = TerminalTheme(
    (24, 26, 31),
    (214, 218, 226),
    [
        (24, 26, 31),
        (232, 104, 104),
        (126, 199, 129),
        (226, 185, 104),
        (110, 168, 240),
        (214, 132, 218),
        (96, 196, 206),
        (214, 218, 226),
    ],
)
# rich's own page loads a font from the network; the fonts of the reader's machine do as well.
_PAGE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"
  role="img" aria-label="What aicx demo prints">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
<rect width="{width}" height="{height}" rx="10" fill="#181a1f"/>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix" xml:space="preserve">
{matrix}
</g>
</g>
</svg>
"""


def run_demo() -> str:
    """What `aicx demo` prints on a terminal, colours and all."""
    terminal, screen = pty.openpty()
    environ = {**os.environ, "TZ": "UTC", "TERM": "xterm-256color", "COLUMNS": "80"}
    environ.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "aicx", "demo", "--no-meaning"]
    with subprocess.Popen(command, env=environ, stdout=screen) as process:
        os.close(screen)
        printed = b"".join(_blocks(terminal))
        if process.wait() != 0:
            raise SystemExit("aicx demo failed; see above")
    return printed.decode("utf-8").replace("\r\n", "\n")


def _blocks(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            block = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other end is closed
            return
        if not block:
            return
        yield block


def draw(printed: str) -> str:
    """The picture. The same text gives the same picture."""
    console = Console(record=True, width=_COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi(printed.rstrip("\n")))
    return console.export_svg(title="aicx demo", theme=_THEME, code_format=_PAGE, unique_id="demo")


def text_of(picture: str) -> list[str]:
    """The lines of text in a picture, without ages. What versions of rich draw around them may differ."""
    lines: dict[float, str] = {}
    for found in re.finditer(r'<text [^>]*\by="([\d.]+)"[^>]*>([^<]*)</text>', picture):
        lines[float(found[1])] = lines.get(float(found[1]), "") + html.unescape(found[2])
    return [_AGE.sub("… ago", line.replace("\xa0", " ")).rstrip() for _, line in sorted(lines.items())]


def main(arguments: list[str]) -> int:
    """Writes the picture, or compares its text with what the demo prints now; 1 when it is out of date."""
    drawn = draw(run_demo())
    if "--check" not in arguments:
        PICTURE.write_text(drawn, "utf-8")
        return 0
    found = text_of(PICTURE.read_text("utf-8")) if PICTURE.exists() else []
    changes = list(difflib.unified_diff(found, text_of(drawn), "the picture", "aicx demo", lineterm="", n=0))
    if changes:
        sys.stderr.write("\n".join(changes) + "\ndocs/demo.svg is out of date: make docs\n")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
