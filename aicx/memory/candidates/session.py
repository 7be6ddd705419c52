"""One session as the rules for candidates are given it, and the proposals they make of it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from aicx.evidence import Step
from aicx.evidence.calls import answered_calls, folders_of, is_edit
from aicx.evidence.runs import CommandRun, followed, ran_by
from aicx.folders import is_absolute
from aicx.git import Roots
from aicx.memory.proposals import MAX_STATEMENT, OriginClass, Proposal, ProposalKind, ProposalReason, Sighting
from aicx.refs import Ref
from aicx.text import shorten
from aicx.types import Lane
from aicx.values import dataclass

_ENTERED = re.compile(r"""(?:^|[;&|\n]\s*)cd\s+("[^"]+"|'[^']+'|[^\s"';&|)]+)""")
# Tools whose shell is the same for every call.
_STAYING = frozenset({"Bash", "PowerShell"})
_NO_CLAIMS: Mapping[str, str] = MappingProxyType({})
_PATH = re.compile(r"(?<![\w/.:-])(?:[\w.-]+/)+[\w-][\w.-]*\.\w{1,8}\b(?!/)")
# What a statement is about; the first that fits.
_TOPICS = {
    "git": r"\b(?:branch(?:es)?|commits?|git|main|merge|prs?|pull requests?|push|rebase|release branch)\b",
    "tests": r"\b(?:coverage|e2e|fixtures?|specs?|tests?|testing)\b",
    "release": r"\b(?:changelog|deploy\w*|publish\w*|releases?|versions?)\b",
    "docs": r"\b(?:agents\.md|claude\.md|docs?|documentation|readme)\b",
    "style": r"\b(?:format\w*|lint\w*|nam(?:e|ing)|rename|style|types?)\b",
}


@dataclass(frozen=True)
class ReadSession:
    """The messages of one session in one repository. What a subagent's prompts say is its parent's, not a person's."""

    agent: str
    session_id: str
    repository: str
    lane: Lane
    steps: Sequence[Step] = field(repr=False)
    roots: Roots = field(default_factory=lambda: Roots(()))
    folder: str | None = None  # where it worked first

    @cached_property
    def runs(self) -> list[CommandRun]:
        """The commands that were more than looking around, each with its outcome."""
        return [run for run in self._ran if run is not None]

    @cached_property
    def printed(self) -> list[str]:
        """What each of the ``runs`` printed last."""
        pairs = zip(self._followed, self._ran, strict=True)
        return [answers[-1].text if answers else "" for (_, answers), run in pairs if run is not None]

    @cached_property
    def places(self) -> list[str | None]:
        """The folder below the repository's root that each of the ``runs`` was in; None where that is not known.

        Some shells stay where a command went, until another one leaves again.
        """
        found: list[str | None] = []
        stays: str | None = ""
        for (call, _), run in zip(self._followed, self._ran, strict=True):
            here = stays if call.tool in _STAYING else ""
            entered = _ENTERED.findall(call.command)
            told = [] if entered else list(folders_of(call))
            for folder in entered or told[:1]:
                here = self._entered(folder.strip("\"'"), here)
            if call.tool in _STAYING and entered:
                stays = here
            if run is not None:
                found.append(here)
        return found

    def _entered(self, folder: str, here: str | None) -> str | None:
        """The folder that one goes to from ``here``, from the root; None where it is outside or cannot be told."""
        if "$" in folder or folder.startswith(("~", "-")):
            return None
        if not is_absolute(folder):
            if here is None:
                return None
            folder = posixpath.normpath(posixpath.join(here or ".", folder.replace("\\", "/")))
            return None if folder.startswith("..") else folder.removeprefix(".")
        below = self.roots.relative(f"{folder.rstrip('/')}/x", self.folder)
        return below.rpartition("/")[0] if below is not None else None

    @cached_property
    def _followed(self) -> list[tuple[Step, list[Step]]]:
        return followed(self._calls)

    @cached_property
    def _ran(self) -> list[CommandRun | None]:
        return ran_by(self._followed)

    @cached_property
    def edits(self) -> list[Step]:
        """The calls that changed files, or tried to."""
        return [call for call, _ in self._calls if is_edit(call) or "sed -i" in call.command]

    def relative(self, path: str) -> str | None:
        """A path as the repository knows it; None for one outside the folders that the session worked in."""
        return self.roots.relative(path, self.folder)

    @cached_property
    def _calls(self) -> list[tuple[Step, Step | None]]:
        return answered_calls(self.steps)

    def proposal(
        self,
        statement: str,
        kind: ProposalKind,
        reason: ProposalReason,
        step: Step | CommandRun,
        *,
        origin: OriginClass,
        quote: str = "",
        topic: str = "",
        claims: Mapping[str, str] = _NO_CLAIMS,
        outcome: Literal["passed", "failed"] | None = None,
    ) -> Proposal:
        """A proposal that this session makes at ``step``; ``quote`` are the words there, by default the statement's."""
        text = shorten(statement, MAX_STATEMENT)
        where = Sighting(
            Ref("chunk", step.chunk),
            Ref.of_session(self.agent, self.session_id),
            step.at,
            self.lane,
            shorten(quote or statement, MAX_STATEMENT),
            outcome,
        )
        return Proposal(
            text,
            kind,
            topic or topic_of_text(text),
            "subagent" if self.lane == "subagent" else origin,
            self.lane,
            reason,
            self.repository,
            (where,),
            claims,
            tuple(dict.fromkeys(_PATH.findall(text))),
        )


def topic_of_text(text: str) -> str:
    """Returns the subject of a statement in a word; ``general`` where nothing tells."""
    return next((topic for topic, pattern in _TOPICS.items() if re.search(pattern, text, re.IGNORECASE)), "general")
