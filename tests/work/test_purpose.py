"""What a folder says it is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.work.areas import MAX_LENGTH, purpose_of


@pytest.mark.parametrize(
    ("name", "text", "purpose"),
    [
        ("README.md", "# Login\n\n![badge](x.svg)\n\nSigns `users` in\nand out.\n\nMore.\n", "Signs users in and out."),
        ("__init__.py", '"""Signs users in.\n\nIn detail."""\n', "Signs users in."),
        (
            "doc.go",
            "// Copyright Ada\n\n// Package login signs\n// users in.\npackage login\n",
            "Package login signs users in.",
        ),
        ("package.json", '{"description": "Signs users in"}', "Signs users in"),
        ("Cargo.toml", '[package]\ndescription = "Signs users in"\n', "Signs users in"),
    ],
)
def test_a_folder_says_what_it_is_for(tmp_path: Path, name: str, text: str, purpose: str) -> None:
    (tmp_path / "login").mkdir()
    (tmp_path / "login" / name).write_text(text)
    assert purpose_of(tmp_path, "login") == purpose


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("__init__.py", b"def ("),
        ("package.json", b"[" * 100_000),
        ("package.json", b'{"description": 3}'),
        ("Cargo.toml", b"package = 3"),
        ("README.md", b"\xff\xfe"),
        ("README.md", b"# Only a heading"),
    ],
)
def test_a_broken_file_says_nothing_and_the_next_is_asked(tmp_path: Path, name: str, body: bytes) -> None:
    (tmp_path / name).write_bytes(body)
    assert purpose_of(tmp_path, ".") is None
    (tmp_path / "doc.go").write_text("// Package shop sells.\npackage shop\n")
    assert purpose_of(tmp_path, ".") == "Package shop sells."


def test_a_file_outside_the_repository_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("Private.\n")
    root = tmp_path / "repo"
    root.mkdir()
    (root / "README.md").symlink_to(tmp_path / "elsewhere.md")
    assert purpose_of(root, ".") is None


def test_a_purpose_is_short_and_without_secrets(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("The token is ghp_" + "a1B2" * 9 + " and " + "long " * 100 + "\n")
    found = purpose_of(tmp_path, ".") or ""
    assert "ghp_" not in found
    assert 0 < len(found) <= MAX_LENGTH
