"""What the console makes of names and places before it prints them."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx import console
from aicx.paths import NON_REPOSITORY


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("read [https://a.example/1](https://a.example/1) now", "read https://a.example/1 now"),
        ("read [the page](https://a.example/very-lo…", "read the page"),
        ("error[E0282] in [main]", "error[E0282] in [main]"),
        ("", "(no title)"),
    ],
)
def test_a_title_has_the_words_of_a_link_in_its_place(title: str, shown: str) -> None:
    assert console.title({"title": title}) == shown


def test_a_sessions_own_title_comes_first() -> None:
    assert console.title({"title": "A chunk", "session_title": "A session"}) == "A session"


def test_a_place_is_the_repository() -> None:
    assert console.place("ada/orbit", "/srv/orbit") == "ada/orbit"


def test_a_place_without_one_is_the_folder_as_seen_from_home() -> None:
    assert console.place(NON_REPOSITORY, str(Path.home() / "notes")) == "~/notes"
    assert console.place(NON_REPOSITORY, "/srv/notes") == "/srv/notes"


def test_a_long_folder_is_named_by_its_last_parts() -> None:
    assert console.place(NON_REPOSITORY, f"/srv/{'long/' * 9}orbit/pump") == "…/orbit/pump"
    assert console.place(NON_REPOSITORY, None) == "no repository"
