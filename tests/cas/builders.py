"""Objects in a home, spoken to through the real command line."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aicx.cas.entry import ObjectPut
from aicx.cas.writing import Origin, put
from tests.work.builders import TaskPlace

NOW = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3  # made up, in the shape of a real one


class Shelf(TaskPlace):
    """One user with one repository. ``__call__`` runs `aicx pack objects` and gives its JSON."""

    def __call__(self, *arguments: str) -> dict[str, Any]:
        return self.json("cas", *arguments)

    def failed(self, *arguments: str) -> dict[str, Any]:
        code, out, _ = self.run("cas", *arguments, "--json")
        assert code != 0, out
        return {**json.loads(out), "code": code}

    def stored(self, text: str | bytes, at: datetime = NOW, **origin: Any) -> ObjectPut:
        body = text if isinstance(text, bytes) else text.encode()
        return put(self.settings, io.BytesIO(body), Origin(**origin), at)

    def digests(self) -> set[str]:
        return {one["digest"] for one in self("list", "--limit", "1000")["objects"]}

    def path(self, digest: str) -> Path:
        name = digest.removeprefix("sha256:")
        return self.home / "cas" / "sha256" / name[:2] / name

    def bodies(self) -> list[bytes]:
        """Every file of the home, as bytes."""
        return [path.read_bytes() for path in self.home.rglob("*") if path.is_file()]

    def check(self, *arguments: str) -> dict[str, Any]:
        """What `aicx doctor` says of objects."""
        code, out, err = self.run("doctor", *arguments, "--json")
        assert code in (0, 1), out + err
        found: dict[str, Any] = next(check for check in json.loads(out)["checks"] if check["name"] == "cas")
        return found
