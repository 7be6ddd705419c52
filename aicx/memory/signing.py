"""Signatures of decisions, made with a person's own SSH or GPG key: what proves a name, which is only typed otherwise.

What is signed is the event as it is in the log. A signature is in a file of its own, named by the hash of that line.
"""

from __future__ import annotations

import subprocess
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Literal

from aicx.errors import UsageError
from aicx.memory.events import Event
from aicx.storage import replace_file

SIGNATURES = "memory-signatures"  # beside memory/
GPG = "gpg:"  # before the name of a key of GPG
_PURPOSE = "aicx-memory"  # no signature that was made for something else counts
_SECONDS = 120  # a person may have to type a password

Proof = Literal["signed", "unsigned", "invalid", "unknown_key"]


def sign(home: Path, event: Event, key: str) -> None:
    """Signs an event with the SSH key in the file ``key``, or with a key of GPG for ``gpg:NAME``. Raises UsageError."""
    if key.startswith(GPG):
        command = ["gpg", "--batch", "--armor", "--detach-sign", "--local-user", key.removeprefix(GPG)]
    else:
        command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(Path(key).expanduser()), "-n", _PURPOSE]
    done = _run(command, event.encode())
    if done.returncode or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(
            f"the decision is recorded, but not signed: {said[-1] if said else command[0] + ' says nothing'}",
            hint="decide again with --sign and the file of an SSH key, or gpg:NAME",
        )
    replace_file(_place(home, event), done.stdout)


def verify(home: Path, event: Event, allowed_signers: Path | None) -> tuple[Proof, str | None]:
    """Checks the signature of an event, and finds who has its key, by the file of allowed signers or by GPG."""
    place = _place(home, event)
    try:
        signature = place.read_bytes()
    except OSError:
        return "unsigned", None
    if signature.startswith(b"-----BEGIN PGP"):
        return _by_gpg(place, event)
    if allowed_signers is None:
        return "unknown_key", None
    files = ["-f", str(allowed_signers), "-s", str(place)]
    found = _run(["ssh-keygen", "-Y", "find-principals", *files], event.encode())
    names = found.stdout.decode("utf-8", "replace").split("\n")[0].strip()
    if found.returncode or not names:
        return "unknown_key", None
    command = ["ssh-keygen", "-Y", "verify", *files, "-n", _PURPOSE, "-I", names]
    return "invalid" if _run(command, event.encode()).returncode else "signed", names


def allowed_signers_of_git() -> Path | None:
    """The file of allowed signers that the person's own git settings name, not those of a repository."""
    found = _of_git("--path", "gpg.ssh.allowedSignersFile")
    return Path(found) if found else None


def name_of_git() -> str | None:
    """The name that the person's own git settings have."""
    return _of_git("user.name")


def _of_git(*words: str) -> str | None:
    try:
        done = _run(["git", "config", "--global", *words], b"")
    except UsageError:
        return None
    return done.stdout.decode("utf-8", "replace").strip() or None


def _by_gpg(place: Path, event: Event) -> tuple[Proof, str | None]:
    command = ["gpg", "--batch", "--status-fd", "1", "--verify", str(place), "-"]
    printed = _run(command, event.encode()).stdout.decode("utf-8", "replace")
    status = [line.split(" ", 3) for line in printed.splitlines()]
    said = {words[1]: words[3:] for words in status if words[0] == "[GNUPG:]" and len(words) > 1}
    if "GOODSIG" in said and "VALIDSIG" in said:
        return "signed", "".join(said["GOODSIG"])
    return "invalid" if "BADSIG" in said else "unknown_key", None


def _place(home: Path, event: Event) -> Path:
    return home / SIGNATURES / f"{sha256(event.encode()).hexdigest()}.sig"


def _run(command: list[str], given: bytes) -> subprocess.CompletedProcess[bytes]:
    """Runs a program outside of the current folder, which may be anybody's. Raises UsageError where there is none."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run(command, input=given, capture_output=True, cwd=folder, timeout=_SECONDS, check=False)
    except FileNotFoundError as error:
        raise UsageError(f"{command[0]} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"{command[0]} does not answer") from error
