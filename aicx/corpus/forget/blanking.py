"""Removes forgotten text from one stored chunk: messages, title, and every field that repeats it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any

from aicx.corpus.catalog.fields import key_of_text
from aicx.corpus.files import FORGOTTEN, identity_of
from aicx.corpus.ingest.drafts import MESSAGE_TOKENS
from aicx.corpus.ingest.names import Naming, NamingMessage, name_chunk
from aicx.errors import CorpusDamaged
from aicx.regex import ExpressionSearch
from aicx.text import estimate_tokens
from aicx.titles import name_of_prompt, shorten_title
from aicx.values import dataclass

# What a chunk is and where it came from: kept, because the chunk could not be found or verified without it.
_IDENTITY = frozenset(
    {
        *("schema", "id", "project", "agent", "session_id", "stream", "date", "kind", "started_at", "completed_at"),
        *("content_sha256", "source", "more_sources", "duplicates", "redactions", "repo_source", "lane"),
        *("parent_session", "messages", "tokens", "forgotten"),
    }
)
_TITLES = ("title", "session_title", "topic")
# What was made of a chunk's own messages, and goes with the one it was made of.
_NAMES = ("title", "work", "prompt_key")
# Lists whose elements were mined from messages.
_MINED = ("highlights", "commands", "errors", "files")
TOOL_HEADING = re.compile(
    r"^(?P<at>### \d\d:\d\d:\d\d tool · )(?P<name>.+?)(?P<rest>(?: result| failed)?(?: \(\d+/\d+\))?(?: · repeated)?)$",
    re.MULTILINE,
)
FORGOTTEN_TEXT_KEY = key_of_text(FORGOTTEN)


@dataclass(frozen=True, slots=True)
class Targets:
    """The parts of one session's chunks that have to go."""

    keys: Collection[str] = frozenset()
    said: Collection[str] = frozenset()  # the typed texts among them, which titles and prompts repeat in any chunk
    pattern: ExpressionSearch | None = None

    def match(self, text: str) -> bool:
        return self.pattern is not None and self.pattern(text)

    def cover(self, line: str) -> bool:
        """Whether a title or prompt matches, or is how one of the texts begins."""
        return self.match(line) or any(_begins(text, line) for text in self.said)


def message_texts(markdown: bytes, fields: Mapping[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Each message of a chunk with its text. Raises CorpusDamaged when the spans do not fit the Markdown."""
    texts = []
    at = 0
    for message in fields.get("messages") or ():
        start, end = message["span"]
        if not at <= start <= end <= len(markdown):
            raise CorpusDamaged(f"{fields['id']}: the sidecar's spans do not fit the chunk", hint="aicx doctor")
        at = end
        texts.append((message, markdown[start:end].decode("utf-8", "replace")))
    return texts


def blank_chunk(markdown: bytes, fields: Mapping[str, Any], targets: Targets) -> tuple[bytes, dict[str, Any]] | None:
    """The chunk without what ``targets`` names: its messages blanked, its title and fields cleared of it.

    None where there is nothing of that in it.
    The sidecar is marked ``forgotten``, so that the chunk is never again written from a log.
    """
    texts = message_texts(markdown, fields)
    gone = _made_of_gone(fields, texts, targets)
    new_markdown, messages = _blank_markdown(markdown, texts, targets, is_gone="title" in gone)
    new = _clear_fields(fields, texts, targets, gone)
    new["messages"] = messages
    if new_markdown == markdown and new == fields:
        return None
    new["content_sha256"] = sha256(new_markdown).hexdigest()
    new["forgotten"] = True
    if new_markdown != markdown and "tokens" in new:
        bodies = [new_markdown[slice(*message["span"])] for message in messages]
        new["tokens"] = sum(estimate_tokens(body) + MESSAGE_TOKENS for body in bodies)
    return new_markdown, new


def _blank_markdown(
    markdown: bytes, texts: Sequence[tuple[dict[str, Any], str]], targets: Targets, *, is_gone: bool
) -> tuple[bytes, list[dict[str, Any]]]:
    parts: list[bytes] = []
    messages: list[dict[str, Any]] = []
    at = position = 0
    for message, _ in texts:
        start, end = message["span"]
        between = _clear_between(
            markdown[at:start].decode("utf-8", "replace"), targets, first=at == 0, is_gone=is_gone
        ).encode()
        body = markdown[start:end]
        new = dict(message)
        if message["key"] in targets.keys:
            body = FORGOTTEN.encode()
            new["text_key"] = FORGOTTEN_TEXT_KEY
        if facts := message.get("tool"):
            kept = identity_of(facts) if message["key"] in targets.keys else facts
            new["tool"] = {
                **_without(kept, targets),
                "name": FORGOTTEN if targets.match(kept["name"]) else kept["name"],
            }
        position += len(between)
        new["span"] = [position, position + len(body)]
        position += len(body)
        at = end
        messages.append(new)
        parts += (between, body)
    parts.append(
        markdown[at:]
        if texts
        else _clear_header(markdown.decode("utf-8", "replace"), targets, is_gone=is_gone).encode()
    )
    return b"".join(parts), messages


def _clear_between(text: str, targets: Targets, *, first: bool, is_gone: bool) -> str:
    """Returns the text before a message: the chunk's header where it is the first, and the message's own heading.

    ``is_gone`` says that the title was made of a message that goes.
    """

    def clear(heading: re.Match[str]) -> str:
        name = FORGOTTEN if targets.match(heading["name"]) else heading["name"]
        return f"{heading['at']}{name}{heading['rest']}"

    return TOOL_HEADING.sub(clear, _clear_header(text, targets, is_gone=is_gone) if first else text)


def _clear_header(text: str, targets: Targets, *, is_gone: bool) -> str:
    lines = text.split("\n")
    title = lines[0].removeprefix("# ")
    if is_gone or targets.cover(title):
        lines[0] = f"# {FORGOTTEN}"
    if len(lines) > 2:
        facts = lines[2].split(" · ")
        lines[2] = " · ".join(fact for fact in facts if not (fact[:7] == "branch " and targets.match(fact[7:])))
    return "\n".join(lines)


def _clear_fields(
    fields: Mapping[str, Any], texts: Sequence[tuple[dict[str, Any], str]], targets: Targets, renamed: Collection[str]
) -> dict[str, Any]:
    gone = " ".join(" ".join(text.split()) for message, text in texts if message["key"] in targets.keys)
    left = " ".join(" ".join(text.split()) for message, text in texts if message["key"] not in targets.keys)
    new: dict[str, Any] = {}
    for name, value in fields.items():
        if name in _IDENTITY:
            new[name] = value
        elif name in renamed:
            if name == "title":
                new[name] = FORGOTTEN
        elif name in _TITLES:
            new[name] = FORGOTTEN if targets.cover(str(value)) else value
        elif name == "prompt":
            if not targets.cover(str(value)):
                new[name] = value
        elif name == "tools" and isinstance(value, dict):
            new[name] = _clear_tools(value, targets)
        else:
            kept = _without(value, targets)
            if name in _MINED and isinstance(kept, list):
                kept = [item for item in kept if not _only_in(str(item), gone, left)]
            if kept is not None and (kept or not value):
                new[name] = kept
    return new


def _made_of_gone(fields: Mapping[str, Any], texts: Sequence[tuple[dict[str, Any], str]], targets: Targets) -> set[str]:
    """Which names of a chunk were made of a message that goes: those that its other messages do not give."""
    if not any(message["key"] in targets.keys for message, _ in texts):
        return set()
    left = [
        NamingMessage.stored(message, FORGOTTEN if message["key"] in targets.keys else text)
        for message, text in texts
        if not message.get("repeated")
    ]
    made, _ = name_chunk(left, None, Naming())
    if fields.get("title") == fields.get("topic"):
        made["title"] = fields.get("topic")  # made elsewhere, and judged as that
    return {name for name in _NAMES if fields.get(name) is not None and fields[name] != made.get(name)}


def _clear_tools(tools: Mapping[str, Any], targets: Targets) -> dict[str, Any]:
    counts: dict[str, Any] = {}
    for name, count in tools.items():
        kept = FORGOTTEN if targets.match(name) else name
        counts[kept] = counts.get(kept, 0) + count
    return counts


def _without(value: Any, targets: Targets) -> Any:
    """``value`` without the strings that match, at any depth; None when nothing of a string is left."""
    if isinstance(value, str):
        return None if targets.match(value) else value
    if isinstance(value, list):
        return [kept for item in value if (kept := _without(item, targets)) is not None or item is None]
    if isinstance(value, dict):
        return {name: _without(item, targets) for name, item in value.items() if not targets.match(name)}
    return value


def _begins(text: str, line: str) -> bool:
    if line.endswith("…"):
        return " ".join(text.split()).startswith(line[:-1]) or line in _names(text)
    return line in (" ".join(text.split()), *_names(text))


def _names(text: str) -> list[str]:
    """Returns the titles that are made of a text, now and in earlier versions."""
    name = name_of_prompt(text)
    return [shorten_title(text), *([name.text] if name else ())]


def _only_in(mined: str, gone: str, left: str) -> bool:
    """Whether a mined line was said in a forgotten message and in none that stays."""
    line = mined.removesuffix("…")
    return line in gone and line not in left
