"""What is open in a repository: tasks that were begun, else the session that a brief goes on from."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from aicx.config import Settings
from aicx.git.state import Git, GitProbe
from aicx.resume.run import gone_on
from aicx.work.gone_on import Choice
from aicx.work.place import WorkPlace
from aicx.work.state import OpenTasks, open_tasks

# In doubt `next`, the open tasks and the page say this and nothing else.
NOTHING_OPEN = "Nothing is open here that I could prove."


def open_work(
    settings: Settings,
    place: WorkPlace,
    now: datetime,
    look: GitProbe | None = None,
    begun: OpenTasks | None = None,
) -> OpenTasks:
    """`open_tasks` with the derived task of the session that `resume` goes on from, where no task was begun."""
    return open_tasks(settings, place, now, look, gone_on=chosen(settings, place, now), begun=begun)


def chosen(settings: Settings, place: WorkPlace, now: datetime) -> Callable[[], Choice]:
    """The choice of the session that work goes on from, made when it is called."""

    def choose() -> Choice:
        with GitProbe(Git(place.root)) as look:
            return gone_on(settings, place.root, now, look)

    return choose
