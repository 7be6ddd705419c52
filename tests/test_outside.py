"""Commands that somebody configured: what they are asked, and every way in which they fail."""

from __future__ import annotations

import shlex
import sys
import time

import pytest

from aicx.outside import OutsideError, ask_outside

pytestmark = pytest.mark.slow


def python(program: str) -> str:
    return shlex.join([sys.executable, "-c", program])


def test_the_answer_is_the_object_that_it_prints():
    echo = python("import json, sys; print(json.dumps({'asked': json.load(sys.stdin)}))")
    assert ask_outside(echo, {"a": [1, "b"]}, 20) == {"asked": {"a": [1, "b"]}}


def test_a_secret_is_taken_out_of_the_question():
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    asked = ask_outside("cat", {"facts": [{"text": f"the token is {token}"}]}, 20)
    assert token not in str(asked)
    assert "[REDACTED:" in str(asked)


def test_no_shell_reads_the_command():
    assert ask_outside(f'{python("import sys; print(sys.argv[1])")} \'{{"a": "$HOME;ls"}}\'', {}, 20) == {
        "a": "$HOME;ls"
    }


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("/no/such/command", "it does not start"),
        ("'half", "its words cannot be told apart"),
        ("  ", "it is empty"),
        (python("raise SystemExit(1)"), "it ended with exit code 1"),
        (python("print('{}'); raise SystemExit(3)"), "it ended with exit code 3"),
        (python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"), "it ended with exit code -9"),
        (python("print('no json')"), "its answer is not JSON"),
        (python("print('[1]')"), "its answer is not a JSON object"),
        (python(""), "its answer is not JSON"),
        (python("print('x' * 300_000)"), "its answer is longer than"),
    ],
)
def test_a_failure_is_named(command, reason):
    with pytest.raises(OutsideError, match=reason):
        ask_outside(command, {}, 20)


@pytest.mark.parametrize(
    "program",
    [
        "import time; time.sleep(60)",
        "import sys, time; sys.stdout.close(); time.sleep(60)",
        "import itertools, time\nfor n in itertools.count(): print(n, flush=True); time.sleep(0.01)",
        "import subprocess; subprocess.Popen(['sleep', '60']); print('{}')",
    ],
)
def test_a_slow_command_costs_its_time_and_no_more(program):
    began = time.monotonic()
    with pytest.raises(OutsideError, match=r"no answer within 0.6 s"):
        ask_outside(python(program), {}, 0.6)
    assert time.monotonic() - began < 10
