"""The BM25 index, written by one package and read by the other."""

from pathlib import Path

import pytest

from aicx.errors import CorpusDamaged, NotFound
from aicx.types import Document, Part
from indexer.lexical import LexicalSchema, LexicalWriter, analyze_document
from retrieval.analysis import analyze
from retrieval.conditions import AnyOf, Between, NoneOf, OneOf
from retrieval.lexical import LexicalSearcher
from retrieval.questions import parse_question
from retrieval.rules import Rules

SCHEMA = LexicalSchema(("said", "tool"), ("project", "branch"), ("day",))
RULES = Rules(fields={"header": 0.5, "said": 1.0, "tool": 0.3, "said_names": 0.5, "tool_names": 0.3})


def document(name, said="", tool="", header="", **columns):
    return Document(name, "v1", header, (Part(said, 1.0, "said"), Part(tool, 0.3, "tool")), columns)


def terms(text):
    found = analyze(text)
    return found.words, found.names


def write(folder: Path, *documents, removed=(), fresh=False):
    writer = LexicalWriter(folder, SCHEMA, fresh=fresh)
    return writer.update([analyze_document(item, terms) for item in documents], removed)


def ask(folder: Path, text, *where, limit=10):
    return [hit.id for hit in LexicalSearcher(folder).search(parse_question(text), where, limit, RULES)]


@pytest.fixture
def index(tmp_path):
    write(
        tmp_path,
        document("flaky", said="The login test is flaky on Windows", project="ada/orbit", day=20260301, branch="main"),
        document("deploy", said="The deploy failed: marker #12-40", project="ada/orbit", day=20260305),
        document("noise", tool="flaky flaky flaky output of a tool", project="bob/api", day=20260310, branch="dev"),
        document("zażółć", said="Größe der Warteschlange", project="bob/api", day=20260311),
    )
    return tmp_path


def test_a_single_shared_term_is_enough(index):
    assert ask(index, "was anything on windows strange") == ["flaky"]


def test_what_was_said_beats_what_a_tool_printed(index):
    assert ask(index, "flaky") == ["flaky", "noise"]


def test_a_marker_is_found(index):
    assert ask(index, "#12-40") == ["deploy"]


def test_diacritics_do_not_matter(index):
    assert ask(index, "grosse") == ask(index, "GRÖSSE") == ["zażółć"]


def test_nothing_matches_nothing(index):
    assert ask(index, "quaternion") == []


def test_a_quoted_phrase_must_occur(index):
    assert ask(index, '"deploy failed" flaky') == ["deploy"]


def test_an_unbalanced_quote_is_no_error(index):
    assert ask(index, 'flaky "login') == ["flaky", "noise"]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (OneOf("project", ("bob/api",)), ["noise"]),
        (OneOf("project", ()), []),
        (OneOf("id", ("flaky",)), ["flaky"]),
        (NoneOf("branch", ("main",)), ["noise"]),
        (Between("day", 20260302, None), ["noise"]),
        (Between("day", None, 20260301), ["flaky"]),
        (AnyOf((OneOf("branch", ("main",)), OneOf("project", ("nobody",)))), ["flaky"]),
        (OneOf("project", ("x' OR 1=1 --", 'project:"ada/orbit"')), []),
    ],
)
def test_a_condition_limits_what_is_ranked(index, condition, found):
    assert ask(index, "flaky", condition) == found


def test_a_filter_does_not_change_scores(index):
    searcher = LexicalSearcher(index)
    question = parse_question("flaky")
    free = searcher.search(question, [], 10, RULES)
    limited = searcher.search(question, [OneOf("project", ("ada/orbit",))], 10, RULES)
    assert limited[0].score == pytest.approx(free[0].score)


def test_writing_a_document_again_replaces_it(index):
    write(index, document("flaky", said="Solved by waiting for the socket"))
    assert ask(index, "windows") == []
    assert ask(index, "socket") == ["flaky"]


def test_a_removed_document_is_gone(index):
    write(index, removed=["flaky"])
    assert ask(index, "flaky") == ["noise"]


def test_no_index_is_said(tmp_path):
    with pytest.raises(NotFound, match="no lexical index"):
        LexicalSearcher(tmp_path / "none")


def test_a_damaged_index_is_said(index):
    (index / "meta.json").write_text("{")
    with pytest.raises(CorpusDamaged):
        LexicalSearcher(index)


def test_another_schema_is_said_by_the_writer(index):
    other = LexicalSchema(("said",), (), ())
    with pytest.raises(CorpusDamaged):
        LexicalWriter(index, other, fresh=False)
