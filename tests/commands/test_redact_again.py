"""New rules reach what is stored: chunks, sidecars, names, indexes and what else the home holds."""

from __future__ import annotations

import json
import random
import shutil
import string
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.config import load_settings
from aicx.corpus.files.read import sidecar_path
from aicx.corpus.files.tombstones import read_tombstones, with_tombstones
from aicx.engine.embedder_choice import Choice
from aicx.engine.vector_index import build_vectors
from aicx.engine.vector_state import vector_state
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home, snapshot
from tests.engine.search_helpers import ignore

pytestmark = pytest.mark.slow

_ALNUM = string.ascii_letters + string.digits


def token(seed: int) -> str:
    return "ghp_" + "".join(random.Random(seed).choices(_ALNUM, k=36))


TEXT, NAME, FOLDER, ID, BRANCH, TITLE, COMMAND, LONG = map(token, range(8))
SECRETS = (TEXT, NAME, FOLDER, ID, BRANCH, TITLE, COMMAND, LONG)
PLAIN = THIRD


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Three sessions, stored when no rule knew their secrets; one of them holds none."""
    user = Home(tmp_path).used(monkeypatch)
    log = ClaudeLog(SESSION, f"/srv/{FOLDER}/git/ada/{NAME}", branch=f"fix/{BRANCH}")
    log.prompt(f"Look at the heron with {TEXT} and\nnothing else", 0)
    log.call(f"mcp__{NAME}", 1, command=f"curl -H {COMMAND} host").result(f"failed with {TEXT}", 2, failed=True)
    log.answer(f"Decision: rotate {TEXT}", 3).title(f"About {TITLE}")
    log.prompt("word " * 1600 + LONG + " word" * 1600, 5)
    user.claude(log)
    user.codex(CodexLog(ID).prompt("Paint the shed", 60).answer("Green it is", 61))
    user.claude(ClaudeLog(PLAIN).prompt("Nothing to hide", 120))
    assert run(["store", "--no-redact-secrets"]) == 0
    return user


def again(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert run(["store", "--redact-again", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def leaks(home: Path) -> list[str]:
    """The files of a home in whose name or bytes a secret is left; an index folds letters to small ones."""
    low = [secret.lower().encode() for secret in SECRETS]
    return [
        name
        for path in sorted(home.rglob("*"))
        for name in [str(path.relative_to(home))]
        if any(secret in name.lower().encode() for secret in low)
        or (path.is_file() and any(secret in path.read_bytes().lower() for secret in low))
    ]


def test_no_secret_is_left_below_the_home(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert leaks(user.corpus)
    report = again(capsys)
    assert leaks(user.corpus) == []
    assert report["texts"]["github-token"] == 6
    assert report["names"]["github-token"] > 5
    assert not load_settings().layout.redacting.exists()
    assert run(["doctor"]) == 0


def test_a_second_run_changes_nothing(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    again(capsys)
    before = snapshot(user.corpus)
    report = again(capsys)
    assert (report["chunks_changed"], report["elsewhere"], report["texts"]) == (0, 0, {})
    assert snapshot(user.corpus) == before


def test_it_is_what_a_store_with_the_rules_would_have_made(
    user: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    again(capsys)
    texts = user.own_texts()
    monkeypatch.setenv("AICX_HOME", str(tmp_path / "fresh"))
    user.corpus = tmp_path / "fresh"
    user.environ["AICX_HOME"] = str(user.corpus)
    assert run(["store"]) == 0
    # Long messages were cut where their parts were longer; together they say the same.
    assert "".join(texts) == "".join(user.own_texts())


def test_it_works_where_the_logs_are_gone(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(user.root / ".claude")
    shutil.rmtree(user.root / ".codex")
    assert again(capsys)["chunks_changed"]
    assert leaks(user.corpus) == []


def test_spans_hashes_and_counts_fit_the_new_text(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    again(capsys)
    text = "".join(user.own_texts())
    assert "Look at the heron with [REDACTED:github-token] and\nnothing else" in text
    assert "word [REDACTED:github-token] word" in text
    assert sum(fields["redactions"].get("github-token", 0) for fields in user.sidecars()) == 6
    capsys.readouterr()
    assert run(["show", f"session:{SESSION}", "--verify"]) == 0


def test_a_chunk_without_secrets_keeps_its_bytes_and_ids(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    plain = {name: body for name, body in user.files().items() if PLAIN in name}
    ids = {fields["id"] for fields in user.sidecars() if fields["session_id"] == SESSION}
    again(capsys)
    assert {name: body for name, body in user.files().items() if PLAIN in name} == plain
    assert {fields["id"] for fields in user.sidecars() if fields["session_id"] == SESSION} == ids


def test_a_log_that_grows_after_it_goes_on_with_its_session(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    again(capsys)
    chunks = len(user.chunks())
    assert user.store().logs_read == 0
    user.codex(CodexLog(ID).prompt("Paint the shed", 60).answer("Green it is", 61).prompt("And the fence", 62))
    user.store()
    assert len(user.chunks()) == chunks
    assert leaks(user.corpus) == []


def test_a_session_stored_under_both_names_becomes_one_and_loses_nothing(
    user: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    user.codex(CodexLog(ID).prompt("Paint the shed", 60).answer("Green it is", 61).prompt("And the fence", 62))
    user.store()
    before = sorted(user.own_texts())
    again(capsys)
    codex = [fields for fields in user.sidecars() if fields["agent"] == "codex"]
    assert len({fields["id"] for fields in codex}) == len(codex) == 2
    assert len({fields["session_id"] for fields in codex}) == 1
    assert len(user.own_texts()) == len(before)
    assert "And the fence" in user.own_texts()
    assert run(["doctor"]) == 0


def test_what_lies_beside_the_store_is_redacted_too(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    layout = load_settings().layout
    (user.corpus / "bench" / "cache").mkdir(parents=True)
    (user.corpus / "bench" / "cache" / "index").write_text(TEXT)
    (user.corpus / "bench" / "result.json").write_text(json.dumps({"question": f"with {TEXT}", "n": 1}))
    (user.corpus / "apart").mkdir()
    (user.corpus / "apart" / "chunk.md").write_text(f"# {TITLE}\n")
    layout.repomap.mkdir()
    (layout.repomap / "map").write_text(TEXT)
    layout.tombstones.write_bytes(
        with_tombstones(layout.tombstones, [{"agent": "codex", "session": f"{ID}x"}, {"project": f"/srv/{FOLDER}"}])
    )
    again(capsys)
    assert leaks(user.corpus) == []
    assert json.loads((user.corpus / "bench" / "result.json").read_text())["n"] == 1
    assert read_tombstones(layout.tombstones).projects == {"/srv/[REDACTED:github-token]"}


def test_a_forgotten_session_named_by_a_secret_stays_forgotten(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["forget", "--session", ID, "--yes"]) == 0
    again(capsys)
    assert run(["store", "--full-rescan"]) == 0
    assert all(fields["agent"] == "claude" for fields in user.sidecars())
    assert leaks(user.corpus) == []


def test_an_altered_chunk_is_named_and_left(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    path = next(path for path, fields in user.chunks().items() if fields["session_id"] == SESSION)
    (user.corpus / path).write_text("altered")
    sidecar = (user.corpus / sidecar_path(path)).read_bytes()
    report = again(capsys)
    assert path in " ".join(report["notes"])
    assert (user.corpus / sidecar_path(path)).read_bytes() == sidecar


def test_what_was_interrupted_is_finished_by_store(
    user: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("aicx.engine.holders.derived.withdraw", killed)
        run(["store", "--redact-again"])
    assert load_settings().layout.redacting.exists()
    assert leaks(user.corpus)
    capsys.readouterr()
    run(["doctor"])
    assert "redacting again was interrupted" in capsys.readouterr().out
    assert run(["store"]) == 0
    assert leaks(user.corpus) == []
    assert "finishing" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--full-rescan"], ["--dry-run"], ["--hours", "3"], ["--no-redact-secrets"]])
def test_it_goes_with_no_option_that_reads_logs(option: list[str], user: Home) -> None:
    assert run(["store", "--redact-again", *option]) == 2


@pytest.mark.needs("semantic")
@pytest.mark.filterwarnings("ignore")  # lancedb's own
def test_passages_of_changed_chunks_leave_the_vector_index(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    user.claude(ClaudeLog(OTHER).prompt("Another one without any", 180))
    user.store()
    build_vectors(load_settings(), Choice("test"), rebuild=False, on_progress=ignore, notify=ignore)
    report = again(capsys)
    assert any("aicx index" in note for note in report["notes"])
    assert leaks(user.corpus) == []
    assert sorted(vector_state(load_settings()).table.versions) == [f"claude:{OTHER}:001", f"claude:{PLAIN}:001"]
    build_vectors(load_settings(), Choice("test"), rebuild=False, on_progress=ignore, notify=ignore)
    assert len(vector_state(load_settings()).table.versions) == len(user.chunks())
    assert leaks(user.corpus) == []
