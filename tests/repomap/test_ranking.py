"""Laws of the order of answers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.repomap.kinds import Role, asks_for_tests, role_of, stem_tested_by
from aicx.repomap.ranking import EntryPoint, rank
from aicx.repomap.store import StoredFile
from aicx.repomap.symbols import CodeSymbol
from aicx.repomap.terms import postings, words_of


def _kind(name: str) -> tuple[str, str]:
    return name.lstrip("#"), "heading" if name.startswith("#") else "function"


class Files:
    """An index of invented files: each is its path, its symbols (a heading begins with #) and what is written of it."""

    def __init__(self, *files: tuple[str, Sequence[str], str]) -> None:
        self._files = []
        self._postings: dict[str, dict[int, int]] = {}
        for number, (path, names, notes) in enumerate(files):
            language = "markdown" if path.endswith(".md") else "python"
            symbols = [
                CodeSymbol(name, kind, line, line, words=" ".join(words_of(name)))
                for line, (name, kind) in enumerate(map(_kind, names), 1)
            ]
            self._files.append(StoredFile(path, language, symbols, []))
            for term, value in postings(path, language, symbols, [], notes):
                self._postings.setdefault(term, {})[number] = value

    def size(self) -> int:
        return len(self._files)

    def frequency(self, term: str) -> int:
        return len(self._postings.get(term, ()))

    def postings(self, term: str) -> dict[int, int]:
        return self._postings.get(term, {})

    def files(self, ids: Sequence[int]) -> dict[int, StoredFile]:
        return {number: self._files[number] for number in ids}

    def ask(self, text: str, boost: Sequence[str] = ()) -> list[EntryPoint]:
        return rank(self, text, 10, boost)

    def paths(self, text: str, boost: Sequence[str] = ()) -> list[str]:
        return [entry.path for entry in self.ask(text, boost)]


_OTHERS = [(f"lib/other_{number}.py", ["unrelated"], "") for number in range(20)]
_WORD = st.sampled_from(["press", "cider", "apple", "barrel", "store", "market", "ladder", "basket", "weigh", "sell"])


def file(path: str, *names: str, notes: str = "") -> tuple[str, Sequence[str], str]:
    return path, names, notes


@given(st.lists(_WORD, min_size=1, max_size=4), st.lists(_WORD, min_size=1, max_size=3))
@settings(max_examples=30, deadline=None)
def test_a_test_never_outranks_what_it_tests_on_equal_match(words: list[str], asked: list[str]) -> None:
    names = ["_".join(words)]
    files = Files(file("src/cider.py", *names), file("tests/test_cider.py", *names), *_OTHERS)
    found = files.paths(" ".join(asked))
    if "tests/test_cider.py" in found:
        assert found.index("src/cider.py") < found.index("tests/test_cider.py")


def test_a_test_that_says_more_stands_behind_what_it_tests() -> None:
    files = Files(
        file("src/cider.py", "press_apples"),
        file("tests/test_cider.py", "test_pressed_apples_of_a_wet_year_need_longer"),
        *_OTHERS,
    )
    assert files.paths("press apples in a wet year") == ["src/cider.py", "tests/test_cider.py"]
    assert "tested by tests/test_cider.py" in files.ask("press apples in a wet year")[0].reasons


def test_a_test_does_not_lift_a_file_that_hardly_matches() -> None:
    files = Files(
        file("src/ladder.py", "climb"),
        file("src/press.py", "press_apples"),
        file("tests/test_ladder.py", "test_pressed_apples_fall"),
        *_OTHERS,
    )
    assert files.paths("press apples")[0] == "src/press.py"


def test_a_question_about_tests_is_answered_with_tests() -> None:
    files = Files(file("src/cider.py", "press_apples"), file("tests/test_cider.py", "test_press_apples"), *_OTHERS)
    assert files.paths("tests of press apples")[0] == "tests/test_cider.py"


@given(st.lists(_WORD, min_size=2, max_size=4, unique=True))
@settings(max_examples=40, deadline=None)
def test_a_huge_file_with_every_word_does_not_outrank_the_one_that_is_about_them(words: list[str]) -> None:
    everything = [f"{one}_{other}" for one in ("alpha", *"abcdefghijkl") for other in ("zeta", *words, *"mnopqrstuv")]
    files = Files(file("lib/everything.py", *everything), file(f"lib/{words[0]}.py", "_".join(words)), *_OTHERS)
    assert files.paths(" ".join(words))[0] == f"lib/{words[0]}.py"


def test_a_huge_file_is_found_by_the_one_name_that_is_meant() -> None:
    names = [f"step_{number}" for number in range(2000)]
    files = Files(file("lib/everything.py", *names, "prune_ladders"), *_OTHERS)
    [found] = files.ask("prune_ladders")
    assert (found.path, found.line, found.symbol) == ("lib/everything.py", 2001, "prune_ladders")
    assert found.score > 0.4


def test_saying_a_word_often_helps_little() -> None:
    once = Files(file("a.py", "press", "sell"), *_OTHERS).ask("press sell")[0].score
    often = (
        Files(file("a.py", *[f"press_{number}" for number in range(50)], "sell"), *_OTHERS).ask("press sell")[0].score
    )
    assert often < 1.5 * once


def test_one_name_with_both_words_beats_two_names_with_one_each() -> None:
    files = Files(file("a.py", "press", "cider", "b", "c"), file("b.py", "press_cider", "a", "b", "c"), *_OTHERS)
    assert files.paths("press cider")[0] == "b.py"


@pytest.mark.parametrize("question", ["pressCider", "press_cider", "PressCider", "press cider", "pressing ciders"])
def test_names_are_found_by_their_words_however_they_are_written(question: str) -> None:
    assert Files(file("a.py", "pressCider"), *_OTHERS).paths(question) == ["a.py"]


def test_a_path_finds_its_file_first() -> None:
    files = Files(file("shop/till.py", "run"), file("old/till.py", "till", "shop"), *_OTHERS)
    assert files.paths("why does shop/till.py fail")[0] == "shop/till.py"


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    files = Files(file("a.py", "unrelated_thing"), file("b.py", "cider_thing"), *_OTHERS)
    assert files.paths("unrelated cider")[0] == "b.py"


def test_words_about_a_file_find_it() -> None:
    files = Files(file("a.py", "run", notes="Keeps the wasps away from the barrels."), *_OTHERS)
    assert files.paths("wasps") == ["a.py"]
    assert files.ask("wasps")[0].reasons == ("comments have wasps",)


def test_code_stands_before_a_document_on_equal_match() -> None:
    assert Files(file("b.md", "#press cider"), file("c.py", "press_cider"), *_OTHERS).paths("press cider")[0] == "c.py"


def test_vendored_code_stands_last() -> None:
    files = Files(file("vendor/a.py", "press_cider"), file("z.py", "press_cider"), *_OTHERS)
    assert files.paths("press cider") == ["z.py", "vendor/a.py"]


def test_a_file_the_caller_named_comes_first_on_equal_match() -> None:
    files = Files(file("a.py", "press"), file("b.py", "press"), *_OTHERS)
    assert files.paths("press") == ["a.py", "b.py"]
    assert files.paths("press", ["b.py"]) == ["b.py", "a.py"]
    assert "among the given files" in files.ask("press", ["b.py"])[0].reasons


def test_a_neighbour_of_a_named_file_comes_before_others() -> None:
    files = Files(file("a/a.py", "press"), file("b/b.py", "press"), *_OTHERS)
    assert files.paths("press", ["b/till.py"]) == ["b/b.py", "a/a.py"]


def test_a_named_file_that_does_not_match_is_no_answer() -> None:
    assert Files(file("a.py", "press"), file("b.py", "sell"), *_OTHERS).paths("press", ["b.py"]) == ["a.py"]


def test_a_file_is_an_answer_once_with_its_best_symbol() -> None:
    [found] = Files(file("a.py", "press", "press_cider_well", "press_cider"), *_OTHERS).ask("press cider")
    assert (found.symbol, found.line, found.kind) == ("press_cider", 3, "function")


def test_a_file_that_matches_by_its_name_only_has_no_line() -> None:
    [found] = Files(file("cider.json"), *_OTHERS).ask("cider")
    assert (found.line, found.symbol, found.kind) == (None, None, "file")


@pytest.mark.parametrize("question", ["", "   ", "the of and", "?!", "zebra"])
def test_a_question_that_matches_nothing_has_no_answer(question: str) -> None:
    assert Files(file("a.py", "press"), *_OTHERS).ask(question) == []


def test_an_empty_repository_has_no_answer() -> None:
    assert Files().ask("press") == []


@given(st.text(max_size=200))
@settings(max_examples=40, deadline=None)
@pytest.mark.slow
def test_any_text_is_a_question(text: str) -> None:
    found = Files(file("a.py", "press"), file("b.md", "#Sell"), *_OTHERS).ask(text)
    assert all(0 < entry.score <= 1 for entry in found)


def test_a_pasted_page_is_answered_by_its_rarest_words() -> None:
    page = " ".join(f"word{number} unrelated" for number in range(3000))
    assert Files(file("a.py", "press_cider"), *_OTHERS).paths(f"press cider {page}")[0] == "a.py"


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/lock.py", Role.code),
        ("src/latest.py", Role.code),
        ("src/contest.py", Role.code),
        ("tests/test_lock.py", Role.test),
        ("src/lock_test.go", Role.test),
        ("src/lock.spec.ts", Role.test),
        ("src/LockTest.java", Role.test),
        ("src/LockTests.cs", Role.test),
        ("spec/lock_spec.rb", Role.test),
        ("src/__tests__/lock.js", Role.test),
        ("conftest.py", Role.test),
        ("docs/lock.md", Role.document),
        ("third_party/x/lock.c", Role.aside),
        ("examples/lock.py", Role.aside),
    ],
)
def test_a_path_tells_what_part_a_file_plays(path: str, role: Role) -> None:
    assert role_of(path, "markdown" if path.endswith(".md") else "python") is role


@pytest.mark.parametrize(
    "path", ["tests/test_lock.py", "lock_test.go", "lock.spec.ts", "LockTest.java", "LockTests.cs", "lock_spec.rb"]
)
def test_a_tests_name_says_what_it_tests(path: str) -> None:
    assert stem_tested_by(path) == "lock"


def test_a_word_that_holds_test_does_not_ask_for_tests() -> None:
    assert not asks_for_tests("the latest contest")
    assert asks_for_tests("which tests cover it")
