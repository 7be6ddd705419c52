"""What a command is about has every form: bare or an option, whole or its beginning, or a reference."""

from __future__ import annotations

import inspect
import json
import re
import shutil
from typing import Any

import pytest
from typer.core import TyperArgument

from aicx.cli import run
from aicx.memory.deciding import NEEDS_PERSON
from tests.corpus.builders import SESSION, ClaudeLog
from tests.lifecycle.conftest import Place
from tests.sampling import sample
from tests.tree import commands, options_of

pytestmark = pytest.mark.slow

_ERROR = 'src/login.py:7: error: Name "token" is not defined  [name-defined]'
_NOW = "--now 2026-03-02T10:00:00Z"
# A command, the option that says the same, and what it is about.
READING = [
    ("sessions show", "--session", "session"),
    ("sessions chain", "--session", "session"),
    ("sessions windows", "--session", "session"),
    ("sessions summarize", "--session", "session"),
    ("sessions restore", "--session", "session"),
    ("forget --dry-run", "--session", "session"),
    ("extract", "--session", "session"),
    ("review build", "--session", "session"),
    ("show", "--ref", "session"),
    ("show", "--ref", "memory reference"),
    ("show", "--ref", "task reference"),
    ("show", "--ref", "failure reference"),
    ("show", "--ref", "object reference"),
    ("failures show", "--failure", "failure"),
    ("memory get", "--ref", "memory"),
    ("memory history", "--ref", "memory"),
    ("memory verify", "--ref", "memory"),
    ("review show", "--ref", "memory"),
    ("task show", "--task", "task"),
    (f"pack task {_NOW}", "--task", "task"),
    (f"pack task {_NOW}", "--task", "session"),
    ("pack show", "--digest", "object"),
    ("cas get", "--digest", "object"),
]
CHANGING = [
    ("sessions fork", "--session", "session"),
    ("sessions close", "--session", "session"),
    ("sessions open", "--session", "session"),
    ("task resume", "--task", "task"),
    ("task update --next then", "--task", "task"),
    ("task close --status paused", "--task", "task"),
    ("memory edit --detail more", "--ref", "memory"),
    ("memory accept --by Ada --yes", "--ref", "memory"),
    ("memory hold --by Ada", "--ref", "memory"),
    ("memory release --by Ada --yes", "--ref", "memory"),
    ("memory pin --by Ada --yes", "--ref", "memory"),
    ("memory unpin --by Ada", "--ref", "memory"),
    ("memory validate --by Ada --yes --method looked --result pass", "--ref", "memory"),
    ("memory archive --by Ada", "--ref", "memory"),
    ("memory restore --by Ada", "--ref", "memory"),
    ("memory reject --why no", "--ref", "memory"),
    ("memory delete --by Ada --yes", "--ref", "memory"),
    ("review approve --by Ada", "--ref", "memory"),
    ("review reject --by Ada --why no", "--ref", "memory"),
    ("review promote --by Ada --yes", "--ref", "memory"),
    ("cas pin", "--digest", "object"),
    ("cas unpin", "--digest", "object"),
]
# What has to be so before a change can be made.
FIRST = {
    "memory release": "memory hold --by Ada",
    "memory restore": "memory archive --by Ada",
    "memory validate": "memory accept --by Ada --yes",
    "review promote": "review approve --by Ada",
}
# Steps that a candidate of a primary session does not need, or that is no instruction: the refusal names the record.
REFUSED = ["review adopt --by Ada", "review apply-prep", "review verify-apply --by Ada"]
# What is about two things has a test of its own.
PAIRS = ["memory supersede", "sessions link"]
# As an option of a filter, an id is one of several; there is none to write bare.
ANSWERS = {"memory list": "entries", "sessions recall tokens": "matches"}
FILTERS = ["search tokens", "steer", "sessions list", "sessions search tokens", "sessions recall tokens", "memory list"]


_KNOWN: dict[str, list[str]] = {}


@pytest.fixture
def known(place: Place) -> dict[str, list[str]]:
    """The forms in which a session, a record, a task, a failure and a kept object of this home may be written."""
    return _KNOWN


def begin_here(place: Place) -> None:
    log = ClaudeLog("5e551001-0000-4000-8000-000000000001", str(place.repository.folder))
    log.prompt("Check the types of the login", 1000).call("Bash", 1001, "t9", command="mypy src")
    log.result(_ERROR, 1002, "t9", failed=True)
    folder = place.repository.folder
    log.call("Edit", 1003, "t10", file_path=f"{folder}/src/login.py", new_string="x", old_string="y")
    log.result("", 1004, "t10").call("Bash", 1005, "t11", command="mypy src").result(_ERROR, 1006, "t11", failed=True)
    place.user.claude(log.answer("It still fails.", 1007))
    assert run(["store"]) == 0
    record = place("memory", "put", "Tokens are renewed once", "--name", "once")["entry"]["ref"].removeprefix("mem:")
    task = place("task", "start", "Renew the tokens")["task"]["ref"].removeprefix("work:")
    failure = place("failures", "list")["items"][0]["id"].removeprefix("failure:")
    digest = place("pack", "task")["artifact"].removeprefix("sha256:")
    forms = {
        "session": [SESSION, SESSION[:8], f"claude:{SESSION}", f"session:claude:{SESSION}", f"session:{SESSION[:8]}"],
        "memory": [record, record[:8], f"mem:{record}", f"mem:{record[:8]}", "once"],
        "task": [task, task[:6], f"work:{task}", f"work:{task[:6]}", "renew-the-tokens", "Renew the tokens"],
        "failure": [failure, failure[:6], f"failure:{failure}", f"failure:{failure[:6]}"],
        "object": [digest, digest[:10], f"sha256:{digest}", f"sha256:{digest[:10]}", f"cas:sha256:{digest}"],
    }
    marks = ("mem:", "work:", "failure:", "sha256:", "cas:")
    _KNOWN.update(forms)
    _KNOWN.update({f"{name} reference": [one for one in all_ if one.startswith(marks)] for name, all_ in forms.items()})


@pytest.mark.parametrize(("line", "option", "noun"), READING, ids=lambda part: part.replace(" ", "-"))
def test_every_form_asks_the_same(
    line: str,
    option: str,
    noun: str,
    known: dict[str, list[str]],
    place: Place,
) -> None:
    forms = [[form] for form in sample(known[noun], 1, line, ends=False)] + [[option, known[noun][0]]]
    answers = [about(place(*line.split(), *form)) for form in forms]
    assert answers == answers[:1] * len(forms)


@pytest.mark.parametrize(("line", "option", "noun"), CHANGING, ids=lambda part: part.replace(" ", "-"))
def test_every_form_changes_the_same(
    line: str,
    option: str,
    noun: str,
    known: dict[str, list[str]],
    place: Place,
) -> None:
    if first := FIRST.get(" ".join(line.split()[:2])):
        place(*first.split(), known["memory"][0])
    spare = place.user.corpus.with_name("spare")
    shutil.copytree(place.user.corpus, spare, symlinks=True)
    # `sessions open` takes new ids too, as they are written.
    forms = sample(known[noun], 1, line, ends=False) if line != "sessions open" else known[noun][::3]
    answers = [subject(place(*line.split(), option, known[noun][0]))]
    for form in forms:
        shutil.rmtree(place.user.corpus)
        shutil.copytree(spare, place.user.corpus, symlinks=True)
        answers.append(subject(place(*line.split(), form)))
    assert answers == answers[:1] * len(answers)


@pytest.mark.parametrize("line", REFUSED)
def test_every_form_is_refused_with_the_same_words(
    line: str, known: dict[str, list[str]], place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for form in [*([form] for form in known["memory"]), ["--ref", known["memory"][0]]]:
        assert run([*line.split(), *form]) not in (0, 3), form
        said.append(capsys.readouterr().err)
    assert said == said[:1] * len(said)
    assert f"mem:{known['memory'][0]}" in said[0]


def test_a_record_takes_the_place_of_another_named_in_every_form(known: dict[str, list[str]], place: Place) -> None:
    other = place("memory", "put", "Tokens are renewed twice", "--name", "twice")["entry"]["ref"]
    place("memory", "accept", other, "--by", "Ada", "--yes")
    names = [other, other[:12], other.removeprefix("mem:")[:8], "twice", other.removeprefix("mem:")]
    spare = place.user.corpus.with_name("spare")
    shutil.copytree(place.user.corpus, spare, symlinks=True)
    pairs = [*zip(known["memory"], names, strict=True), ("--old", names[0])]
    for old, new in sample(pairs, 3, "supersede"):
        words = [old] if old != "--old" else ["--old", known["memory"][0]]
        place("memory", "supersede", *words, "--with", new, "--by", "Ada", "--yes")
        assert place("memory", "get", known["memory"][0])["entry"]["status"] == "superseded"
        shutil.rmtree(place.user.corpus)
        shutil.copytree(spare, place.user.corpus, symlinks=True)


def test_sessions_are_linked_by_every_form_of_both(known: dict[str, list[str]], place: Place) -> None:
    newer = "5e551001-0000-4000-8000-000000000001"
    others = [newer, newer[:8], f"claude:{newer}", f"session:claude:{newer}", f"session:{newer[:8]}"]
    said = [
        place("sessions", "link", *pair, "--type", "continues") for pair in zip(others, known["session"], strict=True)
    ]
    said.append(place("sessions", "link", "--newer", others[1], "--older", known["session"][1], "--type", "continues"))
    assert {(one["ref"], one["parent"]) for one in said} == {(f"session:claude:{newer}", f"session:claude:{SESSION}")}


@pytest.mark.parametrize("line", ["boot", "prepare", "finalize --status success --summary done"])
def test_a_session_that_asks_is_named_in_every_form(line: str, known: dict[str, list[str]], place: Place) -> None:
    begun = place.prepare(SESSION)["attempt"]
    for form in known["session"]:
        found = place(*line.split(), "--session", form)
        if "session" in found:
            assert (found["session"]["id"], found["session"]["agent"]) == (SESSION, "claude")
        assert found.get("attempt", begun) == begun


@pytest.mark.parametrize("name", ["0b7c", "new-session", "claude:new-session", "session:claude:new-session"])
def test_a_session_to_come_is_named_as_it_is(name: str, place: Place) -> None:
    agent = "claude" if ":" in name else "person"
    assert place("boot", "--session", name)["session"]["id"] == name.rpartition(":")[2]
    assert place("boot", "--session", name)["session"]["agent"] == agent


def test_a_start_leaves_a_session_out_by_every_form(known: dict[str, list[str]], place: Place) -> None:
    other = f"session:claude:{SESSION}"
    newer = "5e551001-0000-4000-8000-000000000001"
    assert place("resume")["capsule"]["resuming"] == f"session:claude:{newer}"
    for form in (newer, newer[:8], f"claude:{newer}", f"session:claude:{newer}", f"session:{newer[:8]}"):
        assert place("resume", "--exclude-session", form)["capsule"]["resuming"] == other


@pytest.mark.parametrize("line", FILTERS)
def test_a_filter_takes_every_form_of_a_session(line: str, known: dict[str, list[str]], place: Place) -> None:
    answers = [len(place(*line.split(), "--session", form)[ANSWERS.get(line, "items")]) for form in known["session"]]
    assert answers == answers[:1] * len(answers)
    assert answers[0] or line == "memory list"


def test_what_is_named_twice_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["memory", "get", "one", "--ref", "one"]) == 2
    assert "REF is given twice" in capsys.readouterr().err


def test_what_is_not_named_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["memory", "get"]) == 2
    assert "Missing argument 'REF'" in capsys.readouterr().err


def about(answer: dict[str, Any]) -> str:
    """An answer without what tells one call from the next, or says how it was asked."""
    passing = ("text", "found_by", "status", "ref", "new", "summary", "generated_at")
    return json.dumps({key: value for key, value in answer.items() if key not in passing})


def subject(answer: dict[str, Any]) -> str:
    """What a change was made of."""
    answer = answer.get("candidate") or answer
    found = next((answer[name] for name in ("task", "entry", "object") if name in answer), answer)
    return str(found.get("digest") or answer.get("parent") or found["ref"])


def test_an_argument_that_is_an_id_is_an_option_too() -> None:
    ids = {"ID", "REF", "TASK", "SESSION", "DIGEST", "OLD", "NEWER", "OLDER"}
    alone = [
        name
        for name, command in commands().items()
        for one in command.params
        if isinstance(one, TyperArgument)
        and not name.startswith("projects ")
        and (one.metavar or "").strip("[]") in ids
        if not {f"{one.name}_again", str(one.name).removesuffix("_again")} - {one.name}
        & {p.name for p in command.params}
    ]
    assert alone == []


def test_every_command_that_takes_an_id_is_tried_in_every_form() -> None:
    def named(line: str) -> str:
        return next(name for length in (2, 1) if (name := " ".join(line.split()[:length])) in commands())

    tried = {named(line) for line, *_ in (*READING, *CHANGING)} | {named(line) for line in (*REFUSED, *PAIRS)}
    take = {name for name, one in commands().items() if any(str(part.name).endswith("_again") for part in one.params)}
    done = {inspect.unwrap(commands()[name].callback) for name in tried}  # type: ignore[arg-type]  # under whichever name
    left = {name for name in take if inspect.unwrap(commands()[name].callback) not in done}  # type: ignore[arg-type]
    # Names of projects, which are no ids; and sessions of a share, which this home is no part of.
    assert left == {"store", "share forget"}


def test_a_module_that_asks_has_yes() -> None:
    """`confirm` is what asks; every command of a module that calls it and changes something takes --yes."""
    asking = {
        name
        for name, command in commands().items()
        if re.search(r"confirm\(", inspect.getsource(inspect.unwrap(command.callback)))  # type: ignore[arg-type]
    }
    assert asking >= {"forget", "init", "clean", "install", "uninstall", "memory delete", "memory supersede"}
    assert [name for name in asking if "--yes" not in options_of(name)] == []
    assert all("--yes" in options_of(f"memory {name}") for name in NEEDS_PERSON)
