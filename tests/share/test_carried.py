"""A share in a folder whose files something else carries between machines, in whichever order."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from aicx.engine.search import Searcher, SearchQuery
from aicx.share.asking import asked_share
from aicx.share.membership import Membership
from aicx.share.seals import digest_of, read_seals
from aicx.share.shares import databases
from aicx.share.tables import ShareAway, read_rows, reading
from tests.corpus.builders import SESSION, ClaudeLog
from tests.engine.search_helpers import NOW, keep
from tests.share.teams import PUMP, VALVE, give, home, join

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    """Ada's desktop with two pushes, and Bob's laptop with one, each with a folder of its own."""
    root = tmp_path_factory.mktemp("machines")
    for name in ("ada", "bob"):
        (root / name).mkdir()
    ada = home(
        root / "ada",
        (VALVE, "Why does the valve leak?", "The gasket of the valve was worn."),
        (PUMP, "Why does the pump hum?", "A bearing of the pump is loose."),
    )
    membership = join(ada, root / "ada" / "synced", "ada", carried=True)
    give(ada, membership)
    ada.claude(ClaudeLog(VALVE).prompt("Why does the valve leak?", 0).answer("The washer of the valve was worn.", 10))
    keep(ada)
    give(ada, membership)
    bob = home(root / "bob", (SESSION, "How is the oven heated?", "The oven burns gas."))
    give(bob, join(bob, root / "bob" / "synced", "bob", carried=True))
    return ada, bob, root


def carried(folder: Path) -> Membership:
    return Membership(str(folder), "carol", "x", carried=True)


def whole_sessions(user, folder: Path) -> set[tuple[str, str]]:
    """The sessions that a reader sees, each of which has to be whole."""
    seen = set()
    for database in databases(carried(folder), []):
        try:
            live = read_seals(database).generations()
            with reading(database.uri):
                rows = read_rows(database.chunks, ("key", "sha256", "generation"))
        except ShareAway:
            continue  # its files are still on their way
        for generation, seal in live.items():
            own = [row for row in rows if row["generation"] == generation]
            if not own:
                continue  # its rows went with a newer state, whose seal is still on its way
            assert (len(own), digest_of(own)) == (seal.rows, seal.digest)
            seen.add((seal.member, seal.session_id))
    return seen


@pytest.mark.parametrize("seed", range(3))
def test_files_arriving_in_any_order_never_show_half_a_session_and_end_as_the_whole(machines, tmp_path, seed):
    ada, _, root = machines
    files = [path for name in ("ada", "bob") for path in (root / name / "synced").rglob("*") if path.is_file()]
    random.Random(seed).shuffle(files)
    for number, path in enumerate(files):
        target = tmp_path / path.relative_to(path.parents[len(path.parts) - len(root.parts) - 3])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        if number % 7 == 0:
            whole_sessions(ada, tmp_path)
    assert whole_sessions(ada, tmp_path) == {("ada", VALVE), ("ada", PUMP), ("bob", SESSION)}


def test_a_search_asks_every_machine_and_leaves_out_the_one_that_is_half_there(machines, tmp_path):
    _, _, root = machines
    folder = tmp_path / "synced"
    for name in ("ada", "bob"):
        shutil.copytree(root / name / "synced", folder, dirs_exist_ok=True)
    (tmp_path / "carol").mkdir()
    carol = home(tmp_path / "carol", ("dddd4444-0000-4000-8000-000000000004", "Hello?", "Hello."))
    join(carol, folder, "carol", carried=True)

    def asked(text):
        share = asked_share(replace(carol.settings, team_wait_seconds=60.0))
        with Searcher(carol.settings) as searcher:
            report = searcher.search(SearchQuery(text, NOW, team=share))
        return {hit.member for hit in report.hits}, report.notes

    assert asked("washer oven")[0] == {"ada", "bob"}
    [half] = folder.glob("ada@*")
    for path in half.glob("chunks.lance/data/*"):
        path.unlink()
    members, notes = asked("washer oven")
    assert members == {"bob"}
    assert any("ada@" in note and "not whole yet" in note for note in notes)
