"""Plants made-up secrets in every place that takes a text, and looks where they can be read afterwards.

``python -m benchmarks.attack secrets`` plants one of each kind in each place, and counts those that are readable.
"""

from __future__ import annotations

import json
import random
import string
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from zlib import crc32

from benchmarks.attack import Counts
from benchmarks.attack.histories import World

_SIGNS = string.ascii_letters + string.digits
# What a secret looks like where any text may stand, and where only one word may: a name of a file, a branch, an id.
WORDS: Mapping[str, str] = {
    "github token": "ghp_{36}",
    "api key": "sk-ant-api03-{40}",
    "slack token": "xoxb-123456789012-{24}",
    "gitlab token": "glpat-{20}",
    "stripe key": "sk_live_{24}",
}
SENTENCES: Mapping[str, str] = {
    "login of curl": "curl -su ada:Kx9{17} https://example.com",
    "password": "password = Kx9{17}",
}
Plant = Callable[[World, str], object]


def _number(text: str) -> str:
    """A number that is the same for the same text, to tell what is planted apart."""
    return str(crc32(text.encode()))


def _given(*words: str) -> Plant:
    """A command with the secret in the place of ``{}``."""
    return lambda world, text: world.aicx(*(word.replace("{}", text) for word in words))


def _update(option: str) -> Plant:
    return _given("task", "update", option, "{}")


def _finalize(*words: str) -> Plant:
    base = ("finalize", "--status", "failure", "--agent-id", "claude", "--session-id", "s-of-{}")
    return lambda world, text: _given(*(one.replace("{}", _number(text)) for one in base), *words)(world, text)


def _record(*words: str) -> Plant:
    """A further record of the memory, with the secret in one of its fields."""

    def plant(world: World, text: str) -> None:
        ref = world.fields("memory", "put", f"Rule {_number(text + str(words))} holds")["entry"]["ref"]
        world.aicx(*(word.replace("{}", text).replace("REF", ref) for word in words))

    return plant


def _process(*words: str) -> Plant:
    return lambda world, text: world.process(*(word.replace("{}", text) for word in words))


def _hook(name: str) -> Plant:
    def plant(world: World, text: str) -> None:
        said = {"session_id": "5e6f7081-1", "cwd": str(world.repo), "source": "startup", "trigger": "manual"}
        for event in ("session-start", "pre-compact"):
            world.process("hook", event, "--agent", "claude", given=json.dumps({**said, name: text}))

    return plant


def _file(path: str, body: str) -> Plant:
    """A file of the repository, and then a map of it and a start in it."""

    def plant(world: World, text: str) -> None:
        file = world.repo / path.replace("{}", text)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body.replace("{}", text))
        world.git("add", "-A")
        world.aicx("map", "refresh")
        world.aicx("map", "query", "export")
        world.aicx("prepare", "--agent-id", "codex", "--session-id", f"f-{_number(text)}", "--task", "export")

    return plant


def _git(*words: str) -> Plant:
    def plant(world: World, text: str) -> None:
        world.git(*(word.replace("{}", text) for word in words))
        world.aicx("task", "start", f"Goal {_number(text)}")
        world.aicx("prepare", "--agent-id", "codex", "--session-id", f"g-{_number(text)}")
        world.aicx("task", "close", "--status", "paused")
        world.git("checkout", "-q", "main")

    return plant


def _note(world: World, text: str) -> None:
    """A line that a person writes into a note, which the next writing takes along."""
    for path in world.repo.glob(".aicx/**/*.md"):
        path.write_text(path.read_text() + f"\n## Mine\n\n{text}\n")
        world.aicx("continuity", "save")
        path.write_text(path.read_text().replace(text, ""))  # a person's own file is as the person wrote it


def _object(*words: str) -> Plant:
    def plant(world: World, text: str) -> None:
        file = world.folder / "given.txt"
        file.write_text(f"A text about {text}\n")
        world.aicx("cas", "put", str(file), *(word.replace("{}", text) for word in words))

    return plant


def _environment(name: str) -> Plant:
    def plant(world: World, text: str) -> None:
        world.extra[name] = text
        for words in (
            ("prepare",),
            ("sessions", "open", "--force"),
            ("finalize", "--status", "success", "--summary", "x"),
        ):
            world.aicx(*words)
        del world.extra[name]

    return plant


def _log(name: str) -> Plant:
    def plant(world: World, text: str) -> None:
        session = f"6f708192-{_number(name + text)}"
        record = {
            "type": "user", "uuid": f"u-{session}", "timestamp": "2026-03-01T12:00:00.000Z", "cwd": str(world.repo),
            "gitBranch": "main", "sessionId": session, "isSidechain": False,
            "message": {"role": "user", "content": f"Decision: we keep the export because {session} needs it"},
        }  # fmt: skip
        if name == "content":
            record["message"] = {"role": "user", "content": f"Fix it with {text}"}
        else:
            record[name] = f"/srv/{text}" if name == "cwd" else text
        path = world.folder / f"user/.claude/projects/x/{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record) + "\n")
        world.aicx("store")

    return plant


_MEMORY_OPTIONS = {
    "--topic": "{}",
    "--detail": "{}",
    "--evidence": "file:{}",
    "--claim": "key={}",
    "--tag": "{}",
    "--by": "{}",
}
_UPDATES = (
    *("--next", "--hypothesis", "--goal", "--title", "--verified", "--unverified", "--discarded", "--uncertainty"),
    *("--command", "--risk", "--source", "--evidence", "--drop"),
)
# By a name for each: what takes any text.
SENTENCE_PLACES: Mapping[str, Plant] = {
    "task start": _given("task", "start", "{}"),
    "task start --next": _given("task", "start", "Fix it", "--next", "{}"),
    "task start --hypothesis": _given("task", "start", "Fix that", "--hypothesis", "{}"),
    **{f"task update {option}": _update(option) for option in _UPDATES},
    "task update --json-patch": lambda world, text: world.aicx(
        "task", "update", "--json-patch", json.dumps({"questions": [text], "claims": [text], "blocked": [text]})
    ),
    "task close --note": _given("task", "close", "--status", "paused", "--note", "{}"),
    "prepare --task": _given("prepare", "--task", "{}", "--agent-id", "claude"),
    "resume --task": _given("resume", "--record", "--task", "{}"),
    "run --task": _process("run", "--task", "{}", "--", "true"),
    "run COMMAND": _process("run", "--", "echo", "{}"),
    "finalize --summary": _finalize("--summary", "{}"),
    "finalize --task": _finalize("--summary", "x", "--task", "{}"),
    "finalize --decision": _finalize("--summary", "x", "--decision", "{}"),
    "finalize --decision because": _finalize("--summary", "x", "--decision", "Keep {} because it is right"),
    "finalize --next": _finalize("--summary", "x", "--next", "{}"),
    "finalize --error": _finalize("--summary", "x", "--error", "src/a.py:3: error: {} is wrong"),
    "finalize --commands-executed": _finalize("--summary", "x", "--commands-executed", "{}"),
    "finalize --tests-executed": _finalize("--summary", "x", "--tests-executed", "{}"),
    "memory put": _given("memory", "put", "{}"),
    **{
        f"memory put {option}": _given("memory", "put", f"Rule of {option} holds", option, value)
        for option, value in _MEMORY_OPTIONS.items()
    },
    "memory edit --statement": _record("memory", "edit", "REF", "--statement", "{}"),
    "memory edit --detail": _record("memory", "edit", "REF", "--detail", "{}"),
    "memory accept --why": _record("memory", "accept", "REF", "--by", "Ada", "--yes", "--why", "{}"),
    "memory reject --why": _record("memory", "reject", "REF", "--by", "Ada", "--why", "{}"),
    "memory hold --why": _record("memory", "hold", "REF", "--why", "{}"),
    "memory hold --by": _record("memory", "hold", "REF", "--by", "{}"),
    "memory validate --method": _record("memory", "validate", "REF", "--result", "pass", "--method", "{}"),
    "memory validate --evidence": _record("memory", "validate", "REF", "--result", "pass", "--evidence", "{}"),
    "review reject --why": _record("review", "reject", "REF", "--why", "{}"),
    "memory recall": _given("memory", "recall", "{}"),
    "search": _given("search", "{}"),
    "sessions search": _given("sessions", "search", "{}"),
    "map query": _given("map", "query", "{}"),
    "why": _given("why", "{}"),
    "pack task --focus-query": _given("pack", "task", "--focus-query", "{}"),
    "pack family --focus-query": _given("pack", "family", "--focus-query", "{}"),
    "cas put": _object(),
    "cas put --tag": _object("--tag", "{}"),
    "a note": _note,
    "a message": _log("content"),
    "a commit": _git("commit", "--allow-empty", "-q", "-m", "{}"),
    "a heading": _file("docs/about.md", "# {}\n\nThe export.\n"),
    "an instruction file": _file("AGENTS.md", "- Always {} before the export.\n"),
    "forget --pattern": _given("forget", "--pattern", "{}", "--yes"),
}
# What takes one word alone.
WORD_PLACES: Mapping[str, Plant] = {
    "prepare --agent-id": _given("prepare", "--agent-id", "{}"),
    "prepare --session-id": _given("prepare", "--agent-id", "claude", "--session-id", "{}"),
    "resume --agent-id": _given("resume", "--record", "--agent-id", "{}"),
    "boot --session-id": _given("boot", "--agent-id", "claude", "--session-id", "{}"),
    "finalize --agent-id": _given("finalize", "--status", "success", "--summary", "x", "--agent-id", "{}"),
    "finalize --session-id": _given(
        "finalize", "--status", "success", "--summary", "x", "--agent-id", "claude", "--session-id", "{}"
    ),
    "finalize --files-opened": _finalize("--summary", "x", "--files-opened", "src/{}.py"),
    "finalize --files-edited": _finalize("--summary", "x", "--files-edited", "src/{}.py"),
    "task start --file": _given("task", "start", "Fix its file", "--file", "src/{}.py"),
    "task update --file": _given("task", "update", "--file", "src/{}.py"),
    "run --agent-id": _process("run", "--agent-id", "{}", "--", "true"),
    "memory put --name": _given("memory", "put", "Named rules hold", "--name", "{}"),
    "memory put --anchor": _given("memory", "put", "Anchored rules hold", "--anchor", "{}.py"),
    "memory accept --by": _record("memory", "accept", "REF", "--by", "{}", "--yes"),
    "review approve --by": _record("review", "approve", "REF", "--by", "{}"),
    "sessions open --session": _given("sessions", "open", "--agent", "claude", "--force", "--session", "{}"),
    "sessions open --agent": _given("sessions", "open", "--force", "--agent", "{}"),
    "sessions open --continues": _given("sessions", "open", "--agent", "codex", "--force", "--continues", "{}"),
    "sessions link": _given("sessions", "link", "claude:{}", "codex:{}"),
    "sessions close": _given("sessions", "close", "--session", "{}"),
    "projects assign": _given("projects", "assign", "/srv/{}", "acme/widgets"),
    "projects assign NAME": _given("projects", "assign", "/srv/x", "acme/{}"),
    "AICX_SESSION_ID": _environment("AICX_SESSION_ID"),
    "CLAUDE_CODE_SESSION_ID": _environment("CLAUDE_CODE_SESSION_ID"),
    "TERM_SESSION_ID": _environment("TERM_SESSION_ID"),
    "a hook's session": _hook("session_id"),
    "a hook's log": _hook("transcript_path"),
    "a hook's trigger": _hook("trigger"),
    "the session of a log": _log("sessionId"),
    "the branch of a log": _log("gitBranch"),
    "the folder of a log": _log("cwd"),
    "the id of a record": _log("uuid"),
    "a branch": _git("checkout", "-q", "-b", "fix/{}"),
    "a tag": _git("tag", "{}"),
    "the name of a file": _file("src/{}.py", "def export():\n    pass\n"),
    "the name of a folder": _file("lib-{}/reader.py", "def export():\n    pass\n"),
    "a name in code": _file("src/names.py", "def export_{}():\n    pass\n"),
}
# What is asked afterwards; no answer may have a secret.
_ASKED = (
    "resume", "resume --json", "boot --json", "next", "prepare --dry-run --json --agent-id codex",
    "continuity load", "continuity status --json", "task status --json", "task list --all --json",
    "task handoffs --json", "memory list --json", "memory stats --json", "review candidates --json",
    "sessions --json", "sessions stats --json", "failures --json", "pack task --json", "pack family --json",
    "cas list --json", "state --json", "doctor --json", "projects list --json", "map status --json",
    "map query export --json", "usage --json", "steer --json", "list --json", "refs --json",
)  # fmt: skip


def attack(kinds: Sequence[str] = (*WORDS, *SENTENCES), folder: Path | None = None) -> Mapping[str, Counts]:
    """Plants secrets of these kinds in a home of its own: those that are readable, and the commands that failed."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        world, planted = plant_all(Path(made), kinds)
        found = readable(world, planted)
    seen = tuple(f"in {where}: {', '.join(names)}" for where, names in sorted(found.items()))
    places = len({**SENTENCE_PLACES, **WORD_PLACES})
    return {
        f"secrets of {len(kinds)} kinds in {places} places": Counts(len(planted), seen),
        "commands": Counts(len(world.ran), tuple(world.failed())),
    }


def plant_all(folder: Path, kinds: Sequence[str], only: Collection[str] = ()) -> tuple[World, dict[str, str]]:
    """A world with the secrets in it, by a name for each.

    ``only`` names places, where not all are meant.
    """
    world, chance = World(folder / "w", "narwhal"), random.Random(7)
    world.begin()
    for words in (("store",), ("task", "start", "Fix the export"), ("continuity", "save")):
        world.aicx(*words)
    planted: dict[str, str] = {}
    for kind in kinds:
        shape = {**WORDS, **SENTENCES}[kind]
        places = {**SENTENCE_PLACES, **(WORD_PLACES if kind in WORDS else {})}
        for place, plant in places.items():
            if only and place not in only:
                continue
            size = shape[shape.index("{") + 1 : shape.index("}")]
            random_part = "".join(chance.choices(_SIGNS, k=int(size)))
            text = shape.replace(f"{{{size}}}", random_part)
            planted[f"{kind} in {place}"] = random_part
            plant(world, text)
        planted[f"{kind} in failures parse"] = random_part = "".join(chance.choices(_SIGNS, k=int(size)))
        text = shape.replace(f"{{{size}}}", random_part)
        output = f"src/a.py:3: error: Name {text} is not defined  [name-defined]\nE   AssertionError: {text}\n"
        world.parsed.append(world.process("failures", "parse", "--json", given=output))
    return world, planted


def readable(world: World, planted: Mapping[str, str]) -> dict[str, list[str]]:
    """Where secrets can be read: in files below the home and in the repository's ``.aicx``, and in answers."""
    found: dict[str, list[str]] = {}
    for where, body in _bodies(world):
        # A name that was cut off shows the beginning of a secret, and an index folds letters to small ones.
        low = body.lower()
        if names := [name for name, secret in planted.items() if secret[:14].lower().encode() in low]:
            found[where] = names
    return found


def _bodies(world: World) -> Iterator[tuple[str, bytes]]:
    for top in (world.home, world.repo / ".aicx"):
        for path in sorted(top.rglob("*")):
            name = str(path.relative_to(world.folder))
            yield f"the name {name}", path.name.encode()
            if path.is_file():
                yield name, path.read_bytes()
    yield "failures parse", "".join(world.parsed).encode()
    for words in _ASKED:
        yield f"$ aicx {words}", world.aicx(*words.split())[1].encode()
