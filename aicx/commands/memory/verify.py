"""`aicx memory check verify`: tells claims from proofs, of who accepted what."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.memory.common import open_desk, opened
from aicx.errors import NotFound
from aicx.memory.answers import VERIFY_SCHEMA, VerifiedDecision, VerifyAnswer
from aicx.memory.events import Event
from aicx.memory.record import PREFIX
from aicx.memory.seal import decisions_in
from aicx.memory.signing import allowed_signers_of_git, name_of_git, verify
from aicx.paths import user_path
from aicx.text import instant, local

_COLORS = {"signed": "green", "unsigned": "yellow", "unknown_key": "yellow", "invalid": "red"}
_WORDS = {
    "signed": "signed by {signer}",
    "unsigned": "not signed: the name is a claim",
    "unknown_key": "signed with a key that is not known here: the name is a claim",
    "invalid": "the signature is not of this decision",
}


@options.either("ref", "--ref")
def command(
    ref: Annotated[str | None, typer.Argument(metavar="[REF]", help="A record; by default all accepted ones.")] = None,
    allowed_signers: Annotated[
        str | None,
        typer.Option(
            "--allowed-signers",
            metavar="FILE",
            click_type=options.PATH,
            help="Who has which SSH key, as ssh-keygen reads it; by default gpg.ssh.allowedSignersFile of your git.",
        ),
    ] = None,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Check who accepted each record: by a signature, or by a name that was only typed.

    A name is a claim: any program with your rights can type it. `aicx memory accept --sign KEY` signs the decision with
    your SSH or GPG key. Exit code 1 where a signature is not of its decision, or the log is not as this home wrote it.

    Example: aicx memory check verify --allowed-signers ~/.ssh/allowed_signers
    Example: aicx memory check verify
    """
    file = user_path(allowed_signers) if allowed_signers else allowed_signers_of_git()
    if allowed_signers and not (file and file.is_file()):
        raise NotFound(f"there is no file {allowed_signers}")
    desk = open_desk(repo)
    layout = desk.settings.layout
    with opened(desk) as memory:
        wanted = {memory.find(ref).id} if ref else None
        own = {record.id for record in memory.records(everywhere=True)}
    decided, log = decisions_in(layout.memory)
    last: dict[str, Event] = {}
    for event in log.events:
        if event.type == "memory.accepted" and event.refs[0] in (own if wanted is None else wanted):
            last[event.refs[0]] = event
    git_name = name_of_git()
    rows = []
    for name, event in sorted(last.items()):
        if decided[name].adopted is None or decided[name].adopted_at != event.at:
            continue  # it was taken back since
        found = verify(layout.home, event, file)
        sealed = not decided[name].unsealed
        rows.append(
            VerifiedDecision(
                f"{PREFIX}{name}", event.by, instant(event.at), found.proof, found.signer, sealed, event.by == git_name
            )
        )
    failed = any(one.proof == "invalid" or not one.sealed for one in rows)
    if json:
        console.out_answer(VERIFY_SCHEMA, VerifyAnswer(not failed, rows))
    for one in () if json else rows:
        words = _WORDS[one.proof].format(signer=one.signer)
        known = ", the name in your git settings" if one.git_name else ""
        seal = "" if one.sealed else "  not written by this home"
        console.out(f"{one.ref}  accepted by {one.by}{known} on {local(one.at):%Y-%m-%d}")
        console.out(f"  {console.style(words, fg=_COLORS[one.proof])}{console.style(seal, fg='red')}")
    if not json and not rows:
        console.notify("Nothing is accepted.")
    if failed:
        raise typer.Exit(1)
