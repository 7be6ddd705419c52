"""A clone and a home as they were at one moment, for a replay, and the real commands run there with the clock set."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from unittest import mock

from benchmarks.replay_logs import RawLog

_QUIET = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_GLOBAL": "/dev/null"}
_MAIN = "main"


@dataclass(frozen=True, slots=True)
class Clone:
    """A working copy of a bare repository without file contents: its index is full, its working tree is left empty.

    Git counts every path as sparse, so that nothing is missing and nothing has changed.
    """

    bare: Path
    folder: Path

    def create(self) -> None:
        self.folder.mkdir(parents=True)
        self._git("init", "--quiet", "--initial-branch", _MAIN)
        (self.folder / ".git" / "objects" / "info" / "alternates").write_text(f"{self.bare / 'objects'}\n")
        url = _answer(self.bare, "config", "--get", "remote.origin.url")
        for name, value in (
            ("remote.origin.url", url),
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialclonefilter", "blob:none"),
            ("core.repositoryformatversion", "1"),
            ("extensions.partialclone", "origin"),
            ("core.sparseCheckout", "true"),
            ("core.sparseCheckoutCone", "false"),
        ):
            self._git("config", name, value)
        (self.folder / ".git" / "info").mkdir(exist_ok=True)
        (self.folder / ".git" / "info" / "sparse-checkout").write_text("/.nothing-is-checked-out\n")

    def move(self, moment: datetime, branch: str | None, commit: str | None) -> str:
        """Puts the clone at ``commit``, else at the last one of the main branch then, on ``branch``; its hash."""
        main = self._git(
            "rev-list", "-1", f"--before=@{int(moment.timestamp())}", _answer(self.bare, "rev-parse", "HEAD")
        )
        known = commit if commit and self._holds(commit) else main
        for ref in self._git("for-each-ref", "--format=%(refname)").split():
            self._git("update-ref", "-d", ref)
        name = branch if branch and branch != "HEAD" else _MAIN
        self._git("update-ref", f"refs/remotes/origin/{_MAIN}", main)
        self._git("update-ref", f"refs/heads/{_MAIN}", main)
        self._git("update-ref", f"refs/heads/{name}", known)
        self._git("symbolic-ref", "HEAD", f"refs/heads/{name}")
        self._git("read-tree", "-m", "-u", "HEAD")
        return known

    def subjects(self) -> list[str]:
        """The subjects of all commits that the head holds, the newest first."""
        return self._git("log", "--format=%s", "HEAD").splitlines()

    def _holds(self, commit: str) -> bool:
        return _run(self.folder, "cat-file", "-e", f"{commit}^{{commit}}").returncode == 0

    def _git(self, *arguments: str) -> str:
        return _answer(self.folder, *arguments)


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, **_QUIET}
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], env=environ, capture_output=True, text=True, check=False
    )


def _answer(folder: Path, *arguments: str) -> str:
    done = _run(folder, *arguments)
    if done.returncode:
        raise RuntimeError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def grow(logs: Iterable[RawLog], source: Path, home: Path, moment: datetime, folder: Path) -> None:
    """Writes into ``home`` what the logs held before ``moment``; ``folder`` takes the place of their repository's.

    Paths of Windows below it become paths of this system, as if the session had been here.
    """
    for log in logs:
        size = log.until(moment)
        if not size:
            continue
        target = home / log.path
        target.parent.mkdir(parents=True, exist_ok=True)
        with (source / log.path).open("rb") as stream:
            body = stream.read(size)
        body = _moved(body, log.root, str(folder))
        if not target.exists() or target.stat().st_size != len(body):
            target.write_bytes(body)


def _moved(body: bytes, root: str, folder: str) -> bytes:
    """``body``, lines of JSON, with paths below ``root`` as paths below ``folder``."""
    if root.startswith("/"):
        return body.replace(root.encode(), folder.encode())
    # Backslashes are doubled in JSON, and doubled again where JSON is quoted in it.
    parts = rb"(?:\\\\)+".join(re.escape(part.encode()) for part in root.split("\\"))
    below = re.compile(parts + rb"((?:(?:\\\\)+[\w.@+-]+)*)(?![\w-])", re.IGNORECASE)
    return below.sub(lambda found: folder.encode() + re.sub(rb"(?:\\\\)+", b"/", found[1]), body)


def asked_at(moment: datetime, commands: Sequence[Sequence[str]], environ: Mapping[str, str]) -> list[str]:
    """What each command prints when the clock says ``moment``; all run in one process of their own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.replay_place", moment.isoformat()],
        input=json.dumps(commands),
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return list(json.loads(done.stdout))


def main() -> None:
    from aicx import options
    from aicx.cli import run

    moment, said = datetime.fromisoformat(sys.argv[1]), []
    with mock.patch.object(options, "now", return_value=moment):
        for command in json.load(sys.stdin):
            out, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
            with redirect_stdout(out), redirect_stderr(errors):
                code = run(command)
            out.flush()
            errors.flush()
            printed = out.buffer.getvalue().decode("utf-8", "replace")
            if code and not printed:
                printed = errors.buffer.getvalue().decode("utf-8", "replace")
            said.append(printed)
    print(json.dumps(said))


if __name__ == "__main__":
    main()
