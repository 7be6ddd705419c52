"""Patterns of .gitignore ignore what pathspec says they ignore."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from aicx.regex import ignoring

_PART = st.sampled_from(["a", "b", "*", "**", "a*", "*.b", "?", "[ab]", ".a"])
_LINE = st.tuples(
    st.sampled_from(["", "!", "/", "!/"]),
    st.lists(_PART, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "/"]),
).map("".join)
_PATH = st.lists(st.sampled_from(["a", "b", "ab", "a.b", ".a", "c"]), min_size=1, max_size=4).map("/".join)


def _is_told_apart(lines: list[str], path: str) -> bool:
    """Whether pathspec has its own view: git does not look into an ignored folder for what another rule takes back."""
    return "/" in path and any(line.startswith("!") for line in lines)


@given(st.lists(_LINE, max_size=4), st.lists(_PATH, max_size=4))
def test_a_path_is_ignored_as_pathspec_says(lines: list[str], paths: list[str]) -> None:
    ignores, spec = ignoring(lines), GitIgnoreSpec.from_lines(lines)
    alike = [path for path in paths if not _is_told_apart(lines, path)]
    assert [ignores(path) for path in alike] == [spec.match_file(path) for path in alike]


@pytest.mark.parametrize(
    ("lines", "path"), [(["!?", "a*"], "b/ab/b"), (["!*", "*.b"], "ab/a.b/b"), (["/.a", "!**", "/*"], "b/c")]
)
def test_what_is_in_an_ignored_folder_is_ignored_as_in_git(lines: list[str], path: str) -> None:
    assert ignoring(lines)(path)


def test_the_last_rule_for_a_folder_counts_as_in_git() -> None:
    assert (ignoring(["!a", "a/"])("a/a"), ignoring(["a/", "!a"])("a/a")) == (True, False)


def test_stars_beside_stars_take_no_time() -> None:
    begun = time.process_time()
    assert not ignoring(["*a" * 40 + "b"])("a" * 4000)
    assert time.process_time() - begun < 2
