"""`aicx.doctor/1`: what is in order, what is not, and what was mended."""

from __future__ import annotations

from typing import Annotated

from aicx.corpus.doctor.inputs import Check
from aicx.values import dataclass

SCHEMA = "aicx.doctor/1"


@dataclass(frozen=True, slots=True)
class DoctorAnswer:
    """With `critical` the exit code is 1."""

    overall: Annotated[str, "`green`, `warning` or `critical`"]
    checks: Annotated[list[Check], "everything that was looked at"]
    fixes_applied: Annotated[list[str], "repairs made by `--fix`"]
    not_fixed: Annotated[list[str], "repairs that failed"]
