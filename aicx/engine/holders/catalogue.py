"""The catalogue, and `index.json` made from it. What is forgotten leaves it in the same step as the store."""

from __future__ import annotations

from collections.abc import Iterable

from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.doctor.inputs import Check, DoctorInputs
from aicx.corpus.doctor.stored import catalog_as_stored, index_json
from aicx.corpus.forget.run import Forgetting, tidy
from aicx.engine.holders import Holder, Notify


class _Catalogue(Holder):
    name = "catalogue"
    own = frozenset({"index.json"})

    def follow(self, settings: Settings, catalog: Catalog, begun: Forgetting, notify: Notify) -> None:
        tidy(settings.layout, catalog, begun.plan, notify)

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        return catalog_as_stored(facts), index_json(facts)


HOLDER = _Catalogue()
