"""Nothing is lost: `python -m benchmarks.conservation --home FOLDER` stores a home and looks for every text again.

For every session, each human prompt and each assistant text is taken from the raw log by the simplest reading there
is (this file shares no code with the sources), redacted, and looked for in the stored chunks: in that session, once, or
as a recorded duplicate. What is left over is printed, and anything without an explanation makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aicx.redaction import redact
from benchmarks.store import aicx, environment_for, scratch

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_CLIENT_MARKUP = re.compile(
    r"\s*(?:<(?:command-name|command-message|command-args|local-command-\w+|bash-\w+|task-notification|system-reminder|"
    r"ide_\w+|user-prompt-submit-hook)\b|\[Request interrupted|Caveat: The messages below)"
)
_CODEX_SCAFFOLDING = re.compile(
    r"\s*(?:# AGENTS\.md instructions|<environment_context>|<user_instructions>|<permissions|<skill|<turn_aborted|"
    r"<collaboration_mode|<personality|<app-context|<plugins|<apps_instructions|<model_switch|<INSTRUCTIONS>)"
)
_TAGS = re.compile(r"<(system-reminder|ide_\w+)>.*?</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Said:
    """One text a human or agent said, as the raw log has it."""

    agent: str
    session_id: str
    role: str
    text: str
    path: str
    start: int


def claude_texts(home: Path) -> Iterator[Said]:
    for path in sorted((home / ".claude" / "projects").glob("*/*.jsonl")):
        for start, record in _records(path):
            message = record.get("message")
            if record.get("type") not in ("user", "assistant") or not isinstance(message, dict):
                continue
            role = record["type"]
            if record.get("isMeta") or record.get("isCompactSummary") or message.get("model") == "<synthetic>":
                continue
            match = _UUID.search(path.stem)
            session = match.group() if match else record.get("sessionId") or path.stem
            content = message.get("content")
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
            if role == "user" and any(block.get("type") == "tool_result" for block in blocks):
                continue
            for block in blocks:
                text = block.get("text") if block.get("type") == "text" else None
                if text and not (role == "user" and _CLIENT_MARKUP.match(text)):
                    yield Said("claude", session, role, _TAGS.sub("", text), str(path), start)


def codex_texts(home: Path) -> Iterator[Said]:
    for path in sorted((home / ".codex" / "sessions").rglob("*.jsonl")):
        match = _UUID.search(path.stem)
        records = list(_records(path))
        clean = any(record.get("payload", {}).get("type") == "user_message" for _, record in records)
        for start, record in records:
            payload = record.get("payload") or {}
            session = match.group() if match else path.stem
            if record.get("type") == "event_msg" and payload.get("type") == "user_message":
                yield Said("codex", session, "user", payload.get("message") or "", str(path), start)
            if record.get("type") != "response_item" or payload.get("type") != "message":
                continue
            text = "\n".join(part.get("text", "") for part in payload.get("content") or [])
            if payload.get("role") == "assistant":
                yield Said("codex", session, "assistant", text, str(path), start)
            elif payload.get("role") == "user" and not clean and not _CODEX_SCAFFOLDING.match(text):
                yield Said("codex", session, "user", text, str(path), start)


def gemini_texts(home: Path) -> Iterator[Said]:
    for path in sorted((home / ".gemini" / "tmp").glob("*/chats/*.json")):
        log = json.loads(path.read_text())
        for index, message in enumerate(log.get("messages", [])):
            role = {"user": "user", "gemini": "assistant"}.get(message.get("type"))
            if role and isinstance(message.get("content"), str):
                yield Said("gemini", log["sessionId"], role, message["content"], str(path), index)


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    decoder = json.JSONDecoder()
    start = 0
    for line in path.read_bytes().splitlines(keepends=True):
        text = line.decode("utf-8", "replace").strip()
        while text:
            try:
                value, end = decoder.raw_decode(text)
            except ValueError:
                break
            if isinstance(value, dict):
                yield start, value
            text = text[end:].strip()
        start += len(line)


@dataclass(slots=True)
class Corpus:
    """What is stored, by session: whole message texts, and the recorded copies by log and position."""

    texts: dict[tuple[str, str], Counter[str]]
    joined: dict[tuple[str, str], str]
    copies: set[tuple[str, int]]


def read_corpus(home: Path) -> Corpus:
    parts: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    copies: set[tuple[str, int]] = set()
    for path in sorted(home.rglob("*.meta.json")):
        sidecar = json.loads(path.read_bytes())
        markdown = path.with_name(path.name.replace(".meta.json", ".md")).read_bytes()
        copies.update((copy["path"], copy["span"][0]) for copy in sidecar.get("duplicates", ()))
        for message in sidecar["messages"]:
            if not message.get("repeated"):
                low, high = message["span"]
                session = (sidecar["agent"], sidecar["session_id"])
                parts[session][message["key"]].append(markdown[low:high].decode())
    texts = {
        session: Counter(_plain("".join(pieces)) for pieces in messages.values()) for session, messages in parts.items()
    }
    joined = {session: "\0".join(counts) for session, counts in texts.items()}
    return Corpus(texts, joined, copies)


def _plain(text: str) -> str:
    return "".join(text.split())


def check(said: Iterator[Said], corpus: Corpus) -> tuple[dict[tuple[str, str], Counter[str]], list[Said]]:
    outcome: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    lost: list[Said] = []
    items = [(item, _plain(redact(item.text).text)) for item in said]
    times = Counter(
        (item.agent, item.session_id, text) for item, text in items if (item.path, item.start) not in corpus.copies
    )
    for item, text in items:
        session = (item.agent, item.session_id)
        found = corpus.texts.get(session, Counter())
        if not text:
            verdict = "empty"
        elif (item.path, item.start) in corpus.copies:
            verdict = "recorded duplicate"
        elif found[text] == 1 and times[item.agent, item.session_id, text] == 1:
            verdict = "once"
        elif found[text] > 1 and found[text] == times[item.agent, item.session_id, text]:
            verdict = "said and stored several times"
        elif text in corpus.joined.get(session, ""):
            verdict = "inside a joined message"
        else:
            verdict = "UNEXPLAINED"
            lost.append(item)
        outcome[item.agent, item.role][verdict] += 1
    return outcome, lost


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    home = parser.parse_args().home
    with scratch() as folder:
        subprocess.run(aicx("store"), env=environment_for(home, folder), check=True)
        corpus = read_corpus(folder)
    lost: list[Said] = []
    for texts in (claude_texts, codex_texts, gemini_texts):
        outcome, missing = check(texts(home), corpus)
        lost += missing
        for (agent, role), counts in sorted(outcome.items()):
            print(
                f"{agent:<8} {role:<10} {sum(counts.values()):>6}  "
                + ", ".join(f"{k} {v}" for k, v in counts.most_common())
            )
    print(f"unexplained: {len(lost)}")
    for item in lost[:20]:
        print(f"  {item.agent} {item.session_id} {item.role} {item.path}@{item.start}: {item.text[:160]!r}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
