"""Does it help? The same ten tasks with and without aicx, done by a model behind a compatible address, scored by tests.

    python -m benchmarks.trial                                   # with the scripted model, which proves nothing
    python -m benchmarks.trial --url http://127.0.0.1:8000/v1 --model NAME [--repeat 5] [--json]

Each task is a small repository. What its answer depends on was settled in an earlier session, which is stored, and
stands in no file. The model gets one tool, a shell in the repository, and at most twelve turns; with aicx its system
message also has the block that `aicx init` writes, and `aicx` is on the PATH. Afterwards a test that the model never
saw says whether the task was done as it was settled. The key of an address is read from TRIAL_API_KEY.

The model's commands are run on this machine, in a temporary folder: use a container for a model that is not trusted.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import NAMESPACE_URL, uuid5

from aicx.agents.table import BLOCK
from benchmarks.redaction import wilson
from benchmarks.trial_tasks import TASKS, Task

MAX_TURNS = 12
_SECONDS, _SECONDS_TO_ANSWER, _MAX_OUTPUT = 60, 300, 8_000
_SYSTEM = (
    "You are a careful programmer. Work in the repository with the shell, change files there, and end with one line."
)
_TOOL = {
    "type": "function",
    "function": {
        "name": "shell",
        "description": "Runs a command in the repository and returns what it printed.",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
    },
}


@dataclass(frozen=True, slots=True)
class Model:
    """A model behind an address that speaks as the chat completions of OpenAI do."""

    url: str
    name: str
    key: str = ""

    def answer(self, messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Its next message. Raises OSError where it does not answer."""
        body = json.dumps({"model": self.name, "messages": messages, "tools": [_TOOL]}).encode()
        headers = {"content-type": "application/json", **({"authorization": f"Bearer {self.key}"} if self.key else {})}
        with urlopen(Request(f"{self.url}/chat/completions", body, headers), timeout=_SECONDS_TO_ANSWER) as answer:
            found: dict[str, Any] = json.load(answer)["choices"][0]["message"]
            return found


@dataclass(frozen=True, slots=True)
class Tried:
    """One task done once: ``asked`` is how often the model called aicx, ``why`` what the test said where it failed."""

    task: str
    with_aicx: bool
    passed: bool
    turns: int
    asked: int
    why: str


def tries(model: Model, repeat: int = 1) -> Iterator[Tried]:
    """Every task, without and with aicx."""
    for _ in range(repeat):
        for task in TASKS:
            for with_aicx in (False, True):
                with tempfile.TemporaryDirectory(prefix="aicx-trial-") as folder:
                    yield _try(model, task, Path(folder), with_aicx=with_aicx)


def _try(model: Model, task: Task, folder: Path, *, with_aicx: bool) -> Tried:
    repository = folder / "work"
    repository.mkdir()
    (repository / task.file).write_text(task.before)
    environment = _environment(folder, with_aicx=with_aicx)
    if with_aicx:
        _remember(task, folder, repository, environment)
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": _SYSTEM + (f"\n{BLOCK}" if with_aicx else "")},
        {"role": "user", "content": task.asked},
    ]
    turns = asked = 0
    while turns < MAX_TURNS:
        turns += 1
        said = model.answer(messages)
        messages.append(said)
        calls = said.get("tool_calls") or []
        for call in calls:
            command = str(json.loads(call["function"]["arguments"]).get("command", ""))
            asked += "aicx " in command
            messages.append(
                {"role": "tool", "tool_call_id": call["id"], "content": _run(command, repository, environment)}
            )
        if not calls:
            break
    done = subprocess.run(
        [sys.executable, "-B", "-c", f"import sys; sys.path.insert(0, '.')\n{task.check}"],
        cwd=repository, env=environment, capture_output=True, text=True, timeout=_SECONDS,
    )  # fmt: skip
    why = done.stderr.strip().splitlines()[-1:] if done.returncode else []
    return Tried(task.name, with_aicx, done.returncode == 0, turns, asked, "".join(why))


def _environment(folder: Path, *, with_aicx: bool) -> dict[str, str]:
    path = [part for part in os.environ["PATH"].split(os.pathsep) if part and not (Path(part) / "aicx").exists()]
    if with_aicx:
        tools = folder / "bin"
        tools.mkdir()
        package = Path(__file__).parents[1]
        script = f'#!/bin/sh\nPYTHONPATH="{package}" exec "{sys.executable}" -m aicx "$@"\n'
        (tools / "aicx").write_text(script)
        (tools / "aicx").chmod(0o755)
        path.insert(0, str(tools))
    home = folder / "home"
    home.mkdir(exist_ok=True)
    shared = {name: os.environ[name] for name in ("LANG",) if name in os.environ}
    return {**shared, "PATH": os.pathsep.join(path), "HOME": str(home)}


def _remember(task: Task, folder: Path, repository: Path, environment: Mapping[str, str]) -> None:
    """Writes the earlier session as Claude Code logs one, and stores it."""
    session = str(uuid5(NAMESPACE_URL, task.name))
    about = {"sessionId": session, "cwd": str(repository), "gitBranch": "main", "isSidechain": False}
    prompt, answer = task.history
    said = [
        {"type": "user", "message": {"role": "user", "content": prompt}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": answer}]}},
    ]
    lines = [
        json.dumps({**one, **about, "uuid": f"{session}-{at}", "timestamp": f"2026-03-01T10:00:0{at}.000Z"})
        for at, one in enumerate(said)
    ]
    log = folder / "home" / ".claude" / "projects" / "-work" / f"{session}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("\n".join(lines) + "\n")
    subprocess.run(["aicx", "store"], env=dict(environment), check=True, capture_output=True, timeout=_SECONDS)


def _run(command: str, repository: Path, environment: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=repository, env=dict(environment), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no end after {_SECONDS} seconds"
    return f"{done.stdout.decode('utf-8', 'replace')[-_MAX_OUTPUT:]}\nexit code {done.returncode}"


def next_message(messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the model says next: a search if it has aicx and did none, then the file, then that it is done."""
    task = next(task for task in TASKS if task.asked == messages[1]["content"])
    results = [str(one["content"]) for one in messages if one["role"] == "tool"]
    wanted = [f"aicx search {shlex.quote(task.query)} -n 3"] if "aicx search" in messages[0]["content"] else []
    if len(results) < len(wanted):
        return _calls(wanted[len(results)], len(results))
    if len(results) == len(wanted):
        return _calls(_writes(task, any(task.telling in result for result in results)), len(results))
    return {"role": "assistant", "content": "Done."}


def _writes(task: Task, known: bool) -> str:
    return f"cat > {task.file} <<'END'\n{task.right if known else task.guess}END"


def _calls(command: str, number: int) -> dict[str, Any]:
    function = {"name": "shell", "arguments": json.dumps({"command": command})}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = json.dumps({"choices": [{"message": next_message(body["messages"]), "index": 0}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing: the trial prints what matters."""


@contextmanager
def scripted() -> Iterator[str]:
    """The address of such a model on this machine, up to `/v1`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def _model(given: argparse.Namespace) -> Iterator[Model]:
    if given.url:
        yield Model(given.url.rstrip("/"), given.model, os.environ.get("TRIAL_API_KEY", ""))
    else:
        with scripted() as url:
            yield Model(url, "scripted")


def _arm(with_aicx: bool) -> str:
    return "with" if with_aicx else "without"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trial", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--url", help="an address that speaks chat completions, up to /v1; without it the script")
    parser.add_argument("--model", default="", help="the model's name there")
    parser.add_argument("--repeat", type=int, default=1, help="how often each task is tried")
    parser.add_argument("--json", action="store_true", help="each try as a line of JSON")
    given = parser.parse_args(arguments)
    found = []
    with _model(given) as model:
        for one in tries(model, given.repeat):
            found.append(one)
            if given.json:
                print(json.dumps(asdict(one)), flush=True)
            else:
                ended = "passed" if one.passed else "failed"
                print(f"{one.task:<10}{_arm(one.with_aicx):<9}{ended}  {one.turns} turns  {one.why}", flush=True)
    if given.json:
        return
    for with_aicx in (False, True):
        of_arm = [one for one in found if one.with_aicx == with_aicx]
        passed = sum(one.passed for one in of_arm)
        low, high = wilson(passed, len(of_arm))
        print(f"{_arm(with_aicx)} aicx: {passed} of {len(of_arm)} ({low * 100:.0f} to {high * 100:.0f} %)")
    if not given.url:
        print("This was the scripted model: it shows that the trial runs, and nothing about whether aicx helps.")


if __name__ == "__main__":
    main()
