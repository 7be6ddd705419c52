"""The BM25 index, written by one package and read by the other."""

import math
import random
import shutil
from pathlib import Path

import pytest
from rank_bm25 import BM25Plus

from aicx.errors import CorpusDamaged, NotFound
from aicx.types import Document, Part
from indexer.lexical import AnalyzedDocument, LexicalSchema, LexicalWriter, analyze_document
from retrieval.analysis import Terms, analyze
from retrieval.lexical import LexicalSearcher
from retrieval.params import RankingParams
from retrieval.questions import AnyOf, Between, NoneOf, OneOf, Question, parse_question
from retrieval.scan import scan

SCHEMA = LexicalSchema(("said", "tool"), ("project", "branch"), ("day",))
RULES = RankingParams(fields={"header": 0.5, "said": 1.0, "tool": 0.3, "said_names": 0.5, "tool_names": 0.3})


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


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    write(
        folder,
        document("flaky", said="The login test is flaky on Windows", project="ada/orbit", day=20260301, branch="main"),
        document("deploy", said="The deploy failed: marker #12-40", project="ada/orbit", day=20260305),
        document("noise", tool="flaky flaky flaky output of a tool", project="bob/api", day=20260310, branch="dev"),
        document("zażółć", said="Größe der Warteschlange", project="bob/api", day=20260311),
    )
    return folder


@pytest.fixture
def index(written, tmp_path):
    """A copy, which may be written to and broken."""
    return Path(shutil.copytree(written, tmp_path / "index"))


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


# Looking something up -------------------------------------------------------------------------------------------------

COMMON = [
    document(f"common{number}", said="parse the header of the file, then the parser reads its header and file again")
    for number in range(20)
]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("parse_header", "look at parse_header here"),
        ("parseHeader", "call parseHeader(line) once"),
        ("src/file/header.py", "see `src/file/header.py`, line 12"),
        ("header::parse_file", "error in header::parse_file"),
        ("parse.header.File", "import parse.header.File"),
        ("ERR_HEADER_PARSE", "fails with ERR_HEADER_PARSE: 3"),
        ("HEADER", "the constant HEADER is wrong"),
        ("header-file-2", "branch header-file-2"),
    ],
)
def test_a_name_comes_before_its_words(tmp_path, name, said):
    write(tmp_path, *COMMON, document("it", said=f"{said} among many other words of a long and winding message"))
    assert ask(tmp_path, name)[0] == "it"


def test_a_name_is_found_by_its_last_part(tmp_path):
    write(tmp_path, *COMMON, document("it", said="see deep/down/header_file.py for more"))
    assert ask(tmp_path, "header_file.py")[0] == "it"


def test_a_name_that_tools_printed_is_looked_up_as_one_that_was_said(tmp_path):
    write(tmp_path, *COMMON, document("it", tool="src/parse_header.rs:12: warning"))
    assert ask(tmp_path, "parse_header")[0] == "it"


def test_the_whole_name_comes_before_another_of_the_same_file_name(tmp_path):
    one, other = (document(name, said=f"in {name}/header.py it is") for name in ("alpha", "beta"))
    write(tmp_path, one, other)
    assert ask(tmp_path, "beta/header.py") == ["beta", "alpha"]
    assert ask(tmp_path, "alpha/header.py") == ["alpha", "beta"]


def test_the_words_of_a_name_side_by_side_come_before_them_apart(tmp_path):
    write(
        tmp_path, document("apart", said="foo made bar, foo made bar"), document("joined", said="set foo bar to that")
    )
    assert ask(tmp_path, "fooBar") == ["joined", "apart"]


def test_a_name_is_found_though_its_capitals_were_not_typed(tmp_path):
    write(tmp_path, document("camel", said="call spawnDetached() here"), document("noise", said="spawn a thread"))
    assert ask(tmp_path, "spawndetached") == ["camel"]
    assert ask(tmp_path, "why is spawndetached called") == ["camel"]


def test_a_name_that_stands_nowhere_is_not_found_in_one_of_its_words(tmp_path):
    write(tmp_path, document("one", said="error 404"), document("all", said="the error says conn was refused"))
    assert ask(tmp_path, "ERROR_CONN_REFUSED") == ["all"]
    assert ask(tmp_path, "ERROR_CONN_LOST") == []
    assert set(ask(tmp_path, "explain ERROR_CONN_LOST")) == {"one", "all"}


def test_rules_of_looking_up_leave_plain_questions_alone(index):
    question = parse_question("was the flaky login test on windows strange")
    plain = RankingParams(fields=RULES.fields, lookup_name=0.0, lookup_phrase=0.0, lookup_all=False)
    searcher = LexicalSearcher(index)
    assert searcher.search(question, [], 10, RULES) == searcher.search(question, [], 10, plain)


# Somebody's own words -----------------------------------------------------------------------------------------------


SENTENCE = "the queue forgets its oldest lease whenever a socket closes"


@pytest.fixture(scope="module")
def sentences(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sentences")
    write(folder, document("it", said=f"He said that {SENTENCE}.", project="ada/orbit"), *COMMON[:3])
    return LexicalSearcher(folder)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (SENTENCE, True),
        (SENTENCE.upper(), True),
        ("queue forgets its oldest lease, whenever socket closes!", True),
        ("a socket closes whenever the queue forgets its oldest lease", False),
        ("queue forgets", False),  # too few words to be a sentence of somebody's
        ("the of and", False),
        ("", False),
    ],
)
def test_a_sentence_is_held_where_it_stands_word_for_word(sentences, text, held):
    assert sentences.holds(parse_question(text), [], RULES) is held


def test_a_sentence_is_not_held_where_filters_leave_it_out(sentences):
    assert not sentences.holds(parse_question(SENTENCE), [OneOf("project", ("bob/api",))], RULES)


# Odd questions --------------------------------------------------------------------------------------------------------


SYNTAX = ["said:flaky", "project:(ada OR", "+flaky -login", "flaky~2", "flaky^9", "[a TO z]", "AND OR NOT", "((((("]


@pytest.mark.parametrize("text", [*SYNTAX, '"', '"\n"', '""', "''", "*", "\\", "\0", "🎉", "a" * 5000], ids=range(17))
def test_no_syntax_is_read_in_a_question(index, text):
    assert set(ask(index, text)) <= {"flaky", "noise"}


@pytest.mark.parametrize("text", ["deploy\udcff", '"a login\ud800 test"'])
def test_a_question_that_is_no_text_says_nothing_of_the_index(index, text):
    with pytest.raises(ValueError, match="Expected Str"):
        ask(index, text)


def test_a_hundred_kilobytes_are_asked_by_their_beginning(index):
    assert ask(index, "flaky " * 20_000) == ask(index, "flaky")


# Damage ---------------------------------------------------------------------------------------------------------------


ENDINGS = ["meta.json", ".managed.json", "fast", "fieldnorm", "idx", "pos", "store", "term"]


@pytest.mark.parametrize("how", ["empty", "cut", "junk"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_damaged_file_is_an_error_with_a_next_step(index, ending, how):
    (path,) = index.glob(f"*{ending}")
    path.write_bytes({"empty": b"", "cut": path.read_bytes()[:50], "junk": b"junk" * 100}[how])
    with pytest.raises(CorpusDamaged) as raised:
        ask(index, "login")
    assert "aicx store" in raised.value.hint
    assert len(raised.value.message) < 500


@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ending != ".managed.json"])
def test_a_missing_file_is_an_error_with_a_next_step(index, ending):
    (path,) = index.glob(f"*{ending}")
    path.unlink()
    with pytest.raises(NotFound if ending == "meta.json" else CorpusDamaged) as raised:
        ask(index, "login")
    assert "aicx store" in raised.value.hint


def test_the_list_of_what_may_be_deleted_is_not_needed_for_answers(index):
    (index / ".managed.json").unlink()
    assert ask(index, "login") == ["flaky"]


def test_positions_that_are_gone_are_damage_also_to_a_sentence(index):
    searcher_of_whole = LexicalSearcher(index)
    (path,) = index.glob("*.pos")
    path.unlink()
    question = parse_question("the login test is flaky on windows with slow sockets and old drivers")
    assert not searcher_of_whole.holds(question, [], RULES)
    with pytest.raises(CorpusDamaged) as raised:
        LexicalSearcher(index).holds(question, [], RULES)
    assert "aicx store" in raised.value.hint


def test_what_tantivy_panics_over_is_damage_and_no_crash(index, capfd):
    (path,) = index.glob("*.fast")
    body = bytearray(path.read_bytes())
    body[: len(body) // 2] = bytes(255 - byte for byte in body[: len(body) // 2])
    path.write_bytes(body)
    with pytest.raises(CorpusDamaged):
        ask(index, "login", Between("day", 20260101, None))


# The reference --------------------------------------------------------------------------------------------------------

ONE_FIELD = RankingParams(fields={"said": 1.0}, names_as_one=False)
WORDS = "bcdefgh"  # no stop word among them


class Compared:
    """A small random corpus, indexed; documents have at most 40 words."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        # Few words of those there are, so that some are in every document and some in one.
        self.texts = [
            self.random.choices(WORDS[: self.random.randint(1, 7)], k=self.random.randint(1, 40))
            for _ in range(self.random.randint(2, 25))
        ]
        documents = [
            AnalyzedDocument(str(number), {"said": " ".join(text)}, {}) for number, text in enumerate(self.texts)
        ]
        LexicalWriter(folder, SCHEMA, fresh=True).update(documents, [])
        self._searcher = LexicalSearcher(folder)

    def scores(self, words):
        """Document number -> score, by the index."""
        question = Question(" ".join(words), Terms(list(words)), tuple(Terms([word]) for word in words))
        return {int(hit.id): hit.score for hit in self._searcher.search(question, [], 100, ONE_FIELD)}

    def questions(self):
        """Words, some of them twice."""
        return [self.random.choices(WORDS, k=self.random.randint(1, 4)) for _ in range(20)]

    def holding(self, word):
        return sum(word in text for text in self.texts)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    return [Compared(tmp_path_factory.mktemp("reference"), seed) for seed in range(12)]


def disagreements(scores, others, slack=0.0):
    """Pairs that two rankings put in different orders; what is nearer than single precision tells apart is a tie."""
    least = slack + 1e-5
    return [
        (one, other)
        for one in scores
        for other in scores
        if scores[one] - scores[other] > least and others[one] - others[other] < -1e-5
    ]


def test_scores_are_those_of_rank_bm25_but_for_half_an_occurrence(corpora):
    """Of rank-bm25's variants `BM25Plus` with k1 = 1.2 is tantivy's formula, apart from two things.

    Its weight of a word that n of N documents hold is ln((N + 1) / n), where tantivy, like Lucene, has
    ln(1 + (N - n + 0.5) / (n + 0.5)) = ln((N + 1) / (n + 0.5)). And it gives every document the same amount ``delta``
    on top, also those without the word, which decides nothing. `BM25Okapi` differs more: its ln((N - n + 0.5) /
    (n + 0.5)) is negative for a word in more than half of the documents, and is then put right by hand.

    Two more differences do not show here: tantivy keeps lengths of more than 40 words in one byte, rounded down, and a
    document that was replaced counts in N until its part of the index is merged.
    """
    for corpus in corpora:
        reference = BM25Plus(corpus.texts, k1=1.2, delta=0)
        size = len(corpus.texts)
        reference.idf = {word: math.log((size + 1) / (corpus.holding(word) + 0.5)) for word in reference.idf}
        for words in corpus.questions():
            expected = {number: score for number, score in enumerate(reference.get_scores(words)) if score > 0}
            assert corpus.scores(words) == pytest.approx(expected, rel=1e-4)


def test_the_order_for_a_word_is_that_of_rank_bm25_as_it_is(corpora):
    for corpus in corpora:
        reference = BM25Plus(corpus.texts, k1=1.2)
        for word in WORDS:
            assert disagreements(corpus.scores([word]), reference.get_scores([word])) == []


def test_the_order_for_several_words_differs_only_by_that_half_occurrence(corpora):
    """A word adds to a document at most 2.2 times its weight (k1 + 1), so that is what a pair can be apart by it."""
    for corpus in corpora:
        reference = BM25Plus(corpus.texts, k1=1.2)
        for words in corpus.questions():
            there = [count for word in words if (count := corpus.holding(word))]
            slack = sum(2.2 * math.log((count + 0.5) / count) for count in there)
            assert disagreements(corpus.scores(words), reference.get_scores(words), slack) == []


def test_a_scan_orders_as_the_index_does(corpora):
    for corpus in corpora:
        texts = enumerate(map(" ".join, corpus.texts))
        documents = [Document(str(number), "v", "", (Part(text),), {}) for number, text in texts]
        for word in WORDS:
            found = {int(hit.id): hit.score for hit in scan(documents, parse_question(word), 100)[0]}
            scores = corpus.scores([word])
            assert found.keys() == scores.keys()
            assert disagreements(scores, found) == []


# Slips --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("flakky login", {"flakky": "flaky"}),
        ("was it on widnows", {"widnows": "windows"}),
        ("login on windows", {}),
        ("quaternion", {}),
        ("spawnDetahced", {"spawnDetahced": "spawndetached"}),
        ("flakky spawnDetached", {}),  # where one is, the other is not
        ('"flakky" login', {}),  # quoted, it is meant as it is
        ("relogin", {}),  # made of a known word, it is a word
        ("flakky " * 13, {}),  # so long a question was pasted
    ],
)
def test_words_that_occur_nowhere_are_taken_for_one_in_use_by_a_slip(tmp_path, text, meant):
    write(tmp_path, document("a", said="The login test is flaky on windows"), document("b", said="spawnDetached()"))
    assert LexicalSearcher(tmp_path).misspelt(parse_question(text), RULES) == meant


def test_the_best_possible_score_counts_each_word_in_the_fields_of_text_that_have_it(tmp_path):
    write(tmp_path, document("a", "valve pump", "pump", "valve"), document("b", "pump"), document("c", "lamp"))
    # Of three documents one has "valve" as said, two have "pump" as said, and one has it from a tool.
    valve, pump, printed = (math.log(1 + (3 - n + 0.5) / (n + 0.5)) for n in (1, 2, 1))
    best = LexicalSearcher(tmp_path).best_possible(parse_question("valve pump zebra"), RULES)
    assert best == pytest.approx(2.2 * (valve + pump + 0.3 * printed))


def test_a_searcher_that_is_asked_again_counts_words_within_the_filters_of_that_question(written):
    kept = LexicalSearcher(written)
    for where in ([], [OneOf("project", ("ada/orbit",))], [OneOf("project", ("bob/api",))], []):
        for text in ("flaky login", "deploy", "#12-40 windows", "flaky"):
            question = parse_question(text)
            found = kept.occurrences(question, where, RULES)
            assert found == LexicalSearcher(written).occurrences(question, where, RULES)
    assert [
        kept.occurrences(parse_question("flaky"), [OneOf("project", (name,))], RULES).counts
        for name in ("ada/orbit", "x")
    ] == [(1,), (0,)]
