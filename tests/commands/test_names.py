"""Names: what each former one is now, that it goes on working, and that an option means one thing everywhere."""

from __future__ import annotations

import json
import re
import shlex
from collections import defaultdict
from collections.abc import Iterator
from inspect import unwrap
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from typer.main import get_command

from aicx.cli import run
from aicx.commands import FORMER, HIDDEN, INSTEAD, SECTIONS
from aicx.menu import app
from tests.corpus.builders import SESSION, ClaudeLog, Home
from tests.kept import Kept
from tests.sampling import sample
from tests.tree import commands, meant

PROMISED = (
    *("store", "search", "show", "sessions", "why", "resume", "finalize", "task", "failures", "memory", "map", "pack"),
    *(
        "run",
        "status",
        "doctor",
        "projects",
        "forget",
        "init",
        "serve",
        "reports",
        "share",
        "steer",
        "index",
        "demo",
        "bench",
    ),
)
# `show` opens by the reference what these opened by an action, and the agents' own names are an option.
BY_REFERENCE = ("failures show", "memory get", "task show")
BY_OPTION = ("claude", "codex", "gemini", "all")
# Read-only commands, each asked by its former name and by its new one; the answers are compared to the letter.
ASKED = {
    "boot": "",
    "cas list": "",
    "continuity load": "",
    "continuity status": "",
    "extract": f"--session {SESSION}",
    "list": "",
    "memory curate": "",
    "memory get": "{record}",
    "task show": "{task}",
    "memory lint": "",
    "memory recall": "lexer",
    "memory stats": "",
    "next": "",
    "prepare": "--task lexer --dry-run",
    "rank": "-p orbit -H 0",
    "refs": "",
    "review candidates": "",
    "sessions recall": "lexer",
    "sessions restore": f"--session {SESSION}",
    "sessions search": "lexer",
    "sessions show": SESSION,
    "sessions summarize": SESSION,
    "sessions windows": SESSION,
    "state": "",
    "uninstall": "--dry-run",
    "usage": "",
}
REFUSED = {
    "pack show": "sha256:00000000",
    "install": "nobody",
    "map query": "lexer",
    "memory hold": "mem:ffffffff",
    "cas get": "sha256:ffff",
}


def test_the_promised_commands_are_shown_and_no_others() -> None:
    assert sorted(PROMISED) == sorted(name for rows in SECTIONS.values() for name in rows)


def test_every_hidden_command_but_that_of_hooks_has_a_new_name() -> None:
    assert {name for name in HIDDEN if not any(f"{one} ".startswith(f"{name} ") for one in FORMER)} == {"hook"}


def test_a_former_name_is_the_command_of_its_new_words() -> None:
    for name, new in FORMER.items():
        former, now = meant(*name.split())[1], meant(*new.split())[1]
        if name in BY_REFERENCE:
            assert now is commands()["show"]
        elif name in BY_OPTION:
            assert now is commands()["store"]
        else:
            assert unwrap(former.callback) is unwrap(now.callback), name


def test_a_command_knows_both_options_of_help_whatever_context_asked_for_its_parameters_first() -> None:
    command = commands()["forget"]
    command._help_option = None  # as in a process that has just begun
    command.get_params(click.Context(command))
    assert run(["forget", "-h"]) == 0


@pytest.mark.parametrize("asked", ["--help", "-h", "--help-all"])
def test_the_help_of_a_former_name_is_a_line_with_the_new_one(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name, new in FORMER.items():
        assert run([*name.split(), asked]) == 0
        said = capsys.readouterr().out
        assert len(said.splitlines()) == 1, name
        assert f"`aicx {new}`" in said
        assert re.search(r"Next: aicx (.*) --help\n", said), name


def test_what_the_help_of_a_former_name_leads_to_has_a_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in FORMER:
        assert run([*name.split(), "--help"]) == 0
        (leads,) = re.findall(r"Next: aicx (.*) --help\n", capsys.readouterr().out)
        assert run([*leads.split(), "--help"]) == 0
        assert capsys.readouterr().out.startswith(f"Usage: aicx {leads}")


def test_what_is_asked_instead_has_a_help_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    for words in [f"{command} {options}" for command, rows in INSTEAD.items() for options in rows]:
        assert run([*words.split(), "--help"]) == 0
        assert f"Usage: aicx {words} " in capsys.readouterr().out
        assert run([*words.split(), "--no-such-option"]) == 2
        assert f"next: aicx {words} --help\n" in capsys.readouterr().err


@pytest.fixture
def lived_in(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    """A repository with a stored session, a task and a record of the memory."""
    user = Home(kept.folder)
    for name, value in {**user.environ, "TERM_SESSION_ID": "a-terminal"}.items():
        monkeypatch.setenv(name, value)

    def fill() -> None:
        orbit = user.repository("orbit", "git@x.org:ada/orbit.git")
        log = ClaudeLog(SESSION, orbit).prompt("Why does the lexer drop a token?", 0).answer("The lexer is fine.", 9)
        user.claude(log)
        for line in ("store", "memory put 'The lexer keeps tokens' --name lexer-rule", "task start 'Mend the lexer'"):
            assert run([*shlex.split(line), *(["--repo", str(orbit)] if line != "store" else [])]) == 0

    kept.again(fill)
    monkeypatch.chdir(user.work / "orbit")
    capsys.readouterr()
    return user


def ref_of(line: str, rows: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The reference of the first item that a command lists."""
    assert run([*line.split(), "--json"]) == 0
    return str(next(iter(json.loads(capsys.readouterr().out)[rows]))["ref"])


@pytest.mark.needs("git")
@pytest.mark.parametrize(("name", "words"), sample([*ASKED.items(), *REFUSED.items()], 16, "both names"))
def test_both_names_give_the_same_answer(
    name: str, words: str, lived_in: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    if "{" in words:
        words = words.format(record=ref_of("memory list", "entries", capsys), task=ref_of("task list", "tasks", capsys))
    for line in (f"{name} {words}", f"{FORMER[name]} {words}"):
        code = run(shlex.split(line))
        printed = capsys.readouterr()
        # An error ends with the help to ask, which is that of the name that was used.
        said.append((code, printed.out, re.sub(r"aicx .*--help", "", printed.err)))
    assert said[0] == said[1]
    assert said[0][0] == 0 or name in REFUSED


@pytest.mark.parametrize(
    ("line", "name", "rest"),
    [
        ("search --in=memory lexer", "search --in memory", ["lexer"]),
        ("search lexer --limit 3 --in memory", "search --in memory", ["lexer", "--limit", "3"]),
        ("search --in chunks lexer", "search", ["--in", "chunks", "lexer"]),
        ("search -- --list", "search", ["--", "--list"]),
        ("search --branch --list lexer", "search", ["--branch", "--list", "lexer"]),
        ("resume --task --next", "resume", ["--task", "--next"]),
        ("resume --explain", "resume", ["--explain"]),
        ("resume --explain --start", "resume --start --explain", []),
        ("init --mcp claude --undo --yes", "init --undo --mcp", ["--remove", "claude", "--yes"]),
        ("serve --transport http", "serve mcp", ["--transport", "http"]),
        ("memory candidates --limit 3", "memory candidates list", ["--limit", "3"]),
        ("memory candidates", "memory candidates list", []),
        ("review", "review candidates", []),
        ("pack objects", "pack objects list", []),
        ("task note", "task note status", []),
    ],
)
def test_words_lead_to_a_command(line: str, name: str, rest: list[str]) -> None:
    found, _, args = meant(*line.split())
    assert (found, args) == (name, rest)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("search --in nothing lexer", "memory"),
        ("search lexer --in", "requires an argument"),
        ("init --everywhere", "--undo --everywhere"),
    ],
)
def test_half_of_what_asks_for_something_else_is_refused(
    line: str, said: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(line.split()) == 2
    assert said in capsys.readouterr().err


# Texts that are no advice: who wrote a record or a file, as those that are kept have it, and what a page is called.
AS_KEPT = re.compile(r'BY(_ITSELF)? = "aicx |"aicx dashboard"|<title>aicx dashboard')
# Pages of what was, and the tables of names themselves; docs that are generated follow their sources.
OF_FORMER_NAMES = ("changelog.md", "old-names.md", "generate_commands.py")


def test_no_text_of_ours_leads_to_a_former_name() -> None:
    root = Path(__file__).parents[2]
    former = re.compile(rf"\baicx (?:{'|'.join(sorted(FORMER, key=len, reverse=True))})\b(?![-/.\w])")
    files = [root / "README.md", *(one for place in ("aicx", "docs", "plugin") for one in (root / place).rglob("*.*"))]
    found = [
        f"{path.relative_to(root)}:{number}: {line.strip()}"
        for path in files
        if path.suffix in (".py", ".js", ".html", ".md", ".toml", ".json") and path.name not in OF_FORMER_NAMES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if former.search(line) and not AS_KEPT.search(line)
    ]
    assert found == []


def offered(*words: str, incomplete: str = "") -> list[str]:
    asked = ShellComplete(get_command(app), {}, "aicx", "_AICX_COMPLETE")
    return [one.value for one in asked.get_completions(list(words), incomplete)]


def test_shells_are_offered_the_commands_that_the_help_lists() -> None:
    assert sorted(offered()) == sorted(PROMISED)


def test_shells_complete_a_former_name_that_is_begun() -> None:
    for name in FORMER:
        *before, last = name.split()
        assert last in offered(*before, incomplete=last)


@pytest.mark.parametrize(
    ("words", "incomplete", "wanted"),
    [
        (["search", "--in"], "m", ["memory", "map"]),
        (["search"], "--li", ["--limit", "--list"]),
        (["resume"], "--ne", ["--next"]),
        (["search", "--in", "memory", "lexer"], "--with", ["--with-evidence"]),
        (["memory", "decide"], "re", ["release", "restore"]),
        (["memory"], "hol", ["hold"]),
        (["cas"], "p", ["put", "pin"]),
    ],
)
def test_shells_complete_new_names(words: list[str], incomplete: str, wanted: list[str]) -> None:
    assert sorted(offered(*words, incomplete=incomplete)) == sorted(wanted)


# Options ------------------------------------------------------------------------------------------------------------

# Letters that stand for a second option, where both are older than the rule: letter -> options beside the first.
SECOND = {
    "-b": "--budget",  # of packs, which take no filter --branch
    "-d": "--dataset",  # of the benchmark
    "-f": "--path",  # of recall: the file that a task is about
    "-g": "--granularity",  # the finer form of --group
    "-n": "--dry-run --top",  # of forget, which lists nothing; --top is the limit of a ranking
    "-q": "--quick --query",
    "-r": "--ranker",  # of the benchmark
    "-s": "--session-id",  # the agent's own id of the same session
    "-t": "--transport",  # of the server
    "-w": "--workflow --window",
}
# Options that are a flag where they ask, in `resume` and `status`, and take a value where they state something.
FLAG_AND_VALUE = {"--next", "--note", "--recall"}


def spelled() -> Iterator[tuple[str, click.Option]]:
    for name, command in commands().items():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                yield name, parameter


def test_a_letter_stands_for_one_option_everywhere() -> None:
    found = defaultdict(set)
    for _, option in spelled():
        long = next(word for word in option.opts if word.startswith("--"))
        for letter in set(option.opts) & {
            f"-{sign}" for sign in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        }:
            found[letter].add(long)
    several = {letter: longs for letter, longs in found.items() if len(longs) > 1}
    assert several.keys() == SECOND.keys() - {"-w"} | ({"-w"} & several.keys())
    for letter, longs in several.items():
        assert len(longs - set(SECOND[letter].split())) <= 1, letter


def test_an_option_is_a_flag_everywhere_or_takes_a_value_everywhere() -> None:
    found = defaultdict(set)
    for _, option in spelled():
        for word in option.opts:
            if word.startswith("--"):
                found[word].add(option.is_flag)
    assert {word for word, kinds in found.items() if len(kinds) > 1} == FLAG_AND_VALUE


def test_a_short_option_is_never_without_a_long_one() -> None:
    assert [name for name, option in spelled() if not any(word.startswith("--") for word in option.opts)] == []
