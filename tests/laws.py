"""Stands in for Hypothesis where it is not installed: tests of laws are skipped then, and those beside them run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import pytest

from tests.parts import require


class _Strategies(ModuleType):
    """Returns itself for whatever a test module does with strategies while it is imported."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: object, **__: object) -> Any:
        return self

    def __or__(self, _: object) -> Any:
        return self

    __ror__ = __or__

    def __iter__(self) -> Any:
        return iter(())


def _unchanged(*_: object, **__: object) -> Callable[[Any], Any]:
    return lambda test: test


def _given(*_: object, **__: object) -> Callable[[Any], Any]:
    """Marks a law, and skips the test that calls one which it holds inside."""

    def decorated(law: Any) -> Any:
        @wraps(law)
        def skipped(*_: object, **__: object) -> None:
            require("test")

        return pytest.mark.needs("test")(skipped)

    return decorated


def stand_in() -> None:
    """Makes `import hypothesis` work without Hypothesis: what is under `given` needs the part ``test``."""
    module, strategies = ModuleType("hypothesis"), _Strategies("hypothesis.strategies")
    module.given = _given  # type: ignore[attr-defined]
    module.settings = module.example = _unchanged  # type: ignore[attr-defined]
    module.strategies = module.HealthCheck = strategies  # type: ignore[attr-defined]
    sys.modules.update({"hypothesis": module, "hypothesis.strategies": strategies})
