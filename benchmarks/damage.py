"""What becomes of damaged files: `python -m benchmarks.damage [--count 300] [--seed 1]`.

A small home with a catalogue, a BM25 index, vectors, a model of its own and a map is made, and 50 fixed questions are
asked through `steer` and `search`. Then, again and again, one derived file of a copy is damaged: a bit, a block of
zeros, or its end, sometimes with its size and modification time as before. The same questions are asked in a process
of their own, and the copy is mended with one command, `aicx store` or, for vectors, `aicx doctor --fix`.

Every damage has to be without effect on all answers, or named by the answers it touches and gone after that command.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchmarks.damage_home import NOUNS, VERBS, Home, command_line, forked, make_home, prepare

_BLOCK = 512
_NOISE = ("Traceback", "panicked at", "PanicException", "Warning:", "a bug in aicx", "Segmentation fault")


@dataclass(frozen=True, slots=True)
class Damage:
    """One way to damage one file, as it can be done again: which file, how, and with which numbers."""

    file: str
    how: Literal["bit", "block", "cut"]
    at: float  # 0 to 1: where in the file
    bit: int
    keeps_times: bool

    def do(self, home: Path) -> None:
        path = home / self.file
        before = path.stat()
        body = bytearray(path.read_bytes())
        place = min(int(self.at * len(body)), len(body) - 1)
        if self.how == "bit":
            body[place] ^= 1 << self.bit
        elif self.how == "block":
            body[place : place + _BLOCK] = bytes(len(body[place : place + _BLOCK]))
        else:
            del body[place:]
        path.write_bytes(body)
        if self.keeps_times:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@dataclass(slots=True)
class Result:
    """How often what came out, by kind of file, and every case that is not good."""

    outcomes: Counter[tuple[str, Outcome]] = field(default_factory=Counter)
    bad: list[tuple[Damage, Outcome, str]] = field(default_factory=list)

    def count(self, outcome: Outcome) -> int:
        return sum(number for (_, found), number in self.outcomes.items() if found == outcome)


def run(count: int, seed: int, folder: Path, most: int = 50) -> Result:
    """Damages ``count`` files, one at a time, each in a home that is whole otherwise."""
    home = make_home(folder / "made")
    expected = ask(home, most)
    assert not any(expected.codes), expected.said
    result = Result()
    for number, damage in enumerate(damages(home.corpus, count, seed)):
        copy = home.copied(folder / f"copy-{number}")
        damage.do(copy.corpus)
        outcome, detail = judge(copy, damage, expected, most)
        result.outcomes[kind_of(damage.file), outcome] += 1
        print(f"{number + 1} {kind_of(damage.file)}: {outcome}", file=sys.stderr, flush=True)
        if outcome not in GOOD:
            result.bad.append((damage, outcome, detail))
        shutil.rmtree(copy.corpus)
    return result


def judge(home: Home, damage: Damage, expected: Asked, most: int) -> tuple[Outcome, str]:
    asked = ask(home, most)
    if 70 in asked.codes or any(code < 0 or code == 99 for code in asked.codes):
        return "exit 70", asked.said[-500:]
    if noise := next((word for word in _NOISE if word in asked.said), None):
        return "noise", f"{noise}: {asked.said[-500:]}"
    rows = zip(asked.answers, expected.answers, asked.reasons, strict=True)
    touched = [reason for answer, wanted, reason in rows if answer != wanted]
    if not all(touched):
        return "other answers unnamed", f"{touched.count('')} of {len(touched)}"
    vectors = kind_of(damage.file) in ("vectors", "model", "map")
    mended = home.run("doctor", "--fix") if vectors else home.run("store")
    if mended.code in (70, 99) or mended.code < 0 or any(word in mended.err for word in _NOISE):
        return "exit 70", mended.err[-500:]
    again = ask(home, most)
    if again.answers != expected.answers or any(again.reasons):
        return "not mended", f"{mended.err[-300:]} {next(filter(None, again.reasons), '')}"
    checked = home.run("doctor", "--json")
    critical = [row for row in json.loads(checked.out)["checks"] if row["severity"] == "critical"]
    if critical:
        return "not mended", json.dumps(critical)
    return ("named and mended" if any(asked.reasons) else "no effect"), ""


def damages(corpus: Path, count: int, seed: int) -> Iterator[Damage]:
    """Evenly over the kinds of derived files, of which the seed chooses the first, and at random within each."""
    chance = random.Random(seed)
    by_kind: dict[str, list[str]] = {}
    for path in sorted(derived_files(corpus)):
        by_kind.setdefault(kind_of(path), []).append(path)
    for number in range(seed, seed + count):
        files = by_kind[sorted(by_kind)[number % len(by_kind)]]
        how: Any = chance.choice(("bit", "block", "cut"))
        keeps = how != "cut" and chance.random() < 0.5
        yield Damage(chance.choice(files), how, chance.random(), chance.randrange(8), keeps)


def derived_files(corpus: Path) -> list[str]:
    tops = ("index", "models", "repomap")
    found = [path for top in tops for path in (corpus / top).rglob("*") if path.is_file() and path.stat().st_size]
    found += [path for path in corpus.iterdir() if path.name.startswith(("catalog.sqlite", "index.json"))]
    return [str(path.relative_to(corpus)) for path in found if path.stat().st_size and not path.name.endswith(".lock")]


def kind_of(file: str) -> str:
    if file.startswith("index/"):
        part = file.split("/")[1]
        return "lexical" if part.startswith("lexical") else "vectors" if part.startswith("vectors") else "manifest"
    return {"models": "model", "repomap": "map"}.get(file.split("/")[0], file.split(".")[0])


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


Outcome = Literal["no effect", "named and mended", "other answers unnamed", "not mended", "exit 70", "noise"]
GOOD: tuple[Outcome, ...] = ("no effect", "named and mended")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--questions", type=int, default=50, help="ask only so many of them, evenly chosen")
    asked = parser.parse_args(arguments)
    prepare()
    with tempfile.TemporaryDirectory(prefix="aicx-damage-") as folder:
        result = run(asked.count, asked.seed, Path(folder), asked.questions)
    for (kind, outcome), number in sorted(result.outcomes.items()):
        print(f"{kind:10} {outcome:22} {number:4}")
    for damage, outcome, detail in result.bad:
        print(f"BAD {outcome}: {damage}\n    {detail}")
    print(f"{asked.count} corruptions, {len(result.bad)} bad, {result.count('exit 70')} exits 70")
    return 1 if result.bad else 0


if __name__ == "__main__":
    sys.exit(main())
