"""Invented members of a share: homes with sessions of their own, and short ways to push and to read."""

from __future__ import annotations

import logging
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from aicx.share.membership import Membership, find_membership, new_membership, write_membership
from aicx.share.push import Pushed, plan_push, push
from aicx.share.shares import create_share, databases
from aicx.share.tables import Database
from tests.corpus.builders import ClaudeLog, Home
from tests.engine.search_helpers import NOW, embed, ignore, keep

PROJECT = "orbit"  # the folder that invented sessions work in
VALVE = "aaaa1111-0000-4000-8000-000000000001"
PUMP = "bbbb2222-0000-4000-8000-000000000002"


def home(root: Path, *sessions: tuple[str, str, str], vectors: bool = True) -> Home:
    """A home with sessions, each with what was asked and answered."""
    user = Home(root)
    for number, (session, asked, answered) in enumerate(sessions):
        user.claude(ClaudeLog(session).prompt(asked, number * 100).answer(answered, number * 100 + 10))
    keep(user)
    if vectors:
        embed(user)
    return user


def join(user: Home, address: object, member: str, *, carried: bool = False) -> Membership:
    """What `aicx share init` does."""
    before = find_membership(user.settings.layout)
    membership = new_membership(str(address), member, carried=carried, before=before)
    create_share(user.settings, membership, ignore)
    write_membership(user.settings.layout, membership)
    return membership


def give(user: Home, membership: Membership, *projects: str) -> Pushed:
    """What `aicx share push --project ... --yes` does."""
    chosen = Membership(
        membership.address, membership.member, membership.machine, membership.carried, projects or ("*",)
    )
    write_membership(user.settings.layout, chosen)
    [database] = [one for one in databases(chosen)[0] if one.uri == own_of(user, chosen).uri]
    return push(user.settings, chosen, database, plan_push(user.settings, chosen, database), NOW)


def own_of(user: Home, membership: Membership) -> Database:
    from aicx.share.shares import own_database

    return own_database(membership)


def rows_of(database: Database, *columns: str) -> list[dict[str, Any]]:
    database.refresh()
    found: list[dict[str, Any]] = database.chunks.search().select(list(columns)).to_arrow().to_pylist()
    return found


@contextmanager
def s3_server() -> Iterator[pytest.MonkeyPatch]:
    """A server that speaks S3 on this machine, with an empty bucket ``team`` and the environment that reaches it."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "ada",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "NO_PROXY": "127.0.0.1",
        }.items():
            environment.setenv(name, value)
        urllib.request.urlopen(urllib.request.Request(f"http://{host}:{port}/team", method="PUT")).close()
        yield environment
    server.stop()
