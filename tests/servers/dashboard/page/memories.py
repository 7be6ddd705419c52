"""A repository with a memory: agreed, waiting, in conflict, stale and kept apart, with markup wherever it can be."""

from __future__ import annotations

import json
import subprocess
from contextlib import chdir, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import SESSION, ClaudeLog, Home
from tests.servers.dashboard.page.browsers import ATTACKS

RETRY = "import time\n\n\ndef retry(call):\n    for attempt in range(5):\n        call()\n    return None\n"
HOSTILE = f"Prefer ``` fences {ATTACKS[1]} over [links](javascript:alert(1))"


class Remembered:
    """A corpus with records of ``acme/widgets``, made with the commands; ``refs`` has them by name."""

    def __init__(self, folder: Path) -> None:
        user = Home(folder)
        self.repo, self.environ = user.work / "widgets", user.environ
        self.repo.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("remote", "add", "origin", "git@github.com:acme/widgets.git")
        (self.repo / "retry.py").write_text(RETRY)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Retries")
        log = ClaudeLog(SESSION, str(self.repo)).prompt("Where are exports written?", 0)
        user.claude(log.answer("Exports are written by a worker, because they are slow.", 5))
        user.store()
        rule = ("Exports need an authorisation check", "--kind", "policy", "--topic", "exports")
        anchored = ("Retries are capped at 5", "--kind", "fact", "--topic", "retries", "--anchor", "retry.py#L4-L6")
        build = ("--kind", "decision", "--topic", "build", "--claim")
        worker = ("--topic", "exports", "--anchor", "retry.py#L1-L4", "--evidence", f"chunk:claude:{SESSION}:001")
        self.refs = {
            "agreed": self.accepted(*rule),
            "stale": self.accepted(*anchored),
            "ninja": self.accepted("Builds use ninja", *build, "tool=ninja"),
            "make": self.accepted("Builds use make", *build, "tool=make"),
            "waiting": self.put("Exports are written by a worker", *worker),
            "hostile": self.put(HOSTILE, "--kind", "preference", "--topic", ATTACKS[3], "--origin", "subagent"),
            "apart": self.put("The queue holds forty jobs", "--kind", "fact"),
        }
        self("hold", self.refs["apart"], "--why", "it looks odd")
        (self.repo / "retry.py").write_text(RETRY.replace("range(5)", "range(9)"))

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(self.repo), *who, *arguments], check=True, capture_output=True)

    def __call__(self, *arguments: str, group: str = "memory") -> dict[str, Any]:
        """The JSON of `aicx memory arguments`."""
        written = BytesIO()
        out = TextIOWrapper(written, "utf-8", write_through=True)
        with pytest.MonkeyPatch.context() as patch, chdir(self.repo), redirect_stdout(out):
            for name, value in self.environ.items():
                patch.setenv(name, value)
            code = run([group, *arguments, "--json"])
        assert code == 0, written.getvalue().decode()
        found: dict[str, Any] = json.loads(written.getvalue())
        return found

    def put(self, *arguments: str) -> str:
        return str(self("put", *arguments)["entry"]["ref"])

    def accepted(self, *arguments: str) -> str:
        ref = self.put(*arguments)
        self("accept", ref, "--by", "Ada", "--yes")
        return ref

    def entry(self, name: str) -> dict[str, Any]:
        entry: dict[str, Any] = self("get", self.refs[name])["entry"]
        return entry
