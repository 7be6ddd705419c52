"""The store as a holder of people's text: its chunks, what `aicx run` logged for it, and what was set apart from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

import orjson

from aicx.config import Settings
from aicx.corpus.doctor.inputs import Check, DoctorInputs
from aicx.corpus.doctor.repair import Repair, repair
from aicx.corpus.doctor.stored import canonical_store, set_apart, sidecars, tool_facts
from aicx.corpus.forget.apart import plan_apart
from aicx.corpus.forget.holding import Erasure, ForgetPlan, ForgetRequest
from aicx.corpus.forget.plan import plan_stored
from aicx.corpus.forget.run import publish
from aicx.engine.holders import Holder, Notify
from aicx.paths import NON_REPOSITORY, Layout
from aicx.regex import searching
from aicx.sources import RUN
from aicx.storage import unwritable


class _Chunks(Holder):
    """The chunks of the store with their sidecars, and the tombstones that keep out what was forgotten."""

    name = "chunks"
    own = frozenset({"store", NON_REPOSITORY, "forgotten.jsonl"})

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        plan_stored(layout, request, plan)

    def erase(self, erasure: Erasure) -> None:
        # The catalogue records it in the same step, so that no kill comes between the two.
        publish(erasure.settings.layout, erasure.catalog, erasure.plan)

    def paths(self, facts: DoctorInputs) -> Collection[str]:
        return facts.survey.chunks

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        return canonical_store(facts), sidecars(facts), tool_facts(facts)

    def mend(self, settings: Settings, notify: Notify, done: Repair) -> None:
        repaired = repair(settings, notify)
        done.applied.extend(repaired.applied)
        done.refused.extend(repaired.refused)


CHUNKS = _Chunks()


class _Runs(Holder):
    """The holder of what programs printed under `aicx run`, and of the briefs that they were given.

    A log is not the user's own here, as those of agents are: aicx wrote it, so forgetting deletes it, too.

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
            for path in sorted(layout.runs.glob("*.jsonl"))
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


RUNS = _Runs()


class _SetApart(Holder):
    """Altered chunks that `doctor --fix` took out of the store."""

    name = "set_apart"
    removed = "removed that had been set apart"

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        plan.held[self.name] = plan_apart(layout, request, plan)

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        return (set_apart(facts),)


SET_APART = _SetApart()
