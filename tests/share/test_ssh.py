"""A share on another machine that is reached by ssh alone, with an `ssh` that runs what it is asked here."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from aicx.cli import run
from aicx.engine.search import Searcher, SearchQuery
from aicx.errors import AicxError, UsageError
from aicx.share.asking import asked_share
from aicx.share.membership import find_membership, need_membership, parse_address
from aicx.share.seals import verify_database
from aicx.share.shares import databases, record_fetch
from aicx.share.ssh import carry
from aicx.share.tables import ShareAway
from tests.corpus.builders import SESSION, ClaudeLog, Home
from tests.engine.search_helpers import NOW, keep
from tests.share.teams import PUMP, VALVE, home, made

pytestmark = [
    pytest.mark.needs("semantic", "test"),
    pytest.mark.process,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(not shutil.which("tar"), reason="not installed: tar"),
]
# What OpenSSH does with its arguments: options, `--`, a host, and the rest as one line for the shell of its user.
SSH = """#!/bin/sh
while [ "$1" != "--" ]; do shift; done
shift
[ "$1" = "down" ] && { echo "ssh: connect to host down port 22: Connection refused" >&2; exit 255; }
shift
HOME=FOLDER exec sh -c "$*"
"""


@pytest.fixture
def there(kept):
    """The home folder of the other machine."""
    return kept.folder / "there"


@pytest.fixture
def machines(there, kept, monkeypatch):
    """Ada's desktop and laptop, which both joined; only the desktop pushed."""
    programs = kept.folder / "programs"
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")

    def fill():
        made(there)
        (made(programs) / "ssh").write_text(SSH.replace("FOLDER", str(there)))
        (programs / "ssh").chmod(0o755)
        said = {
            "desktop": (VALVE, "Why does the valve leak?", "The gasket was worn."),
            "laptop": (SESSION, "How is the oven heated?", "The oven burns gas."),
        }
        users = [home(made(kept.folder / name), session, vectors=False) for name, session in said.items()]
        for user in users:
            assert command(user, monkeypatch, "init", "ssh://there/~/aicx share", "--member", "ada") == 0
        assert command(users[0], monkeypatch, "push", "--project", "*", "--yes") == 0

    kept.again(fill)
    return Home(kept.folder / "desktop"), Home(kept.folder / "laptop")


def command(user, monkeypatch, *arguments):
    user.used(monkeypatch)
    return run(["share", *arguments])


def found(user, text):
    share = asked_share(replace(user.settings, team_wait_seconds=30.0))
    with Searcher(user.settings) as searcher:
        report = searcher.search(SearchQuery(text, NOW, team=share))
    return [(hit.member, hit.sidecar.session_id) for hit in report.hits]


def test_what_one_machine_pushed_is_found_on_the_other_once_it_was_fetched(machines, monkeypatch):
    _, laptop = machines
    assert found(laptop, "gasket") == []
    assert command(laptop, monkeypatch, "status") == 0
    assert found(laptop, "gasket") == [("ada", VALVE)]


def test_a_second_push_sends_only_files_that_are_new_and_deletes_those_that_are_gone(machines, there, monkeypatch):
    desktop, _ = machines
    before = need_membership(desktop.settings.layout)
    assert carry(before).sent == 0
    desktop.claude(ClaudeLog(PUMP).prompt("Why does it hum?", 100).answer("A bearing is loose.", 110))
    keep(desktop)
    assert command(desktop, monkeypatch, "push", "--yes") == 0
    here = {path.relative_to(before.root) for path in before.root.glob("*@*/**/*") if path.is_file()}
    shared = there / "aicx share"
    assert {path.relative_to(shared) for path in shared.rglob("*") if path.is_file()} == here


@pytest.mark.parametrize("number", range(4))
def test_a_copy_that_broke_off_shows_no_half_session_and_the_next_one_completes_it(
    machines, there, monkeypatch, number
):
    _, laptop = machines
    folder = next((there / "aicx share").glob("ada@*"))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    kept = [path.read_bytes() for path in files]
    for path in files[number::4]:
        path.write_bytes(path.read_bytes()[:7])  # as a copy leaves it that was killed
    command(laptop, monkeypatch, "status")
    assert found(laptop, "gasket") in ([], [("ada", VALVE)])
    for path, body in zip(files, kept, strict=True):
        path.write_bytes(body)
    assert command(laptop, monkeypatch, "status") == 0
    assert found(laptop, "gasket") == [("ada", VALVE)]
    assert [verify_database(one)[2] for one in databases(need_membership(laptop.settings.layout), [])] == [[], []]


def test_what_is_forgotten_leaves_the_other_machine_and_then_every_copy(machines, there, monkeypatch):
    desktop, laptop = machines
    command(laptop, monkeypatch, "status")
    assert command(desktop, monkeypatch, "forget", "--session", VALVE, "--at-once", "--yes") == 0
    assert command(laptop, monkeypatch, "status") == 0
    assert found(laptop, "gasket") == []
    for root in (there / "aicx share", laptop.settings.layout.share_copy):
        assert not [path for path in root.rglob("*") if path.is_file() and b"gasket was worn" in path.read_bytes()]


def test_a_moved_home_goes_on_with_the_files_it_has(machines, kept):
    _, laptop = machines
    moved = laptop.corpus.rename(kept.folder / "moved")
    layout = type(laptop.settings.layout)(moved)
    assert need_membership(layout).root == moved / "share"
    assert str(kept.folder) not in layout.share.read_text()


def test_leaving_deletes_what_was_fetched(machines, monkeypatch):
    _, laptop = machines
    command(laptop, monkeypatch, "status")
    assert command(laptop, monkeypatch, "leave", "--yes") == 0
    assert find_membership(laptop.settings.layout) is None
    assert not laptop.settings.layout.share_copy.exists()


def test_an_answer_says_how_old_the_copy_is_that_it_is_from(machines, monkeypatch):
    _, laptop = machines
    membership = need_membership(laptop.settings.layout)
    said: list[str] = []
    databases(membership, said)
    assert said == []
    record_fetch(membership, datetime.now(UTC) - timedelta(hours=3))
    databases(membership, said)
    assert said[0].startswith("what others sent was fetched 3 hours ago")


def test_a_machine_that_is_away_is_named_with_what_ssh_says(machines):
    membership = replace(need_membership(machines[1].settings.layout), address="ssh://down/share")
    with pytest.raises(
        ShareAway, match="ssh://down/share cannot be used: ssh: connect to host down port 22: Connection"
    ):
        carry(membership)


def test_without_ssh_it_is_what_has_to_be_installed(machines, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(made(tmp_path / "nothing")))
    with pytest.raises(AicxError, match="ssh is not on this machine"):
        carry(need_membership(machines[1].settings.layout))


def test_a_name_that_leads_out_of_the_folder_is_never_fetched(machines, there):
    (made(there / "aicx share" / "..@evil") / "file").write_text("x")
    (there / "aicx share" / "loose").write_text("x")
    membership = need_membership(machines[1].settings.layout)
    carry(membership, send=False)
    names = {path.relative_to(membership.root).parts[0].partition("@")[0] for path in membership.root.glob("*@*/**/*")}
    assert names == {"ada", ".."}
    assert not (membership.root / "loose").exists()


@pytest.mark.parametrize(
    "address", ["ssh://there", "ssh://-oProxyCommand=x/share", "ssh://ada:secret@there/share", "ssh:///x"]
)
def test_an_address_that_names_no_folder_of_a_machine_is_refused(address):
    with pytest.raises(UsageError):
        parse_address(address)
