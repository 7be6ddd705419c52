"""`aicx run`, as a person and a script call it: in a process of its own, with real pipes and a real terminal.

Most of these processes are forked from one that has imported aicx; a shell starts the others as they are started."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run as aicx
from aicx.lifecycle.run import program_with_logs
from aicx.sources.detect import detect_log
from tests.corpus.builders import ClaudeLog
from tests.forked import ForkedCommand, Piped
from tests.lifecycle.conftest import Place

pytestmark = pytest.mark.process

AICX = (sys.executable, "-m", "aicx")
LIMIT = 30  # seconds, for everything that is waited for
PYTHON = sys.executable


class Runs:
    """Runs programs through `aicx run` in the repository of a place."""

    def __init__(self, place: Place) -> None:
        self.place, self.home = place, place.user.corpus
        self.folder = place.repository.folder
        # The package is found from any folder; AICX_HOME and HOME are set by the place.
        self.environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}

    def __call__(
        self, *words: str, options: Sequence[str] = (), input: bytes = b"", **how: Any
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs a program to its end; what it prints, unless ``stdout`` and ``stderr`` say where it goes."""
        how = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        return self.start(*words, options=options, **how).to_end(input, LIMIT)

    def start(self, *words: str, options: Sequence[str] = (), **how: Any) -> Piped:
        return Piped(["run", *options, "--", *words], self.environ, self.folder, **how)

    def attempts(self) -> list[dict[str, Any]]:
        found = [json.loads(path.read_bytes()) for path in self.home.glob("work/*/attempts/*.json")]
        return [one for one in found if one["attempt"]["stated"]["commands"]]

    def attempt(self) -> dict[str, Any]:
        (found,) = self.attempts()
        return found

    def log(self) -> list[dict[str, Any]]:
        (path,) = self.home.glob("runs/*.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()]

    def printed(self) -> str:
        return "".join(record.get("text", "") for record in self.log())

    def on_terminal(self, *words: str, **how: Any) -> Terminal:
        return Terminal(["run", "--", *words], self.environ, self.folder, **how)


class Terminal:
    """A terminal with a process in it that controls it; its output goes to ``stdout`` where that is given."""

    def __init__(
        self, arguments: Sequence[str], env: Mapping[str, str], folder: Path, stdout: int | None = None
    ) -> None:
        self.end, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 77, 0, 0))
        streams = (slave, slave if stdout is None else stdout, slave)
        self.process = ForkedCommand(arguments, env, streams, cwd=folder, terminal=True)
        os.close(slave)
        self.shown = b""

    def until(self, text: bytes) -> bytes:
        """What was shown, once ``text`` is in it."""
        deadline = time.monotonic() + LIMIT
        while text not in self.shown:
            ready, _, _ = select.select([self.end], [], [], max(0, deadline - time.monotonic()))
            assert ready, self.shown
            try:
                block = os.read(self.end, 65536)
            except OSError:  # closed at the other end
                block = b""
            assert block, self.shown
            self.shown += block
        return self.shown

    def type(self, text: bytes) -> None:
        os.write(self.end, text)

    def wait(self) -> int:
        return self.process.wait(LIMIT)


@pytest.fixture
def runs(place: Place) -> Runs:
    return Runs(place)


class TestStreams:
    def test_bytes_of_every_kind_pass_unchanged(self, runs):
        body = bytes(range(256)) * 4096
        done = runs("cat", input=body)
        assert (done.returncode, done.stdout, done.stderr) == (0, body, b"")

    def test_both_streams_into_one_file_keep_their_order(self, runs):
        program = "import os\nfor n in range(200): os.write(1 + n % 2, b'%d\\n' % n)"
        done = runs(PYTHON, "-c", program, stderr=subprocess.STDOUT)
        assert done.stdout.split() == [b"%d" % n for n in range(200)]

    def test_what_is_printed_arrives_before_the_program_ends(self, runs):
        process = runs.start("sh", "-c", "printf now; read line", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with process:
            assert process.stdout
            assert process.stdin
            assert process.stdout.read(3) == b"now"
            process.stdin.close()

    def test_a_reader_that_has_enough_ends_the_program_as_it_would_without(self, runs):
        process = runs.start("yes", stdout=subprocess.PIPE)
        assert process.stdout
        process.stdout.read(10)
        process.stdout.close()
        assert process.wait(LIMIT) == 128 + signal.SIGPIPE

    def test_what_is_left_in_the_background_does_not_keep_it(self, runs):
        with runs.start("sh", "-c", "(sleep 2; echo late) & echo early", stdout=subprocess.PIPE) as process:
            assert process.wait(LIMIT) == 0
            ended = time.monotonic()
            assert process.stdout
            assert process.stdout.read() == b"early\nlate\n"
            assert time.monotonic() - ended > 0.5

    def test_the_program_has_the_environment_and_umask_of_its_caller(self, runs):
        done = runs("sh", "-c", "umask; env", umask=0o027)
        umask, *environ = done.stdout.decode().splitlines()
        assert umask == "0027"
        added = {line.partition("=")[0] for line in environ} - set(runs.environ)
        assert added <= {"AICX_CONTEXT_FILE", "AICX_SESSION_ID", "_", "SHLVL", "PWD", "OLDPWD"}

    def test_arguments_that_are_no_text_reach_the_program(self, runs):
        done = runs("printf", "%s", os.fsdecode(b"\xff\xfe"))
        assert done.stdout == b"\xff\xfe"

    def test_a_closed_stream_stays_closed(self, runs):
        call = shlex.join([*AICX, "run", "--", "sh", "-c", "echo lost; exit 6"])
        done = subprocess.run(["sh", "-c", f"{call} >&-"], cwd=runs.folder, env=runs.environ, stderr=subprocess.PIPE)
        assert done.returncode == 6
        assert b"internal error" not in done.stderr

    def test_a_program_runs_in_a_folder_that_was_deleted(self, runs):
        script = f"mkdir gone; cd gone; rmdir ../gone; {shlex.join(AICX)} run -- echo works"
        done = subprocess.run(["sh", "-c", script], cwd=runs.folder, env=runs.environ, capture_output=True)
        assert (done.returncode, done.stdout) == (0, b"works\n")


class TestExitCode:
    @pytest.mark.parametrize("code", [0, 255])
    def test_the_exit_code_is_the_program_s(self, runs, code):
        assert runs("sh", "-c", f"exit {code}").returncode == code
        assert runs.attempt()["attempt"]["exit_code"] == code
        assert runs.attempt()["attempt"]["outcome"] == ("success" if code == 0 else "failure")

    def test_a_signal_that_ends_the_program_is_128_more(self, runs):
        assert runs("sh", "-c", "kill -9 $$").returncode == 137
        assert runs.attempt()["attempt"]["exit_code"] == 137

    def test_aicx_adds_nothing_to_what_an_interrupted_program_prints(self, runs):
        done = runs("sh", "-c", "kill -INT $$")
        assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")

    def test_a_missing_program_is_127_and_leaves_nothing(self, runs):
        done = runs("no-such-program")
        assert done.returncode == 127
        assert done.stderr == b"warning: aicx run: no-such-program: command not found\n"
        assert runs.attempts() == []

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_a_signal_is_passed_on_and_the_attempt_is_recorded(self, runs, number):
        program = "import signal, sys, time\nfor n in (1, 2, 15): signal.signal(n, lambda n, _: sys.exit(40 + n))\n"
        program += "print('ready')\ntime.sleep(60)"
        with runs.start(PYTHON, "-uc", program, stdout=subprocess.PIPE) as process:
            assert process.stdout
            assert process.stdout.readline() == b"ready\n"
            process.send_signal(number)
            assert process.wait(LIMIT) == 40 + number
        assert runs.attempt()["attempt"]["exit_code"] == 40 + number


class TestTerminal:
    def test_the_program_has_a_terminal_of_the_same_size(self, runs):
        terminal = runs.on_terminal("sh", "-c", "stty size; test -t 0 -a -t 1 -a -t 2 && echo all three; read line")
        assert b"33 77" in terminal.until(b"all three")
        fcntl.ioctl(terminal.end, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 60, 0, 0))
        terminal.type(b"\n")
        assert terminal.wait() == 0

    def test_a_new_size_reaches_the_program(self, runs):
        program = "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.1; done"
        terminal = runs.on_terminal("sh", "-c", program)
        terminal.until(b"ready")
        fcntl.ioctl(terminal.end, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 60, 0, 0))
        terminal.until(b"20 60")
        assert terminal.wait() == 0

    def test_control_c_interrupts_the_program_once(self, runs):
        program = "import signal, time\ncount = []\nsignal.signal(2, lambda *_: count.append(1))\n"
        program += "print('ready', flush=True)\ntime.sleep(1)\nprint('count', len(count), flush=True)\n"
        terminal = runs.on_terminal(PYTHON, "-c", program)
        terminal.until(b"ready")
        terminal.type(b"\x03")
        terminal.until(b"count 1")
        assert terminal.wait() == 0

    def test_control_c_interrupts_a_program_in_a_pipe_once(self, runs):
        program = "import signal, time\ncount = []\nsignal.signal(2, lambda *_: count.append(1))\n"
        program += "print('ready', flush=True)\ntime.sleep(1)\nprint('count', len(count), flush=True)\n"
        out = runs.folder.parent / "out"
        with out.open("wb") as stream:
            terminal = runs.on_terminal(PYTHON, "-c", program, stdout=stream.fileno())
        deadline = time.monotonic() + LIMIT
        while b"ready" not in out.read_bytes() and time.monotonic() < deadline:
            time.sleep(0.05)
        terminal.type(b"\x03")
        assert terminal.wait() == 0
        assert b"count 1" in out.read_bytes()

    def test_the_terminal_is_as_it_was(self, runs):
        terminal = runs.on_terminal("sh", "-c", "echo ready; read line")
        terminal.until(b"ready")
        deadline = time.monotonic() + LIMIT
        while termios.tcgetattr(terminal.end)[3] & termios.ICANON and time.monotonic() < deadline:
            time.sleep(0.01)
        terminal.type(b"\n")
        assert terminal.wait() == 0
        assert termios.tcgetattr(terminal.end)[3] & (termios.ICANON | termios.ECHO) == termios.ICANON | termios.ECHO

    def test_a_terminal_that_closes_ends_the_program_and_the_attempt_is_recorded(self, runs):
        terminal = runs.on_terminal("sh", "-c", "echo ready; sleep 60")
        terminal.until(b"ready")
        os.close(terminal.end)
        assert terminal.wait() == 128 + signal.SIGHUP
        assert runs.attempt()["attempt"]["exit_code"] == 128 + signal.SIGHUP
        assert "ready" in runs.printed()


class TestContext:
    def test_the_brief_is_in_a_private_file_with_its_manifest_beside_it(self, runs):
        done = runs("sh", "-c", 'cat "$AICX_CONTEXT_FILE"; echo "$AICX_CONTEXT_FILE" >&2', options=("--task", "login"))
        context = Path(done.stderr.decode().strip())
        assert "Tokens of the login expire" in done.stdout.decode()
        assert context.is_relative_to(runs.home)
        manifest = json.loads(context.with_suffix(".json").read_bytes())
        assert manifest["schema"] == "aicx.run-context/1"
        assert manifest["task"] == "login"
        assert manifest["selection"]["entries"]
        for path in (context, context.with_suffix(".json"), next(runs.home.glob("runs/*.jsonl"))):
            assert path.stat().st_mode & 0o777 == 0o600

    def test_a_home_that_cannot_be_written_costs_the_context_alone(self, runs, tmp_path):
        blocked = tmp_path / "blocked"
        blocked.write_text("a file where the corpus would be")
        runs.environ["AICX_HOME"] = str(blocked / "home")
        done = runs("sh", "-c", "echo works; echo ${AICX_CONTEXT_FILE:-none}; exit 5")
        assert (done.returncode, done.stdout) == (5, b"works\nnone\n")
        assert b"sh runs without its context: " in done.stderr
        assert b"what sh printed is not kept: cannot write " in done.stderr


class TestAttempt:
    def test_changed_files_and_commits_are_recorded(self, runs):
        script = (
            "echo a > new.txt; git add new.txt;"
            " git -c user.name=A -c user.email=a@example.org commit -qm 'Add new'; echo b >> src/login.py"
        )
        (runs.folder / "before.txt").write_text("changed before")
        assert runs("sh", "-c", script, options=("--task", "add a file")).returncode == 0
        found = runs.attempt()
        assert found["goal"] == "add a file"
        assert found["attempt"]["stated"]["edited"] == ["new.txt", "src/login.py"]
        head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=runs.folder, text=True).strip()
        assert f"commit:{head}" in found["sources"]

    def test_commits_that_were_checked_out_are_not_the_program_s(self, runs):
        old = "GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' git -c user.name=A -c user.email=a@example.org"
        script = f"git checkout -q -b other; {old} commit -q --allow-empty -m 'Old'"
        assert runs("sh", "-c", script).returncode == 0
        assert not [ref for ref in runs.attempt()["sources"] if ref.startswith("commit:")]

    def test_what_the_program_said_of_its_end_stays(self, runs):
        said = f"{shlex.quote(PYTHON)} -m aicx finalize --status failure --summary 'Two tests fail' --agent-id run"
        assert runs("sh", "-c", said).returncode == 0
        attempt = runs.attempt()["attempt"]
        assert (attempt["outcome"], attempt["summary"], attempt["exit_code"]) == ("failure", "Two tests fail", 0)

    def test_two_at_once_are_two_attempts_and_two_sessions(self, runs):
        both = [runs.start("sh", "-c", "sleep 0.5; echo done", stdout=subprocess.DEVNULL) for _ in range(2)]
        assert [one.wait(LIMIT) for one in both] == [0, 0]
        assert len(runs.attempts()) == 2
        assert len(list(runs.home.glob("runs/*.jsonl"))) == 2


class TestSession:
    def test_without_a_task_it_is_called_by_its_program_and_how_it_ended(self, runs):
        assert runs("sh", "-c", "echo The walrus is at the gate; exit 4").returncode == 4
        assert aicx(["store"]) == 0
        (session,) = runs.place("sessions", "-a", "run")["items"]
        assert session["title"] == "`sh -c 'echo The walrus is at the gate; exit 4'` ended with exit code 4"

    def test_its_failure_names_the_program_and_how_it_ended(self, runs):
        assert runs("sh", "-c", "make -v; exit 4", options=("--task", "Guard the gate")).returncode == 4
        assert aicx(["store"]) == 0
        [failure] = runs.place("resume")["capsule"]["failures"]
        assert failure["text"].startswith("`sh -c 'make -v; exit 4'` ended with exit code 4")

    def test_a_program_without_logs_is_a_session_of_its_folder(self, runs, capsys):
        runs("sh", "-c", "echo The walrus is at the gate", options=("--agent-id", "Aider", "--task", "Guard the gate"))
        assert aicx(["store"]) == 0
        (session,) = runs.place("sessions", "-a", "run")["items"]
        assert session["session_id"].startswith("aider-")
        assert session["title"] == "Guard the gate"
        assert session["project"] == "local/orbit"
        assert "walrus" in json.dumps(runs.place("search", "walrus", "-a", "run"))
        shown = runs.place("show", f"run:{session['session_id'][:12]}")
        assert (shown["agent"], shown["session_id"]) == ("run", session["session_id"])
        assert runs.place("resume")["execution_contract"]

    def test_a_log_named_by_its_path_is_recognised(self, runs):
        runs("sh", "-c", "echo The walrus is at the gate")
        found = detect_log(next(runs.home.glob("runs/*.jsonl")))
        assert (found.agent, found.format) == ("run", "run")

    def test_a_tool_s_output_is_its_result(self, runs):
        (runs.folder / "Makefile").write_text("test:\n\t@echo one; sleep 0.2; echo two; false\n")
        assert runs("make", "test").returncode == 2
        (end,) = [record for record in runs.log() if record["type"] == "end"]
        assert end["exit_code"] == 2
        assert {"one", "two"} <= set(end["text"].splitlines())

    @pytest.mark.parametrize("program", ["claude", "codex", "gemini"])
    def test_a_program_with_logs_is_not_stored_twice(self, runs, program, tmp_path):
        script = tmp_path / "bin" / program
        script.parent.mkdir()
        script.write_text("#!/bin/sh\necho hello\n")
        script.chmod(0o700)
        done = runs(str(script))
        assert done.stdout == b"hello\n"
        assert list(runs.home.glob("runs/*.jsonl")) == []
        assert runs.attempt()["attempt"]["agent"] == program

    def test_the_attempt_of_a_program_with_logs_is_that_of_its_own_session(self, runs, tmp_path):
        session = "33333333-3333-4333-8333-333333333333"
        log = ClaudeLog(session, str(runs.folder)).prompt("go on", 0).answer("The login is done.", 1)
        written = runs.place.user.claude(log)
        kept = written.read_bytes()
        written.unlink()
        (tmp_path / "log").write_bytes(kept)
        script = tmp_path / "bin" / "claude"
        script.parent.mkdir()
        script.write_text(f"#!/bin/sh\ncp '{tmp_path}/log' '{written}'\n")
        script.chmod(0o700)
        assert runs(str(script)).returncode == 0
        found = runs.attempt()
        assert found["attempt"]["session"] == session
        assert found["sources"] == [f"session:claude:{session}"]

    def test_secrets_and_terminal_sequences_are_not_written(self, runs):
        token = "ghp_" + "a1B2c3D4e5F6" * 3
        runs("printf", "%b", f"\\033[31mred\\033[0m\\ntoken {token}\\n\\033[?1049hdrawn\\033[?1049l10%%\\r100%%\\n")
        text = (next(runs.home.glob("runs/*.jsonl"))).read_text()
        assert token not in text
        assert "\\u001b" not in text
        assert "red\\ntoken [REDACTED:" in text
        assert "drawn" not in runs.printed()
        assert "10%\\r" not in runs.printed()

    def test_a_flood_of_output_is_kept_at_both_ends(self, runs):
        done = runs(PYTHON, "-c", "for n in range(400000): print('line', n)", stdout=subprocess.DEVNULL, stderr=None)
        assert done.returncode == 0
        printed = runs.printed()
        assert "line 0\n" in printed
        assert "bytes of output left out]" in printed
        assert printed.endswith("line 399999\n")
        assert len(printed) < 2 * 1024 * 1024

    def test_a_forgotten_session_leaves_no_log_and_no_context(self, runs):
        runs("sh", "-c", "echo The walrus is at the gate")
        assert aicx(["store"]) == 0
        (session,) = runs.place("sessions", "-a", "run")["items"]
        assert aicx(["forget", "--session", f"run:{session['session_id']}", "--yes"]) == 0
        assert [path for path in (runs.home / "runs").rglob("*") if path.is_file()] == []

    def test_a_forgotten_text_leaves_no_log(self, runs):
        runs("sh", "-c", "echo The walrus is at the gate")
        runs("sh", "-c", "echo Nothing of note")
        assert aicx(["store"]) == 0
        assert aicx(["forget", "--pattern", "walrus", "--yes"]) == 0
        assert "walrus" not in "".join(path.read_text() for path in runs.home.glob("runs/*.jsonl"))
        assert len(list(runs.home.glob("runs/*.jsonl"))) == 1


@pytest.mark.parametrize(
    ("words", "agent"),
    [
        ("claude -p hi", "claude"),
        ("/usr/local/bin/codex exec", "codex"),
        ("npx -y @google/gemini-cli@latest", "gemini"),
        ("env A=1 claude", "claude"),
        ("aider", None),
        ("bash -c claude", None),
        ("echo claude", None),
    ],
)
def test_programs_with_logs_are_known_by_what_starts_them(words, agent):
    assert program_with_logs(words.split()) == agent
