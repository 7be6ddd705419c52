"""Writes the golden files: `python -m tests.golden [FOLDER]`, with a fixed clock and fixed random numbers.

The home is always in the same folder, since ids are made from paths; one process at a time has it.
"""

from __future__ import annotations

import datetime as datetimes
import fcntl
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from tests.corpus.builders import Home

ROOT = Path("/tmp/aicx-golden")
_REAL = datetimes.datetime
# Of an answer, what the machine measures.
_MEASURED = re.compile(r'((?:seconds|elapsed_ms|dimensions":64,"bytes|behind":0,"size)":)[\d.e-]+|\b[\d.]+( GB free)')


class _RealOnly(type):
    """Every real datetime is an instance of the one below, of which there are none."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _REAL)


class Clock(_REAL, metaclass=_RealOnly):
    """Stands in for `datetime`: the time is that of the command which runs, a minute after the one before."""

    at: ClassVar[datetimes.datetime] = _REAL(2026, 3, 2, 9, 0, tzinfo=datetimes.UTC)
    drawn: ClassVar[Counter[int]] = Counter()

    def __new__(cls, *args: Any, **named: Any) -> Any:
        return _REAL(*args, **named)

    @classmethod
    def now(cls, tz: datetimes.tzinfo | None = None) -> Any:
        return cls.at.astimezone(tz) if tz else cls.at.replace(tzinfo=None)

    @classmethod
    def step(cls) -> None:
        cls.at += datetimes.timedelta(minutes=1)
        cls.drawn.clear()


def _drawn(size: int) -> bytes:
    """Bytes that look random: by the command, and by how many of this length it has drawn."""
    Clock.drawn[size] += 1
    return hashlib.shake_128(f"{Clock.at} {size} {Clock.drawn[size]}".encode()).digest(size)


def _fix() -> None:
    import tantivy  # noqa: F401  asks for the real class when it is loaded

    datetimes.datetime = Clock  # type: ignore[misc]
    time.time = lambda: Clock.at.timestamp()
    time.time_ns = lambda: round(Clock.at.timestamp()) * 10**9
    os.urandom = _drawn
    random._urandom = _drawn  # type: ignore[attr-defined]


@contextmanager
def _place() -> Iterator[Path]:
    """The folder of the home, empty, for this process alone."""
    with open(f"{ROOT}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(ROOT, ignore_errors=True)
        ROOT.mkdir()
        yield ROOT
        shutil.rmtree(ROOT)


def _ran(words: list[str], reads: str = "") -> tuple[int, str]:
    """The exit code of a command and what it prints; where it fails, with what it says."""
    from aicx.cli import run

    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = (TextIOWrapper(BytesIO(text.encode())) for text in (f"{reads}\n", "", ""))
    try:
        try:
            code = run(words)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        found = []
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            found.append(stream.buffer.getvalue().decode())  # type: ignore[union-attr]
        return code, found[0] + (found[1] if code else "")
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams


def _answers(names: dict[str, str]) -> Iterator[str]:
    from tests.golden.story import STORY
    from tests.tree import meant, options_in

    for line in filter(None, STORY.splitlines()):
        match = re.fullmatch(r"(?:\((\d)\) )?(?:(\w+) <- (\S+) : )?(.*?)(?: < (.*))?", line)
        assert match, line
        expected, name, field, text, reads = match.groups()
        words = [os.path.expanduser(word) for word in shlex.split(text.format(**names))]
        Clock.step()
        code, said = _ran([*words, *(["--json"] if "--json" in options_in(meant(*words)[1]) else [])], reads or "")
        said = _MEASURED.sub(r"\g<1>0\2", said)
        assert code == int(expected or 0), f"{line}\n{code}\n{said}"
        if name:
            value = json.loads(said)
            for part in field.split("."):
                value = value[int(part) if part.isdigit() else part]
            names[name] = value
        yield f"$ aicx {text}\n{said.rstrip()}\n\n"


def _help() -> Iterator[str]:
    from aicx.commands import FORMER, INSTEAD
    from tests.tree import commands

    groups = {name.rpartition(" ")[0] for name in commands()} | {name.partition(" ")[0] for name in commands()}
    instead = {f"{command} {options}" for command, rows in INSTEAD.items() for options in rows}
    for name in sorted({*groups, *commands(), *instead}):
        asked = "--help" if name in FORMER else "--help-all"
        code, said = _ran([*name.split(), asked])
        assert code == 0, said
        yield f"$ aicx {name} {asked}\n{said.rstrip()}\n\n"


def _files(user: Home) -> Iterator[str]:
    from tests.golden.story import kept_files

    for path, body in kept_files(user).items():
        try:
            text = body.decode()
        except UnicodeDecodeError:
            text = f"sha256 {hashlib.sha256(body).hexdigest()}"
        yield f"=== {path.relative_to(ROOT)}\n{text.rstrip()}\n"


def _programs(root: Path) -> Path:
    """A folder with git alone, so that no answer tells which agents this machine has."""
    git = shutil.which("git")
    assert git
    (root / "bin").mkdir()
    (root / "bin" / "git").symlink_to(git)
    return root / "bin"


def _installation(root: Path) -> Path:
    """A Python with a script `aicx` beside it: what aicx writes into files of other programs names where it is."""
    place = root / "installed"
    place.mkdir()
    (place / "aicx").touch()
    python = place / "python"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    return python


def main(folder: Path) -> None:
    """Writes the three files into ``folder``."""
    _fix()
    with _place() as root:
        sys.executable = str(_installation(root))
        environ = {"HOME": f"{root}/home", "AICX_HOME": f"{root}/corpus", "PATH": str(_programs(root)), "TZ": "UTC"}
        environ |= {"COLUMNS": "80", "LC_ALL": "C.UTF-8", "TERM_SESSION_ID": "here", "GIT_CONFIG_NOSYSTEM": "1"}
        os.environ.clear()
        os.environ.update(environ)
        time.tzset()
        import aicx
        import tests.embedder  # noqa: F401  adds itself to the table of embedders
        from tests.corpus.builders import Home
        from tests.golden.story import fill

        user = Home(root)
        names = fill(user)
        os.chdir(user.root / "src" / "orbit")
        texts = {"help": _help(), "answers": _answers(names), "files": _files(user)}
        for name, parts in texts.items():
            text = "".join(parts)
            (folder / f"{name}.txt").write_text(text.replace(aicx.__version__, "VERSION"), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else Path(__file__).parent)
