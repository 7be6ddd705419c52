"""Embedded data is left out of large records, wherever blocks begin and end; words are not."""

from __future__ import annotations

import base64
import json
import random
import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.sources.values import DataCutter, replace_data_urls

PICTURE = base64.b64encode(random.Random(7).randbytes(30_000)).decode()
MARK = re.compile(r"\[(\d+) bytes of data left out, sha256 [0-9a-f]{16}\]")


def cut(content: bytes, block: int = 4096) -> tuple[bytes, int]:
    """What remains of ``content``, given block by block, and how many pieces of data were left out."""
    cutter = DataCutter()
    kept = b"".join(cutter.feed(content[at : at + block]) for at in range(0, len(content), block))
    return kept + cutter.feed(b"", last=True), cutter.count


def wrapped(width: int, end: str = "\n") -> str:
    return end.join(PICTURE[at : at + width] for at in range(0, len(PICTURE), width))


EMBEDDED = {
    "base64": PICTURE,
    "base64 for URLs": base64.urlsafe_b64encode(random.Random(8).randbytes(30_000)).decode(),
    "lines of 76": wrapped(76),
    "lines of 64": wrapped(64, "\r\n"),
    "a base64 data URL": f"data:image/png;base64,{PICTURE}",
    "a data URL with an encoded drawing": "data:image/svg+xml;charset=utf-8,"
    + quote("<svg><path d='M1 2'/></svg>" * 200),
    "base64 in a query": quote(PICTURE, safe=""),
}


@pytest.mark.parametrize("form", EMBEDDED)
@pytest.mark.parametrize("block", [1000, 4096, 100_000])
def test_embedded_data_is_left_out_and_the_words_around_it_stay(form: str, block: int) -> None:
    value = {"text": f"see here:\n{EMBEDDED[form]}\nand é there", "list": [1, {"data": EMBEDDED[form]}], "end": "last"}
    kept, count = cut(json.dumps(value).encode(), block)
    found = json.loads(kept)
    assert count == 2
    assert found["text"].startswith("see here:\n")
    assert found["text"].endswith("\nand é there")
    assert found["end"] == "last"
    assert len(kept) < 1000


@pytest.mark.parametrize("ascii_only", [True, False])
def test_data_in_json_inside_json_is_left_out_and_both_can_be_read(ascii_only: bool) -> None:
    inner = json.dumps({"output": f"é\n{wrapped(76)}\nafter", "url": "http://x/y"}, ensure_ascii=ascii_only)
    kept, count = cut(json.dumps({"payload": inner}).encode())
    assert count == 1
    found = json.loads(json.loads(kept)["payload"])
    assert found["output"].endswith("\nafter")
    assert found["url"] == "http://x/y"


def test_base64_with_escaped_slashes_is_left_out() -> None:
    body = json.dumps({"data": PICTURE, "text": "a/b"}).replace("/", r"\/").encode()
    kept, count = cut(body)
    assert count == 1
    assert json.loads(kept)["text"] == "a/b"
    assert len(kept) < 1000


def test_a_mark_says_how_long_the_data_was_and_differs_with_it() -> None:
    first, second = (cut(json.dumps({"data": PICTURE + end}).encode())[0].decode() for end in ("AAAA", "BBBB"))
    found = MARK.search(first)
    assert found is not None
    assert int(found[1]) == len(PICTURE) + 4 - 8
    assert first != second


def test_what_remains_of_a_data_url_is_recognised_as_one() -> None:
    kept, _ = cut(f"see data:image/png;base64,{PICTURE} there".encode())
    assert replace_data_urls(kept.decode(), lambda media: f"[{media}]") == "see [image/png] there"


WORDS = [
    "plain words, and /a/path/to/some_file-name.py again\n",
    "/home/ada/repositories/acme/orbit/packages/navigation/source/components/index\n",
    "3f786850e387550fdab836ed7e6dc881de23001b\n",
    "x" * 2000 + "\n",
    "https://example.org/a?b=c&d=%20e+f\n",
    "data: none, base64, or so\n",
    "日本語のテキスト\n",
]


@pytest.mark.parametrize("words", WORDS)
def test_words_paths_and_hashes_stay_as_they_are(words: str) -> None:
    body = json.dumps({"text": words * 500}, ensure_ascii=False).encode()
    assert cut(body) == (body, 0)


@given(st.lists(st.sampled_from([*WORDS, *EMBEDDED.values(), "\\", '"', "\n"]), max_size=8), st.integers(200, 5000))
def test_what_remains_is_json_and_does_not_depend_on_the_blocks(parts: list[str], block: int) -> None:
    body = json.dumps({"text": " ".join(parts), "end": [1]}).encode()
    kept, count = cut(body, block)
    assert (kept, count) == cut(body, len(body))
    assert json.loads(kept)["end"] == [1]
    assert count == sum(part in EMBEDDED.values() for part in parts)
