"""The remotes of a repository, from its file of settings: no git is started, and nothing of it is obeyed."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

_REMOTE = re.compile(
    r"(?:[a-z+]+://)?(?:[^@/\s]+@)?(?P<host>[^/:\s]+)(?::\d+)?[:/]+(?P<path>[^\s?#]+?)/?", re.IGNORECASE
)
# What a proxy or a mirror puts before the path of a repository: the address itself, or the name of its forge.
_ADDRESS_INSIDE = re.compile(r"(?:^|/)https?:/+(?P<rest>[^/]+/.+)")
_FORGES = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
_SHORT_FORGES = frozenset({"gh", "github"})
_LOOPBACK = re.compile(r"localhost|127\.[\d.]+|0\.0\.0\.0")
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
    if address := _ADDRESS_INSIDE.search(match["path"]):
        return parts_of(f"https://{address['rest']}")
    parts = [part for part in match["path"].removesuffix(".git").split("/") if part]
    if len(parts) > 2 and _is_proxy(match["host"].lower(), parts[0].lower()):
        del parts[0]
    # GitLab subgroups: everything before the repository is one organisation.
    return (".".join(parts[:-1]), parts[-1]) if len(parts) >= 2 else None


def is_short_forge(name: str) -> bool:
    """Whether the first part of an organisation is how a proxy abbreviates a forge."""
    return name.lower() in _SHORT_FORGES


def _is_proxy(host: str, first: str) -> bool:
    """Whether ``host`` only passes on what is at another one, which ``first`` names. A host of GitLab has subgroups."""
    if first in _FORGES or _LOOPBACK.fullmatch(host):
        return first in _FORGES or first in _SHORT_FORGES or first == "git"
    return first in _SHORT_FORGES and "gitlab" not in host


def host_of(common: Path) -> str | None:
    """The host of the first remote that names a repository, as it is compared; None where none does."""
    url = next((url for url in remote_urls(common) if parts_of(url)), "")
    match = _REMOTE.fullmatch(url.strip())
    if match is None:
        return None
    host = match["host"].lower().removeprefix("www.").removeprefix("ssh.")
    # What is no name of a host may be a secret in the wrong place.
    return host if _HOST.fullmatch(host) else sha256(host.encode("utf-8", "surrogateescape")).hexdigest()[:16]
