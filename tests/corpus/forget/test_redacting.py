"""Stored chunks redacted by rules that came later: what is found, where it stood, and what stays."""

from __future__ import annotations

import random
import string
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from aicx.corpus.forget.blanking import message_texts
from aicx.corpus.forget.redacting import ChunkText, _moved, _replaced, redact_session, redact_value
from aicx.redaction import redact
from aicx.sources.items import Redact, TimelineEntry
from aicx.types import Redacted
from tests.corpus.builders import chunks_of, entry, tool_entry

_LETTERS = string.ascii_letters + string.digits
TOKEN = "ghp_" + "".join(random.Random(4).choices(_LETTERS, k=36))
MARK = "[REDACTED:github-token]"
PEM = "PRIVATE " + "KEY-----"
KEY_LINES = ["".join(random.Random(line).choices(_LETTERS, k=64)) for line in range(160)]
KEY = "\n".join((f"-----BEGIN RSA {PEM}", *KEY_LINES, f"-----END RSA {PEM}"))


def stored(*entries: TimelineEntry, rules: Redact = Redacted) -> list[ChunkText]:
    """What `store` makes of a session with the rules there were."""
    chunks = chunks_of(entries, redact=rules)
    return [ChunkText(f"{chunk.stem}.md", chunk.markdown, dict(chunk.fields)) for chunk in chunks]


def after(chunks: list[ChunkText]) -> list[ChunkText]:
    new = {before.path: cleaned for before, cleaned in redact_session(chunks, redact)[0]}
    return [new.get(chunk.path, chunk) for chunk in chunks]


def test_later_rules_leave_what_the_rules_would_have_stored() -> None:
    entries = [
        entry(f"Look at {TOKEN}\nDecision: rotate {TOKEN}", 0, branch=f"fix/{TOKEN}"),
        tool_entry(f"Bash\n$ curl {TOKEN}", 1, "call", command=f"curl {TOKEN}", files=(f"/srv/{TOKEN}",)),
        tool_entry(f"no {TOKEN} there", 2, failed=True),
    ]
    (now,), (wanted,) = after(stored(*entries)), stored(*entries, rules=redact)
    assert now.markdown == wanted.markdown
    assert now.fields == wanted.fields


def test_a_secret_that_was_cut_into_parts_is_found_whole() -> None:
    chunks = stored(entry(f"Before\n\n{KEY}\n\nAfter", 0))
    assert len(chunks) > 1
    assert any(KEY_LINES[80].encode() in chunk.markdown for chunk in chunks)
    cleaned = after(chunks)
    assert not any(line.encode() in chunk.markdown for chunk in cleaned for line in KEY_LINES)
    texts = [text for chunk in cleaned for message, text in message_texts(chunk.markdown, chunk.fields)]
    assert "".join(texts).count("[REDACTED:private-key]") == 1
    assert "".join(texts).endswith("After")


def test_the_beginning_of_a_secret_at_the_end_of_a_title_goes() -> None:
    prompt = "w" * 85 + f" {TOKEN}"
    (chunk,) = stored(entry(prompt, 0))
    # As an earlier version cut it, in the middle of a word.
    earlier = {name: value for name, value in chunk.fields.items() if name != "topic_from"}
    chunk = replace(chunk, fields=earlier | {"title": f"{prompt[:99]}…"})
    (now,) = after([chunk])
    assert TOKEN[:6] not in str(now.fields)
    assert TOKEN[:6].encode() not in now.markdown


def test_a_field_that_repeats_a_message_loses_what_no_rule_sees_there() -> None:
    (chunk,) = stored(entry("The value: x\npassword = 'orange-kite-77'", 0))
    chunk = replace(chunk, fields={**chunk.fields, "highlights": ["use orange-kite-77 there"]})
    (now,) = after([chunk])
    assert now.fields["highlights"] == ["use [REDACTED:password] there"]


def test_it_is_done_once() -> None:
    once = after(stored(entry(f"Look at {TOKEN}", 0), entry(KEY, 1)))
    assert redact_session(once, redact)[0] == []


def test_two_tools_that_differ_in_a_secret_count_as_one() -> None:
    assert redact_value({"a": {f"x-{TOKEN}": 1, f"x-{MARK}": 2}}, redact) == {"a": {f"x-{MARK}": 3}}


@given(st.lists(st.tuples(st.text("ab \n", max_size=5), st.sampled_from([TOKEN, MARK])), max_size=6))
def test_places_follow_what_was_replaced(pieces: list[tuple[str, str]]) -> None:
    old = "".join(f"{text}.{secret}." for text, secret in pieces)
    new = old.replace(TOKEN, MARK)
    spans = _replaced(old, new)
    assert [old[start:end] for start, end, _ in spans] == [TOKEN] * old.count(TOKEN)
    assert _moved(len(old), spans) == len(new)
