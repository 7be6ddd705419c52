"""What programs printed under `aicx run`, and the briefs that they were given."""

from __future__ import annotations

from pathlib import Path

import orjson

from aicx.corpus.forget.holding import Erasure, ForgetPlan, ForgetRequest
from aicx.engine.holders import Holder
from aicx.paths import Layout
from aicx.regex import searching
from aicx.sources import RUN
from aicx.storage.atomic import unwritable


class _Runs(Holder):
    """A log is not the user's own here, as those of agents are: aicx wrote it, so forgetting deletes it, too.

    Nothing answers from them: `.aicxignore` hides the chunks that `aicx store` makes of them.
    """

    name = "runs"
    noun = "log"
    removed = "deleted of `aicx run`"
    copies = ("runs/context",)

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        known = {*plan.sessions, *(plan.affected if request.project is not None else ())}
        forgotten = {session for agent, session in known if agent == RUN}
        pattern = searching(request.pattern) if request.pattern is not None else None
        plan.held[self.name] = [
            (path,)
            for path in _logs(layout)
            if path.stem in forgotten or (pattern is not None and any(map(pattern, _texts(path))))
        ]

    def erase(self, erasure: Erasure) -> None:
        super().erase(erasure)
        # A brief quotes any session: what it took from this one is not marked in it.
        for path in erasure.settings.layout.run_contexts.glob("*"):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise unwritable(path, error) from error


def _logs(layout: Layout) -> list[Path]:
    return sorted(layout.runs.glob("*.jsonl"))


def _texts(path: Path) -> list[str]:
    """Every text of a log, as it was before it was written as JSON; the line itself where it is damaged."""
    found: list[str] = []
    for line in path.read_bytes().splitlines():
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            value = line.decode("utf-8", "replace")
        values = value.values() if isinstance(value, dict) else (value,)
        found += [text for text in values if isinstance(text, str)]
    return found


HOLDER = _Runs()
