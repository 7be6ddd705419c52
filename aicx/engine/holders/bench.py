"""The results of `aicx bench`, and the stores and indexes it made of the same logs to measure with."""

from __future__ import annotations

import shutil

from aicx.corpus.forget.holding import Erasure
from aicx.engine.holders import Holder
from aicx.storage.atomic import unwritable


class _Bench(Holder):
    name = "bench"
    copies = ("bench/cache",)

    def erase(self, erasure: Erasure) -> None:
        # Made again by the next run: what was forgotten is not looked for in it.
        cache = erasure.settings.layout.home / self.copies[0]
        try:
            if cache.exists():
                shutil.rmtree(cache)
        except OSError as error:
            raise unwritable(cache, error) from error


HOLDER = _Bench()
