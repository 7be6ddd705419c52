"""Invents homes of agents: small, seeded, and with everything in them that can make a store stumble.

A home is a list of logs whose records know when they were written, so that a test can let it grow as a real one does.
Among them are forks with copied records, sessions spread over several files, subagents, prompt histories, titles given
from another log, and in every kind of log something broken.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

BEGIN = datetime(2026, 3, 1, 8, tzinfo=UTC)
_FOLDERS = ("/home/ada/repos/acme/orbit", "/home/ada/repos/acme/beacon", "/mnt/scratch", "/home/ada/repos/lone/kiosk")
_VOCABULARY = (
    "parser cache retry queue socket index shard window cursor buffer token lease epoch digest ledger replica "
    "should must cannot because after before while until under over slowly twice never always perhaps again "
    "fix move rename split measure drop keep test explain merge rewrite profile pin revert the a this that"
)
_WORDS = _VOCABULARY.split()
_BROKEN = (b'{"type":"user","message":{"content":"cut of', b"\0" * 40, b"not JSON at all", b"[1,2,3]", b"\xff\xfe\xfd")


@dataclass(frozen=True)
class Line:
    """One record and the second, counted from ``BEGIN``, at which the agent wrote it."""

    written: float
    body: bytes


@dataclass(frozen=True)
class InventedLog:
    """One log below the user's home. ``header`` is set for a log that is one JSON object with a list of messages."""

    path: str
    lines: tuple[Line, ...]
    header: dict[str, Any] | None = None

    def body(self, until: float = float("inf"), torn: int = 0) -> bytes | None:
        """The log as it was at ``until``; None before its first record.

        At most ``torn`` bytes of the next record are there too, and never all of it.
        """
        there = [line.body for line in self.lines if line.written <= until]
        if not there:
            return None
        if self.header is not None:
            return json.dumps({**self.header, "messages": list(map(json.loads, there))}, indent=2).encode()
        following = self.lines[len(there)].body if len(there) < len(self.lines) else b""
        return b"".join(body + b"\n" for body in there) + following[: min(torn, len(following) // 2)]


def invent(seed: int, sessions: int = 14) -> list[InventedLog]:
    """A home of about ``sessions`` sessions of all agents over some days."""
    home = _Home(random.Random(seed))
    makers = (home.claude, home.codex, home.fork, home.gemini_object, home.resumed, home.subagent, home.gemini_lines)
    for number in range(sessions):
        makers[number % len(makers)](number)
    return home.logs()


def write_home(user_home: Path, logs: Iterable[InventedLog], until: float = float("inf"), torn: int = 0) -> None:
    """Puts the logs on disk as they were at ``until``. Logs of lines only ever grow at their end, as real ones do."""
    for log in logs:
        body = log.body(until, torn)
        if body is None:
            continue
        path = user_home / log.path
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_bytes() if path.exists() else b""
        if log.header is None and body.startswith(before):
            with path.open("ab") as stream:
                stream.write(body[len(before) :])
        elif body != before:
            temporary = path.with_name(f"{path.name}.tmp")
            temporary.write_bytes(body)
            temporary.rename(path)


def last_moment(logs: Iterable[InventedLog]) -> float:
    """When the last record of all was written."""
    return max(line.written for log in logs for line in log.lines)


@dataclass
class _Claude:
    """What a fork needs to know of the session it leaves."""

    session: str
    folder: str
    values: list[tuple[float, dict[str, Any]]]


@dataclass
class _Home:
    random: random.Random
    _logs: dict[str, InventedLog] = field(default_factory=dict)
    _shared: dict[str, list[Line]] = field(default_factory=dict)
    _claudes: list[_Claude] = field(default_factory=list)
    _clock: float = 0.0

    def logs(self) -> list[InventedLog]:
        shared = [
            InventedLog(path, tuple(sorted(lines, key=lambda line: line.written)))
            for path, lines in self._shared.items()
        ]
        return [*self._logs.values(), *shared]

    # Claude Code ----------------------------------------------------------------------------------------------------

    def claude(self, number: int) -> None:
        session, cwd = self._id(number), self.random.choice(_FOLDERS)
        values = self._claude_turns(session, cwd, turns=self.random.randint(4, 9))
        self._add_claude(_Claude(session, cwd, values), values)

    def fork(self, number: int) -> None:
        """A session that begins with the first records of an earlier one, and gives that one a title."""
        parent = self.random.choice(self._claudes)
        session = self._id(number)
        copied = parent.values[: self.random.randint(2, len(parent.values))]
        self._clock += 5
        start = self._clock
        values = [(start, {**value, "sessionId": session}) for _, value in copied]
        title = {"type": "summary", "summary": f"Titled by {number}", "leafUuid": copied[-1][1]["uuid"]}
        values.append((start, title))
        values += self._claude_turns(session, parent.folder, turns=self.random.randint(2, 5))
        self._add_claude(_Claude(session, parent.folder, []), values, keep=False)

    def subagent(self, number: int) -> None:
        """A session with a subagent whose turns are in a file of their own."""
        session, cwd = self._id(number), self.random.choice(_FOLDERS)
        values = self._claude_turns(session, cwd, turns=3)
        self._add_claude(_Claude(session, cwd, values), values)
        turns = self._claude_turns(session, cwd, turns=2, isSidechain=True, agentId=f"a{number}")
        name = f"agent-a{number}"
        path = f".claude/projects/{_claude_folder(cwd)}/{session}/subagents/{name}.jsonl"
        self._logs[path] = InventedLog(path, self._with_damage(turns))

    def _add_claude(self, session: _Claude, values: list[tuple[float, dict[str, Any]]], keep: bool = True) -> None:
        path = f".claude/projects/{_claude_folder(session.folder)}/{session.session}.jsonl"
        self._logs[path] = InventedLog(path, self._with_damage(values))
        if keep:
            self._claudes.append(session)

    def _claude_turns(self, session: str, cwd: str, turns: int, **more: Any) -> list[tuple[float, dict[str, Any]]]:
        values: list[tuple[float, dict[str, Any]]] = []

        def add(kind: str, content: Any, **fields: Any) -> None:
            at = self._tick()
            message = {"role": kind, "content": content}
            if kind == "assistant":
                message |= {"id": f"msg_{self._token()}", "model": "opus-test"}
            envelope = {"type": kind, "uuid": self._token(), "timestamp": _stamp(at), "cwd": cwd, "gitBranch": "main"}
            values.append((at, {**envelope, "sessionId": session, "message": message, **more, **fields}))

        for _ in range(turns):
            prompt = self._text(1, 4)
            add("user", prompt)
            if not more:
                line = {
                    "display": prompt,
                    "timestamp": _milliseconds(self._clock),
                    "project": cwd,
                    "sessionId": session,
                }
                self._share(".claude/history.jsonl", line)
            add("assistant", [{"type": "text", "text": self._text(3, 12)}])
            call = f"toolu_{self._token()}"
            add("assistant", [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": self._text(1, 1)}}])
            add("user", [{"type": "tool_result", "tool_use_id": call, "content": self._text(2, 30)}])
        return values

    # Codex ----------------------------------------------------------------------------------------------------------

    def codex(self, number: int) -> None:
        session = self._id(number)
        values = self._codex_turns(session, self.random.choice(_FOLDERS), turns=self.random.randint(3, 8))
        path = f".codex/sessions/{BEGIN:%Y/%m/%d}/rollout-{BEGIN:%Y-%m-%dT%H-%M-%S}-{session}.jsonl"
        self._logs[path] = InventedLog(path, self._with_damage(values))
        self._share(".codex/session_index.jsonl", {"id": session, "thread_name": f"Thread {number}"})

    def resumed(self, number: int) -> None:
        """One session in two rollouts: an archived one, and one that repeats its last records and goes on."""
        session = self._id(number)
        cwd = self.random.choice(_FOLDERS)
        first = self._codex_turns(session, cwd, turns=3)
        self._clock += 5
        again = [(self._clock, value) for _, value in (first[0], *first[-2:])]
        second = [*again, *self._codex_turns(session, cwd, turns=3)[1:]]
        name = f"rollout-{BEGIN:%Y-%m-%dT%H-%M-%S}-{session}.jsonl"
        for folder, values in (("archived_sessions", first), (f"sessions/{BEGIN:%Y/%m/%d}", second)):
            path = f".codex/{folder}/{name}"
            self._logs[path] = InventedLog(path, self._with_damage(values))

    def _codex_turns(self, session: str, cwd: str, turns: int) -> list[tuple[float, dict[str, Any]]]:
        values: list[tuple[float, dict[str, Any]]] = []

        def add(kind: str, payload: dict[str, Any]) -> None:
            at = self._tick()
            values.append((at, {"timestamp": _stamp(at), "type": kind, "payload": payload}))

        git = {"repository_url": "git@git.example:acme/beacon.git", "branch": "main"}
        meta = {"id": session, "timestamp": _stamp(self._clock + 1), "cwd": cwd, "cli_version": "0.1"}
        add("session_meta", {**meta, "git": git} if "beacon" in cwd else meta)
        for _ in range(turns):
            prompt = self._text(1, 4)
            add(
                "response_item",
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]},
            )
            add("event_msg", {"type": "user_message", "message": prompt})
            self._share(
                ".codex/history.jsonl", {"session_id": session, "ts": int(_seconds(self._clock)), "text": prompt}
            )
            call = f"call_{self._token()}"
            arguments = json.dumps({"command": ["bash", "-lc", self._text(1, 1)]})
            add("response_item", {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": call})
            add("response_item", {"type": "function_call_output", "call_id": call, "output": self._text(2, 25)})
            answer = [{"type": "output_text", "text": self._text(3, 12)}]
            add("response_item", {"type": "message", "role": "assistant", "content": answer})
        return values

    # Gemini CLI -----------------------------------------------------------------------------------------------------

    def gemini_object(self, number: int) -> None:
        self._gemini(number, "json")

    def gemini_lines(self, number: int) -> None:
        self._gemini(number, "jsonl")

    def _gemini(self, number: int, ending: str) -> None:
        session = self._id(number)
        start = self._tick()
        header = {"sessionId": session, "projectHash": "0" * 64, "startTime": _stamp(start), "kind": "main"}
        values: list[tuple[float, dict[str, Any]]] = [] if ending == "json" else [(start, header)]
        for _ in range(self.random.randint(3, 10)):
            for kind, text in (("user", self._text(1, 4)), ("gemini", self._text(4, 20))):
                at = self._tick()
                values.append((at, {"id": self._token(), "timestamp": _stamp(at), "type": kind, "content": text}))
        path = f".gemini/tmp/orbit/chats/session-{BEGIN:%Y-%m-%dT%H-%M}-{session[:8]}.{ending}"
        if ending == "json":
            lines = tuple(Line(at, _dump(value)) for at, value in values)
            self._logs[path] = InventedLog(path, lines, header)
        else:
            self._logs[path] = InventedLog(path, self._with_damage(values))

    # What they share ------------------------------------------------------------------------------------------------

    def _with_damage(self, values: list[tuple[float, dict[str, Any]]]) -> tuple[Line, ...]:
        """The records as lines, with one broken line somewhere behind the first, and sometimes two glued together."""
        lines = [Line(at, _dump(value)) for at, value in values]
        where = self.random.randint(1, len(lines) - 1)
        lines.insert(where, Line(lines[where - 1].written, self.random.choice(_BROKEN)))
        if self.random.random() < 0.3:
            lines.append(Line(lines[-1].written, _dump({"type": "mode"}) + _dump({"type": "mode", "glued": True})))
        return tuple(lines)

    def _share(self, path: str, value: dict[str, Any]) -> None:
        self._shared.setdefault(path, []).append(Line(self._clock, _dump(value)))

    def _tick(self) -> float:
        self._clock += self.random.choice((1.25, 7.5, 61.0, 1800.0))
        return self._clock

    def _text(self, fewest: int, most: int) -> str:
        return "\n".join(self._sentences(self.random.randint(fewest, most)))

    def _sentences(self, count: int) -> Iterator[str]:
        for _ in range(count):
            words = self.random.choices(_WORDS, k=self.random.randint(8, 20))
            yield f"{' '.join(words).capitalize()} {self._token()}."

    def _token(self) -> str:
        return f"{self.random.getrandbits(48):012x}"

    def _id(self, number: int) -> str:
        """Ids rise with time: a fork whose first record is a copy would else look as old as what it was copied from."""
        return f"{number:08x}-0000-4000-8000-{self._token()}"


def _claude_folder(cwd: str) -> str:
    return "".join(character if character.isalnum() else "-" for character in cwd)


def _dump(value: Any) -> bytes:
    return json.dumps(value).encode()


def _seconds(clock: float) -> float:
    return (BEGIN + timedelta(seconds=clock)).timestamp()


def _milliseconds(clock: float) -> int:
    return round(_seconds(clock) * 1000)


def _stamp(clock: float) -> str:
    return (BEGIN + timedelta(seconds=clock)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
