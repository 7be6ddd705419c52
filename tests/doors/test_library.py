"""The public Python API, and that its page is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import aicx
from aicx.filters import NAMES
from aicx.library import Where
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, Home
from tests.test_project import modules_after

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_a_corpus_answers_from_the_folder_it_is_given(user: Home) -> None:
    with aicx.open(user.corpus) as corpus:
        [hit] = corpus.search("lexer", project="orbit").items
        assert corpus.search("lexer", project="apiary").items == []
        assert [item["id"] for item in corpus.steer(limit=1, file="lexer.py").items] == [hit.id]
        shown = corpus.show(hit.id).what
        assert isinstance(shown, aicx.ChunkFound)
        assert "drops the last token" in shown.chunk.markdown


def test_steer_with_a_question_lists_what_it_is_about(user: Home) -> None:
    with aicx.open(user.corpus) as corpus:
        found = corpus.steer("lexer", project="orbit")
        assert (found.order, found.query, found.decay) == ("relevance", "lexer", "gentle")
        assert [item["score"] > 0 for item in found.items] == [True]
        assert corpus.steer("turbines").items == []
        assert corpus.steer(" ").order is None


def test_without_a_folder_the_environment_names_it(user: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AICX_HOME", str(user.corpus))
    with aicx.open() as corpus:
        assert corpus.steer().matched == 1


def test_a_closed_corpus_opens_again_when_it_is_asked(user: Home) -> None:
    corpus = aicx.open(user.corpus)
    first = corpus.search("lexer")
    corpus.close()
    assert corpus.search("lexer") == first
    corpus.close()


def test_a_brief_is_for_people_and_for_programs(user: Home) -> None:
    with aicx.open(user.corpus) as corpus:
        brief = corpus.resume(project="ada/orbit", task="fix the lexer")
    assert "lexer" in brief.markdown(1_000)
    assert SESSION in brief.json()


def test_what_is_not_stored_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with aicx.open(tmp_path / "empty") as corpus, pytest.raises(aicx.AicxError) as raised:
        corpus.search("lexer")
    assert raised.value.hint == "aicx store"


def test_a_filter_that_does_not_exist_is_an_error(user: Home) -> None:
    with aicx.open(user.corpus) as corpus, pytest.raises(TypeError):
        corpus.search("lexer", colour="red")  # type: ignore[call-arg]


def test_the_filters_are_those_of_the_table() -> None:
    assert tuple(Where.__annotations__) == NAMES


def test_several_texts_are_any_of_them_and_numbers_are_numbers(user: Home) -> None:
    with aicx.open(user.corpus) as corpus:
        assert corpus.steer(project=["orbit", "apiary"], failed=True, hours=0).matched == 1
        assert corpus.steer(exclude_session=SESSION).matched == 0
        assert corpus.search("lexer", exclude_session=[SESSION[:8]]).items == []


def test_a_least_score_leaves_out_chunks_that_are_less_dense(user: Home) -> None:
    with aicx.open(user.corpus) as corpus:
        [hit] = corpus.search("lexer").items
        above = min(10.0, hit.density_score + 0.1)
        assert corpus.search("lexer", min_score=hit.density_score).items == [hit]
        found = corpus.search("lexer", min_score=above)
    assert found.items == []
    assert f"1 answer with a density below {above:g} left out" in found.notes


def test_a_brief_takes_one_project_or_several(user: Home) -> None:
    other = user.repository("apiary", "git@example.org:bob/apiary.git")
    user.claude(ClaudeLog(OTHER, other).prompt("Count the bees of every hive", 60).answer("Counted.", 61))
    user.store()
    with aicx.open(user.corpus) as corpus:
        assert OTHER not in corpus.resume(project="ada/orbit", task="count the bees").json()
        assert OTHER in corpus.resume(project=["ada/orbit", "apiary"], task="count the bees").json()


def test_a_brief_leaves_out_the_session_that_asks(user: Home) -> None:
    with aicx.open(user.corpus) as corpus:
        assert SESSION in corpus.resume(project="ada/orbit", task="lexer", exclude_session="").json()
        assert SESSION not in corpus.resume(project="ada/orbit", task="lexer", exclude_session=SESSION).json()


def test_a_decay_that_does_not_exist_is_a_usage_error(user: Home) -> None:
    with aicx.open(user.corpus) as corpus, pytest.raises(aicx.AicxError) as raised:
        corpus.search("lexer", decay="soon")
    assert raised.value.hint == "one of off, gentle, strong, or a number of days"


def test_importing_the_package_imports_none_of_its_modules() -> None:
    assert {name for name in modules_after("import aicx") if name.startswith("aicx.")} == set()


@pytest.mark.parametrize("name", aicx.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(aicx, name) is not None


def test_a_name_that_is_not_public_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Searcher'"):
        aicx.Searcher  # noqa: B018


def test_the_example_of_the_page_runs(
    user: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AICX_HOME", str(user.corpus))
    monkeypatch.chdir(user.work / "orbit")
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert examples
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), {})
    out = capsys.readouterr().out
    assert f"claude:{SESSION}:001" in out
    assert "drops the last token" in out


def test_the_page_names_everything_that_is_public() -> None:
    words = set(re.findall(r"\w+", PAGE.read_text("utf-8")))
    assert {name for name in aicx.__all__ if name != "__version__"} - words == set()


@pytest.mark.parametrize("page", ["api.md", "resume.md"])
def test_examples_import_the_public_api_alone(page: str) -> None:
    text = PAGE.with_name(page).read_text("utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert examples
    assert not re.findall(r"(?:from|import) (?:aicx\.\w|retrieval|indexer)[\w.]*", "\n".join(examples))
