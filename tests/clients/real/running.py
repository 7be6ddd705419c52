"""Real clients of coding agents: how each is installed, pointed at a scripted model, run once, and read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.clients.real.model import Call, ScriptedModel

# A folder in which clients are installed, or are to be installed: what makes this lane run.
FOLDER = "AICX_TEST_CLIENTS"
_SECONDS_TO_INSTALL = 300
_SECONDS_TO_RUN = 150


@dataclass(frozen=True, slots=True)
class Session:
    """The requests that a client sent to the model, and what the last of them hands it of each call in the script."""

    requests: Sequence[dict[str, Any]]
    results: Sequence[str]


@dataclass(frozen=True, slots=True)
class RealClient:
    """A client by its name on the command line.

    ``settings`` writes what it has to know beforehand into its home; ``arguments`` and ``environment`` point it at a
    model's address; ``tool`` names a tool of an MCP server as the client offers it, with the group it is in; ``wait``
    takes a second; ``results`` are what a request hands the model of each call made so far, in order.
    """

    name: str
    package: str
    settings: Callable[[Path, str], None]
    arguments: Callable[[str], list[str]]
    environment: Callable[[str], dict[str, str]]
    tool: Callable[[str, str], tuple[str, str | None]]
    wait: Call
    results: Callable[[Mapping[str, Any]], list[str]]

    def call(self, tool: str, arguments: dict[str, Any], server: str = "aicx") -> Call:
        """A call of a tool that an MCP server offers."""
        name, namespace = self.tool(server, tool)
        return Call(name, arguments, namespace)

    def run(
        self,
        home: Path,
        calls: Sequence[Call],
        *,
        prompt: str = "Go on.",
        cwd: Path,
        says: str = "Done.",
        more: Sequence[str] = (),
    ) -> Session:
        """One session in which the model makes ``calls`` and ``says`` a last word.

        ``home`` is the client's own home folder, ``more`` are arguments of its own.
        """
        with self.model(calls, says) as model:
            said = self.drive(home, model, prompt, cwd, more)
        assert len(model.requests) > len(model.made) >= len(calls), f"{self.name} ended early: {said[-1000:]}"
        found = zip(model.made, self.results(model.requests[-1]), strict=True)
        return Session(model.requests, [text for call, text in found if call != self.wait])

    def model(self, calls: Sequence[Call], says: str = "Done.") -> ScriptedModel:
        """A model for one session."""
        return ScriptedModel(calls, self.wait, 90 if self.name == "claude" else 30, says)

    def drive(self, home: Path, model: ScriptedModel, prompt: str, cwd: Path, more: Sequence[str] = ()) -> str:
        """Runs the client once against ``model``; what it prints."""
        self.settings(home, model.url)
        command = [str(_command(self)), *self.arguments(prompt), *more]
        environment = {name: os.environ[name] for name in ("PATH", "LANG", "AICX_HOME") if name in os.environ}
        # What hooks in a repository call has to be there, in an environment that is not activated too.
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        environment |= {"HOME": str(home), **self.environment(model.url)}
        return _run(command, environment, cwd, _SECONDS_TO_RUN)


def install(client: RealClient) -> None:
    """Installs the client from the npm registry unless it is there already; skips the test where it cannot be."""
    if FOLDER not in os.environ:
        pytest.skip("real clients are driven by `make test-clients`")
    command = _command(client)
    folder = command.parents[2]
    folder.mkdir(parents=True, exist_ok=True)
    npm = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", client.package]
    try:
        if not command.exists():
            _run(npm, os.environ, folder, _SECONDS_TO_INSTALL)
        with TemporaryDirectory() as home:
            _run([str(command), "--version"], {**os.environ, "HOME": home}, folder, _SECONDS_TO_RUN)
    except (OSError, AssertionError) as error:
        pytest.skip(f"{client.package} cannot be installed: {' '.join(str(error).split())}")


def _command(client: RealClient) -> Path:
    return Path(os.environ[FOLDER]).absolute() / "node_modules" / ".bin" / client.name


def _run(command: Sequence[str], environment: Mapping[str, str], cwd: Path, seconds: float) -> str:
    """What a command prints. It and all that it started are ended after ``seconds``."""
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, env=environment, cwd=cwd, text=True, start_new_session=True, **streams) as process:
        try:
            said = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            said = f"no end after {seconds} seconds"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, f"{command[0]}: exit {process.returncode}: {said[-1000:]}"
    return said


def _no_settings(home: Path, url: str) -> None:
    pass


def _claude_results(body: Mapping[str, Any]) -> list[str]:
    messages = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    blocks = [block for content in messages for block in content if block["type"] == "tool_result"]
    return [_text(block["content"]) for block in blocks]


def _codex_settings(home: Path, url: str) -> None:
    file = home / ".codex" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    known = file.read_text().partition("\n[model_providers.scripted]")[0] if file.exists() else ""
    provider = f'name = "scripted"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
    file.write_text(f"{known}\n[model_providers.scripted]\n{provider}")


def _codex_results(body: Mapping[str, Any]) -> list[str]:
    return [_text(item["output"]) for item in body["input"] if item["type"] == "function_call_output"]


def _gemini_settings(home: Path, url: str) -> None:
    file = home / ".gemini" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    known = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps({**known, "security": {"auth": {"selectedType": "gemini-api-key"}}}))


def _gemini_results(body: Mapping[str, Any]) -> list[str]:
    parts = [part for content in body["contents"] for part in content["parts"]]
    answers = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
    return [answer.get("output") or answer.get("error") or json.dumps(answer) for answer in answers]


def _text(content: Any) -> str:
    """A result as the model reads it: a text, or the texts of a list of parts; anything else as JSON."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] if "text" in part else json.dumps(part) for part in content)


_CLAUDE_ENVIRONMENT = {
    "ANTHROPIC_API_KEY": "x",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "MCP_TIMEOUT": "90000",  # it gives a server up after 30 seconds, and its tools with it
    "IS_SANDBOX": "1",  # or it refuses to bypass permissions as root, which containers run as
}

CLIENTS = {
    client.name: client
    for client in (
        RealClient(
            "claude",
            "@anthropic-ai/claude-code@2.1.197",
            _no_settings,
            lambda prompt: ["-p", prompt, "--permission-mode", "bypassPermissions"],
            lambda url: _CLAUDE_ENVIRONMENT | {"ANTHROPIC_BASE_URL": url},
            lambda server, tool: (f"mcp__{server}__{tool}", None),
            Call("Bash", {"command": "sleep 1", "description": "Wait"}),
            _claude_results,
        ),
        RealClient(
            "codex",
            "@openai/codex@0.169.0",
            _codex_settings,
            lambda prompt: [
                *("exec", "-c", "model_provider=scripted", "-c", "model=gpt-5.5", "--skip-git-repo-check"),
                # Nobody is there to review the hooks, as Codex asks for at a terminal.
                *("--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", prompt),
            ],
            lambda url: {},
            lambda server, tool: (tool, f"mcp__{server}"),
            Call("exec_command", {"cmd": "sleep 1"}),
            _codex_results,
        ),
        RealClient(
            "gemini",
            "@google/gemini-cli@0.61.0",
            _gemini_settings,
            lambda prompt: ["-p", prompt, "--yolo", "--skip-trust", "-m", "gemini-2.5-pro"],
            # With `--skip-trust` alone the settings of the folder are read too late for its hooks.
            lambda url: {
                "GEMINI_API_KEY": "x",
                "GOOGLE_GEMINI_BASE_URL": url,
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
            },
            lambda server, tool: (f"mcp_{server}_{tool}", None),
            Call("run_shell_command", {"command": "sleep 1"}),
            _gemini_results,
        ),
    )
}
