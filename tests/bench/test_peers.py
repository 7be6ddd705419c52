"""Peers as rankers, with one that is a few lines of script: what it may do wrong, and what is made of it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from aicx.bench.dataset import Dataset, Query, with_version
from aicx.bench.measure import Measured, MeasureTask, run_here
from aicx.bench.rankers import QuestionFailed, RankerFolders, check_name
from aicx.errors import UsageError
from aicx.types import Part
from benchmarks import peers
from benchmarks.peers import Peer, choose
from benchmarks.peers import ranker as peer
from benchmarks.peers.environment import PeerAbsent, PeerUnfit, closed_environ, environment_of
from benchmarks.peers.forms import session_id, write_documents
from benchmarks.peers.ranker import PeerRanker
from benchmarks.peers.worker import PeerFailed
from tests.bench.invented import QUERIES, small

pytestmark = pytest.mark.process

# What the scripts of real peers look like, with a `MODE` for everything that can go wrong.
SCRIPT = """
import json, os, subprocess, sys, time
sys.path.insert(0, SCRIPTS)
from loop import Place, serve

def build(place):
    print("this is no answer")
    if place.mode == "no-build":
        raise ValueError("the disk is made of cheese")
    place.index.mkdir()
    (place.index / "made").write_text("x" * 100)
    (place.index / "environ.json").write_text(json.dumps(dict(os.environ)))

def opened(place):
    texts = [row["text"] for row in place.lines()]
    if place.mode == "no-open":
        raise ValueError("the index is of another age")

    def ask(text, limit):
        if "login" in text:
            if place.mode == "crash":
                sys.stderr.write("segment 7 is gone\\n")
                os._exit(3)
            if place.mode == "hang":
                child = subprocess.Popen(["sleep", "60"])
                (place.work / "child").write_text(str(child.pid))
                time.sleep(60)
            if place.mode == "raise":
                raise ValueError("a colon\\n  is no question")
            if place.mode == "garbage":
                os.write(3, b"hello, world\\n")
        if place.mode == "stranger":
            return [99]
        if place.mode == "twice":
            return [0, 0, 1, 0]
        words = text.split()
        return [number for number, said in enumerate(texts) if any(word in said for word in words)]
    return ask

serve(build, opened)
"""
MODES = ("good", "no-build", "no-open", "crash", "hang", "raise", "garbage", "stranger", "twice")
FAKE = Peer(
    "fake", "fake", "1.2", "a fake", runtime="binary", form="lines", modes=dict.fromkeys(MODES, "some lines of script")
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RankerFolders:
    """A place in which the fake peer is installed."""
    scripts = str(Path(peer.__file__).parent / "scripts")
    script = tmp_path / "ask_fake.py"
    script.write_text(SCRIPT.replace("SCRIPTS", repr(scripts)))
    fake = replace(FAKE, script=str(script))
    monkeypatch.setattr(
        peers, "PEERS", {"fake": fake, "mute": replace(FAKE, name="mute", modes={}, unfit="it is mute")}
    )
    found = RankerFolders(tmp_path / "indexes" / "all", tmp_path / "home" / "models")
    note(found, {"version": "1.2"})
    return found


def note(place: RankerFolders, facts: Mapping[str, object]) -> None:
    path = environment_of(FAKE, place.models.parent).note
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(facts))


Opened = Callable[[str], PeerRanker]


@pytest.fixture
def opened(place: RankerFolders) -> Opened:
    def open_mode(mode: str) -> PeerRanker:
        documents = small().corpora["all"]
        peer.build(f"peer:fake/{mode}", documents, place)
        return peer.open_ranker(f"peer:fake/{mode}", (), place)

    return open_mode


def measured(place: RankerFolders, mode: str, dataset: Dataset | None = None) -> Measured:
    task = MeasureTask(f"peer:fake/{mode}", dataset or small(), place.folder.parent, place.models, cold_runs=0)
    return run_here(task)[0]


def many(count: int) -> Dataset:
    """As the small set, with enough questions that one failure among them is borne."""
    others = [Query(f"more{number}", "board", {"board": 1}) for number in range(count)]
    return replace(small(), queries=[*QUERIES, *others])


def test_answers_are_the_documents_the_numbers_stand_for(opened: Opened) -> None:
    ranker = opened("good")
    assert [hit.id for hit in ranker.rank(QUERIES[1], 10)] == ["parser"]
    ranker.close()


def test_document_found_twice_counts_once(opened: Opened) -> None:
    ranker = opened("twice")
    assert [hit.id for hit in ranker.rank(QUERIES[0], 10)] == ["login", "parser"]
    ranker.close()


def test_output_of_a_peer_is_no_answer(place: RankerFolders) -> None:
    peer.build("peer:fake/good", small().corpora["all"], place)
    assert "this is no answer" in (place.folder / "peer-fake-good" / "peer.log").read_text()


def test_index_is_built_once_for_the_same_documents(place: RankerFolders) -> None:
    documents = small().corpora["all"]
    first = peer.build("peer:fake/good", documents, place)
    assert peer.build("peer:fake/good", documents, place) == first


def test_other_documents_are_indexed_anew(place: RankerFolders) -> None:
    documents = small().corpora["all"]
    peer.build("peer:fake/good", documents, place)
    made = place.folder / "peer-fake-good" / "index" / "made"
    made.write_text("old")
    peer.build("peer:fake/good", documents[:2], place)
    assert made.read_text() != "old"


def test_failure_in_building_says_what_the_peer_said(place: RankerFolders) -> None:
    with pytest.raises(PeerFailed, match="failed to build: ValueError: the disk is made of cheese"):
        peer.build("peer:fake/no-build", small().corpora["all"], place)


def test_failed_index_is_not_taken_for_a_whole_one(place: RankerFolders) -> None:
    for _ in range(2):
        with pytest.raises(PeerFailed):
            peer.build("peer:fake/no-build", small().corpora["all"], place)


def test_index_that_cannot_be_opened_says_why(opened: Opened) -> None:
    with pytest.raises(PeerFailed, match="failed to open: ValueError: the index is of another age"):
        opened("no-open")


def test_crash_on_a_question_tells_the_exit_code_and_the_last_words(opened: Opened) -> None:
    ranker = opened("crash")
    with pytest.raises(QuestionFailed, match=r"died with exit code 3 .*: segment 7 is gone"):
        ranker.rank(QUERIES[0], 10)
    ranker.close()


def test_next_question_is_answered_after_a_crash(opened: Opened) -> None:
    ranker = opened("crash")
    with pytest.raises(QuestionFailed):
        ranker.rank(QUERIES[0], 10)
    assert [hit.id for hit in ranker.rank(QUERIES[1], 10)] == ["parser"]
    ranker.close()


def test_peer_that_hangs_is_stopped_with_all_it_started(opened: Opened, place: RankerFolders) -> None:
    ranker = opened("hang")
    ranker.ask_seconds = 1.5
    with pytest.raises(QuestionFailed, match="did not answer within 2 s"):
        ranker.rank(QUERIES[0], 10)
    child = (place.folder / "peer-fake-hang" / "child").read_text()
    assert not running(child)
    ranker.close()


def running(pid: str) -> bool:
    """Whether it runs; a process that nobody has waited for yet is dead all the same."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_garbage_is_quoted_as_what_it_is(opened: Opened) -> None:
    ranker = opened("garbage")
    with pytest.raises(QuestionFailed, match="gave no answer when asked to answer: 'hello, world'"):
        ranker.rank(QUERIES[0], 10)
    ranker.close()


def test_document_that_was_never_given_is_no_answer(opened: Opened) -> None:
    ranker = opened("stranger")
    with pytest.raises(QuestionFailed, match="99, which is no document it was given"):
        ranker.rank(QUERIES[1], 10)
    ranker.close()


def test_peer_ends_when_nobody_is_left_to_answer(opened: Opened) -> None:
    ranker = opened("good")
    process = ranker.worker._process
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(10) != 0
    ranker.close()


def test_question_that_fails_is_noted_and_the_rest_is_measured(place: RankerFolders) -> None:
    found = measured(place, "raise", many(20))
    assert found.failed == {"q1": "peer:fake/raise failed to answer: ValueError: a colon is no question"}
    assert found.answers["q1"] == []
    assert found.answers["q2"] == ["parser"]
    assert any("1 of 24 questions, on which it failed; the first of them, q1: " in note for note in found.notes)


def test_words_of_a_peer_about_a_private_set_are_kept_from_the_result(place: RankerFolders) -> None:
    found = measured(place, "raise", replace(many(20), private=True))
    assert found.failed == {"q1": "peer:fake/raise failed to answer"}
    assert not any("colon" in note for note in found.notes)


def test_peer_that_fails_too_often_is_not_compared(place: RankerFolders) -> None:
    with pytest.raises(QuestionFailed, match="it failed on 2 of the first 2 questions; the last of them, q2"):
        measured(place, "stranger")


def test_result_says_version_mode_and_how_it_was_asked(place: RankerFolders) -> None:
    assert measured(place, "good").notes == ["fake 1.2: some lines of script; one process for all questions"]


def test_index_size_and_memory_are_the_peers(place: RankerFolders) -> None:
    found = measured(place, "good")
    assert found.index_bytes > 100
    assert found.peak_bytes > 0


def test_tokens_of_a_peer_are_not_counted(place: RankerFolders) -> None:
    assert measured(place, "good").tokens == {}


def test_cold_start_of_a_peer_is_measured(place: RankerFolders) -> None:
    task = MeasureTask("peer:fake/good", small(), place.folder.parent, place.models, cold_runs=2)
    found = run_here(task)[0]
    assert len(found.cold) == 2
    assert min(found.cold) > min(found.seconds.values())


def test_absent_peer_says_how_to_install_it(place: RankerFolders) -> None:
    environment_of(FAKE, place.models.parent).note.unlink()
    with pytest.raises(PeerAbsent, match="fake is not installed") as error:
        peer.build("peer:fake/good", (), place)
    assert error.value.hint == "aicx bench peers install fake"


def test_other_version_than_the_pinned_one_is_not_measured(place: RankerFolders) -> None:
    note(place, {"version": "1.1"})
    with pytest.raises(PeerAbsent, match=r"fake 1\.1 is installed, not 1\.2"):
        peer.build("peer:fake/good", (), place)


def test_peer_without_a_search_says_so(place: RankerFolders) -> None:
    with pytest.raises(PeerUnfit, match="it is mute"):
        peer.build("peer:mute", (), place)


def test_environment_that_is_gone_is_a_failure(place: RankerFolders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "PEERS", {"fake": replace(choose("peer:fake").peer, runtime="python")})
    with pytest.raises(PeerFailed, match="cannot be started"):
        peer.build("peer:fake/good", small().corpora["all"], place)


@pytest.mark.parametrize(("name", "known"), [("peer:fake/best", "good"), ("peer:fade", "fake"), ("peer", "fake")])
def test_misspelt_peer_is_a_usage_error_that_names_the_known(name: str, known: str, place: RankerFolders) -> None:
    with pytest.raises(UsageError) as error:
        check_name(name)
    assert known in str(error.value.hint)


def test_first_mode_is_meant_when_none_is_named(place: RankerFolders) -> None:
    assert choose("peer:fake").mode == "good"


def test_peer_sees_a_home_of_its_own_and_no_network(
    place: RankerFolders, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "invented")
    peer.build("peer:fake/good", small().corpora["all"], place)
    work = place.folder / "peer-fake-good"
    seen = json.loads((work / "index" / "environ.json").read_text())
    assert seen["HOME"] == str(work / "home")
    assert str(home) not in {value for name, value in seen.items() if name != "PATH"}
    assert "OPENAI_API_KEY" not in seen
    assert (seen["HF_HUB_OFFLINE"], seen["HTTPS_PROXY"]) == ("1", "http://127.0.0.1:9")


def test_closed_environment_keeps_the_path() -> None:
    assert closed_environ(Path("/h"))["PATH"] == os.environ["PATH"]


def test_markdown_form_is_a_file_a_document(tmp_path: Path) -> None:
    documents = small().corpora["all"]
    assert write_documents("markdown", documents, tmp_path, sessions=False) == ["login", "parser", "board"]
    assert "tide" in (tmp_path / "documents" / "000001.md").read_text()


def said(document_id: str, session: str, second: int) -> object:
    columns = {"session_id": session, "started_at": second}
    return with_version(document_id, "", (Part(f"text of {document_id}"),), columns)


def test_logs_form_is_a_log_a_session_where_sessions_are_the_answers(tmp_path: Path) -> None:
    documents = [said("a1", "a", 86400), said("b1", "b", 0), said("a2", "a", 172800)]
    assert write_documents("logs", documents, tmp_path, sessions=True) == ["a1", "b1"]  # type: ignore[arg-type]
    (log,) = tmp_path.rglob(f"{session_id(0)}.jsonl")
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [row["message"]["content"] for row in rows] == ["text of a1", "text of a2"]
    assert rows[0]["timestamp"] == "1970-01-02T00:00:00.000Z"


def test_number_of_a_log_can_be_read_from_its_id() -> None:
    assert int(session_id(300)[:8], 16) == 300


def test_every_peer_has_modes_and_a_script_or_a_reason() -> None:
    scripts = Path(peer.__file__).parent / "scripts"
    for name, known in peers.PEERS.items():
        assert known.name == name
        assert known.unfit or (known.modes and (scripts / known.script).is_file())


def test_scripts_of_peers_use_the_standard_library_until_they_are_asked(tmp_path: Path) -> None:
    scripts = Path(peer.__file__).parent / "scripts"
    for script in scripts.glob("ask_*.py"):
        heads = [line for line in script.read_text().splitlines() if line.startswith(("import ", "from "))]
        names = {line.split()[1].partition(".")[0] for line in heads}
        assert names <= {"loop", *sys.stdlib_module_names}
