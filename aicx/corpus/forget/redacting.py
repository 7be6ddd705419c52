"""Redacts stored chunks by the rules of today, a session at a time. Pure: chunks as read in, chunks to write out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from aicx.corpus.catalog.fields import key_of_text
from aicx.corpus.files import Sidecar
from aicx.corpus.forget.blanking import TOOL_HEADING, message_texts
from aicx.corpus.ingest.drafts import MESSAGE_TOKENS
from aicx.corpus.ingest.names import NAMES, UNTITLED, Naming, NamingMessage, name_chunk
from aicx.sources.items import Redact, clean_id, clean_project
from aicx.text import estimate_tokens
from aicx.values import dataclass

_MARK = re.compile(r"(\[REDACTED:[a-z0-9-]+\])")
# What is made of hashes, numbers and words of ours, where a rule could only be wrong.
_OURS = frozenset(
    {
        *("schema", "id", "project", "session_id", "parent_session", "duplicates", "content_sha256"),
        *("messages", "tokens", "redactions"),
    }
)
# A shorter secret that was found in a message is not looked for elsewhere: too many words would begin with it.
_MIN = 6


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as it was read, or as it has to be: its path below the home, its Markdown and its sidecar's fields."""

    path: str
    markdown: bytes
    fields: dict[str, Any]


def redact_session(
    chunks: Sequence[ChunkText], redact: Redact
) -> tuple[list[tuple[ChunkText, ChunkText]], Counter[str], Counter[str]]:
    """The chunks of one session that hold a secret, as they are and as they have to be.

    All chunks of it have to be given, in order. Also how many secrets were found by rule: in messages, each counted
    once, and in names and other fields of chunks.

    Raises CorpusDamaged for spans that do not fit their Markdown.
    """
    in_texts, in_names = Counter[str](), Counter[str]()
    texts = _Texts(chunks, redact)
    names = _NameRedactor(redact, texts.removed, in_names)
    taken = {chunk.fields["id"] for chunk in chunks}
    cleaned = []
    naming = Naming()
    for chunk in chunks:
        # Names are made anew: put together from lines, they may hold a part of a secret that no rule sees.
        made: dict[str, Any] = {}
        if texts.removed and "topic_from" in chunk.fields:
            made, naming = _names_made(chunk, texts, names, naming)
        markdown, messages, counts = _redact_markdown(
            chunk, texts, names, (made["title"] or UNTITLED) if made else None
        )
        fields = {**_redact_fields(chunk.fields, names), "messages": messages, **made}
        fields = {name: value for name, value in fields.items() if value is not None or name not in made}
        in_texts += counts
        path = chunk.path
        if fields["session_id"] != chunk.fields["session_id"]:
            fields["id"] = _free_id(fields, taken)
            taken.add(fields["id"])
        if fields["session_id"] != chunk.fields["session_id"] or fields["project"] != chunk.fields["project"]:
            path = f"{Sidecar(fields).stem}.md"
        if markdown == chunk.markdown and fields == chunk.fields and not counts:
            continue
        if markdown != chunk.markdown:
            fields["content_sha256"] = sha256(markdown).hexdigest()
            bodies = (markdown[slice(*message["span"])] for message in messages)
            fields["tokens"] = sum(estimate_tokens(body) + MESSAGE_TOKENS for body in bodies)
        if counts:
            fields["redactions"] = dict(sorted((Counter(fields.get("redactions") or {}) + counts).items()))
        cleaned.append((chunk, ChunkText(path, markdown, fields)))
    return cleaned, in_texts, in_names


def redact_value(value: Any, redact: Redact) -> Any:
    """``value`` of a JSON file with every text in it redacted."""
    return _NameRedactor(redact, {}, Counter()).value(value)


class _Texts:
    """The messages of a session, redacted as wholes: one that was cut into parts is put together for it."""

    def __init__(self, chunks: Iterable[ChunkText], redact: Redact) -> None:
        self.removed: dict[str, str] = {}  # secret -> mark
        self._new: dict[tuple[str, int, str], str] = {}  # (message, part, text) -> redacted text
        self._keys: dict[tuple[str, str], str] = {}  # (message, text key) -> that of the redacted text
        self._counts: dict[str, Counter[str]] = {}
        whole: dict[str, dict[int, str]] = {}
        for chunk in chunks:
            for message, text in message_texts(chunk.markdown, chunk.fields):
                if not message.get("repeated") or message["key"] not in whole:
                    whole.setdefault(message["key"], {})[(message.get("part") or [1])[0]] = text
                self._keys.setdefault((message["key"], message["text_key"]), message["text_key"])
        for key, parts in whole.items():
            self._redact(key, dict(sorted(parts.items())), redact)

    def _redact(self, key: str, parts: dict[int, str], redact: Redact) -> None:
        text = "".join(parts.values())
        found = redact(text)
        if not found.counts:
            return
        spans = _replaced(text, found.text)
        self._counts[key] = Counter(found.counts)
        for start, end, mark in spans:
            if len(secret := text[start:end].strip()) >= _MIN:
                self.removed[secret] = self.removed[" ".join(secret.split())] = mark
        if (key, old := key_of_text(text)) in self._keys:
            self._keys[key, old] = key_of_text(found.text)
        at = 0
        for number, part in parts.items():
            first, last = _moved(at, spans), _moved(at + len(part), spans)
            self._new[key, number, part] = found.text[first:last]
            at += len(part)

    def body(self, message: Mapping[str, Any], text: str) -> str:
        return self._new.get((message["key"], (message.get("part") or [1])[0], text), text)

    def key(self, message: Mapping[str, Any]) -> str:
        return self._keys[message["key"], message["text_key"]]

    def counts(self, message: Mapping[str, Any]) -> Counter[str]:
        """Counts the secrets in a message that begins here, none elsewhere."""
        begins = not message.get("repeated") and (message.get("part") or [1])[0] == 1
        return self._counts.get(message["key"], Counter()) if begins else Counter()


class _NameRedactor:
    """Redacts short texts: by the rules, and of what was found in messages, which titles and commands repeat."""

    def __init__(self, redact: Redact, removed: Mapping[str, str], counts: Counter[str]) -> None:
        self._redact = redact
        self._removed = sorted(removed.items(), key=lambda pair: (-len(pair[0]), pair[0]))
        self._counts = counts

    def text(self, text: str) -> str:
        for secret, mark in self._removed:
            if secret in text:
                self._counts[mark[10:-1]] += text.count(secret)
                text = text.replace(secret, mark)
            elif text.endswith("…"):
                text = self._without_beginning(text, secret, mark)
        found = self._redact(text)
        self._counts.update(found.counts)
        return found.text

    def _without_beginning(self, text: str, secret: str, mark: str) -> str:
        """``text`` without the beginning of a secret with which it was cut off."""
        for length in range(min(len(secret), len(text)) - 1, _MIN - 1, -1):
            if text[:-1].endswith(secret[:length]):
                self._counts[mark[10:-1]] += 1
                return f"{text[: -1 - length]}{mark}…"
        return text

    def id(self, text: str) -> str:
        self._counts.update(self._redact(text).counts)
        return clean_id(text, self._redact)

    def project(self, text: str) -> str:
        return clean_project(text, self._redact)

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            new: dict[str, Any] = {}
            for name, item in value.items():
                kept, item = self.text(name), self.project(item) if name == "project" and item else self.value(item)
                # Two tools that differ in a secret are one.
                new[kept] = new[kept] + item if kept in new and isinstance(item, int) else item
            return new
        return value


def _redact_markdown(
    chunk: ChunkText, texts: _Texts, names: _NameRedactor, title: str | None
) -> tuple[bytes, list[dict[str, Any]], Counter[str]]:
    markdown = chunk.markdown
    parts: list[bytes] = []
    messages: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    at = position = 0

    def between(end: int) -> bytes:
        text = markdown[at:end].decode("utf-8", "surrogateescape")
        text = _redact_header(text, chunk.fields, names, title) if at == 0 else text
        return TOOL_HEADING.sub(lambda found: found["at"] + names.text(found["name"]) + found["rest"], text).encode(
            "utf-8", "surrogateescape"
        )

    for message, text in message_texts(markdown, chunk.fields):
        start, end = message["span"]
        new = texts.body(message, text)
        body = markdown[start:end] if new == text else new.encode("utf-8", "replace")
        before = between(start)
        position += len(before)
        messages.append(
            {**message, "span": [position, position + len(body)], "text_key": texts.key(message)}
            | ({"tool": _redact_facts(message["tool"], names)} if message.get("tool") else {})
        )
        counts += texts.counts(message)
        position += len(body)
        at = end
        parts += (before, body)
    parts.append(between(len(markdown)))
    return b"".join(parts), messages, counts


def _names_made(chunk: ChunkText, texts: _Texts, names: _NameRedactor, before: Naming) -> tuple[dict[str, Any], Naming]:
    """Names a chunk and its session by its redacted texts, and returns the naming as known behind it."""
    fields = chunk.fields
    given = names.text(fields["topic"]) if fields["topic_from"] == "agent" else None
    said = [
        NamingMessage.stored(
            {**message, "tool": _redact_facts(message["tool"], names) if message.get("tool") else None},
            texts.body(message, text),
        )
        for message, text in message_texts(chunk.markdown, fields)
        if not message.get("repeated") and (message.get("part") or [1])[0] == 1
    ]
    made, behind = name_chunk(said, given, before)
    return {name: made.get(name) for name in (*made, *(NAMES & fields.keys()))}, behind


def _redact_facts(facts: Mapping[str, Any], names: _NameRedactor) -> dict[str, Any]:
    call_id = {"call_id": names.id(facts["call_id"])} if "call_id" in facts else {}
    return {name: value if name == "call_id" else names.value(value) for name, value in facts.items()} | call_id


def _redact_header(text: str, fields: Mapping[str, Any], names: _NameRedactor, title: str | None) -> str:
    """The title, and the line of facts below it, of which only the branch and the session are from a log."""
    lines = text.split("\n")
    lines[0] = f"# {title or names.text(lines[0].removeprefix('# '))}"
    if len(lines) > 2:
        facts = []
        for fact in lines[2].split(" · "):
            if fact == f"session {fields['session_id']}":
                fact = f"session {names.id(fields['session_id'])}"
            facts.append(names.project(fact) if fact == fields["project"] else names.text(fact))
        lines[2] = " · ".join(facts)
    return "\n".join(lines)


def _redact_fields(fields: Mapping[str, Any], names: _NameRedactor) -> dict[str, Any]:
    new = {name: value if name in _OURS else names.value(value) for name, value in fields.items()}
    new["session_id"] = names.id(fields["session_id"])
    new["project"] = names.project(fields["project"])
    if new.get("parent_session"):
        new["parent_session"] = names.id(fields["parent_session"])
    if fields.get("duplicates"):
        new["duplicates"] = [
            {**copy, "path": names.text(copy["path"]), "session_id": names.id(copy["session_id"])}
            for copy in fields["duplicates"]
        ]
    return new


def _free_id(fields: Mapping[str, Any], taken: Collection[str]) -> str:
    """The id of a chunk whose session has another name now, under which later chunks may be stored already."""
    stream = f"~{fields['stream']}" if fields.get("stream") else ""
    session = f"{fields['agent']}:{fields['session_id'].replace('~', '~~')}{stream}"
    number = int(str(fields["id"]).rpartition(":")[2])
    while (free := f"{session}:{number:03d}") in taken:
        number += 1
    return free


def _replaced(old: str, new: str) -> list[tuple[int, int, str]]:
    """Which spans of ``old`` became which marks in ``new``, in order.

    Where a text between two marks also occurs inside a secret, a span may end early and the last one reach too far.
    """
    pieces = _MARK.split(new)
    spans: list[tuple[int, int, str]] = []
    at = len(pieces[0])
    for position in range(1, len(pieces), 2):
        mark, following = pieces[position], pieces[position + 1]
        if old.startswith(mark + following, at):  # it was there before
            at += len(mark) + len(following)
            continue
        last = position == len(pieces) - 2
        end = len(old) - len(following) if last else max(old.find(following, at + 1), at)
        spans.append((at, end, mark))
        at = end + len(following)
    return spans


def _moved(at: int, spans: Iterable[tuple[int, int, str]]) -> int:
    """Where the place ``at`` is once the spans are replaced; inside a span it is the beginning of its mark."""
    shift = 0
    for start, end, mark in spans:
        if at < end:
            return min(at, start) + shift
        shift += len(mark) - (end - start)
    return at + shift
