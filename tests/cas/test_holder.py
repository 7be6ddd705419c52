"""Objects hold people's text: what forgets, hides, redacts and checks the rest reaches them too."""

from __future__ import annotations

import json

import pytest

from aicx.cas.entry import read_tombstones
from aicx.cas.reading import read
from tests.cas.builders import NOW, TOKEN, Shelf
from tests.corpus.builders import SESSION

NAME = f"claude:{SESSION}"


def pack(
    shelf: Shelf, said: str = "The reader is wrong.", sessions: tuple[str, ...] = (NAME,), **origin: object
) -> str:
    """The digest of a pack that quotes sessions."""
    body = json.dumps({"said": said, "sessions": list(sessions)}, sort_keys=True, separators=(",", ":"))
    return shelf.stored(body, kind="task_pack", sessions=sessions, **origin).object.digest


def forgotten(shelf: Shelf, *arguments: str) -> int:
    found: int = shelf.json("forget", *arguments, "--yes")["cas_removed"]
    return found


class TestForget:
    def test_a_session_takes_the_packs_that_quote_it_and_says_why(self, stored: Shelf) -> None:
        gone, kept = pack(stored), pack(stored, "Other", ("claude:another",))
        stored("pin", gone)
        assert forgotten(stored, "--session", SESSION) == 1
        assert stored.digests() == {kept}
        found = stored.failed("get", gone)
        assert found["code"] == 3
        assert f"because it quoted the session {NAME}, which was forgotten" in found["error"]
        (tombstone,) = read_tombstones(stored.settings.layout)[0].values()
        assert (tombstone.reason, tombstone.session) == ("forgotten_session", NAME)
        assert not any(b"The reader is wrong" in body for body in stored.bodies())

    def test_a_session_whose_id_begins_like_another_takes_nothing_of_it(self, stored: Shelf) -> None:
        kept = pack(stored, sessions=(f"{NAME}0",))
        text = stored.stored(f"as {NAME}-2 says, and {NAME}0").object.digest
        assert forgotten(stored, "--session", SESSION) == 0
        assert stored.digests() == {kept, text}

    def test_a_copy_of_a_pack_that_was_put_as_a_text_goes_too(self, stored: Shelf) -> None:
        stored.stored(f'{{"sessions": ["session:{NAME}"]}}')
        assert forgotten(stored, "--session", SESSION) == 1

    def test_a_project_takes_the_packs_about_it_and_those_that_quote_its_sessions(self, stored: Shelf) -> None:
        pack(stored)
        pack(stored, "About it", (), projects=("acme/widgets",))
        kept = pack(stored, "Other", ("claude:another",), projects=("acme/other",))
        assert forgotten(stored, "--project", "acme/widgets") == 2
        assert stored.digests() == {kept}

    def test_a_text_takes_each_object_that_has_it_however_json_writes_it(self, stored: Shelf) -> None:
        pack(stored, 'a "titan"\nproject')
        stored.stored("plain titan")
        stored.stored(b"\0\xff titan", kind="binary")
        kept = stored.stored("nothing of it").object.digest
        assert forgotten(stored, "--pattern", r'titan|a "titan"\nproject') == 3
        assert stored.digests() == {kept}
        assert not any(b"titan" in body for body in stored.bodies())

    def test_a_forgotten_object_cannot_be_put_again(self, stored: Shelf) -> None:
        digest = pack(stored)
        body = read(stored.settings.layout, digest.removeprefix("sha256:"))
        forgotten(stored, "--session", SESSION)
        path = stored.write("copy.json", body.decode())
        assert "which was forgotten" in stored.failed("put", str(path))["error"]
        assert stored.digests() == set()

    def test_a_dry_run_deletes_nothing(self, stored: Shelf) -> None:
        digest = pack(stored)
        assert stored.json("forget", "--session", SESSION, "--dry-run")["cas_removed"] == 1
        assert stored.digests() == {digest}

    def test_leftovers_of_a_killed_put_go_with_a_forget(self, stored: Shelf) -> None:
        pack(stored)
        left = stored.home / "locks" / "cas-staging" / "0123.aicx-part"
        left.write_text("The reader is wrong.")
        forgotten(stored, "--session", SESSION)
        assert not left.exists()


class TestIgnoreFile:
    def test_a_path_hides_an_object(self, shelf: Shelf) -> None:
        digest = shelf.stored("hidden").object.digest
        (shelf.home / ".aicxignore").write_text("cas/sha256/*\n")
        assert shelf.digests() == set()
        assert shelf.failed("get", digest)["code"] == 3

    def test_a_hidden_session_hides_the_packs_that_quote_it(self, stored: Shelf) -> None:
        digest, other = pack(stored), pack(stored, "Other", ())
        (stored.home / ".aicxignore").write_text(f"store/**/*{SESSION}*\n")
        assert stored.digests() == {other}
        assert stored.failed("get", digest)["code"] == 3
        (stored.home / ".aicxignore").unlink()
        assert stored.digests() == {digest, other}


class TestRedactAgain:
    @pytest.fixture
    def secret(self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> str:
        """The digest of a pack with a secret that the rules of its time did not know."""
        from aicx.cas.entry import CleanedBody

        with monkeypatch.context() as patched:
            patched.setattr("aicx.cas.writing.clean_body", lambda body, kind: CleanedBody(body, 0))
            digest = pack(shelf, f"use {TOKEN} now", tags=("release",))
        shelf("pin", digest)
        return digest

    def test_a_pack_with_a_secret_becomes_another_object(self, shelf: Shelf, secret: str) -> None:
        assert shelf.check()["severity"] == "warning"
        assert shelf.run("store", "--redact-again")[0] == 0
        assert not any(TOKEN.encode() in body for body in shelf.bodies())
        (entry,) = shelf("list")["objects"]
        assert (entry["pinned"], entry["tags"], entry["kind"]) == (True, ["release"], "task_pack")
        assert entry["sessions"] == [NAME]
        assert json.loads(shelf("get", entry["digest"])["text"])["said"] == "use [REDACTED:github-token] now"
        found = shelf.failed("get", secret)
        assert "because it held a secret" in found["error"]
        assert entry["digest"] in found["hint"]
        assert shelf.check()["severity"] == "green"

    def test_again_changes_nothing_more(self, shelf: Shelf, secret: str) -> None:
        shelf.run("store", "--redact-again")
        before = {path: path.read_bytes() for path in (shelf.home / "cas").rglob("*") if path.is_file()}
        shelf.run("store", "--redact-again")
        assert {path: path.read_bytes() for path in (shelf.home / "cas").rglob("*") if path.is_file()} == before


class TestDoctor:
    def test_sound_objects_are_green(self, shelf: Shelf) -> None:
        shelf.stored("hello")
        shelf.stored(b"\0\1", kind="binary")
        assert shelf.check()["severity"] == "green"

    def test_a_quick_look_reads_no_object(self, shelf: Shelf) -> None:
        shelf.path(shelf.stored("hello").object.digest).write_bytes(b"jello")
        assert shelf.check("--quick")["severity"] == "green"
        assert shelf.check()["severity"] == "critical"

    def test_leftovers_of_a_killed_put_are_named_and_removed(self, shelf: Shelf) -> None:
        shelf.stored("hello", NOW)
        left = shelf.home / "locks" / "cas-staging" / "0123.aicx-part"
        left.write_text("half")
        lone = shelf.path("sha256:" + "ab" * 32).with_name("ab" * 32 + ".json")
        lone.parent.mkdir(parents=True)
        lone.write_text("{}")
        half = shelf.home / "cas" / ".tombstones.jsonl.12.aicx-part"
        half.write_text("{")
        assert shelf.check()["severity"] == "warning"
        assert shelf.check("--fix")["severity"] == "green"
        assert not left.exists()
        assert not lone.exists()
        assert not half.exists()

    def test_a_damaged_line_of_the_tombstones_is_named(self, stored: Shelf) -> None:
        pack(stored)
        forgotten(stored, "--session", SESSION)
        path = stored.home / "cas" / "tombstones.jsonl"
        path.write_bytes(path.read_bytes()[:-9] + b"\n")
        assert stored.check()["severity"] == "warning"
