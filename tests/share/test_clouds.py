"""A share at `gs://` and at `az://`: what a member does from joining to leaving, and the probe of the address."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aicx.engine.search import Searcher, SearchQuery
from aicx.share.asking import asked_share
from aicx.share.leaving import erase_everything, find_own, forget_shared
from aicx.share.seals import read_seals, verify_database
from aicx.share.tables import probe
from aicx.share.upkeep import maintain
from tests.corpus.builders import SESSION
from tests.engine.search_helpers import NOW
from tests.share.stores import azure_server, gcs_server
from tests.share.teams import PUMP, VALVE, give, home, join, made, own_of, rows_of

pytestmark = [
    pytest.mark.needs("semantic", "test"),
    pytest.mark.process,
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module", params=["gs", "az"])
def address(request):
    with gcs_server() if request.param == "gs" else azure_server():
        yield f"{request.param}://team"


def asked(user, text):
    share = asked_share(replace(user.settings, team_wait_seconds=60))
    with Searcher(user.settings) as searcher:
        return searcher.search(SearchQuery(text, now=NOW, team=share))


def test_two_members_search_each_other_and_what_one_takes_out_is_gone(address, tmp_path):
    ada = home(
        made(tmp_path / "ada"), (VALVE, "Why does the valve leak?", "The gasket."), (PUMP, "A pump?", "It hums.")
    )
    bob = home(made(tmp_path / "bob"), (SESSION, "How is the oven heated?", "It burns gas."))
    members = {name: join(user, f"{address}/aicx", name) for name, user in (("ada", ada), ("bob", bob))}
    assert [give(user, members[name]).vectors for name, user in (("ada", ada), ("bob", bob))] == [2, 1]
    shared = own_of(bob, members["bob"])
    assert (maintain(bob.settings.layout, members["bob"], shared), verify_database(shared)) == (None, (3, 3, []))

    report = asked(bob, "gasket of the valve")
    assert (report.hits[0].member, report.hits[0].sidecar.session_id) == ("ada", VALVE)

    seals = find_own(ada.settings, members["ada"], session=VALVE, project=None)
    assert forget_shared(members["ada"], seals, NOW, at_once=True).notes == []
    assert all(hit.sidecar.session_id != VALVE for hit in asked(bob, "gasket of the valve").hits)

    assert erase_everything(members["ada"]).notes == []
    shared.refresh()
    assert {seal.member for seal in read_seals(shared).newest.values()} == {"bob"}
    assert [row["member"] for row in rows_of(shared, "member")] == ["bob"]


def test_the_address_keeps_writers_apart(address):
    probe(f"{address}/probed")
