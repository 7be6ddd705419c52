"""Paths as the repository knows them, and what lies outside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.evidence.calls import answered_calls, edits_of
from aicx.git import Roots, inside, repository_of
from tests.evidence.stories import Story

ROOT = "/srv/ada/orbit"
ROOTS = Roots.of([ROOT, f"{ROOT}/web", f"{ROOT}/.worktrees/fix/login", "/tmp/trees/orbit"])


@pytest.mark.parametrize(
    ("path", "folder", "found"),
    [
        (f"{ROOT}/src/a.py", None, "src/a.py"),
        ("src/a.py", ROOT, "src/a.py"),
        ("./src/../a.py", ROOT, "a.py"),
        ("index.ts", f"{ROOT}/web", "web/index.ts"),
        (f"{ROOT}/.worktrees/fix/login/src/a.py", None, "src/a.py"),
        (f"{ROOT}/.worktrees/other/src/a.py", None, "src/a.py"),
        (f"{ROOT}/.claude/worktrees/other/src/a.py", None, "src/a.py"),
        (f"{ROOT}.worktrees/other/src/a.py", None, "src/a.py"),
        (f"{ROOT}__worktrees/other/src/a.py", None, "src/a.py"),
        ("/tmp/trees/orbit/src/a.py", None, "src/a.py"),
    ],
)
def test_path_in_any_working_tree_is_relative_to_the_root(path: str, folder: str | None, found: str) -> None:
    assert ROOTS.relative(path, folder) == found


@pytest.mark.parametrize(
    ("path", "folder", "found"),
    [
        ("D:\\orbit\\src\\A.go", None, "src/A.go"),
        ("d:/Orbit/src/a.go", None, "src/a.go"),
        ("/d/orbit/a.go", None, "a.go"),
        ("src\\a.go", "D:\\orbit", "src/a.go"),
        ("..\\a.go", "D:\\orbit\\web", "a.go"),
        ("D:\\orbit\\.claude\\worktrees\\fix\\src\\a.go", None, "src/a.go"),
        ("D:\\orbit.worktrees\\fix\\src\\a.go", None, "src/a.go"),
        ("\\\\wsl$\\Ubuntu\\srv\\orbit\\a.go", None, "a.go"),
        ("/mnt/d/orbit/src/a.go", "/mnt/d/orbit", "src/a.go"),
        ("D:\\orbital\\a.go", None, None),
        ("E:\\orbit\\a.go", None, None),
    ],
)
def test_a_path_of_windows_is_relative_to_the_root(path: str, folder: str | None, found: str | None) -> None:
    assert Roots.of(["D:\\orbit\\web", "D:\\orbit", "d:/ORBIT", "/srv/orbit"]).relative(path, folder) == found


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../other/a.py",
        "src/../../a.py",
        f"{ROOT}2/a.py",
        ROOT,
        "~/notes.md",
        "https://example.org/a.py",
        "C:\\a.py",
        "a\nb.py",
        "a\0.py",
        "",
        ".",
    ],
)
def test_path_outside_the_repository_is_none(path: str) -> None:
    assert ROOTS.relative(path, ROOT) is None


@given(st.text(alphabet="./ab~\\:", max_size=30))
def test_no_spelling_leads_out(path: str) -> None:
    found = ROOTS.relative(path, ROOT)
    assert found is None or (not found.startswith("/") and ".." not in found.split("/"))


def test_working_tree_inside_a_repository_belongs_to_it() -> None:
    assert repository_of(f"{ROOT}/.worktrees/fix/login") == ROOT
    assert repository_of(ROOT) == ROOT


def test_link_out_of_the_repository_is_not_inside(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").touch()
    root = tmp_path / "orbit"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").touch()
    (root / "a.py").touch()
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    names = ("a.py", "link.txt", "../secret.txt", "gone.py", ".git/config", "", "a.py\0")
    assert [inside(root, name) for name in names] == [True, False, False, False, False, False, False]


# Edits --------------------------------------------------------------------------------------------------------------


def edited(story: Story) -> list[tuple[str, int]]:
    return [(edit.path, edit.times) for edit in edits_of(answered_calls(story.steps), ROOTS, ROOT)]


def test_edited_files_are_counted_the_last_first() -> None:
    story = Story().edits(f"{ROOT}/a.py").edits("b.py").edits("a.py").edits("/etc/hosts")
    assert edited(story) == [("a.py", 2), ("b.py", 1)]


def test_failed_edit_does_not_count() -> None:
    assert edited(Story().edits("a.py", failed=True)) == []


def test_file_that_was_only_read_is_not_edited() -> None:
    assert edited(Story().calls("Read", " a.py").gets("Read", "x = 1")) == []


def test_files_of_a_patch_are_edited_even_inside_a_script() -> None:
    story = Story().calls(
        "apply_patch", "\n*** Begin Patch\n*** Update File: a.py\n@@\n*** Add File: b.py\n*** End Patch"
    )
    story.gets("apply_patch", "Success").calls("exec", '\ntools.patch("*** Begin Patch\\n*** Update File: c.py\\n@@")')
    assert [path for path, _ in edited(story)] == ["c.py", "b.py", "a.py"]
