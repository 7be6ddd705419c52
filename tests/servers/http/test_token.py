"""The secret that callers over HTTP show: where it comes from, and that nobody else can read it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aicx.config import Settings, load_settings
from aicx.errors import StoreUnwritable, UsageError
from aicx.servers.http import token
from aicx.servers.http.token import load_token, token_of_run


@pytest.fixture
def settings(home: Path) -> Settings:
    return load_settings()


def test_a_token_is_made_that_only_its_owner_can_read(settings: Settings) -> None:
    made = load_token(settings)
    path = settings.layout.auth_token
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == f"{made}\n"
    assert len(made) >= 40


def test_nothing_else_is_left_behind(settings: Settings) -> None:
    load_token(settings)
    assert [path.name for path in settings.layout.home.iterdir()] == ["auth-token"]


def test_the_next_server_asks_for_the_same(settings: Settings) -> None:
    assert load_token(settings) == load_token(settings)


def test_two_homes_have_two_tokens(settings: Settings, tmp_path: Path) -> None:
    other = load_settings({"HOME": str(tmp_path)})
    assert load_token(settings) != load_token(other)


def test_of_two_servers_that_start_at_once_the_first_decides(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = settings.layout.auth_token
    link = Path.hardlink_to

    def beaten(self: Path, target: Path) -> None:
        path.write_text("the-token-of-the-other-server\n")
        path.chmod(0o600)
        link(self, target)

    monkeypatch.setattr(Path, "hardlink_to", beaten)
    assert load_token(settings) == "the-token-of-the-other-server"
    assert len(list(path.parent.iterdir())) == 1


def test_the_environment_goes_first(settings: Settings) -> None:
    named = replace(settings, auth_token="a-token-from-outside")
    assert load_token(named) == "a-token-from-outside"
    assert not settings.layout.home.exists()


def test_the_environment_is_where_settings_read_it() -> None:
    found = load_settings({"HOME": "/home/ada", "AICX_HTTP_AUTH_TOKEN": "a-token-from-outside"})
    assert found.auth_token == "a-token-from-outside"
    assert "a-token-from-outside" not in repr(found)


@pytest.mark.parametrize(
    "found", ["short", "with spaces in between it", "tabs\tin\tbetween\tit", "ümläuts-are-no-ascii"]
)
def test_what_is_no_token_is_refused(settings: Settings, found: str) -> None:
    with pytest.raises(UsageError, match="not a token") as refusal:
        load_token(replace(settings, auth_token=found))
    assert found not in refusal.value.message


def test_a_file_that_others_can_read_is_refused_with_the_cure(settings: Settings) -> None:
    load_token(settings)
    settings.layout.auth_token.chmod(0o644)
    with pytest.raises(UsageError, match="others may read") as refusal:
        load_token(settings)
    assert refusal.value.hint is not None
    assert refusal.value.hint.startswith("chmod 600 ")


def test_an_empty_file_is_refused(settings: Settings) -> None:
    load_token(settings)
    settings.layout.auth_token.write_text("")
    with pytest.raises(UsageError, match="not a token"):
        load_token(settings)


def test_a_home_that_cannot_be_written_is_said(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(token, "create_private", full)
    with pytest.raises(StoreUnwritable, match="No space left"):
        load_token(settings)


def test_a_run_without_a_token_that_is_set_has_one_of_its_own(settings: Settings) -> None:
    assert token_of_run(settings) != token_of_run(settings)


def test_a_token_of_a_run_is_not_written_down(settings: Settings) -> None:
    token_of_run(settings)
    assert not settings.layout.auth_token.exists()


def test_a_token_that_is_set_is_that_of_every_run(settings: Settings) -> None:
    assert token_of_run(replace(settings, auth_token="a-token-from-outside")) == "a-token-from-outside"
