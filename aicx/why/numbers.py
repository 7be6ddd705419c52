"""Pull requests, issues and tickets: how a person names one, and how messages and logs do."""

from __future__ import annotations

import re

from aicx.values import dataclass

_NUMBER = re.compile(
    r"(?:[#!]|(?:PR|MR|pull request|merge request|issue|ticket|discussion) *[#!]?)(\d{1,9})", re.IGNORECASE
)
_ADDRESS = re.compile(
    r"https?://[^/\s]+/([\w.-]+(?:/[\w.-]+)*?)/(?:-/)?(?:pull|issues|merge_requests|discussions)/(\d{1,9})(?:[/#?]\S*)?"
)
# Of a tracker such as Jira or Linear; in capitals, as they write it, and not the name of a standard.
_KEY = re.compile(r"(?!(?:ISO|RFC|SHA|UTF)-)[A-Z][A-Z0-9]{1,9}-\d{1,7}")


@dataclass(frozen=True, slots=True)
class Number:
    """``name`` is how it is written, such as `#12` or `ENT-109`; ``project`` the repository that an address names."""

    name: str
    project: str | None = None

    @property
    def in_messages(self) -> str:
        """What names it in a commit's message, as an expression of git."""
        if self.name.startswith("#"):
            return rf"([#!]|/(pull|issues|merge_requests|discussions)/){self.name[1:]}([^0-9]|$)"
        return rf"(^|[^A-Za-z0-9]){self.name}([^0-9]|$)"

    @property
    def of_request(self) -> str:
        """What the message of its own commit has, rather than one that mentions it."""
        if self.name.startswith("#"):
            return rf"(\({self.name}\)$|^Merge .*[#!]{self.name[1:]}([^0-9]|$))"
        return rf"^[^ ]*\[?{self.name}([^0-9]|$)"

    @property
    def in_logs(self) -> re.Pattern[bytes]:
        """What names it in a session."""
        if self.name.startswith("#"):
            said = rf"(?:[#!]|/(?:pull|issues|merge_requests|discussions)/){self.name[1:]}\b"
        else:
            said = rf"(?<![A-Za-z0-9]){self.name}(?![0-9])"
        return re.compile(said.encode(), re.IGNORECASE)

    @property
    def words(self) -> str:
        """What is searched for; the search takes signs for spaces, so `in_logs` decides."""
        digits = self.name.removeprefix("#")
        return f"#{digits} pull/{digits} issues/{digits} discussions/{digits}" if digits != self.name else self.name


def find_number(text: str) -> Number | None:
    """The request or issue that a target names: `#12`, `PR 12`, `!12` or an address; None for another text."""
    if found := _NUMBER.fullmatch(text.strip()):
        return Number(f"#{found[1]}")
    if found := _ADDRESS.fullmatch(text.strip()):
        return Number(f"#{found[2]}", found[1])
    return None


def find_key(text: str) -> Number | None:
    """The ticket that a target such as `ENT-109` names; a branch or a file may have that name too."""
    return Number(text) if _KEY.fullmatch(text) else None
