"""Paths below `AICX_HOME`, and the check for names that are safe to put there."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from aicx.errors import UnsafePath
from aicx.values import dataclass, regex

NON_REPOSITORY = "non-repository-contexts"

_TOMBSTONES = "forgotten.jsonl"
_SAFE_SESSION = regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SAFE_PART = regex(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_UNSAFE_RUN = regex(r"[^A-Za-z0-9._-]+")
_CHUNK_NAME = regex(r"(?P<date>\d{4}_\d{4})_(?P<agent>[a-z-]+)_(?P<session>.+)_(?P<number>\d{3,})\.md")


@dataclass(frozen=True, slots=True)
class Layout:
    """The on-disk layout as a value: every path aicx writes comes from here."""

    home: Path

    @property
    def store(self) -> Path:
        return self.home / "store"

    @property
    def non_repository(self) -> Path:
        return self.home / NON_REPOSITORY

    @property
    def summary(self) -> Path:
        return self.home / "index.json"

    @property
    def catalog(self) -> Path:
        return self.home / "catalog.sqlite"

    @property
    def lexical_index(self) -> Path:
        return self.home / "index" / "lexical"

    @property
    def models(self) -> Path:
        return self.home / "models"

    @property
    def work_facts(self) -> Path:
        """The work of each stored session, and what it proposes to remember."""
        return self.home / "index" / "work.sqlite"

    @property
    def reminders(self) -> Path:
        """The index of what hooks may remind a session of."""
        return self.home / "index" / "reminders.sqlite"

    @property
    def session_edges(self) -> Path:
        """Which stored session goes on with which, as far as logs and what they did say."""
        return self.home / "index" / "sessions.sqlite"

    @property
    def session_identities(self) -> Path:
        """Which session each agent is in, in each working folder, where `aicx sessions open` began it."""
        return self.home / "sessions"

    @property
    def session_summaries(self) -> Path:
        """Summaries of sessions and of their windows, a file for each session."""
        return self.home / "index" / "session-summaries"

    @property
    def repomap(self) -> Path:
        """Maps of repositories, a folder for each repository and a file for each of its working folders."""
        return self.home / "repomap"

    @property
    def index_manifest(self) -> Path:
        return self.home / "index" / "manifest.json"

    @property
    def share(self) -> Path:
        """Which shared index this home is part of, and what it gives to it."""
        return self.home / "share.json"

    @property
    def share_copy(self) -> Path:
        """The files of a share that another machine keeps for several, as they were fetched last."""
        return self.home / "share"

    @property
    def ignore_file(self) -> Path:
        return self.home / ".aicxignore"

    @property
    def config_file(self) -> Path:
        return self.home / "config.toml"

    @property
    def auth_token(self) -> Path:
        """The token that a server over HTTP asks its callers for, unless the environment says another."""
        return self.home / "auth-token"

    @property
    def projects(self) -> Path:
        """The decisions of a person about folders and repositories."""
        return self.home / "projects.json"

    @property
    def tombstones(self) -> Path:
        return self.home / _TOMBSTONES

    @property
    def set_apart(self) -> Path:
        """Chunks that were altered on disk and that no log gives again; nothing reads them but `doctor`."""
        return self.home / "set-apart"

    @property
    def bad_tombstones(self) -> Path:
        """Lines of the tombstones that could not be understood."""
        return self.set_apart / "forgotten.jsonl"

    @property
    def memory(self) -> Path:
        """Records of what may be believed, and the events that say who decided what about them."""
        return self.home / "memory"

    @property
    def memory_index(self) -> Path:
        return self.home / "index" / "memory.sqlite"

    @property
    def memory_recall(self) -> Path:
        """The words and the meaning of statements, for recall."""
        return self.home / "index" / "memory-recall.sqlite"

    @property
    def work(self) -> Path:
        """The state of work: a folder for each repository, in it a file for each task, and the events."""
        return self.home / "work"

    @property
    def cas(self) -> Path:
        """Objects under the SHA-256 of their bytes: packs, and what people put there."""
        return self.home / "cas"

    @property
    def agents(self) -> Path:
        """The record of what `aicx init` put into which files, and of what the hooks remember."""
        return self.home / "agents"

    @property
    def memory_roots(self) -> Path:
        """In which folders the repositories of records are."""
        return self.home / "index" / "memory-roots.json"

    @property
    def runs(self) -> Path:
        """The logs of programs without logs of their own, as printed under `aicx run`, one of each session."""
        return self.home / "runs"

    @property
    def run_contexts(self) -> Path:
        """The briefs that `aicx run` gave to programs, with their manifests."""
        return self.home / "runs" / "context"

    @property
    def locks(self) -> Path:
        return self.home / "locks"

    @property
    def forgetting(self) -> Path:
        """The forgetting that has begun, until the last index has lost it too."""
        return self.home / "locks" / "forgetting.json"

    @property
    def staging(self) -> Path:
        """Files being written, on the same file system as the store so that a rename publishes them."""
        return self.home / "locks" / "staging"

    @property
    def redacting(self) -> Path:
        """There from the first change of `store --redact-again` until the indexes have followed."""
        return self.home / "locks" / "redacting"

    def inside(self, relative: str) -> Path:
        """The file behind a stored relative path. Raises UnsafePath for one that leads outside what is journalled.

        That is the store, and the tombstones, which `forget` publishes together with the chunks it changes.
        """
        return self.home / self.checked(relative)

    def checked(self, relative: str) -> str:
        """The path itself, where it does not lead outside what is journalled; see `inside`."""
        if relative == _TOMBSTONES:
            return relative
        if "\0" in relative or "\\" in relative or "\n" in relative or "\r" in relative:
            raise UnsafePath(f"not a path of this store: {relative!r}")
        parts = relative.split("/")  # an absolute path has an empty first part
        if parts[0] not in ("store", NON_REPOSITORY) or ".." in parts:
            raise UnsafePath(f"not a path of this store: {relative!r}")
        return relative


def chunk_stem(
    project: str | None, date: str, kind: str, agent: str, session_id: str, number: int, stream: str = ""
) -> str:
    """A chunk's path below the home, without its ending. ``date`` is ISO; ``project`` is ``org/repo`` or None."""
    day = f"{date[:4]}_{date[5:7]}{date[8:10]}"
    folder = f"store/{project}" if project else NON_REPOSITORY
    session = safe_session(session_id) + (f"~{stream}" if stream else "")
    return f"{folder}/{day}/{kind}/{agent}/{day}_{agent}_{session}_{number:03d}"


def parse_chunk_name(name: str) -> tuple[str, str, str, int] | None:
    """(date folder, agent, session part, number) of a chunk's file name; None when it is not one."""
    match = _CHUNK_NAME.fullmatch(name)
    return (match["date"], match["agent"], match["session"], int(match["number"])) if match else None


def safe_session(session_id: str) -> str:
    """A session id as part of a file name: itself where it is plain, else cleaned and made unique by its hash.

    Two different ids never give the same name: ``~`` occurs in no plain id and the hash is of the whole id.
    """
    if _SAFE_SESSION.fullmatch(session_id):
        return session_id
    cleaned = _UNSAFE_RUN.sub("-", session_id).strip("-.")[:60] or "session"
    return f"{cleaned}~{sha256(session_id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def safe_project(organisation: str, repository: str) -> str | None:
    """``org/repo`` when both can be folder names as they are, else None."""
    if _SAFE_PART.fullmatch(organisation) and _SAFE_PART.fullmatch(repository):
        return f"{organisation}/{repository}"
    return None


def user_path(text: str) -> Path:
    """A path given by the user; refuses control characters, which no real path of theirs has."""
    if any(ord(character) < 32 for character in text):
        raise UnsafePath(f"the path holds control characters: {text!r}")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UnsafePath(f"{text!r} names a home folder that does not exist: {error}") from error
