"""Which lines of what git and the forges' clients print name a commit or a request."""

from __future__ import annotations

import pytest

from aicx.git.printed import ListedChange, created_request, listed_commits, listed_requests
from aicx.git.subjects import plain_subject

WHOLE = "1a2b3c4" + "5" * 33


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("1a2b3c4 Read it all", ListedChange("1a2b3c4", "Read it all")),
        ("* | 1a2b3c4 (HEAD -> main, origin/x) Read it all  ", ListedChange("1a2b3c4", "Read it all")),
        ("HEAD is now at 1a2b3c4 Read it all", ListedChange("1a2b3c4", "Read it all")),
        ("[main 1a2b3c4] Fix", ListedChange("1a2b3c4", "Fix", made=True)),
        ("[main (root-commit) 1234567] Begin", ListedChange("1234567", "Begin", made=True)),
        ("[1a2b3c4] Read it all", ListedChange("1a2b3c4", "Read it all")),
        (f"commit {WHOLE}\nAuthor: A <a@b>\nDate:   now\n\n    Read it all\n", ListedChange(WHOLE, "Read it all")),
        ("1a2b3c4 Merge pull request #5 from ada/x", ListedChange("1a2b3c4", "Merge pull request #5 from ada/x")),
    ],
)
def test_commit_is_read_from_a_line(output: str, found: ListedChange) -> None:
    assert listed_commits(output) == [found]


@pytest.mark.parametrize(
    "output",
    [
        "1234567 4096 pts/0 R+",
        "1a2b3c4 (Ada Lovelace 2026-03-01 10:00:00 +0100 12) x = parse(y)",
        "1a2b3c4..9f8e7d6 main -> main",
        "index 1a2b3c4..9f8e7d6 100644",
        "see 1a2b3c4 for more",
        "",
    ],
)
def test_other_lines_are_no_commits(output: str) -> None:
    assert listed_commits(output) == []


def test_long_output_gives_a_bounded_list() -> None:
    assert len(listed_commits("".join(f"{number:06x}a Subject {number}\n" for number in range(1000)))) == 60


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("12\tRead it\tfix/read\tOPEN\t2026-03-01\n", ListedChange("#12", "Read it")),
        ("12\tOPEN\tRead it\tbug\t2026-03-01\n", ListedChange("#12", "Read it")),
        ("title:\tRead it\nstate:\tOPEN\nauthor:\tada\nnumber:\t12\n", ListedChange("#12", "Read it")),
        ("✓ Squashed and merged pull request #12 (Read it)", ListedChange("#12", "Read it")),
        ('{"number":12,"state":"OPEN","title":"Say \\"read\\" \\u00e9"}', ListedChange("#12", 'Say "read" é')),
        ('[{"number": 12, "title": "a bad \\x escape"}]', ListedChange("#12", "a bad \\x escape")),
    ],
)
def test_request_is_read_from_what_a_forge_prints(output: str, found: ListedChange) -> None:
    assert listed_requests(output) == [found]


@pytest.mark.parametrize("output", ["12\tRead it\tx\n", '{"number":12}{"title":"Read it"}', "number: 12 title: x"])
def test_other_tables_are_no_requests(output: str) -> None:
    assert listed_requests(output) == []


def test_created_request_has_the_title_of_the_command() -> None:
    answer = "https://github.com/ada/orbit/pull/12\n"
    assert created_request("gh pr create --title 'Read it' --body x", answer) == ListedChange(
        "#12", "Read it", made=True
    )
    assert created_request('gh pr create --title "$(cat t)"', answer) is None
    assert created_request("gh pr create --title 'Read it'", "aborted") is None


def test_plain_subject_lacks_number_and_case() -> None:
    assert plain_subject("Read  it ALL (#12)") == "read it all"
