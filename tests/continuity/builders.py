"""A repository with sessions of Claude Code in it, and `aicx task note` run there through the real command line."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from aicx.continuity.note import Layer, Layers
from aicx.continuity.places import note_places, read_state
from aicx.continuity.reading import read_layers
from tests.corpus.builders import ClaudeLog
from tests.work.builders import TaskPlace, git

FIRST, SECOND, THIRD = (f"{number}a2b3c4d-0000-4000-8000-00000000000{number}" for number in (1, 2, 3))
Call = tuple[str, str, bool]  # a command, its output, and whether it failed


class NotePlace(TaskPlace):
    """One user with one repository; logs are written to the user's home and not stored."""

    def session(
        self,
        name: str,
        *prompts: str,
        calls: tuple[Call, ...] = (),
        said: str = "Done so far.",
        begin: float = 0,
        folder: Path | None = None,
        modified: int | None = None,
        agent: str | None = None,
    ) -> Path:
        """The log of a session: its first prompt, its calls, its answer, then each further prompt with an answer."""
        where = folder or self.repo
        log = ClaudeLog(name, str(where)).prompt(prompts[0], begin)
        at = begin + 1
        for number, (command, output, failed) in enumerate(calls):
            log.call("Bash", at, f"t{number}", command=command).result(output, at + 0.5, f"t{number}", failed=failed)
            at += 1
        log.answer(said, at)
        for prompt in prompts[1:]:
            log.prompt(prompt, at + 1).answer("All right.", at + 2)
            at += 2
        return self.write_log(log, name if agent is None else agent, modified, where)

    def write_log(self, log: ClaudeLog, name: str, modified: int | None = None, folder: Path | None = None) -> Path:
        encoded = "".join(sign if sign.isalnum() else "-" for sign in str(folder or self.repo))
        path = self.folder / "user/.claude/projects" / encoded / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in log.records))
        if modified is not None:
            os.utime(path, (modified, modified))
        return path

    def __call__(self, *arguments: str) -> dict[str, Any]:
        return self.json("continuity", *arguments)

    def failed(self, *arguments: str) -> dict[str, Any]:
        code, out, _ = self.run("continuity", *arguments, "--json")
        assert code != 0, out
        return {**json.loads(out), "code": code}

    @property
    def project(self) -> Path:
        return note_places(self.settings, self.place).project

    @property
    def local(self) -> Path:
        return note_places(self.settings, self.place).local

    def layers(self) -> Layers:
        return read_layers(self.settings, self.place)

    def texts(self, kind: str, layer: str = "merged") -> list[str]:
        """The items of one kind as they are read."""
        found = self.layers()
        note = {"merged": found.merged, "project": found.project, "local": found.local}[layer]
        return [] if note is None else [item.text for item in note.sections.get(kind, ())]  # type: ignore[call-overload]

    def goal(self) -> str | None:
        found = self.layers().merged.goal
        return found.text if found else None

    def stated(self, layer: Layer) -> int:
        places = note_places(self.settings, self.place)
        return sum(one.stated for one in read_state(places.state(layer)).items.values())

    def edit(self, path: Path, old: str, new: str) -> None:
        text = path.read_text("utf-8")
        assert old in text, text
        path.write_text(text.replace(old, new), "utf-8")

    def worktree(self, name: str = "beside") -> Path:
        folder = self.folder / name
        self.git("worktree", "add", "-q", "-b", name, str(folder))
        return folder

    def everything(self) -> dict[str, str]:
        """Every file of the home and of the repository, by its hash."""
        files = (path for top in (self.home, self.repo) for path in top.rglob("*") if path.is_file())
        return {
            str(path): sha256(path.read_bytes()).hexdigest() for path in files if not {".git", "locks"} & {*path.parts}
        }

    def status_of_git(self) -> str:
        return self.git("status", "--porcelain")


def clean_status(folder: Path) -> str:
    return git(folder, "status", "--porcelain")
