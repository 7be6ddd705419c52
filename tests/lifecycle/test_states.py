"""Every way to be told where work stopped answers in every state that a repository can be in."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from aicx.agents.startup import startup_text
from aicx.cli import run
from tests.corpus.builders import SESSION, ClaudeLog
from tests.forked import Piped
from tests.lifecycle.conftest import Place
from tests.sampling import sample

pytestmark = pytest.mark.slow

_numbers = count(1)


def empty(place: Place) -> None:
    """The one session of every place: a goal, an edit, and a step that is still ahead."""


def failing(place: Place) -> None:
    checked(place, passes=False)


def resolved(place: Place) -> None:
    checked(place, passes=True)


def seen_before(place: Place) -> None:
    checked(place, passes=True)
    checked(place, passes=False)


def decided(place: Place) -> None:
    told(place, "I chose a new token for each request, because one that is shared cannot be revoked.")


def asked(place: Place) -> None:
    told(place, "The login is ready. Should I delete the old tokens?")


def committed(place: Place) -> None:
    later = Later(place)
    later.call("Bash", 1, "[main 1234567] Renew tokens\n 1 file changed", command="git commit -m 'Renew tokens'")
    later.store("Next: write the changelog.")


def stated(place: Place) -> None:
    said = ("--next", "Renew it twice", "--decision", "One token")
    place.finalize("The renewal does not work yet", "s9", *said, status="failure")


def worked_on(place: Place) -> None:
    place("task", "start", "Renew the tokens", "--next", "Write a test", "--hypothesis", "the clock")
    place("task", "update", "renew-the-tokens", "--verified", "it fails", "--risk", "old clients")


def closed(place: Place) -> None:
    worked_on(place)
    place("task", "close", "renew-the-tokens", "--note", "done")


def agreed(place: Place) -> None:
    ref = place("memory", "put", "Tokens are renewed once", "--kind", "policy")["entry"]["ref"]
    place("memory", "accept", ref, "--by", "Ada Lovelace", "--yes")


def guided(place: Place) -> None:
    place.repository.write("CLAUDE.md", "# Rules\n\n- Always run the tests\n")
    place.repository.write("src/new.py", "x = 1\n")


def noted(place: Place) -> None:
    [log] = place.user.root.rglob(f"{SESSION}.jsonl")
    place("continuity", "save", "--scope", "local", "--log", str(log))


def probed(place: Place) -> None:
    later = Later(place)
    later.call("Bash", 1, "no agent", failed=True, command="ssh-add -l")
    later.store("The agent does not run.")


def seen_failing(place: Place) -> None:
    later = Later(place)
    later.call("Bash", 1, "FAILED tests/test_login.py::test_renewal", failed=True, command="pytest -q")
    later.store("One test fails.")


def not_committed(place: Place) -> None:
    later = Later(place)
    place.repository.git("add", "-A")
    place.repository.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Begin")
    place.repository.write("src/login.py", "y\n")
    file = f"{place.repository.folder}/src/login.py"
    later.call("Edit", 1, "", file_path=file, new_string="y", old_string="x")
    later.store("Done: the login is renewed.")


def program_failed(place: Place) -> None:
    with pytest.raises(SystemExit):
        run(["run", "--task", "Renew the tokens of the login", "--", "sh", "-c", "echo no header; exit 4"])
    assert run(["store"]) == 0


def stated_done(place: Place) -> None:
    failing(place)
    place.finalize("It is renewed", "s9")


def on_another_branch(place: Place) -> None:
    place.repository.git("checkout", "-q", "-b", "tokens")


def everything(place: Place) -> None:
    for state in (seen_before, decided, committed, asked, stated, worked_on, agreed, guided, noted):
        state(place)


STATES = (
    *(empty, failing, resolved, seen_before, decided, asked, committed, stated, worked_on, closed, agreed, guided),
    *(noted, on_another_branch, probed, seen_failing, not_committed, program_failed, stated_done, everything),
)
QUESTIONS = (
    *("resume", "resume --json", "resume --explain", "resume --explain --json", "resume --full --budget 500"),
    *("resume --manifest m.json", "resume --json --manifest m.json", "resume --record", "resume --task tokens"),
    *("resume --task tokens --explain --json", "prepare", "prepare --json", "prepare --task tokens --dry-run --json"),
    *("boot", "boot --json", "next", "next --json", "task status --json", "continuity load"),
)


class Later:
    """A log of a session that begins after all others; times are seconds from its beginning."""

    def __init__(self, place: Place) -> None:
        number = next(_numbers)
        self._place, self._begin = place, 1000 + 100 * number
        self.log = ClaudeLog(f"5e551001-0000-4000-8000-{number:012d}", str(place.repository.folder))
        self.log.prompt("Renew the tokens of the login", self._begin)

    def call(self, tool: str, at: int, result: str, *, failed: bool = False, **arguments: str) -> None:
        name = f"{self._begin}-{at}"
        self.log.call(tool, self._begin + at, name, **arguments)
        self.log.result(result, self._begin + at + 1, name, failed=failed)

    def store(self, answer: str) -> None:
        self._place.user.claude(self.log.answer(answer, self._begin + 90))
        self._place.user.store()


def told(place: Place, answer: str) -> None:
    Later(place).store(answer)


def checked(place: Place, *, passes: bool) -> None:
    """A session that met an error of types, and edited; the check passes then, or fails again."""
    later = Later(place)
    error = f'src/login.py:{next(_numbers)}: error: Name "token" is not defined  [name-defined]'
    file = f"{place.repository.folder}/src/login.py"
    later.call("Edit", 1, "", file_path=file, new_string="y", old_string="x")
    later.call("Bash", 2, error, failed=True, command="mypy src")
    if passes:
        later.call("Edit", 3.5, "", file_path=file, new_string="x", old_string="y")
        later.call("Bash", 5, "Success: no issues found", command="mypy src")
    later.store("That is as far as it goes.")


@pytest.mark.parametrize("state", sample(STATES, 10, "state"), ids=lambda state: state.__name__)
def test_every_question_is_answered_and_a_brief_calls_open_what_next_says(
    state: Callable[[Place], None], place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    state(place)
    says_what_is_open(place, capsys)
    text = startup_text(place.user.settings, "claude", place.repository.folder, datetime.now(UTC), session="new")
    assert "Resuming: " in text
    capsys.readouterr()
    codes = {}
    for question in (asked := sample(QUESTIONS, 5, state.__name__)):
        Path("m.json").unlink(missing_ok=True)
        codes[question] = run(question.split())
        printed = capsys.readouterr()
        if "--json" in question:
            json.loads(printed.out)
        if codes[question]:
            codes[question] = (codes[question], printed.err)
    assert codes == dict.fromkeys(asked, 0)


def says_what_is_open(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """That the brief, the banner and `aicx resume --next` agree on what goes on."""
    brief, step, active = place("resume"), place("next")["next"], place("task", "status")["active"]
    prepared = place("prepare", "--dry-run")
    capsys.readouterr()
    assert run(["resume"]) == 0
    printed = capsys.readouterr().out
    next_lines = [line for line in prepared["startup_banner_text"].splitlines() if line.startswith("Next: ")]
    assert next_lines == ([f"Next: {step['text']}"] if step else [])
    assert [task["ref"] for task in active] == ([step["task"]] if step else [])
    if not active or active[0]["derived_because"]:  # no task was begun
        calls_open = any(text in printed for text in ("- open: ", "## Next, as it said", "## Failed, and did not"))
        assert (calls_open or "## Stated" in printed) == (step is not None)
        assert brief["capsule"]["next_action"] == (step["text"] if step else None)
        assert (brief["task_state"]["status"] == "active") == (step is not None)


@pytest.mark.process
@pytest.mark.parametrize(
    "state", sample((failing, resolved, seen_before, stated, everything), 3, "program"), ids=lambda one: one.__name__
)
def test_a_program_gets_its_context(state: Callable[[Place], None], place: Place) -> None:
    state(place)
    script = 'cat "$AICX_CONTEXT_FILE"'
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    found = Piped(["run", "--", "sh", "-c", script], os.environ, place.repository.folder, **streams).to_end(timeout=60)
    assert (found.returncode, found.stderr) == (0, b"")
    banner, brief = found.stdout.decode().split("\n# ")
    assert re.fullmatch(r"sh@orbit · session #\d+ · awake", banner.splitlines()[0])
    assert "Resuming: " in banner
    assert brief.startswith("local/orbit: what a new session needs to know\n")
