"""References are read as they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.errors import UsageError
from aicx.refs import PREFIXES, Ref

VALUES = st.text(min_size=1, max_size=40)
REFS = st.builds(Ref, st.sampled_from([prefix for prefix in PREFIXES if prefix != "commit"]), VALUES) | st.builds(
    Ref, st.just("commit"), st.from_regex(r"[0-9a-f]{4,40}", fullmatch=True)
)


@given(REFS)
def test_what_is_written_is_read_back(ref):
    assert Ref.parse(str(ref)) == ref


@given(st.text(max_size=40))
def test_a_text_without_a_prefix_is_a_name(text):
    if text.partition(":")[0] not in PREFIXES:
        assert Ref.parse(text) == Ref("name", text)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_prefix_alone_is_refused(prefix):
    with pytest.raises(UsageError, match="nothing follows"):
        Ref.parse(f"{prefix}:")


def test_a_commit_is_a_hash():
    assert Ref.parse("commit:ABCDEF1") == Ref("commit", "abcdef1")
    with pytest.raises(UsageError, match="not a commit hash"):
        Ref.parse("commit:main")


@pytest.mark.parametrize(
    ("text", "path"), [("file:src/a.py", "src/a.py"), ("map:src/a.py:12", "src/a.py"), ("map:src/a.py", "src/a.py")]
)
def test_a_file_and_a_place_in_the_map_have_a_path(text, path):
    assert Ref.parse(text).path == path


def test_a_symbol_without_a_line_is_at_line_0():
    assert str(Ref.of_symbol("src/a.py", None)) == "map:src/a.py:0"
