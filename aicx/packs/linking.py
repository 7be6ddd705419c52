"""How the sessions of a task and others come from each other, as `aicx sessions` has it."""

from __future__ import annotations

from collections.abc import Callable, Collection

from aicx.api.answers.pack import PackEdge
from aicx.api.fields import taken_from
from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.errors import AicxError, NotFound

_MAX_EDGES = 20


def edges_of(
    settings: Settings, refs: Collection[str], progress: Callable[[int, int], None] | None = None
) -> tuple[list[PackEdge], list[str]]:
    """The edges from and to these sessions, the surest first; and remarks on why there are none.

    They are worked out where `aicx store` has not done so, for which ``progress`` is told how far it is.
    """
    if not refs:
        return [], []
    from aicx.sessions.family import open_family  # imported here: a task without sessions does without

    try:
        with open_catalog(settings.layout) as opened, open_family(settings.layout, opened.catalog, progress) as family:
            ordered = sorted(refs)
            found = [*family.older(ordered), *(edge for ref in ordered for edge in family.newer(ref))]
    except NotFound:  # nothing is stored
        return [], []
    except AicxError as error:
        return [], [f"how sessions are related was not asked: {error.message}"]
    edges = sorted(dict.fromkeys(found), key=lambda edge: (-edge.confidence, edge.from_ref, edge.to_ref, edge.type))
    return [taken_from(edge, PackEdge) for edge in edges[:_MAX_EDGES]], []
