"""What `aicx init` wrote is no guidance, no change, and no place to look first."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from aicx.cli import run
from aicx.git.state import Git, GitProbe, GitState
from aicx.managed import blocks, is_ours_alone
from aicx.memory.policy import Policy
from aicx.memory.sources import read_live
from aicx.resume import ResumeQuery
from aicx.resume.brief.output import markdown_brief
from aicx.resume.run import resume
from tests.corpus.builders import SESSION, ClaudeLog, Home, when
from tests.evidence.stories import Repository

ALL = "claude,codex,gemini,copilot,cursor"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "orbit")
    made.commit("CLAUDE.md", "# Rules\n\nUse tabs.\n")
    return made


def init(repository: Repository, *more: str, agents: str = ALL) -> None:
    assert run(["init", "--repo", str(repository.folder), "--agents", agents, "--yes", *more]) == 0


def look(repository: Repository) -> GitState:
    with GitProbe(Git(repository.folder)) as probe:
        return probe.state


@pytest.mark.parametrize("more", [[], ["--shared"]])
def test_a_repository_that_was_set_up_has_no_change(repository: Repository, home: Path, more: list[str]) -> None:
    init(repository, *more)
    assert (look(repository).changed, look(repository).changed_count, look(repository).dirty) == ((), 0, False)


def test_a_change_beside_ours_is_one(repository: Repository, home: Path) -> None:
    init(repository, "--shared")
    for name in ("CLAUDE.md", "AGENTS.md"):
        repository.write(name, (repository.folder / name).read_text() + "Mine.\n")
    repository.write(".claude/commands/mine.md", "Mine.\n")
    assert set(look(repository).changed) == {"CLAUDE.md", "AGENTS.md", ".claude/"}


def test_what_was_committed_and_taken_out_again_is_a_change(repository: Repository, home: Path) -> None:
    init(repository, "--shared", agents="claude")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "Agents")
    assert run(["clean", "--repo", str(repository.folder), "--yes"]) == 0
    assert set(look(repository).changed) == {"CLAUDE.md", ".claude/settings.json"}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_block_is_no_guidance_and_the_lines_keep_their_numbers(
    repository: Repository, home: Path, line_end: str
) -> None:
    (repository.folder / "CLAUDE.md").write_bytes(f"# Rules{line_end}{line_end}Use tabs.{line_end}".encode())
    init(repository)
    with (repository.folder / "CLAUDE.md").open("a", newline="") as stream:
        stream.write(f"{line_end}Be brief.{line_end}")
    live = read_live(repository.folder, Policy())
    said = {one.statement.text: one.statement.first for one in live.statements}
    lines = (repository.folder / "CLAUDE.md").read_text().splitlines()
    assert said == {"Rules": 1, "Use tabs.": 3, "Be brief.": lines.index("Be brief.") + 1}


@given(some.lists(some.sampled_from(["a", "", blocks.START, blocks.END, "```", "  x", f"> {blocks.START}"])))
def test_blanking_keeps_every_line_outside_whole_blocks(lines: list[str]) -> None:
    blanked = blocks.blanked("\n".join(lines)).split("\n")
    assert len(blanked) == max(1, len(lines))
    inside = False
    for number, (line, left) in enumerate(zip(lines, blanked, strict=False)):
        rest = lines[number + 1 :]
        if line == blocks.START and not inside:
            ends = rest.index(blocks.END) if blocks.END in rest else len(rest)
            inside = blocks.END in rest and blocks.START not in rest[:ends]
        assert left == ("" if inside else line)
        inside = inside and line != blocks.END


def test_a_brief_neither_quotes_ours_nor_sends_the_reader_to_it(
    repository: Repository, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "user").mkdir()
    user = Home(tmp_path / "user")
    log = ClaudeLog(SESSION, str(repository.folder)).prompt("Write down how sessions begin in AGENTS.md", 0)
    log.call("Edit", 1, "t1", file_path=f"{repository.folder}/AGENTS.md", new_string="x", old_string="y")
    user.claude(log.result("updated", 2, "t1").answer("Done.", 3))
    user.store()
    init(repository, "--shared")
    found = resume(
        user.settings,
        ResumeQuery(task="sessions of coding agents in AGENTS.md", now=when(10 * 86400.0), folder=repository.folder),
    )
    said = markdown_brief(user.settings, found, 4000).text.decode()
    assert "aicx keeps the sessions" not in said
    assert "AGENTS.md" not in [file.path for file in found.files]
    left_out = {one.ref: one.left_out for one in found.considered}
    assert left_out["file:AGENTS.md"] == "written_by_aicx"
    assert "changed:" not in said


def test_a_file_is_ours_alone_only_while_nobody_adds_to_it(repository: Repository, home: Path) -> None:
    init(repository)
    for name in ("AGENTS.md", ".cursor/rules/aicx.mdc", ".claude/settings.local.json", ".claude/", ".cursor/"):
        assert is_ours_alone(repository.folder, name), name
    assert not is_ours_alone(repository.folder, "CLAUDE.md")
    repository.write(".cursor/rules/mine.mdc", "Mine.\n")
    assert not is_ours_alone(repository.folder, ".cursor/")
