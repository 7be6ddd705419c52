"""Kills a push, and whoever looks after a share, at requests that write, and counts what a reader then lacks.

    python -m benchmarks.share_kills FOLDER push [EVERY]
    python -m benchmarks.share_kills FOLDER upkeep [EVERY]

Each is a process of its own, killed by SIGKILL on an S3 server of this machine: once before a request is carried out,
once after, for every one that it makes, or for each EVERY-th of these kills. After each of them a reader looks, then a
push goes through.
Printed at the end: kills, half and missing sessions that the reader saw, and what `verify` says after the next push.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from subprocess import PIPE
from typing import Any

from aicx.share.membership import Membership
from aicx.share.seals import Seal, digest_of, read_seals, row_digest, verify_database, write_seals
from aicx.share.tables import Database, read_rows, write_rows
from aicx.share.upkeep import maintain
from tests.corpus.builders import ClaudeLog
from tests.engine.search_helpers import keep
from tests.forked import Piped
from tests.share.stores import Environ, Store, killed, s3_server
from tests.share.teams import PUMP, VALVE, give, home, join, own_of

PUSH = ("share", "push", "--yes", "--json")
UPKEEP = """
from aicx.config import load_settings
from aicx.share.membership import need_membership
from aicx.share.shares import own_database
from aicx.share.upkeep import maintain
settings = load_settings()
membership = need_membership(settings.layout)
assert maintain(settings.layout, membership, own_database(membership)) is None
"""
KINDS: dict[str, tuple[tuple[str, ...], str | None]] = {"push": (PUSH, None), "upkeep": ((), UPKEEP)}
Kill = tuple[int, bool]  # the number of a request that writes, from 1, and whether it dies before that is carried out


class Kills:
    """One share of one home, pushed to and looked after by processes that are killed."""

    def __init__(self, store: Store, folder: Path, address: str = "s3://team/kills") -> None:
        self._store = store
        self.user = home(
            folder, (VALVE, "Why does the valve leak?", "0"), (PUMP, "Why does it hum?", "0"), vectors=False
        )
        self.membership = join(self.user, address, "ada")
        give(self.user, self.membership)
        # The first upkeep makes its table: every run that is killed makes the same requests.
        assert maintain(self.user.settings.layout, self.membership, own_of(self.user, self.membership)) is None
        self._turn = 0
        self.found = {"kills": 0, "half": 0, "missing": 0, "unsound": 0, "left over": 0, "not shared": 0}

    def try_all(self, kind: str, choose: Callable[[list[Kill]], Iterable[Kill]] = iter) -> int:
        """Kills at those requests that ``choose`` takes, of all that write; returns how many of them a run makes."""
        writes = self._run(kind, 0, before=True)
        for number, before in choose([(number, before) for number in range(1, writes + 1) for before in (True, False)]):
            self._run(kind, number, before=before)
            self._look()
            self._settle()
        return writes

    def _run(self, kind: str, fatal: int, *, before: bool) -> int:
        """Runs it with new work to do, killed at a request that writes; returns how many it made."""
        self._turn += 1
        said = f"The washer was worn {self._turn} times."
        self.user.claude(ClaudeLog(VALVE).prompt("Why does the valve leak?", 0).answer(said, 10))
        keep(self.user)
        if kind == "upkeep":
            give(self.user, self.membership)
            hide_one(own_of(self.user, self.membership), self.membership, self._turn)
        environ = {**os.environ, **self.user.environ}
        process: list[Piped] = []
        writes = 0

        def trouble(_: int, request: Environ) -> Any:
            nonlocal writes
            writes += request["REQUEST_METHOD"] != "GET" and request["REQUEST_METHOD"] != "HEAD"
            is_fatal = writes == fatal and request["REQUEST_METHOD"] not in ("GET", "HEAD")
            return killed(process[0].pid, before=before) if is_fatal else None

        with self._store.troubled(trouble):
            words, code = KINDS[kind]
            process.append(Piped(words, environ, stdin=PIPE, stdout=PIPE, stderr=PIPE, code=code))
            ended = process[0].to_end(timeout=600)
        if ended.returncode == 0:
            return writes
        assert ended.returncode < 0, ended.stderr.decode()
        self.found["kills"] += 1
        return writes

    def _look(self) -> None:
        database = own_of(self.user, self.membership)
        self.found["half"] += len(verify_database(database)[2])
        seen = {seal.session_id for seal in read_seals(database).live.values()}
        self.found["missing"] += len({VALVE, PUMP} - seen)

    def _settle(self) -> None:
        give(self.user, self.membership)
        database = own_of(self.user, self.membership)
        sessions, rows, unsound = verify_database(database)
        texts = [row["text"] for row in read_rows(database.chunks, ("text",), "machine != 'other'")]
        self.found["unsound"] += len(unsound) + (sessions != 2)
        self.found["left over"] += len(texts) - rows
        self.found["not shared"] += not any(f"worn {self._turn} times" in text for text in texts)


def hide_one(database: Database, membership: Membership, number: int) -> None:
    """A session that another machine of the member shared, and that the member forgot since."""
    key, session, generation = f"{membership.member}/other/claude:{number}", f"other-{number}", f"other-{number}"
    row = {"key": f"{key}#001", "generation": generation, "member": membership.member, "machine": "other"}
    row |= {"sidecar": "{}", "text": "forgotten", "sha256": row_digest("{}", "forgotten"), "said": "forgotten"}
    version = write_rows(database.chunks, [row])
    owner = (key, membership.member, "other", "claude", session)
    sealed = Seal(*owner, generation, 1, 1, digest_of([row]), "", version)
    mine = (f"{membership.own}/claude:{session}", membership.member, membership.machine, "claude", session)
    write_seals(database, [sealed, Seal(*mine, "", 1, deleted_at="2026-01-01T00:00:00Z")])


def run(folder: Path, kind: str, every: int = 1) -> dict[str, Any]:
    """One kind of process, killed again and again; returns what came of it."""
    with s3_server() as store:
        kills = Kills(store, folder)
        writes = kills.try_all(kind, lambda all_of_them: all_of_them[::every])
    return {"killed": kind, "requests that write": writes, **kills.found}


def main() -> None:
    folder, kind, every = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1
    print(json.dumps(run(folder, kind, every), indent=2))


if __name__ == "__main__":
    main()
