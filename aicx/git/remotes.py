"""The remotes of a repository, from its file of settings: no git is started, and nothing of it is obeyed."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

_REMOTE = re.compile(
    r"(?:[a-z+]+://)?(?:[^@/\s]+@)?(?P<host>[^/:\s]+)(?::\d+)?[:/]+(?P<path>[^\s?#]+?)/?", re.IGNORECASE
)
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,100}[a-z0-9])?")
_SECTION = re.compile(r'\[\s*remote\s+"(?P<name>[^"]+)"\s*\]')
# Settings of a repository are some lines.
_MAX_BYTES = 1_000_000


def remote_urls(common: Path) -> list[str]:
    """The remotes' addresses, ``origin`` first; ``common`` is git's own folder. They may hold secrets."""
    config = common / "config"
    try:
        if not config.is_file():  # a pipe might never end
            return []
        with config.open("rb") as stream:
            lines = stream.read(_MAX_BYTES).decode("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        return []
    urls: dict[str, str] = {}
    remote: str | None = None
    for line in map(str.strip, lines):
        if line.startswith("["):
            match = _SECTION.fullmatch(line)
            remote = match["name"] if match else None
        elif remote is not None and re.match(r"url\s*=", line):
            urls.setdefault(remote, line.split("=", 1)[1].strip())
    return [urls[name] for name in sorted(urls, key=lambda name: name != "origin")]


def parts_of(url: str) -> tuple[str, str] | None:
    """Organisation and repository of a remote in any of its spellings; None when the URL names none."""
    match = _REMOTE.fullmatch(url.strip())
    if not match or url.startswith(("/", ".", "file:")):
        return None
    parts = [part for part in match["path"].removesuffix(".git").split("/") if part]
    # GitLab subgroups: everything before the repository is one organisation.
    return (".".join(parts[:-1]), parts[-1]) if len(parts) >= 2 else None


def host_of(common: Path) -> str | None:
    """The host of the first remote that names a repository, as it is compared; None where none does."""
    url = next((url for url in remote_urls(common) if parts_of(url)), "")
    match = _REMOTE.fullmatch(url.strip())
    if match is None:
        return None
    host = match["host"].lower().removeprefix("www.").removeprefix("ssh.")
    # What is no name of a host may be a secret in the wrong place.
    return host if _HOST.fullmatch(host) else sha256(host.encode("utf-8", "surrogateescape")).hexdigest()[:16]
