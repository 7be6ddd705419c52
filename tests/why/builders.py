"""A small repository beside the sessions that worked in it, and a way to ask why."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from aicx.why.commits import WhyReport
from aicx.why.run import WhyQuery, why
from tests.corpus.builders import SESSION, ClaudeLog, Home, when
from tests.evidence.stories import Repository

REMOTE = "git@example.org:ada/orbit.git"
DAY = 86_400.0
HOUR = 3_600.0


class Story:
    """Ada's repository ``orbit`` and her agents' logs."""

    def __init__(self, user: Home) -> None:
        self.user = user
        self.repository = Repository(user.work / "orbit", remote=REMOTE)
        if not (self.repository.folder / "README.md").exists():
            self.repository.commit("README.md", "An orbit.\n", "Begin", when(-10 * DAY))

    @property
    def folder(self) -> str:
        return str(self.repository.folder)

    def log(self, session: str = SESSION, **fields: Any) -> ClaudeLog:
        return ClaudeLog(session, fields.pop("cwd", self.folder), **fields)

    def edited(self, log: ClaudeLog, path: str, seconds: float, text: str = "y") -> ClaudeLog:
        """An edit of a file that worked."""
        call = f"e{len(log.records)}"
        log.call("Edit", seconds, call, file_path=f"{log.cwd}/{path}", old_string="x", new_string=text)
        return log.result("updated", seconds + 1, call)

    def ran(self, log: ClaudeLog, command: str, output: str, seconds: float, *, failed: bool = False) -> ClaudeLog:
        call = f"r{len(log.records)}"
        return log.call("Bash", seconds, call, command=command).result(output, seconds + 1, call, failed=failed)

    def keep(self, *logs: ClaudeLog) -> None:
        for log in logs:
            self.user.claude(log)
        self.user.store()

    def ask(self, target: str, now: datetime | None = None, **query: Any) -> WhyReport:
        fields = {"folder": self.repository.folder, **query}
        return why(self.user.settings, WhyQuery(target, now or when(5 * DAY), **fields))


def ids(report: WhyReport) -> list[str]:
    return [item.session.session_id for item in report.sessions]


def kinds(report: WhyReport, place: int = 0) -> set[str]:
    return {one.kind for one in report.sessions[place].evidence}
