"""Names, paths and files made to do harm, or just strange: stored as what they are, and nothing else happens."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aicx.corpus.ingest.run
from aicx.cli import run as run_here
from tests.sampling import sample
from tests.survival.conftest import Undisturbed
from tests.survival.logs import invent, write_home
from tests.survival.runs import HERE, TOPS, Home, Run, Runner

pytestmark = pytest.mark.slow

AT = "2026-03-01T10:00:00.000Z"
CWD = "/home/ada/repos/acme/orbit"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "user", tmp_path / "corpus")


def _claude(
    home: Home, cwd: str = CWD, session: str = "5f2d1c3a-0000-4000-8000-00000000000a", text: str = "hello"
) -> Path:
    """A session of one prompt."""
    message = {"role": "user", "content": text}
    record = {
        "type": "user",
        "uuid": f"u-{session}",
        "timestamp": AT,
        "cwd": cwd,
        "sessionId": session,
        "message": message,
    }
    path = home.user / ".claude" / "projects" / "-home-ada" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record) + "\n", "utf-8")
    return path


def _session(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-00000000000a"


def _gemini(home: Home, session: str, number: int) -> None:
    message = {"id": f"m{number}", "timestamp": AT, "type": "user", "content": f"prompt number {number}"}
    value = {"sessionId": session, "startTime": AT, "messages": [message]}
    path = home.user / ".gemini" / "tmp" / "orbit" / "chats" / f"session-{number:04d}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")


def _everything_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def _bounded(runner: Runner, home: Home, *arguments: str) -> Run:
    """A run that must not hang, and must not read without an end either."""
    run = runner.run(home, *arguments, kill_after=10, most_memory=4_000_000_000)
    assert not run.killed, "it hangs"
    assert run.memory < 400_000_000
    assert "internal error" not in run.err
    return run


# Names ---------------------------------------------------------------------------------------------------------------

HOSTILE_IDS = [
    *("../../escape", "/etc/cron.d/x", "..", ".", "~", "-rf", "a\0b", "a\nb", "a\rb", "a\tb", "$(touch owned)", "`id`"),
    *("a/b", "a\\b", "a:b", "a b", "a-b", "a~b", "a.b", "a_b", "a--b", "a\u2028b", "\x1b[2J", "%s%n", "con", "x" * 300),
    *("x" * 299 + "y", "ünïcödé", "日本語", "🚀", "\u202egnp.exe", "e\u0301", "\u00e9", "history", "x~history", "001"),
]


def test_every_session_id_is_a_session_of_its_own(home: Home) -> None:
    for number, session in enumerate(HOSTILE_IDS):
        _gemini(home, session, number)
    HERE.store(home)
    stored = {item["session_id"]: item["path"] for item in HERE.answers(home)}
    assert set(stored) == set(HOSTILE_IDS)
    assert len(set(stored.values())) == len(HOSTILE_IDS)
    assert HERE.store(home).err.startswith("Up to date")


def test_no_session_id_leads_out_of_the_store(home: Home, tmp_path: Path) -> None:
    for number, session in enumerate(HOSTILE_IDS):
        _gemini(home, session, number)
    before = _everything_below(tmp_path)
    HERE.store(home)
    new = _everything_below(tmp_path) - before
    assert {path for path in new if not path.startswith("corpus")} == set()
    chunks = [path for path in new if path.startswith(tuple(f"corpus/{top}/" for top in TOPS)) and "." in path]
    assert len(chunks) == 2 * len(HOSTILE_IDS)
    assert all(path.isascii() and path.isprintable() and " " not in path for path in chunks)
    assert all(len(Path(path).name) < 200 for path in chunks)


def test_a_rebuilt_catalogue_knows_hostile_session_ids_again(home: Home) -> None:
    for number, session in enumerate(HOSTILE_IDS):
        _gemini(home, session, number)
    HERE.store(home)
    answers = HERE.answers(home)
    (home.corpus / "catalog.sqlite").unlink()
    shutil.rmtree(home.user)
    HERE.store(home)
    assert HERE.answers(home) == answers


def test_a_session_without_an_id_is_stored(home: Home) -> None:
    _gemini(home, "", 1)
    HERE.store(home)
    assert len(home.chunks()) == 1


HOSTILE_FOLDERS = [
    *("/home/ada/repos/../../../etc/cron.d", "/a\0b/repos/x/y", "/a\nb/repos/x\n/y", "/repos/$(touch owned)/`id`"),
    *("..", "/repos/../..", "/repos/.git/hooks", "/repos/.../...", "relative/repos/a/b", "/repos/ünïcödé/日本語"),
    *("~", "/", " ", "/" + "x" * 5000, "/repos/" + "o" * 300 + "/" + "r" * 300, "C:\\repos\\a\\b", "//", "\x1b[2J"),
    *("/repos/-rf/--help", "/repos/store/.", "/repos/con/nul", "/dev/null", "/proc/self/cwd/repos/a/b"),
    "/repos/a/b\u202e",
]


def test_a_hostile_working_folder_is_filed_safely(home: Home, tmp_path: Path) -> None:
    for number, cwd in enumerate(HOSTILE_FOLDERS):
        _claude(home, cwd, _session(number))
    before = _everything_below(tmp_path)
    HERE.store(home)
    assert {path for path in _everything_below(tmp_path) - before if not path.startswith("corpus")} == set()
    assert len(home.chunks()) == len(HOSTILE_FOLDERS)
    for chunk in home.chunks():
        parts = chunk.relative_to(home.corpus).parts
        assert parts[0] == "non-repository-contexts" or len(parts) == 7
        assert all(part.isascii() and part.isprintable() and not part.startswith(("-", ".")) for part in parts)
    filed = {item["session_id"]: item["cwd"] for item in HERE.answers(home)}
    assert filed == {_session(number): cwd for number, cwd in enumerate(HOSTILE_FOLDERS)}


# What stands where logs are expected ---------------------------------------------------------------------------------


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


def _dangling(path: Path) -> None:
    path.symlink_to("/nowhere/at/all")


def _circle(path: Path) -> None:
    path.symlink_to(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _nothing(path: Path) -> None:
    path.touch()


PLACES = [
    ".claude/projects/-home-ada/x.jsonl",
    ".claude/history.jsonl",
    ".codex/sessions/rollout-2026-03-01T10-00-00-5f2d1c3a-0000-4000-8000-00000000000b.jsonl",
    ".codex/history.jsonl",
    ".gemini/tmp/orbit/chats/session-x.json",
    ".gemini/tmp/orbit/logs.json",
    ".gemini/tmp/orbit/.project_root",
    ".gemini/projects.json",
    ".gemini/trustedFolders.json",
    ".gemini/antigravity/brain/5f2d1c3a-0000-4000-8000-00000000000c/task.md",
    ".gemini/antigravity/brain/5f2d1c3a-0000-4000-8000-00000000000c/task.md.metadata.json",
]


STRANGE = [_fifo, _endless, _folder, _dangling, _circle, _nothing]


@pytest.mark.parametrize("make", STRANGE)
@pytest.mark.parametrize("places", [PLACES, *([place] for place in sample(PLACES, 3))], ids=lambda places: places[-1])
def test_what_is_no_log_in_the_place_of_a_log_costs_only_itself(
    places: list[str], make: Callable[[Path], None], runner: Runner, home: Home
) -> None:
    _claude(home, text="a good prompt")
    _gemini(home, "good", 1)
    for place in places:
        (home.user / place).parent.mkdir(parents=True, exist_ok=True)
        make(home.user / place)
    assert _bounded(runner, home, "store").code == 0
    assert len(home.chunks()) == 2


POINTERS = ["gitdir: a\0b", "gitdir: loop", "gitdir: " + "x" * 9000, "gitdir: ../../..", "\0", "gitdir:"]


def test_a_strange_git_folder_does_not_stop_the_store(runner: Runner, home: Home, tmp_path: Path) -> None:
    strange: list[tuple[str, Callable[[Path], object]]] = [
        *((place, make) for place in (".git", ".git/config", ".git/commondir") for make in STRANGE[:-1]),
        *((".git", lambda path, pointer=pointer: path.write_text(pointer, "utf-8")) for pointer in POINTERS),
    ]
    for number, (place, make) in enumerate(strange):
        repository = tmp_path / f"repository-{number}"
        (repository / place).parent.mkdir(parents=True)
        (repository / "loop").symlink_to(repository / "loop")
        make(repository / place)
        _claude(home, str(repository), _session(number))
    assert _bounded(runner, home, "store").code == 0
    assert len(home.chunks()) == len(strange)


@pytest.mark.parametrize("words", [("store",), ("store", "--json"), ("list",), ("list", "--json")])
def test_names_that_are_not_utf8_are_reported(words: tuple[str, ...], runner: Runner, home: Home) -> None:
    good = _claude(home)
    shutil.copy(good, os.fsencode(good.parent) + b"/\xff\xfe.jsonl")
    os.mkdir(os.fsencode(good.parent) + b"/folder\xff.jsonl")
    assert _bounded(runner, home, *words).code == 0
    run = _bounded(runner, home, "store")
    assert "\\udcff\\udcfe.jsonl: has a name that is not UTF-8" in run.err
    assert len(home.chunks()) == 1


def test_a_circle_of_folders_is_left(runner: Runner, home: Home) -> None:
    project = _claude(home).parent
    (project / "again").symlink_to(project)
    (project / "subagents").symlink_to(project.parent)
    for place in (".codex/sessions/deep", ".gemini/tmp/orbit/chats"):
        folder = home.user / place
        folder.mkdir(parents=True)
        (folder / "again").symlink_to(folder.parent)
    assert _bounded(runner, home, "store").code == 0
    assert len(home.chunks()) == 1


def test_a_link_to_a_file_that_is_no_log_takes_nothing_from_it(runner: Runner, home: Home, tmp_path: Path) -> None:
    (tmp_path / "private.txt").write_text("a line of a private file\nand another\n")
    (_claude(home).parent / "x.jsonl").symlink_to(tmp_path / "private.txt")
    run = _bounded(runner, home, "store")
    assert run.code == 0
    assert not any(b"private file" in body for body in home.tree().values())
    assert "private file" not in run.out + run.err


def test_the_same_logs_through_a_linked_folder_are_stored_once(runner: Runner, home: Home) -> None:
    project = _claude(home).parent
    (project.parent / "-linked").symlink_to(project)
    assert _bounded(runner, home, "store").code == 0
    assert len(home.chunks()) == 1
    before = home.tree()
    HERE.store(home, "--full-rescan")
    assert home.tree() == before


# Logs that change between being listed and being read ----------------------------------------------------------------


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, home: Home) -> Callable[[Callable[[], object]], int]:
    """Runs `store` in this process, with something happening once the logs are listed."""
    monkeypatch.setenv("HOME", str(home.user))
    monkeypatch.setenv("AICX_HOME", str(home.corpus))

    def store(meanwhile: Callable[[], object]) -> int:
        make_plan = aicx.corpus.ingest.run.make_plan

        def plan_and_change(*arguments: object, **options: object) -> object:
            plan = make_plan(*arguments, **options)  # type: ignore[arg-type]
            meanwhile()
            return plan

        with monkeypatch.context() as patch:
            patch.setattr(aicx.corpus.ingest.run, "make_plan", plan_and_change)
            return run_here(["store"])

    return store


@pytest.fixture
def log(home: Home) -> Path:
    """The largest log of a home with others in it."""
    write_home(home.user, [log for log in invent(seed=4, sessions=7) if not log.path.endswith("history.jsonl")])
    return max((home.user / ".claude" / "projects").rglob("*.jsonl"), key=lambda path: path.stat().st_size)


@pytest.fixture
def expected(home: Home, log: Path, tmp_path: Path) -> dict[str, bytes]:
    """What a run makes of the logs when nothing happens to them."""
    assert log.exists()
    once = Home(home.user, tmp_path / "once")
    HERE.store(once)
    return once.tree()


Store = Callable[[Callable[[], object]], int]


def test_a_log_that_vanishes_after_it_was_listed_costs_itself(
    here: Store, log: Path, home: Home, expected: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    body = log.read_bytes()
    assert here(log.unlink) == 0
    assert f"{log}: cannot be read" in capsys.readouterr().err
    assert home.chunks() != []
    log.write_bytes(body)
    HERE.store(home)
    assert {path for path in home.tree() if path.endswith(".md")} == {path for path in expected if path.endswith(".md")}


def test_a_log_that_may_not_be_read_is_reported_and_tried_again(
    here: Store,
    log: Path,
    home: Home,
    expected: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Simulated: root may read everything."""
    open_path = Path.open

    def refuse(path: Path, *arguments: Any, **options: Any) -> Any:
        if path == log:
            raise PermissionError(13, "Permission denied", str(path))
        return open_path(path, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refuse)
        assert here(lambda: None) == 0
    assert f"{log}: cannot be read: Permission denied" in capsys.readouterr().err
    HERE.store(home)
    assert home.tree().keys() == expected.keys()


def test_a_log_that_grows_after_it_was_listed_is_read_on_by_the_next_run(
    here: Store, log: Path, home: Home, expected: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    body = log.read_bytes()
    cut = body.index(b"\n", len(body) // 2) + 20  # in the middle of a record
    log.write_bytes(body[:cut])
    assert here(lambda: log.write_bytes(body)) == 0
    assert f"{log} grew while it was read" in capsys.readouterr().err
    HERE.store(home)
    assert home.tree() == expected


def test_a_log_that_shrinks_after_it_was_listed_loses_nothing(
    here: Store, log: Path, home: Home, expected: dict[str, bytes]
) -> None:
    HERE.store(home)
    body = log.read_bytes()
    log.write_bytes(body + b'{"type":"mode"}\n')
    assert here(lambda: os.truncate(log, len(body) // 3)) == 0
    assert home.tree() == expected


# The store itself ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["store", "store/acme", "store/acme/beacon", "non-repository-contexts"])
def test_a_link_planted_in_the_store_is_never_written_through(
    place: str, runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    home, outside = undisturbed.home(tmp_path / "corpus"), tmp_path / "outside"
    outside.mkdir()
    (home.corpus / place).parent.mkdir(parents=True)
    (home.corpus / place).symlink_to(outside)
    run = _bounded(runner, home, "store")
    assert run.code == 2
    assert "is a symbolic link" in run.err
    assert list(outside.iterdir()) == []
    (home.corpus / place).unlink()
    HERE.store(home)
    assert home.tree() == undisturbed.tree


def test_a_link_in_the_place_of_the_staging_folder_is_replaced(undisturbed: Undisturbed, tmp_path: Path) -> None:
    home, outside = undisturbed.home(tmp_path / "corpus"), tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").write_text("mine")
    home.staging.parent.mkdir(parents=True)
    home.staging.symlink_to(outside)
    HERE.store(home)
    assert home.tree() == undisturbed.tree
    assert [path.name for path in outside.iterdir()] == ["mine"]


def test_nothing_is_removed_through_a_link(runner: Runner, undisturbed: Undisturbed, tmp_path: Path) -> None:
    home, outside = undisturbed.home(tmp_path / "corpus"), tmp_path / "outside"
    HERE.store(home)
    chunk = next(path for path in home.chunks() if "acme" in path.parts)
    (home.corpus / "store" / "acme").rename(outside)
    (home.corpus / "store" / "acme").symlink_to(outside)
    home.staging.mkdir(exist_ok=True)
    journal = {"moves": [], "removals": [str(chunk.relative_to(home.corpus))]}
    (home.staging / "journal").write_text(json.dumps(journal))
    assert _bounded(runner, home, "store").code == 2
    assert chunk.exists()


@pytest.mark.parametrize("catalogue", ["kept", "deleted"])
def test_nothing_is_read_out_of_the_store_through_a_link(
    catalogue: str, runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    home, outside = undisturbed.home(tmp_path / "corpus"), tmp_path / "outside"
    HERE.store(home)
    (home.corpus / "store" / "acme").rename(outside)
    (home.corpus / "store" / "acme").symlink_to(outside)
    if catalogue == "deleted":
        (home.corpus / "catalog.sqlite").unlink()
    run = _bounded(runner, home, "steer", "--json", "--limit", "10000")
    assert run.code == 0
    answer = json.loads(run.out)
    kept = [item for item in undisturbed.answers if "/acme/" not in item["path"]]
    assert [item["id"] for item in answer["items"]] == [item["id"] for item in kept]
    assert catalogue == "deleted" or "symbolic link" in " ".join(answer["notes"])


@pytest.mark.parametrize("ending", [".md", ".meta.json"])
def test_a_file_of_the_store_that_is_a_link_out_of_it_is_not_shown(
    ending: str, runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    home = undisturbed.home(tmp_path / "corpus")
    HERE.store(home)
    chunk = home.chunks()[0]
    identity = json.loads(chunk.with_name(f"{chunk.stem}.meta.json").read_bytes())["id"]
    path = chunk.with_name(f"{chunk.stem}{ending}")
    private = tmp_path / "private"
    private.write_bytes(path.read_bytes().replace(b"Z", b"Z ") + b"a private line")
    path.unlink()
    path.symlink_to(private)
    run = _bounded(runner, home, "show", identity)
    assert run.code != 0
    assert "private line" not in run.out


@pytest.mark.parametrize("ending", [".md", ".meta.json"])
def test_a_file_of_the_store_that_is_a_link_to_itself_is_named(
    ending: str, runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    home = undisturbed.home(tmp_path / "corpus")
    HERE.store(home)
    path = home.chunks()[0].with_suffix(ending)
    path.unlink()
    path.symlink_to(path)
    run = _bounded(runner, home, "steer", "--json", "--limit", "10000")
    assert run.code == 0
    assert len(json.loads(run.out)["items"]) == len(undisturbed.answers) - 1
    assert path.stem.partition(".")[0] in " ".join(json.loads(run.out)["notes"])


def test_a_relative_home_is_a_home(
    undisturbed: Undisturbed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(undisturbed.user))
    monkeypatch.setenv("AICX_HOME", "corpus")
    assert run_here(["store"]) == 0
    capsys.readouterr()
    assert run_here(["steer", "--json", "--limit", "10000"]) == 0
    assert json.loads(capsys.readouterr().out)["results"] == len(undisturbed.answers)
