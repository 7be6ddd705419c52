"""`aicx forget`: what goes, that nothing of it is left anywhere, and that it does not come back."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
import typer

from aicx.cli import run
from aicx.config import load_settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.doctor.inputs import compare_catalog, survey_store
from aicx.corpus.files.read import load_sidecar, walk_chunks
from aicx.storage.journal import Writer
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, snapshot, write_git
from tests.kept import Kept

pytestmark = pytest.mark.slow

SECRET = "Project Titan opens its doors in the harbour next spring, tell nobody about it yet."
LONG = "The wick is trimmed at both ends. " * 45
AGENT = "agent-7"


class Place:
    """A home with two repositories, the logs of some sessions, and what aicx made of them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.corpus = home / ".aicx"
        self.orbit, self.beacon, self.attic = (str(home / "work" / name) for name in ("orbit", "beacon", "attic"))

    def make_folders(self) -> None:
        write_git(Path(self.orbit), "https://github.com/ada/orbit.git")
        write_git(Path(self.beacon), "https://github.com/ada/beacon.git")
        Path(self.attic).mkdir()

    def claude(self, log: ClaudeLog, below: str = "") -> Path:
        name = f"{below}{log.session}.jsonl" if not below else f"{below}.jsonl"
        return self._write(f".claude/projects/-work/{name}", log.body())

    def codex(self, log: CodexLog) -> Path:
        return self._write(f".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-{log.session}.jsonl", log.body())

    def history(self, *prompts: tuple[str, str, str]) -> Path:
        rows = [{"display": text, "timestamp": at, "project": "/x", "sessionId": id_} for id_, text, at in prompts]
        return self._write(
            ".claude/history.jsonl", b"torn {\n" + b"".join(json.dumps(r).encode() + b"\n" for r in rows)
        )

    def _write(self, relative: str, body: bytes) -> Path:
        path = self.home / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return path

    def paths(self) -> list[str]:
        return list(walk_chunks(load_settings().layout))

    def sidecars(self) -> list[dict[str, Any]]:
        layout = load_settings().layout
        return [dict(load_sidecar(layout, path).fields) for path in self.paths()]

    def sessions(self) -> set[str]:
        return {fields["session_id"] for fields in self.sidecars()}

    def holding(self, text: str) -> list[str]:
        """The files of the corpus, of whatever kind, that have a text in them."""
        return [name for name, body in snapshot(self.corpus).items() if text.encode() in body]

    def is_sound(self) -> bool:
        """Whether spans and checksums fit, and the catalogue says what the store holds."""
        layout = load_settings().layout
        survey = survey_store(layout)
        catalog = Catalog.open_for_reading(layout.catalog)
        assert catalog is not None
        differences = compare_catalog(catalog, survey)
        catalog.close()
        return not (survey.broken or survey.altered or survey.misfiled or any(differences.values()))


def talk(place: Place) -> ClaudeLog:
    """A session of several chunks in which the secret is said in the middle, and elsewhere in other ways."""
    log = ClaudeLog(cwd=place.orbit)
    log.prompt("Why is the lamp in the harbour office dark?", 0)
    for turn in range(4):
        log.answer(f"Look {turn}. {LONG}", 10 + turn * 20).prompt(f"And then, in step {turn}?", 20 + turn * 20)
    log.prompt(SECRET, 100).answer("Understood.", 101)
    for turn in range(4):
        log.answer(f"More {turn}. {LONG}", 110 + turn * 20).prompt(f"What of part {turn}?", 120 + turn * 20)
    return log


@pytest.fixture
def place(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(kept.home(monkeypatch))

    def fill() -> None:
        place.make_folders()
        place.claude(talk(place))
        agent = ClaudeLog(cwd=place.orbit).prompt("Find the wick", 3, isSidechain=True).answer("Found it.", 4)
        place.claude(agent, f"{SESSION}/subagents/{AGENT}")
        beacon = CodexLog(cwd=place.beacon).prompt("How tall is the beacon on the pier by now?", 500)
        place.codex(beacon.answer("Twelve metres.", 501))
        assert run(["store"]) == 0

    kept.again(fill)
    return place


def forget(*arguments: str) -> int:
    return run(["forget", *arguments, "--yes"])


def again(place: Place, how: str) -> None:
    """The ways in which something forgotten might come back."""
    if how == "catalogue deleted":
        for path in place.corpus.glob("catalog.sqlite*"):
            path.unlink()
    assert run(["store", *(["--full-rescan"] if how == "full rescan" else [])]) == 0


WAYS = pytest.mark.parametrize("how", ["store", "full rescan", "catalogue deleted"])


# Sessions -----------------------------------------------------------------------------------------------------------


def test_nothing_that_was_said_in_a_forgotten_session_is_left_in_any_file(place: Place) -> None:
    assert place.holding("trimmed at both ends")
    assert forget("--session", SESSION) == 0
    for said in ("trimmed at both ends", "Titan", "harbour office", "Find the wick"):
        assert place.holding(said) == []
    assert place.is_sound()


@WAYS
def test_a_forgotten_session_does_not_come_back(place: Place, how: str) -> None:
    assert forget("--session", SESSION) == 0
    again(place, how)
    assert place.sessions() == {OTHER}
    assert place.holding("trimmed at both ends") == []


def test_the_beginning_of_an_id_names_a_session(place: Place) -> None:
    assert forget("--session", SESSION[:4]) == 0
    assert SESSION not in place.sessions()


def test_subagents_go_with_their_session(place: Place) -> None:
    assert AGENT in place.sessions()
    assert forget("--session", SESSION) == 0
    assert place.sessions() == {OTHER}


def test_a_subagent_can_be_forgotten_on_its_own(place: Place) -> None:
    assert forget("--session", AGENT) == 0
    assert place.sessions() == {SESSION, OTHER}


def test_an_ambiguous_id_names_the_candidates(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.claude(ClaudeLog(session=SESSION[:-1] + "f", cwd=place.orbit).prompt("Another one entirely", 900))
    assert run(["store"]) == 0
    before = snapshot(place.corpus)
    assert forget("--session", SESSION[:-1]) == 2
    told = capsys.readouterr().err
    assert f"claude:{SESSION}" in told
    assert f"claude:{SESSION[:-1]}f" in told
    assert snapshot(place.corpus) == before


def test_the_agent_may_stand_before_the_id(place: Place) -> None:
    assert forget("--session", f"codex:{OTHER}") == 0
    assert OTHER not in place.sessions()


def test_an_unknown_session_is_not_found(place: Place) -> None:
    assert forget("--session", "ffff") == 3


def test_what_a_fork_copied_from_a_forgotten_session_stays_away(place: Place) -> None:
    place.claude(ClaudeLog(session=THIRD).copied_from(talk(place)).prompt("Now in the fork, something new", 800))
    assert run(["store"]) == 0
    assert forget("--session", SESSION) == 0
    again(place, "full rescan")
    assert place.holding("Titan") == []
    assert place.holding("Now in the fork, something new")


def test_other_chunks_no_longer_refer_to_a_forgotten_session(place: Place) -> None:
    place.claude(ClaudeLog(session=THIRD).copied_from(talk(place)).prompt("Now in the fork, something new", 800))
    assert run(["store"]) == 0
    assert any(copy["session_id"] == THIRD for fields in place.sidecars() for copy in fields.get("duplicates", ()))
    assert forget("--session", THIRD) == 0
    assert not [copy for fields in place.sidecars() for copy in fields.get("duplicates", ())]
    again(place, "full rescan")
    assert not [copy for fields in place.sidecars() for copy in fields.get("duplicates", ())]
    assert place.is_sound()


def test_the_same_prompt_given_to_another_agent_stays_with_that_agent(place: Place) -> None:
    place.codex(CodexLog(session=THIRD, cwd=place.beacon).prompt(SECRET, 102).answer("Noted by the other.", 103))
    assert run(["store"]) == 0
    assert forget("--session", SESSION) == 0
    again(place, "full rescan")
    holders = {fields["session_id"] for fields in place.sidecars() if fields["session_id"] == THIRD}
    assert holders == {THIRD}
    assert place.holding("Noted by the other.")


def test_prompts_of_a_forgotten_session_do_not_come_back_from_the_prompt_history(place: Place) -> None:
    place.history((SESSION, SECRET, "2026-03-01T10:00:30Z"))
    assert forget("--session", SESSION) == 0
    again(place, "full rescan")
    assert place.holding("Titan") == []


def test_a_chunk_without_its_sidecar_goes_with_its_session(place: Place) -> None:
    path = next(path for path in place.paths() if SESSION in path)
    (place.corpus / path).with_suffix(".meta.json").unlink()
    assert forget("--session", SESSION) == 0
    assert not (place.corpus / path).exists()


def test_emptied_folders_are_removed(place: Place) -> None:
    assert forget("--session", SESSION) == 0
    assert not (place.corpus / "store" / "ada" / "orbit").exists()
    assert (place.corpus / "store" / "ada" / "beacon").exists()


def test_index_json_counts_what_is_left(place: Place) -> None:
    assert forget("--session", SESSION) == 0
    assert list(json.loads((place.corpus / "index.json").read_bytes())["projects"]) == ["ada/beacon"]


# Projects -----------------------------------------------------------------------------------------------------------


@WAYS
def test_a_forgotten_project_does_not_come_back(place: Place, how: str) -> None:
    assert forget("--project", "ada/orbit") == 0
    again(place, how)
    assert {fields["project"] for fields in place.sidecars()} == {"ada/beacon"}
    assert place.holding("trimmed at both ends") == []


def test_later_sessions_of_a_forgotten_project_are_kept_out(place: Place) -> None:
    assert forget("--project", "ada/orbit") == 0
    place.claude(ClaudeLog(session=THIRD, cwd=place.orbit).prompt("Back to the lamp, months later", 9000))
    assert run(["store"]) == 0
    assert place.holding("Back to the lamp") == []


def test_a_part_of_a_projects_name_is_not_enough(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert forget("--project", "orbit") == 3
    assert "ada/orbit" in capsys.readouterr().err


def test_a_session_that_went_on_elsewhere_keeps_its_other_chunks_as_they_are(place: Place) -> None:
    mixed = ClaudeLog(session=THIRD, cwd=place.orbit).prompt("Light the lamp of the orbit first of all", 600)
    mixed.cwd = place.beacon
    mixed.prompt("And now the one on the pier", 700).answer("It burns.", 701)
    place.claude(mixed)
    assert run(["store"]) == 0
    kept = [path for path in place.paths() if THIRD in path and "beacon" in path]
    assert forget("--project", "ada/orbit") == 0
    for how in ("store", "full rescan", "catalogue deleted"):
        again(place, how)
        assert [path for path in place.paths() if THIRD in path] == kept
        assert place.holding("Light the lamp of the orbit") == []  # the title it had from there
    assert place.holding("And now the one on the pier")
    assert place.is_sound()


def test_a_folder_without_a_repository_can_be_forgotten(place: Place) -> None:
    place.claude(ClaudeLog(session=THIRD, cwd=place.attic).prompt("Old letters in the attic", 600))
    assert run(["store"]) == 0
    assert forget("--project", place.attic) == 0
    again(place, "full rescan")
    assert place.holding("Old letters") == []
    assert THIRD not in place.sessions()


# Patterns -----------------------------------------------------------------------------------------------------------


def test_matching_messages_are_blanked_and_the_rest_of_the_session_stays(place: Place) -> None:
    before = {path: len(load_sidecar(load_settings().layout, path).messages) for path in place.paths()}
    assert forget("--pattern", "Titan") == 0
    assert place.holding("Titan") == []
    assert {path: len(load_sidecar(load_settings().layout, path).messages) for path in place.paths()} == before
    assert place.holding("Understood.")
    assert place.is_sound()


def test_a_repeated_copy_in_the_next_chunk_is_blanked_too(place: Place) -> None:
    layout = load_settings().layout
    repeated = [
        (path, message["span"])
        for path in place.paths()
        for message in load_sidecar(layout, path).messages
        if message.get("repeated")
    ]
    path, (start, end) = repeated[0]
    said = layout.inside(path).read_bytes()[start:end].decode()
    assert forget("--pattern", f"^{said}$".replace("?", r"\?")) == 0
    assert place.holding(said) == []
    assert place.is_sound()


@WAYS
def test_a_forgotten_text_does_not_come_back(place: Place, how: str) -> None:
    assert forget("--pattern", "Titan") == 0
    stored = {path: body for path, body in snapshot(place.corpus).items() if path.endswith((".md", ".meta.json"))}
    again(place, how)
    assert place.holding("Titan") == []
    after = {path: body for path, body in snapshot(place.corpus).items() if path.endswith((".md", ".meta.json"))}
    assert after == stored


def test_a_session_with_a_forgotten_text_goes_on_growing(place: Place) -> None:
    assert forget("--pattern", "Titan") == 0
    place.claude(talk(place).prompt("One more thing about the wick", 1000))
    assert run(["store"]) == 0
    assert place.holding("One more thing about the wick")
    assert place.holding("Titan") == []
    assert place.is_sound()


def test_what_is_said_of_a_message_goes_with_it(place: Place) -> None:
    log = ClaudeLog(session=THIRD, cwd=place.orbit, branch="titan-launch").prompt("TODO: titan must not leak", 600)
    log.call("Bash", 601, command="deploy --to titan --now").result(
        "Error: titan refused the connection", 602, failed=True
    )
    log.call("mcp__titan__ping", 603, "toolu_2", file_path=f"{place.orbit}/titan/plan.md").result(
        "pong", 604, "toolu_2"
    )
    place.claude(log.answer("The lamp stays.", 605).title("Launch of titan"))
    assert run(["store"]) == 0
    (before,) = (fields for fields in place.sidecars() if fields["session_id"] == THIRD)
    said = [before[name] for name in ("title", "branch", "commands", "errors", "files", "tools")]
    assert all("titan" in str(value) for value in said)
    assert forget("--pattern", "(?i)titan") == 0
    assert place.holding("titan") == []
    (after,) = (fields for fields in place.sidecars() if fields["session_id"] == THIRD)
    assert after["title"] == "[forgotten]"
    assert place.holding("The lamp stays.")
    for how in ("full rescan", "catalogue deleted"):
        again(place, how)
        assert place.holding("titan") == []


def test_a_title_given_from_another_log_does_not_come_back(place: Place) -> None:
    log = ClaudeLog(session=THIRD, cwd=place.orbit).prompt("Something else again, in a log of its own", 600)
    log.records.append({"type": "summary", "summary": "Launch of titan", "leafUuid": talk(place).records[-1]["uuid"]})
    place.claude(log)
    assert run(["store"]) == 0
    assert any("titan" in str(fields.get("session_title")) for fields in place.sidecars())
    assert forget("--pattern", "titan") == 0
    for how in ("full rescan", "catalogue deleted"):
        again(place, how)
        assert place.holding("Launch of titan") == []


def test_a_copy_in_another_agents_log_does_not_bring_a_text_back(place: Place) -> None:
    place.codex(CodexLog(session=THIRD, cwd=place.beacon).prompt(SECRET, 102).answer("Noted by the other.", 103))
    assert run(["store"]) == 0
    assert forget("--pattern", "Titan") == 0
    again(place, "full rescan")
    assert place.holding("Titan") == []
    assert place.holding("Noted by the other.")


def test_the_prompt_history_does_not_bring_a_text_back(place: Place) -> None:
    place.history((SESSION, SECRET, "2026-03-01T10:00:30Z"))  # typed a minute before the agent took it
    assert run(["store"]) == 0
    assert forget("--pattern", "Titan") == 0
    again(place, "full rescan")
    assert place.holding("Titan") == []


def test_a_match_across_the_parts_of_a_long_message_is_found(place: Place) -> None:
    words = " ".join(f"word{number}" for number in range(1500))
    place.claude(ClaudeLog(session=THIRD, cwd=place.orbit).prompt(words, 600).answer("Many words.", 601))
    assert run(["store"]) == 0
    layout = load_settings().layout
    path = next(path for path in place.paths() if THIRD in path)
    part = next(message for message in load_sidecar(layout, path).messages if message.get("part"))
    last = layout.inside(path).read_bytes()[slice(*part["span"])].decode().split()[-1]
    following = f"word{int(last[4:]) + 1}"
    assert forget("--pattern", f"{last} {following}") == 0
    assert place.holding("word7 ") == []
    assert place.holding("Many words.")
    assert place.is_sound()


def test_the_user_is_told_what_could_not_be_searched(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    log = ClaudeLog(session=THIRD, cwd=place.orbit).prompt("Show the log", 600).call("Bash", 601, command="cat log")
    place.claude(log.result("line of the log\n" * 600, 602))
    assert run(["store"]) == 0
    assert forget("--pattern", "Titan") == 0
    assert "1 tool text stored without the middle" in capsys.readouterr().err


def test_neither_pattern_nor_text_is_kept_in_the_tombstones(place: Place) -> None:
    assert forget("--pattern", "Tit.n") == 0
    row = json.loads((place.corpus / "forgotten.jsonl").read_bytes())
    assert list(row) == ["messages"]
    assert all(len(key) == 16 for key in row["messages"])


@pytest.mark.parametrize("pattern", ["(", "x*", ""])
def test_a_pattern_that_is_none_or_fits_everything_is_refused(place: Place, pattern: str) -> None:
    before = snapshot(place.corpus)
    assert forget("--pattern", pattern) == 2
    assert snapshot(place.corpus) == before


def test_a_pattern_that_fits_nothing_changes_nothing(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(place.corpus)
    assert forget("--pattern", "zeppelin") == 0
    assert snapshot(place.corpus) == before
    assert "Nothing in the corpus matches" in capsys.readouterr().err


def test_a_match_in_a_damaged_chunk_stops_everything(place: Place) -> None:
    path = next(name for name in place.holding("Titan") if name.endswith(".md"))
    (place.corpus / path).with_suffix(".meta.json").write_bytes(b"{")
    before = snapshot(place.corpus)
    assert forget("--pattern", "Titan") == 7
    assert snapshot(place.corpus) == before


# All of them --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["--session", SESSION, "--project", "ada/orbit"]])
def test_exactly_one_thing_is_to_be_named(place: Place, arguments: list[str]) -> None:
    before = snapshot(place.corpus)
    assert forget(*arguments) == 2
    assert snapshot(place.corpus) == before


def test_nothing_is_forgotten_when_there_is_nobody_to_ask(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(place.corpus)
    assert run(["forget", "--session", SESSION]) == 2
    assert "--yes" in capsys.readouterr().err
    assert snapshot(place.corpus) == before


def test_who_says_no_keeps_everything(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def no(*arguments: Any, **options: Any) -> bool:
        raise typer.Abort

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", no)
    before = snapshot(place.corpus)
    assert run(["forget", "--session", SESSION]) == 130
    assert snapshot(place.corpus) == before


@pytest.mark.parametrize("what", [["--session", SESSION], ["--project", "ada/orbit"], ["--pattern", "Titan"]])
def test_a_dry_run_changes_nothing(place: Place, what: list[str]) -> None:
    before = snapshot(place.corpus)
    assert run(["forget", *what, "--dry-run"]) == 0
    assert snapshot(place.corpus) == before


def test_json_says_what_went(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert forget("--session", SESSION, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "aicx.forget/1"
    assert {session["session_id"] for session in found["sessions"]} == {SESSION, AGENT}
    assert found["chunks_removed"] == sum(session["chunks"] for session in found["sessions"]) > 2


def test_the_search_index_is_made_anew(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name for path in (place.corpus / "index" / "lexical").glob("*.term")}
    assert forget("--pattern", "Titan") == 0
    assert before.isdisjoint(path.name for path in (place.corpus / "index" / "lexical").glob("*.term"))
    capsys.readouterr()
    assert run(["search", "titan harbour", "--json"]) == 0
    assert "Titan" not in capsys.readouterr().out


def test_nothing_is_left_in_staging(place: Place) -> None:
    assert forget("--pattern", "Titan") == 0
    assert not (place.corpus / "locks" / "staging").exists()


def test_what_cannot_be_deleted_is_an_error_and_the_same_call_goes_on_once_it_can(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = place.corpus / "index" / "vectors.lance" / "data" / "row.lance"
    row.parent.mkdir(parents=True)
    row.write_text(SECRET)
    unlink = os.unlink

    def refuse(path: Any, **options: Any) -> None:
        if str(path).endswith(row.name):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        unlink(path, **options)

    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", refuse)
        assert forget("--pattern", "Titan") == 6
    error = capsys.readouterr().err
    assert "Permission denied" in error
    assert "run the same command again" in error
    assert "Forgotten" not in error
    assert forget("--pattern", "Titan") == 0
    assert place.holding("Titan") == []


def test_indexes_behind_a_symbolic_link_are_not_said_to_be_forgotten(place: Place, tmp_path: Path) -> None:
    index = place.corpus / "index"
    index.rename(tmp_path / "elsewhere")
    index.symlink_to(tmp_path / "elsewhere")
    assert forget("--pattern", "Titan") == 2
    assert place.holding("Titan")


def test_ignored_chunks_are_forgotten_too_and_stay_ignored(place: Place) -> None:
    (place.corpus / ".aicxignore").write_text("store/ada/orbit/\n")
    assert run(["store"]) == 0
    assert forget("--pattern", "Titan") == 0
    assert place.holding("Titan") == []
    assert list(json.loads((place.corpus / "index.json").read_bytes())["projects"]) == ["ada/beacon"]


def test_a_kill_before_anything_is_removed_leaves_it_to_be_done_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Writer, "publish", _killed)
        assert forget("--pattern", "Titan") == 70
    assert place.holding("Titan")
    assert forget("--pattern", "Titan") == 0
    assert place.holding("Titan") == []
    assert place.is_sound()


def test_a_kill_after_the_files_changed_is_finished_by_the_next_run(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Catalog, "commit", _killed)
        assert forget("--session", SESSION) == 70
    assert run(["store"]) == 0
    assert place.sessions() == {OTHER}
    assert place.is_sound()


def _killed(*arguments: Any) -> None:
    raise RuntimeError("killed here")
