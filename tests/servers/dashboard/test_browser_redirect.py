"""The file that leads the browser which aicx starts to the page."""

from __future__ import annotations

import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from aicx.errors import StoreUnwritable
from aicx.servers.dashboard.app import redirect_page

pytestmark = pytest.mark.needs("web")

ADDRESS = "http://127.0.0.1:9478/#token=a-token-for-tests-alone"


def path_of(url: str) -> Path:
    return Path(urlsplit(url).path)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_it_leads_on_to_the_page() -> None:
    with redirect_page(ADDRESS) as url:
        assert f'content="0; url={ADDRESS}"' in path_of(url).read_text()


def test_its_own_address_does_not_hold_the_token() -> None:
    with redirect_page(ADDRESS) as url:
        assert url.startswith("file:///")
        assert "token" not in url


def test_nobody_else_can_read_it() -> None:
    with redirect_page(ADDRESS) as url:
        assert path_of(url).stat().st_mode & 0o777 == 0o600
        assert path_of(url).parent.stat().st_mode & 0o777 == 0o700


def test_it_goes_with_the_server() -> None:
    with redirect_page(ADDRESS) as url:
        path = path_of(url)
    assert not path.parent.exists()


def test_a_token_cannot_end_the_attribute_it_stands_in() -> None:
    with redirect_page('http://127.0.0.1/#token="><script>') as url:
        assert "<script>" not in path_of(url).read_text()


def test_where_no_file_can_be_written_the_way_around_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    with pytest.raises(StoreUnwritable) as raised, redirect_page(ADDRESS):
        pass
    assert "--no-open" in str(raised.value.hint)


def test_a_failure_of_the_server_is_not_taken_for_one_of_the_file() -> None:
    with pytest.raises(ConnectionResetError), redirect_page(ADDRESS):
        raise ConnectionResetError
