"""The chunks of the store with their sidecars, and the tombstones that keep out what was forgotten."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from aicx.config import Settings
from aicx.corpus.doctor.inputs import Check, DoctorInputs
from aicx.corpus.doctor.repair import Repair, repair
from aicx.corpus.doctor.stored import canonical_store, sidecars, tool_facts
from aicx.corpus.forget.holding import Erasure, ForgetPlan, ForgetRequest
from aicx.corpus.forget.plan import plan_stored
from aicx.corpus.forget.run import publish
from aicx.engine.holders import Holder, Notify
from aicx.paths import NON_REPOSITORY, Layout


class _Chunks(Holder):
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


HOLDER = _Chunks()
