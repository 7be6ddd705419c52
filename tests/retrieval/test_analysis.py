"""What a text is indexed under."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.analysis import STOP_WORDS, analyze, analyze_runs, fold, runs_in, runs_of
from retrieval.languages import languages_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Fix the failing tests", ["fix", "fail", "test"]),
        ("fooBar", ["foo", "bar"]),
        ("foo_bar", ["foo", "bar"]),
        ("HTTPServer", ["http", "server"]),
        ("src/parser.py", ["src", "parser", "py"]),
        ("ERR_CONN_REFUSED", ["err", "conn", "refus"]),
        ("#12-40", ["12", "40"]),
        ("zażółć Größe naïve", ["zazolc", "gross", "naiv"]),
        ("日本語", ["日本", "本語"]),
        ("한국어", ["한국", "국어"]),
        ("the and of", []),
        ("", []),
    ],
)
def test_words_of_a_text(text, words):
    assert analyze(text).words == words


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("fooBar", "foobar"),
        ("foo_bar", "foo_bar"),
        ("see (aicx/corpus/ingest/run.py),", "aicx/corpus/ingest/run.py"),
        ("see aicx/corpus/ingest/run.py", "run.py"),
        ("marker #12-40 here", "#12-40"),
        ("E1234:", "e1234"),
        ("v1.2.3", "v1.2.3"),
        ("--no-verify", "no-verify"),
    ],
)
def test_a_name_is_kept_whole(text, name):
    assert name in analyze(text).names


@pytest.mark.parametrize(
    "text", ["plain words only", "Größe naïve zażółć", "Ünder", "日本語", "한국어", "Fix The Tests"]
)
def test_a_word_is_no_name_in_whatever_script(text):
    assert analyze(text).names == []


@pytest.mark.parametrize("text", ["EACCES", "ENOENT:", "SIGSEGV,", "ÉCOLE"])
def test_a_word_in_capitals_is_a_name_too(text):
    assert len(analyze(text).names) == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("util::is_version", ["util::is_version", "is_version"]),
        ("app.core.fetchAll", ["app.core.fetchall", "fetchall"]),
        ("src/deep/parser.py", ["src/deep/parser.py", "parser.py"]),
        (
            "src/v2ray/my-tool.rs#L12",
            ["src/v2ray/my-tool.rs#l12", "my-tool.rs#l12", "my-tool.rs", "v2ray", "my-tool", "l12"],
        ),
        ("HTTPServer", ["httpserver"]),
        ("utf8", ["utf8"]),
    ],
)
def test_a_qualified_name_is_known_by_its_parts_too(text, names):
    assert analyze(text).names == names


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_a_text_in_ascii_has_the_runs_that_it_has_beside_other_letters(text):
    assert runs_of(text) == runs_of(f"{text} ö")[:-1]


def _is_english(text):
    return not languages_of([text[start:end] for start, end in runs_in(text)])


@given(st.text(max_size=200).filter(_is_english))
def test_runs_together_hold_what_an_english_text_holds(text):
    whole, runs = analyze(text), analyze_runs(text)
    assert [word for run in runs for word in run.words] == whole.words
    assert [name for run in runs for name in run.names] == whole.names


@pytest.mark.parametrize("word", ["Ist", "das"])
def test_a_common_word_of_another_language_is_looked_for_when_it_is_all_there_is(word):
    assert [run.words for run in analyze_runs(word)] == [[word.lower()]]


def test_repeated_words_stay_repeated():
    assert analyze("retry retry retry").words == ["retri"] * 3


def test_a_hash_is_found_whole():
    digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    assert digest in analyze(f"sha256 {digest}").names


def test_base64_does_not_become_a_heap_of_words():
    assert analyze("QUJD" * 1000).words == []


@given(st.text(max_size=200))
def test_terms_hold_no_white_space(text):
    terms = analyze(text)
    assert not any(character.isspace() for term in (*terms.words, *terms.names) for character in term)


@given(st.text(max_size=100), st.text(max_size=100))
def test_terms_of_two_texts_are_the_terms_of_both(left, right):
    both = analyze(f"{left} {right}")
    assert both.words == analyze(left).words + analyze(right).words


@given(st.sampled_from(sorted(STOP_WORDS)))
def test_stop_words_leave_nothing(word):
    assert analyze(word.upper()).words == []


@given(st.text(max_size=50))
def test_folding_twice_changes_nothing(text):
    assert fold(fold(text)) == fold(text)
