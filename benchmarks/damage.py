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
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

Outcome = Literal["no effect", "named and mended", "other answers unnamed", "not mended", "exit 70", "noise"]
GOOD: tuple[Outcome, ...] = ("no effect", "named and mended")

_SESSIONS = 24
_BLOCK = 512
_NOUNS = ("gasket", "valve", "washer", "flange", "pump", "bearing", "nozzle", "manifold", "piston", "rotor", "filter")
_VERBS = ("leaks", "rattles", "rusts", "sticks", "overheats", "vibrates", "cracks", "drips", "whistles", "jams")
_NOISE = ("Traceback", "panicked at", "PanicException", "Warning:", "a bug in aicx", "Segmentation fault")
_SECONDS = 120


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
class Asked:
    """The answers to all questions, and what was printed and returned that should not have been."""

    answers: list[Any]
    reasons: list[str]
    codes: list[int]
    said: str


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
    """Evenly over the kinds of derived files, and at random within each."""
    chance = random.Random(seed)
    by_kind: dict[str, list[str]] = {}
    for path in sorted(derived_files(corpus)):
        by_kind.setdefault(kind_of(path), []).append(path)
    for number in range(count):
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


# The home -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Home:
    """A user's home with logs, and the corpus made of them."""

    user: Path
    corpus: Path

    @property
    def environ(self) -> dict[str, str]:
        return {"HOME": str(self.user), "AICX_HOME": str(self.corpus), "PATH": os.environ["PATH"], "TERM": "dumb"}

    def copied(self, folder: Path) -> Home:
        """The same logs with a copy of the corpus, whose times are recorded as its own."""
        shutil.copytree(self.corpus, folder)
        copy = Home(self.user, folder)
        _check(copy.run("store"))
        return copy

    def run(self, *arguments: str) -> Done:
        """One command line, in a process of its own."""
        return forked(self, lambda: _command_line(arguments))


@dataclass(frozen=True, slots=True)
class Done:
    """How a process ended; ``code`` is negative for a signal."""

    code: int
    out: str
    err: str


def forked(home: Home, work: Callable[[], int]) -> Done:
    """``work`` in a process of its own, forked from this one, which has imported everything: damage may end it."""
    with tempfile.TemporaryDirectory(prefix="aicx-damage-") as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            code = 99
            try:
                for path, handle in ((out, 1), (err, 2)):
                    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), handle)
                os.environ.update(home.environ)
                code = work()
                sys.stdout.flush()
                sys.stderr.flush()
            except BaseException:  # noqa: BLE001 - a traceback here is one that a person would see
                traceback.print_exc()
            finally:
                os._exit(code)
        give_up = time.monotonic() + _SECONDS
        while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
            if time.monotonic() > give_up:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.005)
        code = os.waitstatus_to_exitcode(ended[1])
        return Done(code, out.read_text("utf-8", "replace"), err.read_text("utf-8", "replace"))


def _command_line(arguments: Sequence[str]) -> int:
    """`aicx`, with the small model made where the real one would be distilled for half a minute."""
    import indexer.distill
    from aicx.cli import run as command_line

    def distill(name: str, load: object, models_dir: Path, **_: object) -> Path:
        return write_model(models_dir / "static-tiny")

    indexer.distill.distill = distill
    return command_line(arguments)


def prepare() -> None:
    """Imports what the commands need, and nothing that starts a thread, which a forked process would lack."""
    for name in (
        "aicx.cli",
        "aicx.commands.search",
        "aicx.commands.store",
        "aicx.commands.doctor",
        "tantivy",
        "lance",
        "aicx.commands.steer",
        "aicx.engine.vector_index",
        "indexer.vectors",
        "indexer.lexical",
        "lancedb",
        "retrieval.dense",
        "retrieval.lexical",
        "retrieval.embedders.static",
        "tokenizers",
        "numpy",
    ):
        import_module(name)
    warnings.simplefilter("ignore")


def make_home(folder: Path) -> Home:
    """A home with invented logs, stored and embedded with a small model."""
    home = Home(folder / "user", folder / "corpus")
    logs = home.user / ".claude" / "projects" / "-srv-orbit"
    logs.mkdir(parents=True)
    for number in range(_SESSIONS):
        session = f"{number:08x}-0000-4000-8000-000000000001"
        rows = [_row(session, number, turn, text) for turn, text in enumerate(_texts(number))]
        (logs / f"{session}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = sorted(logs.iterdir())
    for path in files[_SESSIONS // 2 :]:
        path.rename(path.with_suffix(".later"))
    for _ in range(2):  # so that each index has more than one part
        _check(home.run("store"))
        _check(home.run("index", "--embedder", "static"))
        for path in logs.glob("*.later"):
            path.rename(path.with_suffix(".jsonl"))
    repository = folder / "orbit"
    repository.mkdir()
    for noun in _NOUNS:
        (repository / f"{noun}.py").write_text(f"def replace_{noun}():\n    return {noun!r}\n")
    _check(home.run("map", "refresh", "--repo", str(repository)))
    return home


def _texts(number: int) -> list[str]:
    noun, verb = _NOUNS[number % len(_NOUNS)], _VERBS[number % len(_VERBS)]
    other = _NOUNS[(number * 7 + 3) % len(_NOUNS)]
    return [
        f"The {noun} of machine {number} {verb}. Why?",
        f"The {other} beside it is worn; replace_{other}() in src/{noun}.py says so. " * 3,
        f"Replace the {other} and look at the {noun} again.",
    ]


def _row(session: str, number: int, turn: int, text: str) -> dict[str, Any]:
    role = "assistant" if turn == 1 else "user"
    return {
        "type": role,
        "uuid": f"{session[:8]}-{turn:04d}-4000-8000-000000000002",
        "sessionId": session,
        "cwd": "/srv/orbit",
        "timestamp": f"2026-03-{1 + number % 28:02d}T10:{turn:02d}:00.000Z",
        "message": {"role": role, "content": [{"type": "text", "text": text}] if turn == 1 else text},
    }


def write_model(folder: Path) -> Path:
    """A static model of random directions, as the indexer writes one; the same every time."""
    if folder.exists():
        return folder
    import numpy as np
    from tokenizers import Tokenizer, models, pre_tokenizers

    from indexer.distill import RECIPE
    from retrieval.embedders import PACKAGED

    folder.mkdir(parents=True)
    words = sorted(
        {word.strip(".,;?()").lower() for number in range(_SESSIONS) for word in " ".join(_texts(number)).split()}
    )
    vocabulary = {word: place for place, word in enumerate(["[UNK]", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    table = np.random.default_rng(7).normal(size=(len(vocabulary), 32)).astype(np.float32)
    np.save(folder / "table.npy", table)
    fields = {"schema": "aicx.model/1", "format": "static", "name": PACKAGED, "quantized": False, "dimensions": 32}
    more = {"max_tokens": 64, "fingerprint": "tiny", "weights": "table.npy", "weighting": {"recipe": RECIPE}}
    (folder / "model.json").write_text(json.dumps(fields | more))
    return folder


def _check(done: Done) -> None:
    if done.code:
        raise RuntimeError(done.err)


# Asking -------------------------------------------------------------------------------------------------------------


def questions() -> list[tuple[str, str]]:
    """50 fixed questions, each with the way it is asked: `lexical`, `hybrid` or `steer`."""
    asked = [("lexical", f"{noun} {verb}") for noun, verb in zip(_NOUNS, _VERBS, strict=False)]
    asked += [("lexical", f"replace_{noun}") for noun in _NOUNS[:6]]
    asked += [("lexical", f'"the {noun} beside it"') for noun in _NOUNS[:4]]
    asked += [("hybrid", f"why does the {noun} make trouble") for noun in _NOUNS]
    asked += [("hybrid", f"what {verb}") for verb in _VERBS[:4]]
    asked += [("steer", day) for day in ("2026-03-01", "2026-03-05", "2026-03-09", "2026-03-14", "2026-03-20")]
    asked += [("steer", f"src/{noun}.py") for noun in _NOUNS[:5]] + [("steer", ""), ("steer", "limit")]
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
            code = _command_line(_arguments(way, text))
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
