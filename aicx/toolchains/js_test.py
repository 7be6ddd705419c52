"""Jest, Vitest, Mocha, node:test, TAP, Playwright and bun's runner."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains import jest_output, mocha_output, tap_output, vitest_output
from aicx.toolchains.family import Diagnostic, Output, ToolFamily, ToolReader, stable_file
from aicx.toolchains.javascript_errors import crashes, error_of
from aicx.toolchains.json_documents import documents, rows, word

_PROGRAMS = {
    "jest": "jest", "vitest": "vitest", "mocha": "mocha", "_mocha": "mocha", "ava": "ava", "tap": "tap", "tape": "tape",
    "jasmine": "jasmine", "karma": "karma", "wdio": "mocha", "c8": "", "nyc": "", "ts-mocha": "mocha", "mochapack": "mocha",
    "electron-mocha": "mocha",
}  # fmt: skip
_WITH_VERB = {
    ("playwright", "test"): "playwright",
    ("cypress", "run"): "cypress",
    ("react-scripts", "test"): "jest",
    ("craco", "test"): "jest",
    ("bun", "test"): "bun",
    ("deno", "test"): "deno",
    ("ng", "test"): "karma",
    ("vue-cli-service", "test:unit"): "jest",
    ("wp-scripts", "test-unit-js"): "jest",
}
_RUNTIMES = frozenset({"node", "nodejs", "tsx", "ts-node"})
# In this order where two count the same.
_READERS: tuple[ToolReader, ...] = (vitest_output, jest_output, mocha_output, tap_output)


def _tool(words: Sequence[str]) -> str | None:
    if not words:
        return None
    if words[0] in ("c8", "nyc"):
        inner = [word for word in words[1:] if not word.startswith("-")]
        return _tool(inner)
    if words[0] in _RUNTIMES:
        if any(word == "--test" or word.startswith("--test-") for word in words[1:]):
            return "node:test"
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        named = re.search(r"node_modules/(?:\.bin/)?(jest|vitest|mocha|ava)\b", script)
        return named[1] if named else None
    verb = words[1] if len(words) > 1 else ""
    return _WITH_VERB.get((words[0], verb)) or _PROGRAMS.get(words[0]) or None


def _best(output: Output) -> ToolReader:
    """The reader of the tool that printed most of an output; the one that the command names where they are equal."""
    named = output.words[0] if output.words else ""
    return max(_READERS, key=lambda reader: reader.marks(output) + (named == reader.NAME))


def _parse(output: Output) -> Iterator[Diagnostic]:
    found = list(_from_json(output.text)) or list(_best(output).found(output))
    yield from found or crashes(output.lines)


def _from_json(text: str) -> Iterator[Diagnostic]:
    """Jest's `--json` and Vitest's JSON reporter, which print alike."""
    if '"testResults"' not in text and '"fullTitle"' not in text:
        return
    for document in documents(text):
        for row in rows(document.get("failures", [])) if isinstance(document, dict) else []:
            error = row.get("err")
            if isinstance(error, dict) and word(row.get("fullTitle")):  # Mocha's
                said = str(error.get("stack") or error.get("message") or "failed")
                yield error_of(said.split("\n"), str(row["fullTitle"]), word(row.get("file")), tool="mocha")
        for result in rows(document.get("testResults", [])) if isinstance(document, dict) else []:
            file = word(result.get("name"))
            tests = [row for row in rows(result.get("assertionResults", [])) if row.get("status") == "failed"]
            for row in tests:
                messages = row.get("failureMessages")
                text = str(messages[0]) if isinstance(messages, list) and messages else "failed"
                titles = [*(row.get("ancestorTitles") or []), row.get("title")]
                name = " › ".join(str(title) for title in [stable_file(file), *titles] if title)
                yield error_of(text.removeprefix("Error: ").split("\n"), name, file)
            if not tests and result.get("status") == "failed":
                yield error_of(str(result.get("message", "failed")).split("\n"), None, file, phase="setup")


def _failed(output: Output) -> bool | None:
    return _best(output).failed(output)


def _looks_like(output: Output) -> int:
    return max(reader.marks(output) for reader in _READERS) + 3 * (
        '"testResults"' in output.text or '"fullTitle"' in output.text
    )


FAMILY = ToolFamily("js_test", _tool, _looks_like, _parse, _failed)
