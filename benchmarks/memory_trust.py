"""The two demonstrations of trust, false memory and stale memory, lived through by aicx and by ait-vcs.

    python -m benchmarks.memory_trust [--save] [--only aicx]

The script is `tests/fixtures/memory_trust/script.toml`. Every variant gets a home and a repository of its own. ait-vcs
is installed from the package index into an environment in a temporary folder, and asked what an agent that it starts
is told: its context file has a section of trusted memory. ``--save`` keeps the tables in `results/memory_trust.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aicx import __version__
from benchmarks.peers import PEERS
from benchmarks.peers.environment import closed_environ, environment_of
from benchmarks.peers.install import TORCH, install
from tests.fixtures.memory_trust import QUESTION, VARIANTS, Trust, Variant
from tests.fixtures.memory_trust.ours import Ours, change_file, make_repository

RESULTS = Path(__file__).parent / "results" / "memory_trust.json"
_AIT = "ait-vcs"
_SECONDS = 120  # of one command
# What the agent that ait-vcs starts does: it says something, changes a file, and may commit.
_AGENT = """
import os, subprocess, sys
says, commit = sys.argv[1:]
print(says)
with open("src/retry.py", "a") as file:
    file.write("# more\\n")
if commit:
    subprocess.run(["git", "commit", "-qam", commit], check=True)
"""
_READS = "import os; print(open(os.environ['AIT_CONTEXT_FILE']).read())"
_TRUSTED, _REST = "## Trusted Baseline", "## Advisory Or Excluded Memory"


class Impossible(Exception):
    """The tool has no way to say what the script says."""


class Ait:
    """ait-vcs in a repository of its own. What is agreed in aicx is a note that a person adds there."""

    def __init__(self, program: Path, home: Path, repository: Path) -> None:
        self._program, self._home, self._repository = program, home, repository
        (home / "tmp").mkdir(parents=True)
        make_repository(repository)
        self._run("init")

    def live(self, variant: Variant) -> list[str]:
        """Performs a variant; the steps that it has no way to say."""
        missing = []
        if variant.demonstration == "stale":
            self._note(variant.statement)
        if variant.until:
            missing.append("a last day")
        for step in variant.steps:
            try:
                self._perform(step)
            except Impossible as error:
                missing.append(str(error))
        return missing

    def trust(self, statement: str) -> Trust:
        """What the next agent is told: it is in the trusted part of its context, elsewhere in it, or in none."""
        said = self._agent([sys.executable, "-c", _READS])
        trusted = said.partition(_TRUSTED)[2].partition(_REST)[0]
        return "agreed" if statement in trusted else "shown" if statement in said else "absent"

    def _perform(self, step: Mapping[str, Any]) -> None:
        match step["do"]:
            case "session":
                said = [step["says"], step.get("commit", "")]
                who = ["--agent", "subagent:explorer"] if step.get("lane") == "subagent" else []
                for _ in range(step.get("times", 1)):
                    self._agent([sys.executable, "-c", _AGENT, *said], *who)
            case "forge":
                with sqlite3.connect(self._repository / ".ait" / "state.sqlite3") as database:
                    database.execute("UPDATE memory_facts SET status='accepted', confidence='manual'")
                database.close()
            case "newer":
                self._note(step["statement"])
                raise Impossible("what a newer note replaces")
            case "validate":
                raise Impossible("a validation")
            case "file":
                change_file(self._repository, step)
                self._run("memory", "import", "--path", step["path"])
            case _:
                change_file(self._repository, step)

    def _note(self, text: str) -> None:
        self._run("memory", "note", "add", "--topic", "retries", text)

    def _agent(self, command: Sequence[str], *options: str) -> str:
        words = ("run", "--adapter", "shell", "--intent", QUESTION, "--with-context", "--format", "json", *options)
        said: str = json.loads(self._run(*words, "--", *command))["command_stdout"]
        return said

    def _run(self, *words: str) -> str:
        return _bounded([str(self._program), *words], self._repository, closed_environ(self._home))


def _bounded(command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> str:
    done = subprocess.run(
        command, cwd=folder, env=dict(environ), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=_SECONDS,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:4])} ended with {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout


def ask_ours(folder: Path, variant: Variant) -> dict[str, Any]:
    """What aicx makes of a variant."""
    home, repository = folder / "home", folder / "widgets"
    home.mkdir(parents=True)
    environ = {"PATH": os.environ["PATH"], "HOME": str(home)}

    def run(*words: str) -> str:
        return _bounded([sys.executable, "-m", "aicx", *words], repository, environ)

    ours = Ours(home, repository, run)
    ref = ours.live(variant)
    entries = (
        [ours.get(ref)] if ref else [e for e in ours.entries("list") if variant.statement in (e["statement"] or "")]
    )
    # Of what is kept apart no answer has the text.
    entries = entries or ours.entries("list")
    status = sorted({entry["status"] for entry in entries})
    return {"trust": ours.trust(variant.statement), "said": ", ".join(status)}


def ask_ait(program: Path, folder: Path, variant: Variant) -> dict[str, Any]:
    """What ait-vcs makes of a variant."""
    ait = Ait(program, folder / "home", folder / "widgets")
    missing = ait.live(variant)
    return {"trust": ait.trust(variant.statement), "said": f"cannot say: {', '.join(missing)}" if missing else ""}


def rows(tools: Mapping[str, Callable[[Path, Variant], dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Each variant with what each tool makes of it, in folders that are gone afterwards."""
    for variant in VARIANTS:
        row: dict[str, Any] = {"demonstration": variant.demonstration, "variant": variant.name, "holds": variant.agreed}
        for name, ask in tools.items():
            with TemporaryDirectory() as folder:
                row[name] = ask(Path(folder) / "place", variant)
        yield row


def table(found: Sequence[Mapping[str, Any]], demonstration: str, tools: Sequence[str]) -> list[str]:
    """A demonstration as Markdown. What may not be agreed and is, is bold."""
    lines = [
        f"| {demonstration.capitalize()} memory: what comes | {' | '.join(tools)} |",
        "|---" * (len(tools) + 1) + "|",
    ]
    for row in found:
        if row["demonstration"] == demonstration:
            cells = [_cell(row[tool], holds=row["holds"]) for tool in tools]
            lines.append(f"| {row['variant']} | {' | '.join(cells)} |")
    return lines


def _cell(found: Mapping[str, str], *, holds: bool) -> str:
    trust = {"agreed": "trusted", "shown": "shown, not trusted", "absent": "not shown"}[found["trust"]]
    told = f"**{trust}**" if (found["trust"] == "agreed") != holds else trust
    return f"{told} ({found['said']})" if found["said"] else told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true", help="keep the tables in results/memory_trust.json")
    parser.add_argument("--only", choices=["aicx", _AIT], help="one of the tools")
    given = parser.parse_args()
    versions = {"aicx": __version__, _AIT: PEERS[_AIT].version}
    with TemporaryDirectory() as scratch:
        tools: dict[str, Callable[[Path, Variant], dict[str, Any]]] = {"aicx": ask_ours}
        if given.only != "aicx":
            environment = environment_of(PEERS[_AIT], Path(scratch))
            install(environment, TORCH, lambda line: print(line, file=sys.stderr))
            program = environment.python.with_name("ait")
            tools[_AIT] = lambda folder, variant: ask_ait(program, folder, variant)
        if given.only == _AIT:
            del tools["aicx"]
        found = []
        for row in rows(tools):
            print(row["variant"], *(f"{tool}: {row[tool]['trust']}" for tool in tools), sep="; ", file=sys.stderr)
            found.append(row)
    for demonstration in ("false", "stale"):
        print("\n".join(["", *table(found, demonstration, list(tools))]))
    if given.save:
        kept = {
            "at": f"{datetime.now(UTC):%Y-%m-%d}",
            "versions": {tool: versions[tool] for tool in tools},
            "rows": found,
        }
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
    wrong = [row["variant"] for row in found if "aicx" in row and (row["aicx"]["trust"] == "agreed") != row["holds"]]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
