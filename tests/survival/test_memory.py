"""Memory is bounded by the longest line that is worth reading, never by the size of a log or of the history."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.sampling import sample
from tests.survival.runs import Home, Runner, running

MB = 1_000_000
SESSION = "5f2d1c3a-0000-4000-8000-00000000000a"
_HEAD = {
    "uuid": "u0",
    "timestamp": "2026-03-01T10:00:00.000Z",
    "cwd": "/home/ada/repos/acme/orbit",
    "sessionId": SESSION,
}


def _prompt(text: str, number: int = 0) -> bytes:
    message = {"role": "user", "content": text}
    return json.dumps({"type": "user", **_HEAD, "uuid": f"u{number}", "message": message}).encode() + b"\n"


def _result(number: int, text: str) -> bytes:
    message = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{number}", "content": text}]}
    return json.dumps({"type": "user", **_HEAD, "uuid": f"u{number}", "message": message}).encode() + b"\n"


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    """One of its own: what runs of other tests have had imported would count as memory of these."""
    with running(tmp_path_factory.mktemp("runs")) as found:
        yield found


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    yield Home(tmp_path / "user", tmp_path / "corpus")
    shutil.rmtree(tmp_path)  # pytest would keep these logs for three runs


def _write(home: Home, pieces: Iterable[bytes | int]) -> None:
    """A log from its pieces; a number is a hole of so many NUL bytes, which takes no space on disk."""
    path = home.user / ".claude" / "projects" / "-home-ada" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    with path.open("wb") as stream:
        for piece in pieces:
            if isinstance(piece, int):
                stream.truncate(stream.tell() + piece)
                stream.seek(piece, 1)
            else:
                stream.write(piece)


def _texts(home: Home) -> str:
    return "".join(chunk.read_text("utf-8") for chunk in home.chunks())


def test_a_line_of_80_megabytes_costs_itself_and_not_its_size_in_memory(runner: Runner, home: Home) -> None:
    head, tail = _prompt("SPLIT").split(b"SPLIT")
    _write(home, [_prompt("before", 1), head, 80 * MB, tail, _prompt("after", 2)])
    run = runner.store(home)
    assert run.memory < 120 * MB
    assert f"{SESSION}.jsonl, line 2: " in run.err
    assert "before" in _texts(home)
    assert "after" in _texts(home)


def test_a_line_of_words_over_the_limit_is_named_with_its_size(runner: Runner, home: Home) -> None:
    line = _prompt("all is well here " * (20 * MB // 17))
    _write(home, [_prompt("before", 1), line, _prompt("after", 2)])
    assert f"line 2: line of {len(line)} bytes is over the limit" in runner.store(home).err


def test_an_image_of_30_megabytes_leaves_the_words_around_it(runner: Runner, home: Home) -> None:
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "SPLIT"}}
    message = {"role": "user", "content": [{"type": "text", "text": "see here"}, block]}
    head, tail = json.dumps({"type": "user", **_HEAD, "message": message}).encode().split(b"SPLIT")
    _write(home, [head, *[b"iVBORw0KGgo" * 90_000] * 31, tail, b"\n"])
    run = runner.store(home)
    assert run.memory < 90 * MB
    assert "see here" in _texts(home)
    assert "[image]" in _texts(home)


@pytest.mark.parametrize("end", sample([b"", b"\\n"], 1, ends=False))
def test_30_megabytes_of_pictures_in_one_line_take_no_80_in_memory_with_the_program(
    runner: Runner, home: Home, end: bytes
) -> None:
    """Some logs have base64 in lines of 76 characters."""
    message = {"role": "user", "content": "first wordsSPLITlast words"}
    head, tail = json.dumps({"type": "user", **_HEAD, "message": message}).encode().split(b"SPLIT")
    picture = b" " + (b"iVBORw0KGgoAAAANSUhEUg+/" * 4)[:76] + end
    _write(home, [head, *[b" see" + picture + (picture[1:] * 13_000) + b" and"] * 30, tail, b"\n"])
    run = runner.store(home, "--json")
    assert run.memory < 80 * MB
    assert "first words see" in _texts(home)
    assert "and see" in _texts(home)
    assert "last words" in _texts(home)
    assert json.loads(run.out)["skipped"] == {"embedded data left out of a large record": 30}


def test_a_session_of_30_megabytes_as_one_object_keeps_its_words(runner: Runner, home: Home) -> None:
    path = home.user / ".gemini" / "tmp" / "ab" / "chats" / "session-1.json"
    path.parent.mkdir(parents=True)
    picture = {"inlineData": {"mimeType": "image/png", "data": "SPLIT"}}
    said = {"id": "m", "type": "user", "timestamp": _HEAD["timestamp"], "content": [{"text": "see here"}, picture]}
    head, tail = json.dumps({"sessionId": SESSION, "messages": [said]}).encode().split(b"SPLIT")
    with path.open("wb") as stream:
        stream.writelines([head, *[b"iVBORw0KGgo" * 90_000] * 31, tail])
    run = runner.store(home)
    assert run.memory < 80 * MB
    assert "see here\n[image]" in _texts(home)


def test_ten_tool_results_of_4_megabytes_are_not_held_together(runner: Runner, home: Home) -> None:
    text = "all is well here\n" * (4 * MB // 17)
    _write(home, [_prompt("go on"), *(_result(number, text) for number in range(1, 11))])
    run = runner.store(home)
    assert run.memory < 100 * MB
    assert len(home.chunks()) > 2


def test_a_log_of_nothing_but_nul_bytes_is_one_bad_record(runner: Runner, home: Home) -> None:
    _write(home, [60 * MB])
    run = runner.store(home)
    assert run.memory < 120 * MB
    assert "1 record could not be read" in run.err


def test_a_log_of_60_megabytes_without_a_line_break_is_one_bad_record(runner: Runner, home: Home) -> None:
    _write(home, [b"no line ends here " * 56_000] * 64)
    run = runner.store(home)
    assert run.memory < 120 * MB
    assert "1 record could not be read" in run.err


def test_a_log_of_45_megabytes_of_bookkeeping_is_not_held(runner: Runner, home: Home) -> None:
    """Bookkeeping records, of which real logs are full."""
    record = b'{"type":"progress","data":{"output":"' + b"building " * 1_000 + b'"}}\n'
    _write(home, [_prompt("go on"), *[record * 100] * 50])
    run = runner.store(home)
    assert run.memory < 80 * MB
    assert len(home.chunks()) == 1
