"""OpenCode: the same session from its database, from its files and exported, and what each part becomes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.corpus.views.provenance import is_there, verify_source
from aicx.sources.items import BadRecord, LogFile, SessionEvent, SkippedRecords, SourceItem, TimelineEntry
from aicx.sources.opencode import SOURCE
from aicx.types import AgentHomes

Value = dict[str, Any]
SESSION = "ses_2200dec98ffeAAGsw94tLFVYT6"
T0 = 1_772_359_200_000  # 2026-03-01T10:00:00Z
RUN_RULES = [{"permission": name, "pattern": "*", "action": "deny"} for name in ("question", "plan_enter", "plan_exit")]


def info(**more: Any) -> Value:
    time = {"created": T0, "updated": T0 + 9000}
    return {"id": SESSION, "title": "Repair the lamp", "directory": "/srv/work/lamp", "time": time, **more}


def user(id: str, *parts: Value, second: int = 0) -> Value:
    head = {"id": id, "role": "user", "time": {"created": T0 + second * 1000}, "model": {"modelID": "m-1"}}
    return {"info": head, "parts": list(parts)}


def assistant(id: str, *parts: Value, second: int = 1, done: bool = True, **more: Any) -> Value:
    time = {"created": T0 + second * 1000, **({"completed": T0 + second * 1000 + 900} if done else {})}
    head = {"id": id, "role": "assistant", "time": time, "modelID": "m-1", "path": {"cwd": "/srv/work/lamp/ui"}, **more}
    return {"info": head, "parts": list(parts)}


def part(
    id: str, type: str, text: str | None = None, start: int | None = None, end: int | None = None, **more: Any
) -> Value:
    times = {name: T0 + ms for name, ms in (("start", start), ("end", end)) if ms is not None}
    said = {} if text is None else {"text": text}
    return {"id": id, "type": type, **said, **({"time": times} if times else {}), **more}


def tool(
    id: str, name: str, start: int, end: int | None, output: str = "done", status: str = "completed", **more: Any
) -> Value:
    time = {"start": T0 + start, **({"end": T0 + end} if end is not None else {})}
    state = {"status": status, "input": more.pop("input", {}), "time": time, **more}
    if end is not None:
        state["error" if status == "error" else "output"] = output
    return {"id": id, "type": "tool", "tool": name, "callID": f"call_{id}", "state": state}


TALK = [
    user("msg_1", part("prt_1", "text", "Why is the lamp dark?")),
    assistant(
        "msg_2",
        part("prt_2", "step-start"),
        part("prt_3", "reasoning", "Look at the switch.", 1000, 1100),
        tool("prt_4", "bash", 1200, 1700, "no switch", input={"command": "ls switch"}, metadata={"exit": 2}),
        part("prt_5", "text", "The switch is missing.", 1800, 1900),
        part("prt_6", "hologram"),
    ),
]


def homes(root: Path) -> AgentHomes:
    return AgentHomes(root / "claude", root / "codex", root / "gemini", opencode=root)


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def exported(root: Path, about: Value, messages: list[Any]) -> None:
    write(root / "export" / f"{SESSION}.json", {"info": about, "messages": messages})


def in_files(root: Path, about: Value, messages: list[Any]) -> None:
    write(root / "storage/session/project-1" / f"{SESSION}.json", about)
    for message in messages:
        name = message["info"]["id"]
        write(root / "storage/message" / SESSION / f"{name}.json", message["info"])
        for one in message["parts"]:
            write(root / "storage/part" / name / f"{one['id']}.json", one)


def in_older_files(root: Path, about: Value, messages: list[Any]) -> None:
    below = root / "project/srv-work-lamp/storage/session"
    write(below / "info" / f"{SESSION}.json", about)
    for message in messages:
        name = message["info"]["id"]
        write(below / "message" / SESSION / f"{name}.json", message["info"])
        for one in message["parts"]:
            write(below / "part" / SESSION / name / f"{one['id']}.json", one)


def in_database(root: Path, about: Value, messages: list[Any], name: str = "opencode.db") -> None:
    root.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(root / name)) as connection:
        connection.executescript("""
            CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT,
              permission TEXT, time_created INTEGER, time_updated INTEGER);
            CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
              time_updated INTEGER, data TEXT);
            CREATE TABLE IF NOT EXISTS part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT,
              time_created INTEGER, time_updated INTEGER, data TEXT);
            """)
        put = "INSERT OR REPLACE INTO"
        rules = json.dumps(about.get("permission"))
        connection.execute(
            f"{put} session VALUES (?,?,?,?,?,?,?)",
            (SESSION, about.get("parentID"), about["directory"], about["title"], rules, T0, about["time"]["updated"]),
        )
        for message in messages:
            head = message["info"]
            created = head["time"]["created"]
            changed = head["time"].get("completed", created)
            row = (head["id"], SESSION, created, changed, json.dumps(head))
            connection.execute(f"{put} message VALUES (?,?,?,?,?)", row)
            for one in message["parts"]:
                body = json.dumps({key: value for key, value in one.items() if key != "id"})
                connection.execute(f"{put} part VALUES (?,?,?,?,?,?)", (one["id"], head["id"], SESSION, T0, T0, body))
        connection.commit()


Writer = Callable[[Path, Value, list[Any]], None]
LAYOUTS: dict[str, Writer] = {
    "export": exported,
    "files": in_files,
    "older files": in_older_files,
    "database": in_database,
}
every_layout = pytest.mark.parametrize("write_session", LAYOUTS.values(), ids=LAYOUTS)


def logs(root: Path) -> list[LogFile]:
    return [found for found in SOURCE.discover(homes(root)) if isinstance(found, LogFile)]


def items(root: Path) -> list[SourceItem]:
    return [item for log in logs(root) for item in SOURCE.read(log)]


def entries(root: Path) -> list[TimelineEntry]:
    return [item for item in items(root) if isinstance(item, TimelineEntry)]


def said(root: Path) -> list[tuple[str, str]]:
    return [(entry.role, entry.text) for entry in entries(root)]


def skipped(root: Path) -> dict[str, int]:
    return {item.reason: item.count for item in items(root) if isinstance(item, SkippedRecords)}


def bad(root: Path) -> list[BadRecord]:
    found = [item for item in SOURCE.discover(homes(root)) if isinstance(item, BadRecord)]
    return [*found, *(item for item in items(root) if isinstance(item, BadRecord))]


def facts(root: Path) -> list[SessionEvent]:
    return [item for item in items(root) if isinstance(item, SessionEvent)]


@every_layout
class TestEveryLayout:
    def test_a_session_is_read_whole(self, write_session: Writer, tmp_path: Path) -> None:
        write_session(tmp_path, info(), TALK)
        assert said(tmp_path) == [
            ("user", "Why is the lamp dark?"),
            ("reasoning", "Look at the switch."),
            ("tool", "bash\n$ ls switch"),
            ("tool", "no switch"),
            ("assistant", "The switch is missing."),
        ]
        assert bad(tmp_path) == []

    def test_every_part_is_an_entry_or_counted(self, write_session: Writer, tmp_path: Path) -> None:
        write_session(tmp_path, info(), TALK)
        assert skipped(tmp_path) == {"bookkeeping of a step": 1, "unknown type: hologram": 1}

    def test_the_records_have_the_ids_that_opencode_gave_them(self, write_session: Writer, tmp_path: Path) -> None:
        write_session(tmp_path, info(), TALK)
        ids = [entry.record_id for entry in entries(tmp_path)]
        assert ids == ["prt_1", "prt_3", "prt_4:call", "prt_4:result", "prt_5"]

    def test_folder_model_and_time_are_those_of_the_record(self, write_session: Writer, tmp_path: Path) -> None:
        write_session(tmp_path, info(), TALK)
        first, *_, last = entries(tmp_path)
        assert (first.cwd, last.cwd) == ("/srv/work/lamp", "/srv/work/lamp/ui")
        assert (first.model, last.model) == ("m-1", "m-1")
        assert last.at.isoformat() == "2026-03-01T10:00:01.800000+00:00"

    def test_the_title_is_opencodes(self, write_session: Writer, tmp_path: Path) -> None:
        write_session(tmp_path, info(), TALK)
        assert facts(tmp_path) == [SessionEvent(SESSION, title="Repair the lamp")]

    def test_a_session_that_was_never_titled_has_no_title(self, write_session: Writer, tmp_path: Path) -> None:
        write_session(tmp_path, info(title="New session - 2026-03-01T10:00:00.000Z"), TALK)
        assert facts(tmp_path) == []

    def test_a_session_with_a_parent_is_a_subagents(self, write_session: Writer, tmp_path: Path) -> None:
        write_session(tmp_path, info(parentID="ses_parent"), TALK)
        (log,) = logs(tmp_path)
        identity = SOURCE.identify(log)
        assert (identity.session_id, identity.lane, identity.parent_session) == (SESSION, "subagent", "ses_parent")
        assert facts(tmp_path)[0].lane == "subagent"
        assert entries(tmp_path)[0].origin == "agent"

    def test_a_session_without_anyone_to_ask_is_a_programs(self, write_session: Writer, tmp_path: Path) -> None:
        write_session(tmp_path, info(permission=RUN_RULES), TALK)
        assert facts(tmp_path)[0].automated == "started by opencode run"
        assert entries(tmp_path)[0].origin == "program"

    def test_a_person_who_forbids_one_thing_is_still_a_person(self, write_session: Writer, tmp_path: Path) -> None:
        write_session(tmp_path, info(permission=RUN_RULES[:1]), TALK)
        assert entries(tmp_path)[0].origin == "typed"

    def test_a_session_that_grew_begins_as_before(self, write_session: Writer, tmp_path: Path) -> None:
        write_session(tmp_path, info(), TALK)
        (log,), before = logs(tmp_path), entries(tmp_path)
        more = [*TALK, user("msg_3", part("prt_7", "text", "And now?"), second=5)]
        write_session(tmp_path, info(), more)
        (grown,) = logs(tmp_path)
        assert grown.fingerprint != log.fingerprint
        assert entries(tmp_path)[: len(before)] == before
        assert said(tmp_path)[len(before) :] == [("user", "And now?")]

    def test_an_unchanged_session_has_the_same_fingerprint(self, write_session: Writer, tmp_path: Path) -> None:
        write_session(tmp_path, info(), TALK)
        assert logs(tmp_path) == logs(tmp_path)

    def test_what_is_stored_can_be_verified(self, write_session: Writer, tmp_path: Path) -> None:
        from hashlib import sha256

        write_session(tmp_path, info(), TALK)
        (log,) = logs(tmp_path)
        refs = [entry.ref for entry in entries(tmp_path)]
        spans = [[ref.start, ref.end] for ref in refs]
        digest = sha256("".join(ref.sha256 for ref in refs).encode()).hexdigest()
        source = {"path": str(log.path), "format": log.format, "spans": spans, "sha256": digest}
        assert is_there(source["path"])
        assert verify_source(source) == "unchanged"
        assert verify_source({**source, "sha256": "0" * 64}) == "changed"
        assert verify_source({**source, "path": str(log.path.with_name("ses_other.json"))}) == "gone"


class TestParts:
    """What the parts of a message become; the layout makes no difference."""

    def read(self, root: Path, *messages: Any, **about: Any) -> list[TimelineEntry]:
        exported(root, info(**about), list(messages))
        return entries(root)

    def test_what_opencode_adds_to_a_prompt_is_not_the_persons(self, tmp_path: Path) -> None:
        found = self.read(
            tmp_path,
            user("msg_1", part("prt_1", "text", "Read @a.py"), part("prt_2", "text", "print(1)", synthetic=True)),
        )
        assert [(entry.role, entry.origin) for entry in found] == [("user", "typed"), ("system", "injected")]

    def test_a_failed_call_says_so(self, tmp_path: Path) -> None:
        edit = tool("prt_1", "edit", 0, 500, "no such text", "error", input={"filePath": "a.py", "oldString": "x"})
        call, result = self.read(tmp_path, assistant("msg_1", edit))
        assert call.tool is not None
        assert result.tool is not None
        assert (call.tool.files, result.tool.failed, result.tool.seconds) == (("a.py",), True, 0.5)
        assert result.text == "no such text"

    def test_the_exit_code_of_a_command_is_kept(self, tmp_path: Path) -> None:
        command = tool("prt_1", "bash", 0, 500, "x", input={"command": "make"}, metadata={"exit": 2})
        call, result = self.read(tmp_path, assistant("msg_1", command))
        assert call.tool is not None
        assert result.tool is not None
        assert (call.tool.command, result.tool.exit_code, result.tool.failed) == ("make", 2, True)

    def test_a_patch_names_its_files(self, tmp_path: Path) -> None:
        text = "*** Begin Patch\n*** Update File: src/lamp.py\n@@\n-a\n+b\n*** End Patch"
        call, _ = self.read(tmp_path, assistant("msg_1", tool("prt_1", "apply_patch", 0, 1, input={"patchText": text})))
        assert call.tool is not None
        assert call.tool.files == ("src/lamp.py",)

    def test_a_running_call_has_no_result_yet(self, tmp_path: Path) -> None:
        running = tool("prt_1", "bash", 0, None, status="running", input={"command": "make"})
        (call,) = self.read(tmp_path, assistant("msg_1", running, done=False))
        assert call.tool is not None
        assert call.tool.phase == "call"

    def test_results_come_in_the_order_in_which_calls_ended(self, tmp_path: Path) -> None:
        slow, quick = tool("prt_1", "bash", 0, 900, "slow"), tool("prt_2", "bash", 100, 200, "quick")
        found = self.read(tmp_path, assistant("msg_1", slow, quick))
        assert [entry.text for entry in found] == ["bash", "bash", "quick", "slow"]

    def test_a_text_that_is_still_written_waits(self, tmp_path: Path) -> None:
        written = part("prt_1", "text", "The sw", 100)
        assert self.read(tmp_path, assistant("msg_1", written, done=False)) == []
        assert skipped(tmp_path) == {"a text that is still being written": 1}

    def test_a_text_that_was_never_finished_is_read_when_the_talk_goes_on(self, tmp_path: Path) -> None:
        broken_off = assistant("msg_1", part("prt_1", "text", "The sw", 100), done=False)
        found = self.read(tmp_path, broken_off, user("msg_2", part("prt_2", "text", "Go on"), second=5))
        assert [entry.text for entry in found] == ["The sw", "Go on"]

    def test_a_summary_is_a_compaction(self, tmp_path: Path) -> None:
        (found,) = self.read(tmp_path, assistant("msg_1", part("prt_1", "text", "Goal: light", 1, 2), summary=True))
        assert (found.role, found.origin) == ("system", "compaction")

    def test_an_error_of_the_model_is_told(self, tmp_path: Path) -> None:
        error = {"name": "APIError", "data": {"message": "overloaded"}}
        (found,) = self.read(tmp_path, assistant("msg_1", error=error))
        assert (found.role, found.text) == ("system", "APIError: overloaded")

    def test_an_embedded_file_is_left_out(self, tmp_path: Path) -> None:
        url = "data:image/png;base64," + "A" * 200
        exported(tmp_path, info(), [user("msg_1", part("prt_1", "text", f"See {url}"), part("prt_2", "file", url=url))])
        assert said(tmp_path) == [("user", "See [image/png left out]")]
        assert skipped(tmp_path) == {"attached file": 1}

    @pytest.mark.parametrize(
        ("text", "read"),
        [
            ('"Say \\"light\\" twice"', 'Say "light" twice'),
            ('"one" "two"', '"one" "two"'),
            ('"', '"'),
            ("plain", "plain"),
        ],
    )
    def test_the_quotes_that_a_run_puts_around_its_prompt_are_not_of_it(
        self, text: str, read: str, tmp_path: Path
    ) -> None:
        (found,) = self.read(tmp_path, user("msg_1", part("prt_1", "text", text)), permission=RUN_RULES)
        assert found.text == read

    def test_the_quotes_that_a_person_typed_stay(self, tmp_path: Path) -> None:
        (found,) = self.read(tmp_path, user("msg_1", part("prt_1", "text", '"light"')))
        assert found.text == '"light"'


class TestDamage:
    def test_an_export_that_was_cut_is_reported(self, tmp_path: Path) -> None:
        write(tmp_path / "export" / f"{SESSION}.json", '{"info": {"id": "ses')
        assert [item.reason for item in bad(tmp_path)] == ["is not one whole JSON object"]

    def test_what_is_no_message_costs_itself(self, tmp_path: Path) -> None:
        exported(tmp_path, info(), [TALK[0], "msg", TALK[1]])
        assert [(item.line, item.reason) for item in bad(tmp_path)] == [(2, "message is not an object")]
        assert len(entries(tmp_path)) == 5

    def test_a_file_of_a_part_that_is_broken_costs_itself(self, tmp_path: Path) -> None:
        in_files(tmp_path, info(), TALK)
        broken = write(tmp_path / "storage/part/msg_2/prt_3.json", '{"type": "reas')
        assert [item.path for item in bad(tmp_path)] == [str(broken)]
        assert ("assistant", "The switch is missing.") in said(tmp_path)

    def test_a_row_that_is_broken_costs_itself(self, tmp_path: Path) -> None:
        in_database(tmp_path, info(), TALK)
        with closing(sqlite3.connect(tmp_path / "opencode.db")) as connection:
            connection.execute("UPDATE part SET data = '{\"type\": \"reas' WHERE id = 'prt_3'")
            connection.commit()
        assert [item.path.rpartition("/")[2] for item in bad(tmp_path)] == ["prt_3"]
        assert ("assistant", "The switch is missing.") in said(tmp_path)

    def test_parts_without_their_message_are_reported(self, tmp_path: Path) -> None:
        in_database(tmp_path, info(), TALK)
        with closing(sqlite3.connect(tmp_path / "opencode.db")) as connection:
            connection.execute("DELETE FROM message WHERE id = 'msg_2'")
            connection.commit()
        assert [item.reason for item in bad(tmp_path)] == ["5 parts of a message that is not there"]

    @pytest.mark.parametrize("body", [b"", b"not a database", b"SQLite format 3\0" + b"\xff" * 600])
    def test_what_is_no_database_is_reported_and_the_rest_is_found(self, body: bytes, tmp_path: Path) -> None:
        exported(tmp_path, info(), TALK)
        (tmp_path / "opencode.db").write_bytes(body)
        assert len(logs(tmp_path)) == 1
        assert [item.path for item in bad(tmp_path)] == [str(tmp_path / "opencode.db")]

    def test_a_session_deleted_since_it_was_listed_is_a_problem(self, tmp_path: Path) -> None:
        in_database(tmp_path, info(), TALK)
        (log,) = logs(tmp_path)
        with closing(sqlite3.connect(tmp_path / "opencode.db")) as connection:
            connection.execute("DELETE FROM session")
            connection.commit()
        assert [item.reason for item in SOURCE.read(log) if isinstance(item, BadRecord)] == [
            "is no longer in the database"
        ]
        assert not is_there(str(log.path))

    @given(st.data())
    @settings(max_examples=30, deadline=None, database=None)
    def test_no_content_makes_it_raise(self, data: st.DataObject) -> None:
        import tempfile

        words = st.sampled_from(["text", "tool", "reasoning", "user", "assistant", "completed", "", "\ud800"])
        junk = st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | words,
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list(KEYS)), inner, max_size=4),
        )
        spoilt = st.dictionaries(st.sampled_from(list(KEYS)), junk, max_size=5) | junk
        messages = data.draw(st.lists(spoilt | st.sampled_from(TALK), max_size=4))
        with tempfile.TemporaryDirectory() as folder:
            exported(Path(folder), {"id": SESSION}, messages)
            for log in logs(Path(folder)):
                SOURCE.identify(log)
                assert all(isinstance(item, SourceItem) for item in SOURCE.read(log))


KEYS = ("info", "parts", "role", "time", "created", "start", "end", "type", "text", "state", "status", "input", "id")


class TestPlaces:
    def test_a_session_that_is_kept_twice_has_the_same_records(self, tmp_path: Path) -> None:
        in_files(tmp_path, info(), TALK)
        in_database(tmp_path, info(), TALK)
        ids = [entry.record_id for entry in entries(tmp_path)]
        assert len(logs(tmp_path)) == 2
        assert ids[: len(ids) // 2] == ids[len(ids) // 2 :]

    def test_a_database_of_another_channel_is_read_too(self, tmp_path: Path) -> None:
        in_database(tmp_path, info(), TALK, name="opencode-dev.db")
        assert len(entries(tmp_path)) == 5

    def test_a_database_elsewhere_is_read(self, tmp_path: Path) -> None:
        in_database(tmp_path / "elsewhere", info(), TALK, name="own.db")
        found = AgentHomes(*[tmp_path] * 3, opencode=tmp_path, opencode_database=tmp_path / "elsewhere/own.db")
        assert len(list(SOURCE.discover(found))) == 1

    def test_what_waits_beside_the_database_is_read(self, tmp_path: Path) -> None:
        in_database(tmp_path, info(), TALK)
        with closing(sqlite3.connect(tmp_path / "opencode.db")) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("UPDATE session SET title = 'Light again'")
            connection.commit()
            assert facts(tmp_path)[0].title == "Light again"

    def test_a_database_is_left_as_it_is(self, tmp_path: Path) -> None:
        in_database(tmp_path, info(), TALK)
        before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
        items(tmp_path)
        assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
