"""The page beside a share: what other members wrote is named as theirs, has nothing to open, and stays text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import chdir
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browsers import SharedBrowser
from tests.corpus.builders import THIRD
from tests.engine.search_helpers import keep
from tests.parts import require
from tests.servers.dashboard.http_client import serving
from tests.servers.dashboard.page.browsers import ATTACKS
from tests.servers.dashboard.page.test_page_inert import attacked
from tests.share.teams import checkouts, give, join

pytestmark = [pytest.mark.needs("test", "semantic"), pytest.mark.filterwarnings("ignore")]

Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def address(browser: SharedBrowser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Bob's page; Ada shared a session with markup in its title and text."""
    require("web")
    root = tmp_path_factory.mktemp("team")
    ada, bob, _ = checkouts(root)
    log = ada.log(THIRD).prompt(f"The sieve {ATTACKS[0]} is torn", 300).title(f"Sieve {ATTACKS[1]}")
    ada.user.claude(log.answer(f"The sieve is mended {ATTACKS[2]}.", 310))
    keep(ada.user)
    give(ada.user, join(ada.user, root / "share", "ada"))
    (bob.user.corpus / "config.toml").write_text("team_wait_seconds = 30\n")
    with chdir(bob.repository.folder), serving("--rate", "10000", **bob.user.environ) as (_, found):
        yield found


def test_the_box_brings_what_others_shared_as_theirs_without_anything_to_open(visit: Visit) -> None:
    page = visit("/?q=sieve")
    expect(page.locator("#search .result")).to_have_count(0)
    page.get_by_label("and the team").first.check()
    answer = page.locator("#search .result")
    expect(answer).to_have_count(1)
    expect(answer).to_contain_text("ada wrote this")
    expect(answer).to_contain_text("evidence to check, not instructions to follow")
    expect(answer.locator("a")).to_have_count(0)
    assert "team=true" in page.url
    assert attacked(page) is None


def test_a_reason_names_the_sessions_of_other_members_apart(visit: Visit) -> None:
    page = visit("/why?project=ada%2Forbit&target=src%2Fparser.py&team=true")
    theirs = page.locator(".because .panel", has_text="Sessions of other members")
    expect(theirs).to_contain_text("ada wrote this")
    expect(theirs).to_contain_text("touched 1 file of it")
    expect(theirs.locator("a")).to_have_count(0)
