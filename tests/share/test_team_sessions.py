"""`resume`, `why` and `steer` beside a share: what other members did in the same repository, in a part of its own."""

from __future__ import annotations

import json
from dataclasses import replace

import orjson
import pytest

from aicx.cli import run
from aicx.filters import Filters
from aicx.resume import ResumeQuery
from aicx.resume.brief.output import json_brief, markdown_brief
from aicx.resume.run import resume
from aicx.share.leaving import find_own, forget_shared
from aicx.share.sessions import SharedSessions, steer_team
from aicx.why.answer import answer_why, why_markdown
from aicx.why.run import WhyQuery
from tests.corpus.builders import SESSION, THIRD, Home, when
from tests.engine.search_helpers import keep
from tests.evidence.stories import Repository
from tests.share.teams import PUMP, VALVE, checkouts, give, join, slowed
from tests.why.builders import DAY, HOUR, REMOTE

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
NOW = when(DAY)


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    return checkouts(tmp_path_factory.mktemp("sessions"))


def asked(story, *, wait=30.0):
    return SharedSessions(replace(story.user.settings, team_wait_seconds=wait))


def brief(story, task="", *, wait=30.0, **fields):
    query = ResumeQuery(now=NOW, task=task, folder=story.repository.folder, team=asked(story, wait=wait), **fields)
    return resume(story.user.settings, query)


def why(story, target, *, wait=30.0):
    return answer_why(story.user.settings, WhyQuery(target, NOW, story.repository.folder, team=asked(story, wait=wait)))


def named(found):
    return [(one.member, one.session_id) for one in found]


def test_a_brief_names_the_sessions_of_other_members_in_the_same_repository(team):
    assert named(brief(team[1]).team) == [("ada", PUMP), ("ada", VALVE)]


def test_a_session_about_the_task_comes_first_with_its_line_about_it(team):
    [first, _] = brief(team[1], "why was the gasket of the valve worn").team
    assert (first.session_id, "task" in first.ties, "gasket" in first.said) == (VALVE, True, True)


def test_a_session_on_the_branch_comes_before_one_that_only_the_repository_ties(team):
    found = brief(team[1], branch="torn-lines").team
    assert [(one.session_id, "branch" in one.ties) for one in found] == [(PUMP, True), (VALVE, False)]


def test_a_session_that_touched_a_changed_file_names_it(team, tmp_path):
    _, bob, _ = team
    path = bob.repository.write("src/parser.py", "x = 2\n")
    try:
        assert brief(bob).team[0].files == ("src/parser.py",)
    finally:
        path.write_text("x = 1\n")


def test_an_old_session_counts_only_where_more_than_the_repository_ties_it(team):
    query = ResumeQuery(now=when(60 * DAY), folder=team[1].repository.folder, team=asked(team[1]))
    assert resume(team[1].user.settings, query).team == ()
    query = replace(query, branch="torn-lines", team=asked(team[1]))
    assert named(resume(team[1].user.settings, query).team) == [("ada", PUMP)]


def test_the_brief_quotes_them_in_a_section_of_their_own_between_the_fences(team):
    text = markdown_brief(team[1].user.settings, brief(team[1]), 4000).text.decode()
    head, _, quoted = text.partition("quoted-history\n")
    assert "ada" not in head.replace("ada/orbit", "")
    section = quoted.partition("## Sessions of other members")[2]
    assert "ada, 22 hours ago, claude, branch `torn-lines`: The parser loses" in section
    assert f"(session:claude:{PUMP})" in section


def test_the_json_has_them_by_member_and_never_as_what_the_work_goes_on_from(team):
    fields = orjson.loads(json_brief(team[1].user.settings, brief(team[1]), 8000).text)
    first = fields["team"][0]
    assert (first["member"], first["ref"]) == ("ada", f"session:claude:{PUMP}")
    assert PUMP not in json.dumps({name: value for name, value in fields.items() if name != "team"})


def test_a_home_without_any_session_of_its_own_is_briefed_by_what_others_shared(team, tmp_path):
    carol = Home(tmp_path)
    repository = Repository(carol.work / "orbit", remote=REMOTE)
    repository.commit("README.md")
    join(carol, asked(team[0])._membership.address, "carol")
    found = SharedSessions(replace(carol.settings, team_wait_seconds=30.0))
    report = resume(carol.settings, ResumeQuery(now=NOW, folder=repository.folder, team=found))
    assert ("bob", SESSION) in named(report.team)
    assert "The oven burns gas" in markdown_brief(carol.settings, report, 2000).text.decode()


def test_a_commit_names_the_session_of_another_member_that_printed_it(team):
    [found] = why(team[1], team[2]).team
    assert (found.member, found.ref) == ("ada", f"session:claude:{PUMP}")
    assert found.ties == ["named", "files"]
    assert "ada shared a session that names it" in why_markdown(why(team[1], team[2])).partition("quoted-history")[0]


def test_a_file_names_the_sessions_of_other_members_that_touched_it(team):
    answer = why(team[1], "src/parser.py")
    assert [(one.member, one.files) for one in answer.team] == [("ada", ["src/parser.py"])]
    assert "ada, 22 hours ago" in why_markdown(answer).partition("quoted-history\n")[2]


def test_a_commit_that_no_other_member_had_to_do_with_names_none(team):
    commit = team[1].repository.commit("src/oven.py", "x = 1\n", "Heat the oven evenly", when(2 * HOUR))
    assert why(team[1], commit).team is None


@pytest.mark.parametrize("asking", ["resume", "why", "steer"])
def test_a_share_that_is_slow_leaves_ones_own_answer_and_is_named(team, monkeypatch, asking):
    slowed(monkeypatch)
    bob = team[1]
    said = "only your own corpus answered: the share gave no answer within 0.05 s"
    if asking == "resume":
        report = brief(bob, wait=0.05)
        assert (report.resumed.facts.session_id, said in report.warnings) == (SESSION, True)
    elif asking == "why":
        answer = why(bob, "src/parser.py", wait=0.05)
        assert (answer.team, said in answer.notes) == (None, True)
    else:
        found = steer_team(replace(bob.user.settings, team_wait_seconds=0.05), Filters(), 10)
        assert ([item["session_id"] for item in found.items], found.notes) == ([SESSION], [said])


def listed(story, limit=10, **filters):
    return steer_team(replace(story.user.settings, team_wait_seconds=30.0), Filters(**filters), limit)


def test_chunks_of_other_members_are_listed_by_time_among_ones_own(team):
    found = listed(team[1])
    assert [(item["member"], item["session_id"]) for item in found.items] == [
        ("bob", SESSION),
        ("ada", VALVE),
        ("ada", PUMP),
    ]
    assert found.matched == 3


def test_a_list_has_no_more_than_the_limit_and_counts_the_others(team):
    found = listed(team[1], limit=2)
    assert (len(found.items), found.matched) == (2, 3)


@pytest.mark.parametrize(
    ("filters", "sessions"),
    [
        ({"branch": "torn-lines"}, [PUMP]),
        ({"file": "parser.py"}, [PUMP]),
        ({"agent": "codex"}, []),
        ({"since": when(150)}, [SESSION, PUMP]),
    ],
    ids=str,
)
def test_filters_limit_what_is_listed_of_the_share(team, filters, sessions):
    assert [item["session_id"] for item in listed(team[1], **filters).items] == sessions


def test_a_session_that_is_stored_here_is_not_named_again(team, tmp_path):
    dora = Home(tmp_path)
    dora.claude(team[0].log(VALVE).prompt("Why does the valve leak?", 100).answer("The gasket was worn.", 110))
    keep(dora)
    join(dora, asked(team[0])._membership.address, "dora")
    listing = steer_team(replace(dora.settings, team_wait_seconds=30.0), Filters(session=VALVE), 10)
    assert [item["member"] for item in listing.items] == ["dora"]


def test_a_session_that_two_members_shared_is_named_once(team, tmp_path):
    carol = Home(tmp_path)
    carol.claude(team[0].log(VALVE).prompt("Why does the valve leak?", 100).answer("The gasket was worn.", 110))
    keep(carol)
    membership = join(carol, asked(team[0])._membership.address, "carol")
    give(carol, membership)
    try:
        assert sorted(one.session_id for one in brief(team[1]).team) == [VALVE, PUMP]
        assert [item["session_id"] for item in listed(team[1]).items] == [SESSION, VALVE, PUMP]
    finally:
        give(carol, membership, "nothing-like-it")


def test_what_its_member_forgot_is_in_no_brief_list_or_reason(team):
    ada, bob, _ = team
    ada.user.claude(ada.log(THIRD).prompt("Where is the sieve?", 300).answer("The sieve is in the drawer.", 310))
    keep(ada.user)
    membership = join(ada.user, asked(ada)._membership.address, "ada")
    give(ada.user, membership)
    assert ("ada", THIRD) in named(brief(bob, "where is the sieve in the drawer").team)
    forget_shared(
        membership,
        find_own(ada.user.settings, membership, session=THIRD, project=None),
        NOW,
        at_once=True,
    )
    assert THIRD not in {one.session_id for one in brief(bob, "where is the sieve in the drawer").team}
    assert THIRD not in {item["session_id"] for item in listed(bob).items}


def test_the_commands_name_members_and_say_that_it_is_theirs(team, monkeypatch, capsys):
    bob = team[1]
    bob.user.used(monkeypatch)
    (bob.user.corpus / "config.toml").write_text("team_wait_seconds = 30\n")
    assert run(["steer", "--team", "--file", "parser.py"]) == 0
    assert "ada wrote this" in capsys.readouterr().out
    assert run(["steer", "--team", "gasket", "--json"]) == 0
    assert ("ada", VALVE) in [
        (item["member"], item["session_id"]) for item in json.loads(capsys.readouterr().out)["items"]
    ]
    assert run(["why", "src/parser.py", "--repo", bob.folder, "--team"]) == 0
    assert "Sessions of other members" in capsys.readouterr().out
    assert run(["resume", "--repo", bob.folder, "--team", "--task", "why was the gasket of the valve worn"]) == 0
    assert "Sessions of other members" in capsys.readouterr().out
    assert run(["resume", "--repo", bob.folder]) == 0
    assert "Sessions of other members" not in capsys.readouterr().out


def test_without_a_share_the_option_names_the_next_step(tmp_path, monkeypatch, capsys):
    home = Home(tmp_path)
    home.used(monkeypatch)
    for command in (["steer"], ["steer", "valve"], ["resume"], ["why", "HEAD"]):
        assert run([*command, "--team"]) == 3
        assert "aicx share init" in capsys.readouterr().err
