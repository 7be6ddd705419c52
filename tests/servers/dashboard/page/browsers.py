"""Invented sessions to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aicx.demo import FAKE_TOKEN
from aicx.engine.lexical_index import refresh_lexical
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home

LEXER, LONG, HOSTILE = f"claude:{SESSION}", f"codex:{THIRD}", f"claude:{OTHER}"
CHAPTERS = 30
# Each of these would set it, if anything of a log were ever taken for markup or code.
ATTACKS = (
    "<script>window.attacked = 'script'</script>",
    "<img src=x onerror=\"window.attacked = 'image'\">",
    "[a link](javascript:window.attacked='link')",
    "</script></style></title><svg onload=\"window.attacked = 'svg'\">",
    "```html\n</script><script>window.attacked = 'code'</script>\n```",
)
HOSTILE_TITLE = "<script>window.attacked = 'title'</script><img src=x onerror=\"window.attacked = 'title'\">"


def store_sessions(root: Path) -> Home:
    """Three sessions: a short one with tools that work and fail, a long one, and one that attacks whoever shows it."""
    user = Home(root)
    orbit = user.repository("orbit", "git@x.org:ada/orbit.git")
    apiary = user.repository("apiary", "git@x.org:ada/apiary.git")
    lexer = ClaudeLog(SESSION, orbit, "fix/lexer").prompt("The lexer drops the last token, why?", 0)
    lexer.call("Edit", 1, "call_1", file_path=f"{orbit}/src/lexer.py").result("no such line", 2, "call_1", failed=True)
    lexer.call("Bash", 3, "call_2", command="pytest -q tests/test_lexer.py").result("1 passed\nin 0.2 s", 4, "call_2")
    lexer.answer(
        "## Cause\n\nThe loop in `next_token` ends **one character** early.\n\n- compare with `<=`\n- test it", 5
    )
    lexer.prompt(f"And is the key {FAKE_TOKEN} gone?", 6).answer("Yes, it was rotated.", 7).title("Lexer loses a token")
    user.claude(lexer)
    long = CodexLog(THIRD, apiary)
    filler = " ".join(f"word{number}" for number in range(420))
    for number in range(CHAPTERS):
        marmalade = "The secret ingredient is quince." if number in (3, 25) else "Nothing unusual."
        long.prompt(f"Chapter {number} of the honey report", 3600 + 60 * number)
        long.answer(f"{filler}\n\n{marmalade} End of chapter {number}.", 3610 + 60 * number)
    user.codex(long)
    hostile = ClaudeLog(OTHER, orbit, "<img/src=x/onerror=window.attacked=1>").prompt(
        "wasp\n\n" + "\n\n".join(ATTACKS), 60
    )
    hostile.call("<img src=x onerror=window.attacked=2>", 61, note=ATTACKS[1]).result(ATTACKS[3], 62)
    hostile.answer("\n\n".join(ATTACKS), 63).title(HOSTILE_TITLE)
    user.claude(hostile)
    user.store()
    refresh_lexical(user.settings, lambda line: None)
    return user


def too_wide(page: Any) -> dict[int, int]:
    """How wide a page is on those small screens on which it has to be scrolled sideways."""
    found = {}
    for width in (320, 390, 800):
        page.set_viewport_size({"width": width, "height": 800})
        found[width] = page.evaluate("document.documentElement.scrollWidth")
    return {width: whole for width, whole in found.items() if whole > width}
