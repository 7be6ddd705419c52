"""What the memory policy excludes, and that a malformed one stops everything."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.errors import MalformedPolicy
from aicx.memory.policy import FOLDER, NAME, Policy, load_policy

pytestmark = pytest.mark.slow


def _write(repository: Path, text: str | bytes) -> Path:
    path = repository / FOLDER / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def _load(tmp_path: Path) -> Policy:
    return load_policy(tmp_path / "home", tmp_path / "repo", tmp_path)


def test_without_files_nothing_is_excluded(tmp_path: Path) -> None:
    policy = _load(tmp_path)
    assert policy == Policy()
    assert (
        policy.of_path("CLAUDE.md") is policy.of_source("live:claude:CLAUDE.md") is policy.of_text("anything") is None
    )


def test_rules_of_both_files_count_and_neither_takes_back_what_the_other_excludes(tmp_path: Path) -> None:
    _write(tmp_path / "repo", 'exclude_paths = ["!notes/"]\nexclude_patterns = ["falcon"]')
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / NAME).write_text('exclude_paths = ["notes/"]\nexclude_sources = ["live:cursor:*", "gemini"]')
    policy = _load(tmp_path)
    assert policy.of_path("notes/a.md") == "policy_path"
    assert policy.of_path("other/a.md") is None
    assert policy.of_source("live:cursor:.cursorrules", "cursor") == "policy_source"
    assert policy.of_source("live:gemini:GEMINI.md", "gemini") == "policy_source"
    assert policy.of_source("live:claude:CLAUDE.md", "claude") is None
    for identity in ("session:gemini:0b7c1f6e", "chunk:gemini:0b7c1f6e:001", "live:gemini:GEMINI.md#L3"):
        assert policy.of_source(identity) == policy.of_source(identity, "claude") == "policy_source"
    assert policy.of_source("commit:gemini") is policy.of_source("session:claude:gemini") is None
    assert policy.of_text("Project FALCON") == "policy_pattern"


def test_a_path_is_excluded_in_any_case_and_below_the_persons_home(tmp_path: Path) -> None:
    _write(tmp_path / "repo", 'exclude_paths = ["Secrets/", "~/private/*.md"]')
    policy = _load(tmp_path)
    assert policy.of_path("SECRETS/a.md") == "policy_path"
    assert policy.of_path(str(tmp_path / "private" / "a.md")) == "policy_path"
    assert policy.of_path(str(tmp_path / "public" / "a.md")) is None


def test_signs_without_shape_do_not_hide_excluded_words() -> None:
    policy = Policy(exclude_patterns=("project falcon",))
    assert policy.of_text("project fal\u200bcon") == "policy_pattern"
    assert policy.of_text("project\n   falcon") == "policy_pattern"


def test_a_long_text_is_searched_to_its_end_and_an_endless_one_excluded() -> None:
    policy = Policy(exclude_patterns=("falcon", ".*x.*y"))
    assert policy.of_text("a" * 5000 + " falcon") == "policy_pattern"
    assert policy.of_text("a" * 995 + " falcon " + "a" * 4000) == "policy_pattern"
    assert policy.of_text("a " * 4000) is None
    assert policy.of_text("a" * 20_001) == "policy_pattern"


def test_the_digest_changes_with_the_rules_alone(tmp_path: Path) -> None:
    one, other = Policy(exclude_sources=("a",)), Policy(exclude_sources=("a",), files=(tmp_path,))
    assert one.digest == other.digest != Policy(exclude_patterns=("a",)).digest


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        (b"\0" * 4096, 1),
        ("exclude_paths = [", 1),
        ("\n\nexclude_paths = 'a'", 3),
        ("# a comment\nexclude_path = ['a']", 2),
        ("exclude_paths = ['a']\n[exclude_sources]\na = 1", 2),
        ("exclude_sources = ['a', 3]", 1),
        ("exclude_sources = ['']", 1),
        ("exclude_patterns = ['(']", 1),
        ("exclude_patterns = ['x*']", 1),
        ("exclude_patterns = ['(a)\\1']", 1),
        ("exclude_patterns = ['a(?=b)']", 1),
        ("exclude_patterns = ['((a{100}){100}){100}']", 1),
        ("exclude_patterns = ['a{99999999999}']", 1),
        (f"exclude_patterns = ['{'a' * 501}']", 1),
        (b"exclude_paths = ['a']\n\xff", 2),
        ("exclude_paths = " + "[" * 5000, 1),
        ("a = " + "9" * 5000, 1),
        ("#" * 70_000, 1),
    ],
)
def test_a_malformed_policy_is_refused_with_its_file_and_line(tmp_path: Path, text: str | bytes, line: int) -> None:
    path = _write(tmp_path / "repo", text)
    with pytest.raises(MalformedPolicy) as caught:
        _load(tmp_path)
    assert caught.value.message.startswith(f"{path}, line {line}: ")
    assert caught.value.exit_code == 9


@pytest.mark.parametrize(
    "pattern", [r"(.*){30}x", r"(a+)+b", r"(?:a|ab)*c", r".*a.*b[^x]+c", r"(\w+\s?)*!$", "*a*a*a*a*a*a*a*b"]
)
def test_no_rule_makes_a_policy_go_on_without_end(tmp_path: Path, pattern: str) -> None:
    key = "exclude_paths" if pattern.startswith("*") else "exclude_patterns"
    _write(tmp_path / "repo", f"{key} = ['{pattern}']")
    policy, text, begun = _load(tmp_path), "aa ad " * 3000, time.process_time()
    assert policy.of_text(text) is policy.of_path("a" * 4000) is None
    assert time.process_time() - begun < 3


def test_a_policy_whose_rules_take_too_long_is_refused_with_its_file(tmp_path: Path, little_patience: None) -> None:
    path = _write(tmp_path / "repo", "exclude_patterns = ['.{0,4000}x.{0,4000}y']")
    with pytest.raises(MalformedPolicy) as caught:
        _load(tmp_path).of_text("ab x " * 3000)
    assert caught.value.message == f"{path}: the rules take too long to search for"


def test_a_policy_that_cannot_be_read_as_a_file_is_malformed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.toml"
    outside.write_text("")
    path = _write(tmp_path / "repo", "")
    for replace in (
        lambda: path.mkdir(),
        lambda: os.mkfifo(path),
        lambda: path.symlink_to(outside),
        lambda: path.symlink_to(tmp_path / "nowhere"),
    ):
        path.unlink()
        replace()
        with pytest.raises(MalformedPolicy):
            _load(tmp_path)
        if path.is_dir():
            path.rmdir()
            path.touch()


def test_a_folder_that_leads_nowhere_is_no_missing_policy(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / FOLDER).symlink_to(tmp_path / "unmounted")
    with pytest.raises(MalformedPolicy):
        _load(tmp_path)


@given(st.binary(max_size=200) | st.text(max_size=80).map(lambda text: f"exclude_patterns = ['{text}']".encode()))
def test_any_bytes_are_rules_or_refused(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    repository = tmp_path_factory.mktemp("fuzz")
    _write(repository, body)
    try:
        policy = load_policy(repository / "home", repository)
    except MalformedPolicy:
        return
    assert isinstance(policy.of_text("some text"), str | None)
    assert policy.of_path("a/b") in (None, "policy_path")


@given(st.binary(min_size=1, max_size=8), st.integers(0, 60))
def test_damage_lifts_a_rule_only_where_it_ends_a_text_or_begins_a_comment(
    tmp_path_factory: pytest.TempPathFactory, damage: bytes, at: int
) -> None:
    """Other bytes change a rule's own text at most: outside it they stop everything."""
    repository = tmp_path_factory.mktemp("damaged")
    whole = b'exclude_paths = ["secret/"]\nexclude_sources = ["live:cursor:*"]\n'
    _write(repository, whole[:at] + damage + whole[at + len(damage) :])
    try:
        policy = load_policy(repository / "home", repository)
    except MalformedPolicy:
        return
    comment = b"#" in damage or b"]" in damage or b'"' in damage or b"'" in damage
    kept = sum(map(len, policy.exclude_paths)) + len(policy.exclude_sources)
    assert kept == 2 or comment
