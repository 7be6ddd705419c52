"""Altered chunks that `doctor --fix` took out of the store."""

from __future__ import annotations

from collections.abc import Iterable

from aicx.corpus.doctor.inputs import Check, DoctorInputs
from aicx.corpus.doctor.stored import set_apart
from aicx.corpus.forget.apart import plan_apart
from aicx.corpus.forget.holding import ForgetPlan, ForgetRequest
from aicx.engine.holders import Holder
from aicx.paths import Layout


class _SetApart(Holder):
    name = "set_apart"
    removed = "removed that had been set apart"

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        plan.held[self.name] = plan_apart(layout, request, plan)

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        return (set_apart(facts),)


HOLDER = _SetApart()
