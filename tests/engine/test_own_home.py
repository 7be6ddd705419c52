"""A home that is copied, moved or reached by another name is its own: no other home is read or written for it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.config import load_settings
from aicx.engine.embedder_choice import Choice
from aicx.engine.index_manifest import read_manifest
from aicx.engine.vector_files import InAnotherHome
from aicx.engine.vector_index import build_vectors
from aicx.engine.vector_state import vector_state
from aicx.errors import UsageError
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home, snapshot, write_git
from tests.engine.search_helpers import ignore
from tests.kept import Kept

pytestmark = [
    pytest.mark.needs("semantic"),
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # lancedb's own
]

BOTH = [f"claude:{SESSION}:001", f"claude:{OTHER}:001"]


@pytest.fixture
def user(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Two stored sessions, indexed by meaning."""
    user = Home(kept.folder).used(monkeypatch)

    def fill() -> None:
        user.claude(ClaudeLog(SESSION, "/srv/notes").prompt("The heron nests by the weir", 0))
        user.claude(ClaudeLog(OTHER, "/srv/notes").prompt("Paint the shed green", 60))
        assert run(["store"]) == 0
        embed()

    kept.again(fill)
    return user


@pytest.fixture
def copy(user: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the home, which is the home from here on."""
    return at(Path(shutil.copytree(user.corpus, tmp_path / "copy")), monkeypatch)


def at(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AICX_HOME", str(home))
    return home


def embed(*, rebuild: bool = False) -> None:
    build_vectors(load_settings(), Choice("test"), rebuild=rebuild, on_progress=ignore, notify=ignore)


def held() -> list[str]:
    return sorted(vector_state(load_settings()).table.versions)


def old_record(home: Path, uri: Path) -> None:
    """The manifest as earlier versions wrote it."""
    manifest = home / "index" / "manifest.json"
    fields = json.loads(manifest.read_bytes())
    fields["vectors"]["uri"] = str(uri)
    fields.pop("sha256", None)
    manifest.write_text(json.dumps(fields))
    manifest.with_name("manifest.copy.json").unlink(missing_ok=True)


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert held() == [BOTH[1]]


def drop(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(["index", "drop"]) == 0
    assert "vectors" not in read_manifest(load_settings().layout)


def index(monkeypatch: pytest.MonkeyPatch) -> None:
    embed(rebuild=True)
    assert held() == BOTH


def index_less(monkeypatch: pytest.MonkeyPatch) -> None:
    (load_settings().layout.home / ".aicxignore").write_text(f"*{SESSION}*\n")
    assert run(["store"]) == 0
    embed()
    assert held() == [BOTH[1]]


ACTIONS = pytest.mark.parametrize("action", [forget, drop, index, index_less], ids=lambda action: action.__name__)


def test_no_file_of_a_home_names_it(user: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_git(tmp_path / "repository", "https://github.com/ada/orbit.git")
    (tmp_path / "repository" / "lamp.py").write_text("def light() -> None: ...\n")
    monkeypatch.chdir(tmp_path / "repository")
    run(["map", "refresh"])
    assert run(["search", "heron"]) == run(["dashboard", "-o", str(tmp_path / "page.html")]) == 0
    naming = [name for name, body in snapshot(user.corpus).items() if str(user.corpus).encode() in body]
    assert naming == []


@pytest.mark.parametrize("recorded", ["as now", "in full"])
@ACTIONS
def test_nothing_done_in_a_copy_changes_the_first_home(
    recorded: str, action: Any, user: Home, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if recorded == "in full":
        for home in (user.corpus, copy):
            old_record(home, user.corpus / "index")
    before = snapshot(user.corpus)
    action(monkeypatch)
    assert snapshot(user.corpus) == before
    at(user.corpus, monkeypatch)
    assert held() == BOTH


def test_a_record_in_full_is_healed(user: Home, copy: Path) -> None:
    old_record(copy, user.corpus / "index")
    assert Path(vector_state(load_settings()).uri) == copy / "index"
    assert run(["store"]) == 0
    assert read_manifest(load_settings().layout)["vectors"]["uri"] is None
    old_record(copy, copy / "index")
    assert run(["doctor", "--fix"]) == 0
    assert read_manifest(load_settings().layout)["vectors"]["uri"] is None


@ACTIONS
def test_a_table_that_only_another_home_has_is_refused(
    action: Any, user: Home, copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(copy / "index" / "vectors.lance")
    old_record(copy, user.corpus / "index")
    before = snapshot(user.corpus)
    with pytest.raises(InAnotherHome) as raised:
        held()
    assert raised.value.hint == "aicx index"
    capsys.readouterr()
    assert run(["search", "heron", "--json"]) == 0
    assert (
        "is of another home (next: aicx index)"
        in json.loads(capsys.readouterr().out)["oracle_status"]["fallback_reason"]
    )
    if action is forget:
        assert run(["forget", "--session", SESSION, "--yes"]) == 0
    else:
        action(monkeypatch)
    assert snapshot(user.corpus) == before


def test_a_moved_home_keeps_its_index(user: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old_record(user.corpus, user.corpus / "index")
    moved = at(Path(shutil.move(user.corpus, tmp_path / "moved")), monkeypatch)
    assert held() == BOTH
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert (held(), sorted(path.name for path in (moved / "index").iterdir())) == (
        [BOTH[1]],
        [
            *("lexical", "lexical.checksums.json", "manifest.copy.json", "manifest.json"),
            *("vectors.lance", "vectors.lance.checksums.json"),
        ],
    )


def test_a_linked_home_is_the_home_it_leads_to(user: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old_record(user.corpus, user.corpus / "index")
    link = tmp_path / "link"
    link.symlink_to(user.corpus)
    at(link, monkeypatch)
    assert held() == BOTH
    embed(rebuild=True)
    assert read_manifest(load_settings().layout)["vectors"]["uri"] is None
    at(user.corpus, monkeypatch)
    assert held() == BOTH


def test_a_home_given_relative_to_a_folder_is_found_from_another(
    user: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(user.corpus.parent)
    at(Path(user.corpus.name), monkeypatch)
    embed(rebuild=True)
    assert held() == BOTH
    monkeypatch.chdir(user.corpus)
    at(Path("."), monkeypatch)
    assert held() == BOTH
    at(user.corpus, monkeypatch)
    assert held() == BOTH


# Addresses that the user chose ----------------------------------------------------------------------------------------


def test_another_folder_keeps_working_also_without_the_setting(user: Home, tmp_path: Path) -> None:
    address = tmp_path / "shared"
    config = load_settings().layout.config_file
    config.write_text(f'index_uri = "{address}"\n')
    embed()
    assert (held(), vector_state(load_settings()).uri) == (BOTH, str(address))
    config.unlink()
    assert vector_state(load_settings()).uri == str(address)


def test_a_bucket_stays_the_address_it_is(user: Home) -> None:
    from aicx.engine.vector_files import chosen_address, recorded_address, to_record

    layout = load_settings().layout
    layout.config_file.write_text('index_uri = "s3://bucket/path"\n')
    settings = load_settings()
    assert chosen_address(settings) == to_record(layout, "s3://bucket/path") == "s3://bucket/path"
    assert recorded_address(settings, {"embedder": "test", "uri": "s3://bucket/path"}) == "s3://bucket/path"


@pytest.mark.parametrize("in_full", [True, False])
def test_a_folder_inside_the_home_goes_with_it(
    in_full: bool, user: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = user.corpus / "vectors" if in_full else "vectors"
    load_settings().layout.config_file.write_text(f'index_uri = "{named}"\n')
    embed()
    copied = at(Path(shutil.copytree(user.corpus, tmp_path / "copy")), monkeypatch)
    assert read_manifest(load_settings().layout)["vectors"]["uri"] == "vectors"
    assert vector_state(load_settings()).uri == str(copied / "vectors")
    before = snapshot(user.corpus)
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert (held(), snapshot(user.corpus)) == ([BOTH[1]], before)


def test_a_folder_of_another_home_is_no_address(user: Home, copy: Path) -> None:
    load_settings().layout.config_file.write_text(f'index_uri = "{user.corpus / "index"}"\n')
    before = snapshot(user.corpus)
    with pytest.raises(UsageError, match="is a part of another home") as raised:
        embed()
    assert "index_uri" in str(raised.value.hint)
    assert snapshot(user.corpus) == before


def test_a_link_into_another_home_is_not_followed(user: Home, copy: Path) -> None:
    shutil.rmtree(copy / "index" / "vectors.lance")
    (copy / "index" / "vectors.lance").symlink_to(user.corpus / "index" / "vectors.lance")
    before = snapshot(user.corpus)
    for action in (held, embed):
        with pytest.raises(InAnotherHome):
            action()
    assert run(["index", "drop"]) == 0
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert snapshot(user.corpus) == before


def test_what_is_new_in_a_copy_stays_there(user: Home, copy: Path) -> None:
    before = snapshot(user.corpus)
    user.claude(ClaudeLog(THIRD, "/srv/notes").prompt("Bread and flour in the oven", 120))
    assert run(["store"]) == 0
    embed()
    assert held() == [*BOTH, f"claude:{THIRD}:001"]
    assert snapshot(user.corpus) == before
