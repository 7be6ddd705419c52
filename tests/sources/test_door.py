"""What a log says of itself is redacted where it comes in, and stays distinct where it has to."""

from __future__ import annotations

import random
import string
from pathlib import Path

import pytest

from aicx.corpus.views.provenance import is_there, verify_source
from aicx.redaction import redact
from aicx.sources.door import Door, fingerprint_of
from aicx.sources.items import BadRecord, LogFile, LogIdentity, SessionEvent, SkippedRecords, clean_id, clean_project
from tests.corpus.builders import SESSION, ClaudeLog, Home, entry, tool_entry


def token(seed: int) -> str:
    return "ghp_" + "".join(random.Random(seed).choices(string.ascii_letters + string.digits, k=36))


SECRET = token(0)


@pytest.mark.parametrize(
    "item",
    [
        entry(session_id=SECRET),
        entry(cwd=f"/srv/{SECRET}"),
        entry(branch=SECRET),
        entry(model=SECRET),
        tool_entry("", phase="call", name=SECRET, command=f"curl {SECRET}", files=(f"/srv/{SECRET}",)),
        SessionEvent(
            SECRET, SECRET, None, SECRET, None, f"https://ada:{SECRET}@host/a/b", f"/srv/{SECRET}", False, SECRET
        ),
        BadRecord(f"/{SECRET}", SECRET, 1),
        SkippedRecords(f"/{SECRET}", f"unknown type: {SECRET}", 2),
    ],
)
def test_no_fact_keeps_a_secret(item):
    assert SECRET in repr(item)
    assert SECRET not in repr(Door(redact).item(item))


def test_an_identity_keeps_no_secret():
    assert SECRET not in repr(Door(redact).identity(LogIdentity(SECRET, None, "primary", SECRET)))


def test_what_holds_no_secret_is_the_same_object():
    item = entry()
    assert Door(redact).item(item) is item


def test_ids_with_secrets_stay_apart_and_are_cleaned_once():
    first, second = clean_id(SECRET, redact), clean_id(token(1), redact)
    assert first != second
    assert clean_id(first, redact) == first
    assert clean_id(SESSION, redact) == SESSION


def test_a_project_with_a_secret_keeps_a_name_for_folders():
    project = clean_project(f"ada/{SECRET}", redact)
    assert SECRET not in project
    assert clean_project(project, redact) == project
    assert project.startswith("ada/REDACTED-github-token-")


def test_a_watermark_is_found_under_the_cleaned_path():
    path = Path(f"/logs/{SECRET}.jsonl")
    log = LogFile("claude", "claude-jsonl", path, 1, "1:1:1")
    assert fingerprint_of({clean_id(str(path), redact): "1:1:1"}, log) == "1:1:1"
    assert fingerprint_of({str(path): "1:1:1"}, log) == "1:1:1"
    assert fingerprint_of({"/logs/other": "1:1:1"}, log) is None


def test_a_log_with_a_secret_in_its_name_is_found_again(tmp_path):
    home = Home(tmp_path)
    for number in (0, 1):
        home.claude(ClaudeLog(token(number)).prompt(f"Fix number {number}", number))
    home.store()
    chunks = home.sidecars()
    assert len({fields["session_id"] for fields in chunks}) == 2
    for fields in chunks:
        assert SECRET not in str(fields)
        assert is_there(fields["source"]["path"])
        assert verify_source(fields["source"]) == "unchanged"
    assert home.store().logs_read == 0


def test_a_log_with_a_secret_in_its_name_grows(tmp_path):
    home = Home(tmp_path)
    log = ClaudeLog(SECRET).prompt("First", 0)
    home.claude(log)
    home.store()
    path = home.claude(log.answer("Second", 1))
    home.store()
    assert home.own_texts() == ["First", "Second"]
    path.unlink()
    assert verify_source(home.sidecar()["source"]) == "gone"
