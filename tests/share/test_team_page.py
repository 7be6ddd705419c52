"""docs/team.md: its commands do what it says."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

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
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks[1].splitlines()) == 5
    script = "".join(blocks).replace("5055", str(free_port()))
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    shell = subprocess.Popen(
        ["bash", "-ec", script],
        cwd=tmp_path,
        env={**environment, "NO_PROXY": "127.0.0.1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, said = shell.communicate(timeout=300)
    finally:
        os.killpg(shell.pid, signal.SIGKILL)  # the server too, which is of its group
    assert shell.returncode == 0, said
    assert re.search(r"ada wrote this \d+ days? ago: evidence to check", out)
    assert "gasket" in out
