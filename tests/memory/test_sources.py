"""Live sources: which files are read, what is kept out, and how each is split into statements with their lines."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.errors import NotFound, UsageError
from aicx.memory.policy import Policy
from aicx.memory.sources import MAX_BYTES, MAX_LENGTH, Live, LiveSource, read_live, split_statements
from aicx.memory.sources_files import LISTED, MAX_FILES
from aicx.terminal import has_controls
from aicx.types import AgentHomes

SECRET = "AKIA" + "Q3EGR7ZTHJVNPWXL"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    return folder


def _write(folder: Path, name: str, text: str = "Use tabs.\n") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def _one(live: Live, path: str) -> LiveSource:
    return next(one for one in live.sources if one.path == path)


def _tree(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Every name below a folder with its mode, its time of change and its content."""
    found = {}
    for path in sorted([folder, *folder.rglob("*")]):
        about = path.lstat()
        body = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path)] = (about.st_mode, about.st_mtime_ns, sha256(body).hexdigest())
    return found


def test_exactly_the_listed_files_are_read(repository: Path) -> None:
    for number, (name, _, _) in enumerate(LISTED):
        if name != ".cursor/rules":
            _write(repository, name, f"Rule {number}.\n")
    _write(repository, ".cursor/rules/b.mdc", "Rule b.\n")
    _write(repository, ".cursor/rules/deep/a.md", "Rule a.\n")
    for name in ("README.md", "docs/CLAUDE.md", ".cursor/rules/notes.txt", ".claude/settings.json"):
        _write(repository, name, "Not a rule.\n")
    live = read_live(repository, Policy())
    expected = {name for name, _, _ in LISTED} - {".cursor/rules"} | {".cursor/rules/b.mdc", ".cursor/rules/deep/a.md"}
    assert {one.path for one in live.sources} == expected
    assert len(live.statements) == len(expected)
    assert "Not a rule." not in {one.statement.text for one in live.statements}


def test_a_source_is_described_by_what_is_on_disk(repository: Path) -> None:
    path = _write(repository, "CLAUDE.md", "# Rules\n\n- Use tabs.\n")
    source = read_live(repository, Policy()).sources[0]
    about = path.stat()
    assert (source.id, source.source, source.kind) == ("live:claude:CLAUDE.md", "claude", "instructions")
    assert source.sha256 == sha256(path.read_bytes()).hexdigest()
    assert source.size == about.st_size
    assert source.mtime is not None
    assert source.mtime.timestamp() == pytest.approx(about.st_mtime)
    assert (source.policy, source.reason) == ("allowed", None)


def test_cursor_rules_may_be_a_file_and_other_sources_no_folder(repository: Path) -> None:
    _write(repository, ".cursor/rules")
    _write(repository, "CLAUDE.md/inner.md")
    live = read_live(repository, Policy())
    assert [(one.path, one.reason) for one in live.sources] == [("CLAUDE.md", "unreadable"), (".cursor/rules", None)]


def test_links_out_of_the_repository_are_listed_without_a_body(repository: Path, tmp_path: Path) -> None:
    outside = _write(tmp_path, "outside/CLAUDE.md", "Body from outside.\n")
    (repository / "CLAUDE.md").symlink_to(outside)
    (repository / ".claude").symlink_to(outside.parent)
    (repository / ".cursor").mkdir()
    (repository / ".cursor" / "rules").symlink_to(outside.parent)
    _write(repository, ".git/config")
    (repository / "GEMINI.md").symlink_to(repository / ".git" / "config")
    (repository / "AGENTS.md").symlink_to(tmp_path / "nowhere.md")
    (repository / ".cursorrules").symlink_to(repository / "missing.md")
    live = read_live(repository, Policy())
    assert {one.path: one.reason for one in live.sources} == {
        "CLAUDE.md": "unsafe_symlink",
        ".claude/CLAUDE.md": "unsafe_symlink",
        "GEMINI.md": "unsafe_symlink",
        "AGENTS.md": "unsafe_symlink",
        ".cursor/rules": "unsafe_symlink",
        ".cursorrules": "unreadable",
    }
    assert not live.statements
    assert all(one.sha256 is None and one.policy == "blocked" for one in live.sources)


def test_a_link_inside_the_repository_is_followed_and_its_content_counts_once(repository: Path) -> None:
    _write(repository, "AGENTS.md")
    (repository / "CLAUDE.md").symlink_to("AGENTS.md")
    live = read_live(repository, Policy())
    assert [(one.path, one.policy, one.reason) for one in live.sources] == [
        ("CLAUDE.md", "allowed", None),
        ("AGENTS.md", "allowed", "duplicate"),
    ]
    assert len(live.statements) == 1


def test_unreadable_files_are_listed_with_their_reason(repository: Path) -> None:
    (repository / "CLAUDE.md").write_bytes(b"Use\0tabs")
    (repository / "AGENTS.md").write_bytes(bytes(range(128, 256)))
    (repository / "GEMINI.md").write_bytes(b"x" * (MAX_BYTES + 1))
    os.mkfifo(repository / ".cursorrules")
    closed = _write(repository, ".github/copilot-instructions.md")
    closed.chmod(0)
    live = read_live(repository, Policy())
    reasons = {one.path: one.reason for one in live.sources}
    if os.geteuid() == 0:  # root may read everything
        reasons.pop(".github/copilot-instructions.md")
    else:
        assert reasons.pop(".github/copilot-instructions.md") == "unreadable"
        assert not live.statements
    assert reasons == {
        "CLAUDE.md": "unreadable",
        "AGENTS.md": "unreadable",
        "GEMINI.md": "over_budget",
        ".cursorrules": "unreadable",
    }


def test_text_in_another_encoding_is_text(repository: Path) -> None:
    (repository / "CLAUDE.md").write_bytes("Nutze Tabs für Einrückung, nie Leerzeichen.\n".encode("latin-1"))
    assert read_live(repository, Policy()).sources[0].policy == "allowed"


def test_a_large_folder_is_read_in_part_and_listed_as_a_whole(repository: Path) -> None:
    for number in range(MAX_FILES + 2):
        _write(repository, f".cursor/rules/{number:04d}.mdc", f"Rule {number}.\n")
    live = read_live(repository, Policy())
    assert len(live.sources) == MAX_FILES + 2
    assert [one.reason for one in live.sources[-3:]] == [None, "over_budget", "over_budget"]


def test_a_blocked_path_is_not_even_opened(repository: Path) -> None:
    _write(repository, "CLAUDE.md", "Body.\n")
    _write(repository, "notes/private.md", "Body.\n")
    (repository / "AGENTS.md").symlink_to("notes/private.md")
    live = read_live(repository, Policy(exclude_paths=(("claude.md", "notes/"),)))
    assert [(one.path, one.reason, one.sha256) for one in live.sources] == [
        ("CLAUDE.md", "policy_path", None),
        ("AGENTS.md", "policy_path", None),
    ]
    assert not live.statements


def test_a_blocked_source_is_listed_alone(repository: Path) -> None:
    _write(repository, "CLAUDE.md", "Body.\n")
    _write(repository, "GEMINI.md", "Other.\n")
    live = read_live(repository, Policy(exclude_sources=("live:claude:*",)))
    assert [(one.path, one.reason) for one in live.sources] == [("CLAUDE.md", "policy_source"), ("GEMINI.md", None)]
    assert {one.statement.text for one in live.statements} == {"Other."}


def test_a_pattern_blocks_statements_and_the_headings_that_others_would_quote(repository: Path) -> None:
    _write(repository, "CLAUDE.md", "# Project falcon\n\n- Use tabs.\n- Falcon ships\n  in May.\n\n> fal-\n> con\n")
    live = read_live(repository, Policy(exclude_patterns=("falcon", r"fal-\s+con")))
    assert [one.ref for one in live.blocked] == [
        "live:claude:CLAUDE.md#L1",
        "live:claude:CLAUDE.md#L4-L5",
        "live:claude:CLAUDE.md#L7-L8",
    ]
    assert [(one.statement.text, one.statement.heading) for one in live.statements] == [("Use tabs.", ())]
    assert "falcon" not in repr(live).lower()


def test_a_pattern_also_sees_what_redaction_takes_out(repository: Path) -> None:
    _write(repository, "CLAUDE.md", f"The key of falcon is {SECRET}.\n")
    live = read_live(repository, Policy(exclude_patterns=(SECRET.lower(),)))
    assert not live.statements
    assert len(live.blocked) == 1


def test_secrets_are_masked_and_every_statement_keeps_its_lines(repository: Path) -> None:
    key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *("MIIEpAIBAAKCAQEA" * 4 for _ in range(5))])
    _write(repository, "CLAUDE.md", f"- One {SECRET}.\n\n{key}\n-----END RSA PRIVATE KEY-----\n\n- Last.\n")
    live = read_live(repository, Policy())
    assert SECRET not in repr(live)
    assert "MIIEpAIBAAKCAQEA" not in repr(live)
    assert live.statements[0].ref == "live:claude:CLAUDE.md#L1"
    assert (live.statements[-1].statement.text, live.statements[-1].ref) == ("Last.", "live:claude:CLAUDE.md#L11")


def test_a_file_outside_the_repository_is_read_when_it_is_named(repository: Path, tmp_path: Path) -> None:
    _write(repository, "CLAUDE.md")
    homes = AgentHomes(tmp_path / ".claude", tmp_path / ".codex", tmp_path / ".gemini")
    memory = _write(tmp_path, ".claude/projects/-work-repo/memory/MEMORY.md", "Release on Fridays.\n").parent
    (memory / "linked.md").symlink_to(_write(tmp_path, "secret.md", "Body from outside.\n"))
    assert len(read_live(repository, Policy(), homes=homes).sources) == 1
    live = read_live(repository, Policy(), [(memory, None), (tmp_path / "secret.md", "ada")], homes=homes)
    found = [(one.source, one.policy, one.reason) for one in live.sources[1:]]
    assert found == [
        ("claude", "allowed", None),
        ("claude", "blocked", "unsafe_symlink"),
        ("ada", "allowed", None),
    ]
    identity = sha256(os.fsencode(memory / "MEMORY.md")).hexdigest()[:12]
    assert live.sources[1].id == f"live:claude:global:{identity}"


def test_naming_a_path_of_the_repository_does_not_lead_out_of_it(repository: Path, tmp_path: Path) -> None:
    (repository / "notes.md").symlink_to(_write(tmp_path, "secret.md", "Body from outside.\n"))
    live = read_live(repository, Policy(), [(repository / "notes.md", None)])
    assert [(one.id, one.reason) for one in live.sources] == [("live:file:notes.md", "unsafe_symlink")]


def test_the_policy_counts_for_named_files_too(repository: Path, tmp_path: Path) -> None:
    named = _write(tmp_path, "private/notes.md", "Body.\n")
    policy = Policy(exclude_paths=((f"{tmp_path}/private/".casefold(),),))
    assert read_live(repository, policy, [(named, None)]).sources[0].reason == "policy_path"


def test_a_named_path_that_is_not_there_is_an_error(repository: Path) -> None:
    with pytest.raises(NotFound):
        read_live(repository, Policy(), [(repository / "nothing.md", None)])
    with pytest.raises(UsageError):
        read_live(repository, Policy(), [(_write(repository, "a.md"), "two words")])


def test_reading_leaves_the_repository_as_it_was(repository: Path) -> None:
    _write(repository, "CLAUDE.md")
    _write(repository, ".cursor/rules/a.mdc")
    (repository / "AGENTS.md").symlink_to("CLAUDE.md")
    before = _tree(repository)
    read_live(repository, Policy())
    assert _tree(repository) == before


def test_an_edit_is_seen_at_once(repository: Path) -> None:
    _write(repository, "CLAUDE.md", "Use tabs.\n")
    read_live(repository, Policy())
    _write(repository, "CLAUDE.md", "Use spaces.\n")
    assert [one.statement.text for one in read_live(repository, Policy()).statements] == ["Use spaces."]


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_content_is_read_or_listed(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "CLAUDE.md").write_bytes(body)
    live = read_live(folder, Policy())
    (source,) = live.sources
    assert source.sha256 == sha256(body).hexdigest()
    assert source.policy == "allowed" or not live.statements
    lines = body.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for one in live.statements:
        assert 1 <= one.statement.first <= one.statement.last <= lines
        assert one.statement.kind == "code" or "\n" not in one.statement.text
        assert not has_controls(one.statement.text)


def _split(text: str) -> list[tuple[str, str, int, int]]:
    return [(one.kind, one.text, one.first, one.last) for one in split_statements(text.split("\n"))]


def test_headings_items_paragraphs_and_code_have_their_lines() -> None:
    text = "# Rules\n\n- Use tabs,\n  always.\n  - Not here.\n1. [x] First.\nmore\n\n"
    text += "One\ntwo.\n\n```sh\nmake\n\ntest\n```\n"
    assert _split(text) == [
        ("heading", "Rules", 1, 1),
        ("item", "Use tabs, always.", 3, 4),
        ("item", "Not here.", 5, 5),
        ("item", "First. more", 6, 7),
        ("paragraph", "One two.", 9, 10),
        ("code", "make\n\ntest", 12, 16),
    ]


def test_a_statement_knows_the_headings_above_it() -> None:
    text = "# A\n## B\none\n## C\ntwo\n\nD\n===\nthree"
    assert [(one.text, one.heading) for one in split_statements(text.split("\n")) if one.kind == "paragraph"] == [
        ("one", ("A", "B")),
        ("two", ("A", "C")),
        ("three", ("D",)),
    ]


def test_a_fence_ends_with_as_many_of_its_own_signs_and_no_fewer() -> None:
    text = "````md\n```\n~~~~\nAlways push.\n```` x\n````\nAfter."
    assert _split(text) == [
        ("code", "```\n~~~~\nAlways push.\n```` x", 1, 6),
        ("paragraph", "After.", 7, 7),
    ]


def test_a_fence_that_never_ends_takes_the_rest() -> None:
    assert _split("One.\n```\n# Not a heading\n- not an item") == [
        ("paragraph", "One.", 1, 1),
        ("code", "# Not a heading\n- not an item", 2, 4),
    ]


def test_text_hidden_on_a_page_is_no_statement() -> None:
    text = "---\nstatus: accepted\n---\n<!-- Accept\nthis. -->\nUse <!-- no --> tabs.\n\n"
    text += "***\n| a | b |\n|---|---|\n| c | d |"
    assert _split(text) == [("paragraph", "Use tabs.", 6, 6), ("item", "a | b", 9, 9), ("item", "c | d", 11, 11)]


def test_a_comment_that_never_ends_and_open_front_matter_are_text() -> None:
    assert [one[1] for one in _split("---\nstatus: accepted\n\n<!-- Push to main.")] == [
        "status: accepted",
        "<!-- Push to main.",
    ]


def test_hostile_markup_stays_text_of_one_line_without_invisible_signs() -> None:
    text = "- </system> [x](javascript:1) \x1b[31mred\u202e \u200bhid\u200bden"
    assert _split(text) == [("item", "</system> [x](javascript:1) [31mred hidden", 1, 1)]


def test_a_long_statement_is_shortened() -> None:
    assert len(_split("word " * 1000)[0][1]) <= MAX_LENGTH


@given(st.lists(st.sampled_from(["", "text", "- item", "# head", "```", "~~~", "> quote", "  more", "| a |", "==="])))
def test_every_line_with_words_is_in_exactly_one_statement(lines: list[str]) -> None:
    found = split_statements(lines)
    covered = [line for one in found for line in range(one.first, one.last + 1)]
    assert len(covered) == len(set(covered))
    telling = {n for n, line in enumerate(lines, 1) if any(word in line for word in ("text", "item", "head", "more"))}
    assert telling <= set(covered)
    assert [one.first for one in found] == sorted(one.first for one in found)
