"""The questions that are asked of a damaged home, and its answers."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.damage_home import NOUNS, VERBS, Home, command_line, forked


@dataclass(slots=True)
class Asked:
    """The answers to all questions, and what was printed and returned that should not have been."""

    answers: list[Any]
    reasons: list[str]
    codes: list[int]
    said: str


def questions() -> list[tuple[str, str]]:
    """50 fixed questions, each with the way it is asked: `lexical`, `hybrid` or `steer`."""
    asked = [("lexical", f"{noun} {verb}") for noun, verb in zip(NOUNS, VERBS, strict=False)]
    asked += [("lexical", f"replace_{noun}") for noun in NOUNS[:6]]
    asked += [("lexical", f'"the {noun} beside it"') for noun in NOUNS[:4]]
    asked += [("hybrid", f"why does the {noun} make trouble") for noun in NOUNS]
    asked += [("hybrid", f"what {verb}") for verb in VERBS[:4]]
    asked += [("steer", day) for day in ("2026-03-01", "2026-03-05", "2026-03-09", "2026-03-14", "2026-03-20")]
    asked += [("steer", f"src/{noun}.py") for noun in NOUNS[:5]] + [("steer", ""), ("steer", "limit")]
    return [*asked, ("lexical", "maschine"), ("lexical", "gaskett"), ("hybrid", "machine 7")]


def ask(home: Home, most: int) -> Asked:
    """The questions, in one process."""
    every = questions()
    asked = every[:: max(1, len(every) // most)]
    done = forked(home, lambda: _answer(asked))
    try:
        answers, reasons, codes = json.loads(done.out)
    except ValueError:
        return Asked([], [], [done.code or 70], done.err)
    return Asked(answers, reasons, [*codes, done.code], done.err)


def _answer(asked: Sequence[tuple[str, str]]) -> int:
    """Prints the answers of the home in the environment, each with what it says of damage, and its exit code."""
    answers, reasons, codes = [], [], []
    for way, text in asked:
        written = io.BytesIO()
        out = io.TextIOWrapper(written, "utf-8")
        with contextlib.redirect_stdout(out):
            code = command_line(_arguments(way, text))
        out.flush()
        found = json.loads(written.getvalue() or "{}")
        rows = [(row["id"], [line["text"] for line in row.get("lines", [])]) for row in found.get("items", [])]
        answers.append([code, rows])
        reasons.append((found.get("oracle_status") or {}).get("fallback_reason") or found.get("error") or "")
        codes.append(code)
    print(json.dumps([answers, reasons, codes]))
    return 0


def _arguments(way: str, text: str) -> list[str]:
    if way != "steer":
        # `auto` is hybrid here, for there are vectors; it names what it leaves out.
        return ["search", text, "--json", "--mode", "lexical" if way == "lexical" else "auto"]
    options = ["--date", text] if text[:1] == "2" else ["--file", text] if "/" in text else []
    return ["steer", "--json", "--limit", "3" if text == "limit" else "100", *options]
