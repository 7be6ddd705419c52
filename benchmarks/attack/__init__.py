"""Attacks that take longer than tests may: `python -m benchmarks.attack [NAME...]` runs them and prints counts.

Each module with a function `attack() -> Mapping[str, Counts]` is one attack, run by its name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """How often something was tried, and how often it went through, which should be never.

    ``through`` has a line for each time that it did. With ``control`` the attack is one that is known to work, made to
    show that the others would be noticed: there it is a failure if nothing goes through.
    """

    tried: int
    through: tuple[str, ...] = ()
    control: bool = False

    @property
    def holds(self) -> bool:
        return bool(self.through) if self.control else not self.through
