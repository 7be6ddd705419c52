"""Identity files, edges and summaries, as holders of what `forget`, `store --redact-again` and `doctor` must reach."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.doctor.inputs import FIX, Check, DoctorInputs
from aicx.corpus.doctor.repair import Repair
from aicx.corpus.forget.holding import ForgetPlan, ForgetRequest
from aicx.corpus.forget.redact_again import Redaction
from aicx.engine.holders import Holder, Notify
from aicx.paths import Layout
from aicx.regex import searching
from aicx.sessions.identity import every_identity
from aicx.storage.derived import remove_derived
from aicx.text import plural

_PRIVATE = 0o600


class _Sessions(Holder):
    """The holder of people's statements about sessions: events of work, with ids alone; edges are in ``index/``."""

    name = "identities"
    noun = "identity file"
    removed = "deleted"

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        forgotten = {session for _, session in plan.sessions}
        pattern = searching(request.pattern) if request.pattern is not None else None
        plan.held[self.name] = [
            (path,)
            for path, identity in every_identity(layout)
            if (identity is not None and not forgotten.isdisjoint({identity.session_id, identity.parent_id}))
            or (pattern is not None and pattern(path.read_text("utf-8", "replace")))
        ]

    def redact(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        remove_derived(settings.layout.session_edges)  # goals and branches are told in words as they were

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        found = list(every_identity(facts.layout))
        strange = [path for path, identity in found if identity is None]
        if strange:
            names = ", ".join(path.name for path in strange[:5])
            yield Check(
                self.name,
                "warning",
                f"not identity files: {names}",
                "they are not used; delete them if what they hold may be lost",
            )
        elif shared := _shared(facts.layout):
            names = ", ".join(path.name for path in shared[:5])
            yield Check(self.name, "warning", f"others may read which session an agent is in: {names}", FIX)
        else:
            yield Check(self.name, "green", f"{plural(len(found), 'identity file')}, for their owner alone")

    def mend(self, settings: Settings, notify: Notify, done: Repair) -> None:
        for path in _shared(settings.layout):
            try:
                path.chmod(_PRIVATE)
            except OSError as error:
                done.refused.append(f"{path.name}: {error.strerror}")
            else:
                done.applied.append(f"only you may read {path.name}")


def _shared(layout: Layout) -> list[Path]:
    return [path for path, _ in every_identity(layout) if stat.S_IMODE(path.stat().st_mode) != _PRIVATE]


IDENTITIES = _Sessions()


class _Summaries(Holder):
    """Kept summaries: derived, so that `forget` and redacting again delete them.

    What `forget` deletes is everything below ``index/`` that no holder takes single chunks out of, and these too.
    """

    name = "session-summaries"
    noun = "summary"
    copies = ("index/session-summaries",)


SUMMARIES = _Summaries()
