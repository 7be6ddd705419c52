"""`aicx.error/1`: why there is no answer."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from aicx.fields import OPTIONAL
from aicx.values import dataclass

SCHEMA = "aicx.error/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failure, and what to do next."""

    ok: Annotated[Literal[False], "it failed"] = False
    error: Annotated[str, "the error message"]
    kind: Annotated[str | None, "the error's class, see below"] = field(default=None, metadata=OPTIONAL)
    hint: Annotated[str | None, "the next step, or null"]
