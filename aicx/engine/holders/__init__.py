"""The table of holders of people's text below the home: `forget`, `doctor` and `.aicxignore` reach all of its rows.

From what is stored to what is derived from it: `doctor` looks in this order, `forget` takes out in the opposite one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from importlib import import_module
from typing import ClassVar

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.names import SessionKey
from aicx.corpus.doctor.inputs import Check, DoctorInputs
from aicx.corpus.doctor.repair import Repair
from aicx.corpus.forget.holding import Erasure, ForgetPlan, ForgetRequest
from aicx.corpus.forget.redact_again import Redaction
from aicx.corpus.forget.run import Forgetting
from aicx.paths import Layout
from aicx.storage import unwritable

Notify = Callable[[str], None]

# Imported when they are needed: a module, and what a holder is called in it.
HOLDERS = (
    "aicx.engine.holders.stored:CHUNKS",
    "aicx.engine.holders.stored:RUNS",
    "aicx.engine.holders.stored:SET_APART",
    "aicx.memory.holder:HOLDER",
    "aicx.memory.review.holder:HOLDER",
    "aicx.work.holder:HOLDER",
    "aicx.cas.holder:HOLDER",
    "aicx.sessions.holder:IDENTITIES",
    "aicx.sessions.holder:SUMMARIES",
    "aicx.continuity.holder:HOLDER",
    "aicx.reminders.told:HOLDER",
    "aicx.share.holder:HOLDER",
    "aicx.engine.holders.derived:CATALOGUE",
    "aicx.engine.holders.derived:LEXICAL",
    "aicx.engine.holders.vectors:HOLDER",
    "aicx.engine.holders.derived:MAPS",
    "aicx.engine.holders.derived:BENCH",
)


class Holder:
    """A row of the table. What it says of itself here is true of what holds no text of its own and mends nothing.

    ``name`` is its key in a plan and in reports, ``noun`` what one thing of it is called. ``own`` are the names at the
    top of the home that it redacts itself, ``copies`` folders below the home that redacting deletes, because they are
    made again. ``removed`` says of what `forget` deleted how it is called, where it deletes files of its own.
    """

    name: ClassVar[str]
    noun: ClassVar[str] = "chunk"
    own: ClassVar[frozenset[str]] = frozenset()
    copies: ClassVar[tuple[str, ...]] = ()
    removed: ClassVar[str | None] = None

    # forget, in the order in which it happens

    def settle(self, settings: Settings, notify: Notify) -> None:
        """Finishes or undoes what a killed writer left half done: it may hold what is to be forgotten."""

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        """Adds to ``plan`` what it holds of ``request``: files in ``plan.held``. Raises NotFound for nothing."""

    def sessions(self, layout: Layout) -> Iterable[SessionKey]:
        """The sessions that it has something of, which the store may lack: by these a name is understood."""
        return ()

    def kept(self, settings: Settings, notify: Notify) -> frozenset[str]:
        """The names below ``index/`` that stay, because `follow` takes single chunks out of them."""
        return frozenset()

    def erase(self, erasure: Erasure) -> None:
        """Deletes the files it planned. The locks of the store and of both indexes are held, and a record says that
        this has begun: killed at any moment, it is called again.
        """
        for files in erasure.plan.held.get(self.name, ()):
            for file in files:
                try:
                    file.unlink(missing_ok=True)
                except OSError as error:
                    raise unwritable(file, error) from error

    def follow(self, settings: Settings, catalog: Catalog, begun: Forgetting, notify: Notify) -> None:
        """Loses what the store has lost, under the locks of store and vectors. May be called again."""

    def refresh(self, settings: Settings, notify: Notify) -> None:
        """Comes up to date with the catalogue. No lock is held."""

    # store --redact-again

    def redact_own(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        """Redacts what it holds that follows no store. May be called again."""

    def redact(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        """Loses what was redacted in the store. May be called again."""

    # doctor

    def paths(self, facts: DoctorInputs) -> Collection[str]:
        """The paths below the home that `.aicxignore` may hide; what answers from them asks `ignore_matcher`."""
        return ()

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        """The checks of `aicx doctor`."""
        return ()

    def mend(self, settings: Settings, notify: Notify, done: Repair) -> None:
        """Makes again what is damaged, for `aicx doctor --fix`; adds a line to ``done`` for each thing."""


def load_holders() -> tuple[Holder, ...]:
    """The rows of the table, in its order."""
    rows = (row.split(":") for row in HOLDERS)
    return tuple(getattr(import_module(module), name) for module, name in rows)
