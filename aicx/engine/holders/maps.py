"""The maps of repositories: derived from code, but what was redacted may be in the names they hold."""

from __future__ import annotations

from collections.abc import Iterable

from aicx.config import Settings
from aicx.corpus.doctor.inputs import Check, DoctorInputs
from aicx.corpus.doctor.repair import Repair
from aicx.engine.damage import FIX, damaged_maps, remove_damaged_maps
from aicx.engine.holders import Holder, Notify
from aicx.text import plural


class _Maps(Holder):
    name = "maps"
    copies = ("repomap",)

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        if damaged := damaged_maps(facts.layout, full=not facts.quick):
            detail = "; ".join(f"{path.parent.name}: {reason}" for path, reason in damaged.items())
            return (Check(self.name, "critical", f"damaged: {detail}", FIX),)
        return (Check(self.name, "green", "as they were written"),)

    def mend(self, settings: Settings, notify: Notify, done: Repair) -> None:
        if removed := remove_damaged_maps(settings.layout):
            done.applied.append(f"removed {plural(len(removed), 'damaged map')}; aicx map refresh makes it again")


HOLDER = _Maps()
