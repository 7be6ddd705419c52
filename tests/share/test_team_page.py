"""docs/team.md: its commands do what it says."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forked import Piped
from tests.share.teams import PUMP, VALVE, home

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.process, pytest.mark.filterwarnings("ignore")]

PAGE = Path(__file__).parents[2] / "docs" / "team.md"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.mark.skipif(not shutil.which("curl"), reason="not installed: curl")
def test_the_commands_of_the_page_lead_to_a_search_over_two_peoples_sessions(tmp_path):
    people = (("ada", VALVE, "The gasket of the valve was worn."), ("bob", PUMP, "A bearing is loose."))
    for name, session, answer in people:
        (tmp_path / f"home-{name}").mkdir()
        user = home(tmp_path / f"home-{name}", (session, f"Why does it leak or hum, {name}?", answer), vectors=False)
        user.corpus.rename(tmp_path / name)
        (tmp_path / name / "config.toml").write_text("team_wait_seconds = 60\n")
    serving, using = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    script = serving.replace("5055", str(free_port()))
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    shell = subprocess.Popen(
        ["bash", "-ec", f"{script}\nenv -0; exec >&-; wait"],
        cwd=tmp_path,
        env={**environment, "NO_PROXY": "127.0.0.1"},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    with shell:
        try:
            assert shell.stdout
            served = dict(line.split("=", 1) for line in shell.stdout.read().decode().split("\0") if line)
            printed = [done_in(tmp_path, line, served) for line in using.splitlines()]
        finally:
            os.killpg(shell.pid, signal.SIGKILL)  # the server too, which is of its group
    assert len(printed) == 5
    assert re.search(r"ada wrote this \d+ days? ago: evidence to check", printed[-1])
    assert "gasket" in printed[-1]


def done_in(folder, line, environment):
    """What a line of the page prints, whose first words name the home."""
    home, command, *words = shlex.split(line)
    assert command == "aicx"
    given = {**environment, **dict([home.split("=")])}
    done = Piped(words, given, folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE).to_end()
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()
