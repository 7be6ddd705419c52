"""Invented members of a share: homes with sessions of their own, and short ways to push and to read."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aicx.engine.embedder_choice import Choice
from aicx.errors import NotFound
from aicx.share import build as build_module
from aicx.share import shares
from aicx.share.build import Engine, build, in_process
from aicx.share.membership import Membership, find_membership, new_membership, write_membership
from aicx.share.push import OnProgress, Pushed, plan_push, push
from aicx.share.shares import create_share, databases
from aicx.share.tables import Database
from tests import embedder
from tests.corpus.builders import SESSION, ClaudeLog, Home, when
from tests.engine.search_helpers import NOW, embed, ignore, keep
from tests.why.builders import HOUR, Story

PROJECT = "orbit"  # the folder that invented sessions work in
TESTED = Choice("test")
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


def with_another_model(user: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """The same home, its index made by another model with vectors of the same size."""
    load = embedder.load
    another = {"name": "another", "fingerprint": "another-1"}
    monkeypatch.setattr(embedder, "load", lambda kind, settings: replace(load(kind, settings), **another))
    embed(user, rebuild=True)
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
    [database] = [one for one in databases(chosen, []) if one.uri == own_of(user, chosen).uri]
    return push(user.settings, chosen, database, plan_push(user.settings, chosen, database), NOW)


def checkouts(root: Path) -> tuple[Story, Story, str]:
    """Ada's and Bob's checkouts of one repository, both of whom share all, and a commit that a session of Ada made."""
    ada, bob = (Story(Home(made(root / name))) for name in ("ada", "bob"))
    commit = bob.repository.commit("src/parser.py", "x = 1\n", "Keep the last line of a torn file", when(HOUR))
    parser = ada.log(PUMP, branch="torn-lines").prompt("The parser loses the last line of a torn file", 0)
    ada.edited(parser, "src/parser.py", 60)
    ada.ran(parser, "git commit -am fix", f"[torn-lines {commit[:7]}] Keep the last line of a torn file", HOUR)
    parser.answer("The last line is kept now, since the reader flushes its buffer.", HOUR + 5)
    ada.user.claude(parser)
    ada.user.claude(ada.log(VALVE).prompt("Why does the valve leak?", 100).answer("The gasket was worn.", 110))
    bob.user.claude(bob.log(SESSION).prompt("How is the oven heated?", 200).answer("The oven burns gas.", 210))
    for story, name in ((ada, "ada"), (bob, "bob")):
        keep(story.user)
        give(story.user, join(story.user, root / "share", name))
    return ada, bob, commit


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def built(
    user: Home,
    membership: Membership,
    *,
    engine: Engine = in_process,
    choice: Choice | None = TESTED,
    unit: int = 100,
    on_progress: OnProgress = lambda done, total, at: None,
) -> Pushed:
    """What `aicx share build --project '*' --yes` does, with units of so many chunks."""
    chosen = replace(membership, projects=("*",))
    database = own_of(user, chosen)
    plan = plan_push(user.settings, chosen, database, database.model.fingerprint if choice else "")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(build_module, "_UNIT", unit)
        return build(user.settings, chosen, database, plan, choice, NOW, engine, on_progress)


def slowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every share answer after two seconds, and then that there is none."""

    def slow(*_: Any) -> Database:
        time.sleep(2)
        raise NotFound("there is no share")

    monkeypatch.setattr(shares, "own_database", slow)


def own_of(user: Home, membership: Membership) -> Database:
    return shares.own_database(membership)


def rows_of(database: Database, *columns: str) -> list[dict[str, Any]]:
    database.refresh()
    found: list[dict[str, Any]] = database.chunks.search().select(list(columns)).to_arrow().to_pylist()
    return found
