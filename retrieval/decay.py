"""Prefers what is recent, softly: a factor on the score that reorders and never removes."""

from __future__ import annotations

import math

from aicx.errors import UsageError
from aicx.values import dataclass

_FLOOR, _CEILING = 0.3, 1.5
_SPAN = 1.2
_FRESH_HOURS = 4
_FRESH_BONUS = 0.05


@dataclass(frozen=True, slots=True)
class Decay:
    """How strongly age counts: ``days`` is the time constant, ``strength`` goes from 0 (not at all) to 1 (in full)."""

    days: float = 14.0
    strength: float = 1.0


PROFILES: dict[str, Decay | None] = {
    "off": None,
    # Halfway between no decay and the full formula, over a quarter: old answers stay findable.
    "gentle": Decay(days=90.0, strength=0.5),
    "strong": Decay(days=14.0, strength=1.0),
}


def parse_decay(text: str) -> Decay | None:
    """A profile by its name, or a number of days. Raises UsageError for anything else."""
    if text in PROFILES:
        return PROFILES[text]
    try:
        days = float(text)
    except ValueError:
        days = 0.0
    if not 0 < days < 100_000:
        raise UsageError(f"{text!r} is no decay", hint=f"one of {', '.join(PROFILES)}, or a number of days")
    return Decay(days=days)


def decay_name(decay: Decay | None) -> str:
    """Returns the text that `parse_decay` reads as this decay."""
    named = next((name for name, profile in PROFILES.items() if profile == decay), None)
    return named or f"{decay.days:g}" if decay else "off"


def factor(age_days: float, decay: Decay | None) -> tuple[float, float]:
    """The factor for an age, clamped to 0.3 … 1.5, and unclamped for breaking ties.

    A document from the future counts as new. Never grows with age.
    """
    if decay is None:
        return 1.0, 1.0
    age = max(0.0, age_days)
    raw = _FLOOR + _SPAN * math.exp(-age / decay.days)
    if age * 24 <= _FRESH_HOURS:
        raw += _FRESH_BONUS
    clamped = min(_CEILING, max(_FLOOR, raw))
    return 1.0 + decay.strength * (clamped - 1.0), 1.0 + decay.strength * (raw - 1.0)
