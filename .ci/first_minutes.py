"""Does what a person does first with an installed aicx: python first_minutes.py AICX [HOME-WITH-LOGS].

Needs nothing but the standard library, since it runs beside what the wheel brought.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.request import urlopen

PROMPT = {
    "type": "user",
    "uuid": "00000000-0000-4000-8000-000000000001",
    "sessionId": "00000000-0000-4000-8000-00000000000a",
    "timestamp": "2026-03-01T10:00:00Z",
    "cwd": "/somewhere/widgets",
    "message": {"role": "user", "content": "Why does the export of empty files fail?"},
}
QUESTION = "why does the test fail"


def main(aicx: str, logs: Path | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = logs or invented(Path(folder, "home"))
        # UTF-8 also where the system's own encoding is another one.
        place = {**os.environ, "HOME": str(home), "AICX_HOME": str(Path(folder, "aicx")), "PYTHONUTF8": "1"}

        def ran(*words: str, **more: str) -> str:
            given = {**place, **more}
            done = subprocess.run([aicx, *words], env=given, cwd=folder, capture_output=True, encoding="utf-8")
            assert done.returncode == 0, (words, done.stdout, done.stderr)
            return done.stdout

        shown = ran("demo")
        print(f"demo: {len(shown.splitlines())} lines")
        stored = json.loads(ran("store", "--json"))
        assert stored["chunks_written"] > 0, stored
        found = json.loads(ran("search", QUESTION, "--json"))
        assert found["items"], found
        print(f"store: {stored['chunks_written']} chunks; search: {len(found['items'])} answers")
        print(f"MCP: {handshake([aicx, 'serve'], place)} tools")
        print(f"dashboard: a page of {page([aicx, 'dashboard', '--port', '0', '--no-open'], place)} bytes")
        asked = {"_AICX_COMPLETE": "complete_bash", "COMP_WORDS": "aicx sea", "COMP_CWORD": "1"}
        assert ran(**asked).split() == ["search"], "the shell is not told how to go on"
        print("completion: aicx sea -> search")


def invented(home: Path) -> Path:
    """A home with one small log of Claude Code."""
    log = home / ".claude" / "projects" / "-somewhere-widgets" / f"{PROMPT['sessionId']}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(json.dumps(PROMPT) + "\n", "utf-8")
    return home


def handshake(command: list[str], place: dict[str, str]) -> int:
    """Greets an MCP server on standard streams as a client does, and returns how many tools it lists."""
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "ci", "version": "1"}}
    with subprocess.Popen(command, env=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin
        assert server.stdout

        def send(**message: object) -> None:
            print(json.dumps({"jsonrpc": "2.0", **message}), file=server.stdin, flush=True)

        send(id=1, method="initialize", params=client)
        greeted = json.loads(server.stdout.readline())
        assert greeted["result"]["serverInfo"]["name"] == "aicx", greeted
        send(method="notifications/initialized")
        send(id=2, method="tools/list")
        tools = json.loads(server.stdout.readline())["result"]["tools"]
        server.stdin.close()
    assert any(tool["name"] == "aicx_search" for tool in tools), tools
    return len(tools)


def page(command: list[str], place: dict[str, str]) -> int:
    """Opens the page at the address that the dashboard prints, and returns its size in bytes."""
    with subprocess.Popen(command, env=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        assert server.stdout
        try:
            printed = iter(server.stdout)
            address = next(found[0] for line in printed if (found := re.search(r"http://127\.0\.0\.1:\d+\S*", line)))
            with urlopen(address, timeout=30) as answer:
                body = answer.read()
        finally:
            server.terminate()
    assert b"<title>aicx" in body.lower(), body[:300]
    return len(body)


if __name__ == "__main__":
    logs = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    main(sys.argv[1], logs if logs and logs.is_dir() else None)
