"""A scripted model for the trial: it searches where it is told of aicx, and writes what it was written to write."""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.trial_tasks import TASKS, Task


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
