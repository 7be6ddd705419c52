"""A repository with a continuity note and its stored sessions, and the review lane as the command line has it."""

from __future__ import annotations

import json
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

from aicx.memory.review.states import STATES
from tests.corpus.builders import OTHER, SESSION, ClaudeLog
from tests.memory.builders import Place

NOTE = """# Continuity of this worktree

## Goal

Ship the export

## Confirmed working

{confirmed}

## Tried and failed

{failed}

## Not yet tried

- Prefer streaming over buffers

## Incomplete and next

- We must always clear the cache before the import
- Decide on the format

## Files, decisions and environment

- File: src/export.py
{decided}
"""
FACT = "`exporter` does not support files above 2 GB, so that large exports are split."
RULE = "never push to the release branch"
LIMIT = "`exporter` cannot be used with `--parallel`."
AGENT = "a7f3"


class Review(Place):
    """`review` runs `aicx review` and gives its JSON; ``refused`` and ``__call__`` are those of the memory."""

    def review(self, *arguments: str, code: int = 0) -> dict[str, Any]:
        found, out, err = self.run("review", *arguments, "--json")
        assert found == code, out + err
        fields: dict[str, Any] = json.loads(out)
        return fields

    def error(self, *arguments: str) -> tuple[str, str]:
        """The message and the hint of `aicx memory candidates queue arguments`, which have to fail."""
        code, out, _ = self.run("review", *arguments, "--json")
        assert code != 0, out
        fields = json.loads(out)
        return fields["error"], fields["hint"]

    def note(self, *decided: str, confirmed: str = "", failed: str = "") -> Path:
        """Writes the note of the worktree by hand."""
        text = NOTE.format(decided="\n".join(decided), confirmed=confirmed, failed=failed)
        return self.write(".aicx/continuity/active.md", text)

    def session(self, *said: str, name: str = SESSION) -> str:
        """Stores a session whose agent says these sentences; its reference."""
        log = ClaudeLog(name, str(self.repo)).prompt("Why does the export fail on large files?", 0)
        for number, text in enumerate(said):
            log.answer(text, 10 + number)
        self._store(f"{name}.jsonl", log)
        return f"session:claude:{name}"

    def subagent(self, *said: str) -> str:
        """Stores a subagent's session."""
        log = ClaudeLog(OTHER, str(self.repo)).prompt("Find out why the export fails", 0, isSidechain=True)
        for number, text in enumerate(said):
            log.answer(text, 100 + number, isSidechain=True)
        self._store(f"{OTHER}/subagents/agent-{AGENT}.jsonl", log)
        return f"session:claude:agent-{AGENT}"

    def prompted(self, text: str, name: str = SESSION) -> str:
        """Stores a session in which a person types ``text``."""
        self._store(f"{name}.jsonl", ClaudeLog(name, str(self.repo)).prompt(text, 0).answer("Understood.", 5))
        return f"session:claude:{name}"

    def states(self) -> dict[str, tuple[str, str, str]]:
        """Of every record its review state, its lane and whose words it is made of."""
        options = [word for name in STATES for word in ("--state", name)]
        found = self.review("candidates", *options, "--limit", "1000")["candidates"]
        return {one["entry"]["ref"]: (one["state"], one["lane"], one["entry"]["source"]["class"]) for one in found}

    def state(self, ref: str) -> str:
        return self.states()[ref][0]

    def events(self, ref: str) -> list[str]:
        """The types of the events about a record."""
        return [event["type"] for event in self("history", ref)["events"]]

    def canonical(self) -> dict[str, str]:
        """Everything in the home that is not derived, by its hash: records, events, the store and the notes."""
        files = (path for path in self.home.rglob("*") if path.is_file())
        own = (path for path in files if path.relative_to(self.home).parts[0] not in ("index", "locks"))
        return {str(path): sha256(path.read_bytes()).hexdigest() for path in own}

    def apply(self, patch: str, *options: str) -> None:
        """What a person does with a patch."""
        subprocess.run(["git", "-C", str(self.repo), "apply", *options, "-"], input=patch.encode(), check=True)

    def approved(self, statement: str, *options: str) -> str:
        """The reference of a record that Ada approved."""
        ref = self.put(statement, *options)
        self.review("approve", ref, "--by", "Ada")
        return ref

    def proposed(self, statement: str, *options: str) -> tuple[str, dict[str, Any]]:
        """A rule whose patch waits for a person, and that patch."""
        ref = self.approved(statement)
        return ref, self.review("promote", ref, "--by", "Ada", "--yes", *options)["proposal"]

    def artifact(self, ref: str) -> Path:
        (path,) = self.home.glob(f"memory/*/proposals/{ref.removeprefix('mem:')}.json")
        return path

    def _store(self, name: str, log: ClaudeLog) -> None:
        path = self.folder / "user/.claude/projects/x" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(log.body())
        self.store()
