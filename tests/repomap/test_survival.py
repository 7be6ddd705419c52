"""Real processes: parsers that crash or hang, refreshes that are killed, two of them at once."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from aicx.errors import AicxError
from aicx.repomap.pool import WorkerPool
from aicx.repomap.store import MapLocation
from aicx.types import Unread
from tests.forked import Piped
from tests.repomap.builders import Repo
from tests.repomap.test_refresh import as_if_new, content

pytestmark = [pytest.mark.needs("code"), pytest.mark.process]

# A worker in which reading a file called boom crashes, and one called slow never ends.
_BAD_WORKER = """
import sys; sys.path[:] = {path!r}
import os, time, aicx.repomap.worker as worker
real = worker.examine
def examine(root, path, *rest):
    if "boom" in path: os.abort()
    if "slow" in path: time.sleep(60)
    if "odd" in path: raise RuntimeError("a bug of a grammar")
    return real(root, path, *rest)
worker.examine = examine
worker.main({root!r})
"""
BAD_WORKERS = partial(WorkerPool, start=_BAD_WORKER)


@pytest.fixture(autouse=True)
def forked_readers() -> None:
    """None are here: what reads the files starts as it does for users."""


@pytest.fixture
def repo(new_repo) -> Repo:
    return new_repo({f"lib/part_{number}.py": f"def step_{number}(): ...\n" * 20 for number in range(150)})


def refreshing(repo: Repo) -> Piped:
    environ = {**os.environ, "AICX_HOME": str(repo.layout.home)}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return Piped(["map", "refresh", "--repo", str(repo.root), "--json"], environ, **pipes)


def ended(process: Piped) -> dict[str, Any]:
    done = process.to_end(timeout=60)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def killed(process: Piped) -> int:
    process.send_signal(signal.SIGKILL)
    return process.to_end().returncode


# Files that workers do not survive ---------------------------------------------------------------------------------


def test_a_file_that_crashes_the_parser_costs_itself(repo: Repo) -> None:
    repo.write({"boom.py": "def bang(): ...\n"})
    done = repo.refresh(pool=BAD_WORKERS)
    assert (done.status, done.parsed) == ("partial", 150)
    assert done.problems == [Unread("boom.py", "the parser crashed on it")]
    assert done.skipped == {"unreadable": 1}
    assert repo.map.status().last_refresh_status == "partial"


def test_a_file_that_never_ends_costs_itself(repo: Repo) -> None:
    repo.write({"slow.py": "def wait(): ...\n"})
    done = repo.refresh(pool=partial(WorkerPool, start=_BAD_WORKER, seconds=4.0, seconds_alone=1.0))
    assert (done.parsed, done.problems) == (150, [Unread("slow.py", "took longer than 1 s")])


def test_a_file_on_which_reading_fails_costs_itself(repo: Repo) -> None:
    repo.write({"odd.py": "def strange(): ...\n"})
    assert repo.refresh(pool=BAD_WORKERS).problems == [Unread("odd.py", "RuntimeError: a bug of a grammar")]


def test_a_bad_file_is_found_by_its_name_and_not_tried_again(repo: Repo) -> None:
    repo.write({"boom.py": "def bang(): ...\n"})
    repo.refresh(pool=BAD_WORKERS)
    assert repo.paths("boom") == ["boom.py"]
    repo.refresh()
    assert repo.map.query("bang") == []


def test_a_worker_that_does_not_start_is_an_error_and_not_a_bad_file(repo: Repo) -> None:
    start = "raise SystemExit('no such grammar') # {path} {root}"
    with pytest.raises(AicxError, match="no such grammar"):
        repo.refresh(pool=partial(WorkerPool, start=start))


# Kills ---------------------------------------------------------------------------------------------------------------


def test_killed_at_random_moments_a_refresh_leaves_the_old_map_or_the_new_one(repo: Repo, tmp_path: Path) -> None:
    repo.refresh()
    chance = random.Random(4)
    before = content(repo)
    started = time.monotonic()
    for number in range(150):
        repo.write({f"lib/part_{number}.py": f"def other_{number}(): ...\n" * 20})
    after = as_if_new(repo, tmp_path / "other")
    kills = 0
    longest = 0.8
    while kills < 6:
        process = refreshing(repo)
        time.sleep(chance.uniform(0.05, longest))
        if killed(process) != -signal.SIGKILL:
            longest /= 2
            assert time.monotonic() - started < 120
        else:
            kills += 1
        assert content(repo) in (before, after)
        assert repo.map.answer("step").basis == "index"
    ended(refreshing(repo))
    assert content(repo) == after
    assert repo.map.status().last_refresh_status == "ok"


def test_a_first_refresh_that_is_killed_leaves_no_map_and_is_told(repo: Repo) -> None:
    process = refreshing(repo)
    deadline = time.monotonic() + 30
    while not list(repo.layout.repomap.rglob("*.part")) and time.monotonic() < deadline:
        time.sleep(0.005)
    killed(process)
    assert repo.maps() == []
    assert repo.map.status().last_refresh_status == "interrupted"
    assert repo.map.answer("part").basis == "names"
    assert ended(refreshing(repo))["files_indexed"] == 150
    assert list(repo.layout.repomap.rglob("*.part")) == []


def test_workers_end_with_the_refresh_that_was_killed(repo: Repo) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "aicx", "map", "refresh", "--repo", str(repo.root), "--json"],
        env={**os.environ, "AICX_HOME": str(repo.layout.home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + 30
    while not list(repo.layout.repomap.rglob("*.part")) and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(0.2)
    process.kill()
    process.communicate()
    while time.monotonic() < deadline:
        try:
            os.killpg(process.pid, 0)  # its session holds nobody but itself and its workers
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("a worker outlived its refresh")


# Several at once -----------------------------------------------------------------------------------------------------


def test_two_refreshes_at_once_make_one_map(repo: Repo, tmp_path: Path) -> None:
    done = [ended(process) for process in [refreshing(repo), refreshing(repo)]]
    assert sorted(answer["mode"] for answer in done) == ["full", "quick"]
    assert {answer["files_indexed"] for answer in done} == {150}
    assert content(repo) == as_if_new(repo, tmp_path / "other")


def test_a_map_that_goes_while_those_of_other_folders_are_listed_is_passed_over(tmp_path: Path) -> None:
    whole, gone = tmp_path / "whole.v1.01.sqlite", tmp_path / "gone.v1.02.sqlite"
    whole.touch()
    gone.symlink_to(tmp_path / "nowhere")  # listed, and not there once it is looked at
    assert MapLocation(tmp_path, "own").others() == [whole]


def test_questions_during_a_refresh_are_answered(repo: Repo) -> None:
    repo.refresh()
    for number in range(150):
        repo.write({f"lib/part_{number}.py": f"def step_{number}(): ...\n\ndef more_{number}(): ...\n"})
    process = refreshing(repo)
    while not select.select([process.stdout], [], [], 0.02)[0]:  # until it answers
        assert repo.map.answer("step 7").basis == "index"
    ended(process)
    assert repo.map.query("more 7")[0].symbol == "more_7"
