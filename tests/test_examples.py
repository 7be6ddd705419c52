"""The examples of the README and of docs, run as they are printed in a made-up home, by a person who says yes."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aicx.cli import run
from aicx.commands import INSTEAD
from tests.corpus.builders import T0, ClaudeLog, CodexLog, Home
from tests.evidence.stories import Repository
from tests.kept import Kept
from tests.sampling import sample
from tests.sessions.compacted import SUMMARY
from tests.tree import commands, meant, options_in, options_of

pytestmark = [pytest.mark.slow, pytest.mark.needs("mcp", "git")]

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# Examples that are not run here, by how they begin, and why.
NOT_RUN = {
    "aicx serve": "a server, which tests/servers start",
    "aicx index --embedder": "embeds with a model; tests/indexer",
    "aicx index drop": "deletes what a model has made; tests/commands/test_index.py",
    "aicx store --index": "embeds with a model; tests/indexer",
    "aicx bench run": "minutes, or data of other people; tests/bench",
    "aicx bench ablate": "minutes; tests/bench",
    "aicx bench recommend": "reads what `bench ablate` has written; tests/bench",
    "aicx bench report": "reads what `bench run` has written; tests/bench",
    "aicx bench compare": "reads what `bench run` has written; tests/bench",
    "aicx bench peers install": "a package registry",
    "aicx memory candidates adopt": "what only a subagent said; tests/review",
    "aicx share": "a store that several machines have; tests/share",
    "aicx search --team": "the same",
    "aicx hook": "ends its process; tests/agents",
    "aicx demo": "makes a home of its own; tests/commands/test_demo.py",
    "aicx task note open": "an editor on a terminal; tests/continuity",
}
RUN_ALL_THE_SAME = ("aicx dashboard -o", "aicx serve page -o")  # a file, and no server
# What an example says by its exit code, where that is not 0.
CODES: dict[str, int] = {}
# What has to be done before, by how an example begins.
BEFORE = {
    r"memory put .* --name": ["memory delete mem:3fa29c01"],
    r"memory (decide )?release": ["memory hold mem:3fa29c01"],
    r"memory (decide )?restore": ["memory archive mem:3fa29c01"],
    r"memory supersede": ["memory accept mem:88c1d2e0 --by Ada"],
    r"memory (decide )?validate": ["memory accept export-check --by Ada"],
    r"(review|candidates) promote mem:3fa29c01": ["review approve mem:3fa29c01 --by Ada"],
    r"(review|candidates) promote mem:88c1d2e0": ["review approve mem:88c1d2e0 --by Ada"],
    r"(review|candidates) (apply-prep|verify-apply)": [
        *("review approve mem:88c1d2e0 --by Ada", "review promote mem:88c1d2e0 --by Ada --target AGENTS.md"),
    ],
    r"(review|candidates) verify-apply": ["review apply-prep mem:88c1d2e0 --patch | git apply"],
    r"task resume 3fa29c01": ["task close fix-the-export"],
    r"task start$": ["task close fix-the-export"],
    r"projects merge": ["projects rename octo/site octo/website"],
    r"projects reset": ["projects assign ~/work/site octo/website"],
    r"aicx (clean|uninstall|init --undo)": ["init"],
}


SESSIONS = (
    *("4f2a81c0", "7c19e2f4", "fff6617b", "7f78a542", "019bdb7e", "1b2c3d4e", "3eaf4091", "3f2a9c00", "acce5500"),
    *("acce5501",),
)
ENDS = {"1b2c3d4e": "-0000-4000-8000-000000000000"}


class Example(NamedTuple):
    page: str
    line: str

    def __str__(self) -> str:
        return f"{self.page}: {self.line}"


def examples() -> Iterator[Example]:
    """Every command line with aicx in it, of every fenced block, once a line."""
    seen: set[str] = set()
    for page in PAGES:
        for _, block in re.findall(r"^(`{3,})\w*\n(.*?)^\1$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            whole = re.sub(r"\\\n\s*", "", block)
            for line in re.findall(r"^(?:\$ (.*)|(?=aicx [a-z])(.*))$", whole, re.MULTILINE):
                line = re.sub(r"\s{2,}# .*", "", "".join(line))
                if re.search(r"\baicx [a-z]", line) and "[OPTIONS]" not in line and line not in seen:
                    seen.add(line)
                    yield Example(page.name, line)


EXAMPLES = list(examples())


def one_of_each_command() -> list[Example]:
    """An example of every command that is run here, another one with each seed."""
    by_command = defaultdict(list)
    for one in EXAMPLES:
        if why_not(one.line) is None:
            by_command[re.findall(r"\baicx (\w+(?: (?:--in )?[a-z-]+)?)", one.line)[-1]].append(one)
    return [one for name, several in by_command.items() for one in sample(several, 1, name, ends=False)]


def why_not(line: str) -> str | None:
    if line.startswith(RUN_ALL_THE_SAME):
        return None
    return next((why for start, why in NOT_RUN.items() if re.search(rf"(^|\| ){re.escape(start)}", line)), None)


class Shell:
    """Runs a line of an example in this process, with the names of examples put for those of this home."""

    def __init__(
        self, names: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self._names, self._monkeypatch, self._capsys = names, monkeypatch, capsys

    def __call__(self, line: str) -> tuple[int, str, str]:
        for name, own in self._names.items():
            line = line.replace(name, own)
        code, printed, said = 0, "", ""
        for part in self._parts(line):
            if part == ["git", "apply"]:
                subprocess.run(part, input=printed, text=True, check=True)
            if part[0] != "aicx":
                printed = "src/parser.py:3: error: Name 'x' is not defined  [name-defined]\n"
                continue
            part = [os.path.expanduser(word) if word.startswith("~") else word for word in part[1:]]
            self._monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(printed.encode())))
            try:
                code = run([*part, *self._yes(part)])
            except SystemExit as ended:  # as `aicx run` and hooks end
                code = ended.code if isinstance(ended.code, int) else 0
            out = self._capsys.readouterr()
            printed, said = out.out, out.err
        return code, printed, said

    @staticmethod
    def _parts(line: str) -> Iterator[list[str]]:
        """The programs of a pipe; what a shell does with their output is left out."""
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
        lexer.whitespace_split = True
        lexer.commenters = ""
        part: list[str] = []
        for word in lexer:
            if word.startswith(("|", ">")):
                yield part
                part = []
            else:
                part.append(word)
        yield part

    @staticmethod
    def _yes(words: list[str]) -> list[str]:
        """`--yes` where the command asks: the person of these examples looks, and says yes."""
        asks = "--yes" in options_in(meant(*words)[1])
        return ["--yes"] if asks and not {"--yes", "--dry-run"} & set(words) else []


def fill(user: Home) -> dict[str, str]:
    """A repository with tags, and sessions of two agents about it; returns what stands for the names of examples."""
    place = Repository(user.root / "src" / "orbit", remote="git@example.org:ada/myrepo.git")
    place.write("CLAUDE.md", "# Rules\n\n- Exports need an authorisation check\n")
    place.write("AGENTS.md", "# Rules\n")
    place.write("deploy/fly.toml", "".join(f"line{n} = {n}\n" for n in range(12)))
    place.write("src/retry.py", "".join(f"retry_{n} = {n}\n" for n in range(20)))
    place.write("src/export.py", "def export(): ...\n")
    place.write("notes.md", "notes\n")
    place.write("build.log", "src/parser.py:3: error: x\n")
    place.write("Makefile", "test:\n\t@true\n")
    code = "".join(f"value_{n} = {n}\n" for n in range(40))
    for tag, subject in (("v1.1.0", "Begin"), ("v1.2.0", "Read nested brackets"), ("v1.3.0", "Retry uploads (#12)")):
        code += f"# {tag}\n"
        commit = place.commit("src/parser.py", code, subject)
        place.git("tag", tag)
    for name in ("aider", "start-aider.sh"):
        place.write(name, "#!/bin/sh\ntrue\n").chmod(0o755)
    folder = str(place.folder)
    begin = time.time() - T0.timestamp() - 3600
    long = " ".join(f"word{n}" for n in range(900))
    for number, start in enumerate(SESSIONS):
        where = {"3f2a9c00": "work/site", "acce5500": "src/widgets", "acce5501": "src/website"}.get(start)
        log = ClaudeLog(f"{start}{ENDS.get(start, '-7d1e-4c55-9b1a-3e6f0a9c2d11')}", folder)
        log.cwd = f"{user.root}/{where}" if where else folder
        at = begin + 60 * number
        log.prompt(f"Why did the migration fail {number}", at)
        log.call("Edit", at + 1, f"e{number}", file_path=f"{folder}/src/parser.py", new_string="x", old_string="y")
        log.result("", at + 2, f"e{number}").call("Bash", at + 3, f"b{number}", command="mypy src")
        log.result("src/parser.py:3: error: Name 'x' is not defined  [name-defined]", at + 4, f"b{number}", failed=True)
        log.call(
            "Edit", at + 4.2, f"f{number}", file_path=f"{folder}/src/parser.py", new_string="x = 1", old_string="x"
        )
        log.result("", at + 4.4, f"f{number}").call("Bash", at + 4.6, f"g{number}", command="mypy src")
        log.result("Success: no issues found in 1 source file", at + 4.8, f"g{number}")
        log.call("Bash", at + 5, f"c{number}", command="git commit -m Retry").result(
            f"[main {commit[:7]}] Retry uploads", at + 6, f"c{number}"
        )
        log.add("system", at + 7, subtype="compact_boundary", content="Conversation compacted")
        log.add("user", at + 7, isCompactSummary=True, message={"role": "user", "content": SUMMARY})
        for turn in range(4):
            words = f"{turn} {number} {long if start == '1b2c3d4e' else 'a short cause'}"
            log.prompt(f"Retry policy of exports? {turn}", at + 8 + turn).answer(f"Cause: {words}", at + 8 + turn)
        log.answer("ERR_CONN_REFUSED. The root cause. Next: write the changelog.", at + 20)
        user.claude(log)
    rollout = CodexLog("019f68cf-0000-4000-8000-000000000001", folder, remote="git@example.org:ada/myrepo.git")
    path = user.codex(rollout.prompt("Refresh the token", 30).answer("The token refresh is done.", 31))
    user._write(".codex/sessions/2026/01/31/rollout-2026-01-31T10-00-00-ID.jsonl", path.read_bytes())
    user._write(".gemini/antigravity/conversations/ID.pb", b"x")
    user._write(".gemini/antigravity/brain/ID/task.md", b"User: fix it\nAssistant: done\n")
    user._write(".ssh/allowed_signers", b"")
    user._write(".claude/projects/-work-site/memory/MEMORY.md", b"- Always check exports\n")
    for name in ("artifacts", ".vibecrafted/artifacts"):
        (user.root / name).mkdir(parents=True)
    for path, name in (("work/site", "octo/site"), ("src/widgets", "acme/widgets"), ("src/website", "ada/website")):
        Repository(user.root / path, remote=f"git@example.org:{name}.git").commit("a.py")
    Repository(user.root / "src" / "other").commit("a.py")
    with chdir(folder):
        return {"commit:1a2b3c4": f"commit:{commit}", "/tmp/": f"{user.root}/", **stored()}


def stored() -> dict[str, str]:
    """What is stored, kept and begun here, and what stands for it in examples."""
    assert run(["store"]) == 0
    rule = put("Always check exports for authorisation", "exports-policy", "policy")
    Path("answer.json").write_text(json.dumps(said("memory", "recall", "exports")))
    Path("review.md").write_text("The exports are as they were.\n")
    return {
        "apply-prep mem:3fa29c01": f"apply-prep {rule}",
        "verify-apply mem:3fa29c01": f"verify-apply {rule}",
        "mem:3fa29c01": put("Exports are written twice", "export-check"),
        "mem:88c1d2e0": rule,
        "3fa91c": said("failures", "list")["items"][0]["id"].removeprefix("failure:"),
        "task resume 3fa29c01": "task resume " + said("task", "start", "Fix the export")["task"]["id"],
        "sha256:3fa29c01": said("pack", "task")["artifact"],
    }


def said(*words: str) -> Any:
    """The JSON that a command prints."""
    with redirect_stdout(TextIOWrapper(BytesIO())) as printed:
        assert run([*words, "--json"]) == 0
    printed.flush()
    return json.loads(printed.buffer.getvalue())  # type: ignore[attr-defined]


def put(statement: str, name: str, kind: str = "fact") -> str:
    made = said("memory", "put", statement, "--name", name, "--kind", kind, "--topic", "exports")
    return str(made["entry"]["ref"])


_NAMES: dict[str, str] = {}


@pytest.fixture
def shell(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    user = Home(kept.folder).used(monkeypatch)
    for name in ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SESSION_ID", "CLAUDECODE", "AICX_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM_SESSION_ID", "a-terminal")
    kept.again(lambda: _NAMES.update(fill(user)))
    monkeypatch.chdir(user.root / "src" / "orbit")
    monkeypatch.setenv("PATH", f"{user.root}/src/orbit:{os.environ['PATH']}")
    capsys.readouterr()
    return Shell(_NAMES, monkeypatch, capsys)


@pytest.mark.parametrize("example", one_of_each_command(), ids=str)
def test_an_example_does_what_it_says(example: Example, shell: Shell) -> None:
    for pattern, lines in BEFORE.items():
        if re.search(pattern, example.line):
            for line in lines:
                code, _, said = shell(f"aicx {line}")
                assert code == 0, said
    code, _, said = shell(example.line)
    assert code == CODES.get(example.line, 0), said


def test_a_command_that_a_text_names_exists_with_its_options() -> None:
    pages = [page.read_text("utf-8") for page in PAGES if page.name != "changelog.md"]  # of former releases, too
    texts = [re.sub(r"^(`{3,})\w*\n.*?^\1$", "", page, flags=re.MULTILINE | re.DOTALL) for page in pages]
    for span in dict.fromkeys(span for text in texts for span in re.findall(r"`aicx ([a-z][^`\n]*)`", text)):
        words = span.split()
        named = (" ".join(words[:length]) for length in (3, 2, 1))
        found, below = next((name, known) for name in named if (known := _commands_below(name)))
        options = {"--help", "--help-all", "--json"}.union(*map(options_of, below))
        for instead, _ in INSTEAD.get(found, {}).values():
            options |= options_in(meant(*instead.split())[1])
        for word in words[len(found.split()) :]:
            if word == "--":
                break
            if option := re.match(r"[(\[]?(-[a-zA-Z]|--[a-z][a-z-]+)\b", word):
                assert option[1] in options, span


def _commands_below(name: str) -> list[str]:
    return [one for one in commands() if one == name or one.startswith(f"{name} ")]


def test_an_exception_is_still_one() -> None:
    patterns = [*map(re.escape, [*NOT_RUN, *CODES]), *BEFORE]
    assert [one for one in patterns if not any(re.search(one, example.line) for example in EXAMPLES)] == []
