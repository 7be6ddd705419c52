"""A home with a memory and a repository beside it, spoken to through the real command line."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.config import Settings, load_settings
from aicx.corpus.ingest.report import StoreRequest
from aicx.corpus.ingest.run import store
from aicx.memory.assess import Assessment
from aicx.memory.reading import Memory, find_scope
from tests.repositories import NO_UPKEEP, begin, head


class Place:
    """One user with one repository. ``__call__`` runs `aicx memory` and gives its JSON."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.home, self.repo = folder, folder / "corpus", folder / "widgets"
        self.environ = {"HOME": str(folder / "user"), "AICX_HOME": str(self.home)}
        for name, value in self.environ.items():
            monkeypatch.setenv(name, value)
        if not self.repo.exists():
            (folder / "user").mkdir()
            begin(self.repo, "git@github.com:acme/widgets.git")
        monkeypatch.chdir(self.repo)
        self._capsys = capsys

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(self.repo), *NO_UPKEEP, *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def write(self, path: str, text: str) -> Path:
        place = self.repo / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def commit(self, message: str = "A change") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return head(self.repo)

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of `aicx arguments`."""
        self._capsys.readouterr()
        code = run([*arguments])
        out, err = self._capsys.readouterr()
        return code, out, err

    def __call__(self, *arguments: str) -> dict[str, Any]:
        """The JSON of `aicx memory arguments`, which have to succeed."""
        code, out, err = self.run("memory", *arguments, "--json")
        assert code == 0, out + err
        found: dict[str, Any] = json.loads(out)
        return found

    def refused(self, *arguments: str) -> str:
        """The message of `aicx memory arguments`, which have to fail."""
        code, out, _ = self.run("memory", *arguments, "--json")
        assert code != 0, out
        message: str = json.loads(out)["error"]
        return message

    def store(self) -> None:
        """Stores the logs of the user, without the indexes that `aicx store` brings up to date afterwards."""
        store(self.settings, StoreRequest(), lambda done, total, label: None, lambda _: None)

    def put(self, statement: str, *options: str) -> str:
        """The reference of a new candidate."""
        ref: str = self("put", statement, *options)["entry"]["ref"]
        return ref

    def accepted(self, statement: str, *options: str) -> str:
        """The reference of a record that Ada accepted."""
        ref = self.put(statement, *options)
        self("accept", ref, "--by", "Ada", "--yes")
        return ref

    def entry(self, ref: str) -> dict[str, Any]:
        entry: dict[str, Any] = self("get", ref)["entry"]
        return entry

    def baseline(self) -> set[str]:
        """The references of everything that is agreed here."""
        entries = self("list", "--limit", "10000")["entries"]
        assert all(entry["status"] == "accepted" for entry in entries if entry["baseline"])
        return {entry["ref"] for entry in entries if entry["baseline"]}

    @property
    def settings(self) -> Settings:
        return load_settings()

    def assessed(self, now: datetime | None = None) -> dict[str, Assessment]:
        """Every record of the repository by its reference, as it may be believed at ``now``."""
        settings = self.settings
        with Memory.open(settings, now or datetime.now(UTC), scope=find_scope(settings, self.repo)) as memory:
            return {found.record.ref: found for found in memory.assessed()}

    def files(self, ref: str) -> tuple[Path, Path]:
        """The Markdown and the sidecar of a record."""
        (markdown,) = self.home.glob(f"memory/*/*/*{ref.removeprefix('mem:')}.md")
        return markdown, markdown.with_name(f"{markdown.stem}.meta.json")

    def change_sidecar(self, ref: str, **fields: Any) -> None:
        """What a hand that knows the format would do."""
        _, sidecar = self.files(ref)
        sidecar.write_text(json.dumps({**json.loads(sidecar.read_text()), **fields}))

    @property
    def log(self) -> Path:
        return self.home / "memory" / "events.jsonl"

    def tree(self) -> dict[str, str]:
        """Everything in the repository, by its hash."""
        files = (path for path in self.repo.rglob("*") if path.is_file())
        return {str(path.relative_to(self.repo)): sha256(path.read_bytes()).hexdigest() for path in files}

    def doctor(self) -> dict[str, dict[str, Any]]:
        """The checks of `aicx doctor` by name."""
        _, out, _ = self.run("doctor", "--json")
        return {check["name"]: check for check in json.loads(out)["checks"]}
