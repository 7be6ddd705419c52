"""Every command as a process of its own on a clean machine: nothing is left outside AICX_HOME, and no library talks."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from aicx.commands import COMMANDS
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, CodexLog, Home, snapshot
from tests.forked import Piped
from tests.models import save_tiny_bert
from tests.sampling import sample

pytestmark = [pytest.mark.slow, pytest.mark.process]

# One question at least of each command. `{work}` is a repository, `{out}` a folder for what is asked to be written.
ASKED = (
    *("store", "all", "claude", "codex", "gemini", "search lexer", "resume -p ada/orbit --task lexer", "sessions"),
    *("steer the lexer", "rank -p orbit -H 0", "index status", "map refresh --repo {work}", f"show {SESSION}", "refs"),
    *("projects", "why 0123456", "memory", "failures --repo {work}", "task --repo {work}", "next --repo {work}"),
    *("continuity --repo {work}", "review --repo {work}", "pack family --repo {work}", "cas list"),
    *("prepare --repo {work}", "finalize --status success --summary Done --repo {work}", "boot --repo {work}"),
    *("usage --repo {work}", "init --dry-run --repo {work}", "clean --dry-run --repo {work}", "uninstall --dry-run"),
    *("hook stop --agent claude", "run -- true"),
    *(
        "list",
        "state",
        "status",
        "reminded",
        "share init {out}/share --member ada",
        "doctor",
        f"extract --session {SESSION}",
        "reports {work}",
        "forget -s ffff --dry-run",
        "serve",
    ),
    *("dashboard --output {out}/page.html", "install claude --dry-run", "demo --no-meaning", "bench list"),
)
NEEDING = {"map": "code", "serve": "mcp", "install": "mcp", "share": "semantic"}
# What loads a library that a forked process would have loaded before, and that so could not be heard of at its start.
STARTED = [line for line in ASKED if line.split()[0] in {*NEEDING, "store", "index", "bench", "dashboard", "demo"}]
FORKED = [line for line in ASKED if line not in STARTED]
# What needs its libraries, and these.
WITH_MODELS = (
    "store",
    "index --embedder sentence-transformers --model {out}/bert/whole --quantized",
    "store --index --full-rescan",
    "search lexer --mode dense",
    "steer the lexer",
    "resume -p ada/orbit --task lexer",
    "bench run -d bundled -r lexical",
    "bench report",
)
# As libraries begin what they have to say to programmers.
_TALK = re.compile(r"\w*Warning\b|^WARNING|\[W:|TOKENIZERS_PARALLELISM|Traceback|telemetry", re.MULTILINE)


@dataclass(frozen=True)
class Machine:
    """A home with agents' logs, a repository, and folders of their own for the corpus and for temporary files."""

    home: Home

    @property
    def root(self) -> Path:
        return self.home.root.parent

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """Runs a command as a person would; nothing but what a login sets is in its environment."""
        places = {"work": self.home.work / "orbit", "out": self.root / "out"}
        words = [word.format(**places) for word in line.split()]
        environ = {"PATH": "/usr/bin:/bin", **self.home.environ, "TMPDIR": str(self.root / "tmp"), "LANG": "C.UTF-8"}
        if line not in FORKED:
            command = [sys.executable, "-P", "-m", "aicx", *words]
            return subprocess.run(
                command,
                cwd=self.root / "cwd",
                env=environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        done = Piped(words, environ, self.root / "cwd", **streams).to_end(timeout=300)
        return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())

    def outside(self) -> dict[str, bytes | None]:
        """Everything but the corpus and what was asked for: each file with its content, each folder with None."""
        found: dict[str, bytes | None] = {}
        for top in (self.home.root, self.home.work, self.root / "tmp", self.root / "cwd"):
            found |= dict.fromkeys(map(str, top.rglob("*"))) | {
                f"{top}/{name}": body for name, body in snapshot(top).items()
            }
        return found


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    home = Home(tmp_path_factory.mktemp("machine"))
    machine = Machine(home)
    for name in ("tmp", "cwd", "out"):
        (machine.root / name).mkdir()
    cwd = home.work / "orbit"
    cwd.mkdir(parents=True)
    (cwd / "lexer.py").write_text("def lex(text):\n    return text.split()\n")
    for arguments in (["init", "-q"], ["remote", "add", "origin", "git@x.org:ada/orbit.git"], ["add", "."]):
        subprocess.run(["git", *arguments], cwd=cwd, check=True)
    home.claude(ClaudeLog(SESSION, str(cwd)).prompt("Why does the lexer drop tokens?", 0).answer("A race.", 1))
    docs = CodexLog(OTHER, str(cwd)).prompt("Write the docs of the lexer", 60)
    home.codex(docs.answer("The docs of the lexer are written, and the index links to them.", 61))
    assert machine.run("store").returncode == 0
    return machine


def test_every_command_is_asked_here() -> None:
    assert {line.split()[0] for line in ASKED} == set(COMMANDS)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, marks=pytest.mark.needs(part)) if (part := NEEDING.get(line.split()[0])) else line
        for line in (*FORKED, *sample(STARTED, 4, ends=False))
    ],
)
def test_a_command_leaves_nothing_outside_its_home(machine: Machine, line: str) -> None:
    before = machine.outside()
    done = machine.run(line)
    assert done.returncode in ((0, 3) if line.startswith("forget") else (0,)), done.stderr
    assert machine.outside() == before
    assert _TALK.findall(done.stderr) == []


@pytest.mark.needs("models", "semantic", "bench")
@pytest.mark.filterwarnings("ignore")  # sentence-transformers' own, of the part that makes the tiny model
def test_nor_do_the_libraries_for_models_and_plots(machine: Machine, tmp_path: Path) -> None:
    home = Home(tmp_path)
    shutil.copytree(machine.home.root, home.root, dirs_exist_ok=True)
    for name in ("tmp", "cwd", "out"):
        (tmp_path / name).mkdir()
    home.work.mkdir()
    save_tiny_bert(tmp_path / "out" / "bert")
    clean = Machine(home)
    before = clean.outside()
    for line in WITH_MODELS:
        done = clean.run(line)
        assert done.returncode == 0, done.stderr
        assert _TALK.findall(done.stderr) == [], line
        assert clean.outside() == before, line


@pytest.mark.needs("semantic")
def test_a_process_started_after_tokenizers_were_used_is_started_in_silence(machine: Machine) -> None:
    code = (
        "import os; from aicx.config import library_environment; os.environ.update(library_environment());"
        "from tokenizers import Tokenizer, models; t = Tokenizer(models.WordLevel({'a': 0}, unk_token='a'));"
        "t.encode_batch(['a'] * 100);"
        "pid = os.fork(); t.encode_batch(['a']) if pid == 0 else os.waitpid(pid, 0); os._exit(0)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={"HOME": str(machine.home.root)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
