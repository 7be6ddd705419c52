"""The memory policy: what may not be shown, by path, by source and by words, of the repository and of the home.

Both files count, and neither can allow what the other excludes. One that cannot be understood, or whose rules take too
long to search for, stops everything that is asked in its repository, and hides what is from there elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from aicx.errors import AicxError, MalformedPolicy, PatternRefused
from aicx.git.identity import find_repository
from aicx.memory.sources_files import Refused, exists, read_regular, resolve_inside
from aicx.regex import ExpressionSearch, TooSlow, excludes_nothing
from aicx.storage.typed import texts_of
from aicx.terminal import invisible
from aicx.text import printable, shorten
from aicx.values import dataclass

NAME = "memory-policy.toml"
FOLDER = ".aicx"
KEYS = ("exclude_paths", "exclude_sources", "exclude_patterns")
_OF_AGENTS = frozenset({"chunk", "session", "live"})  # kinds of references whose second part is an agent's name

PolicyReason = Literal["policy_path", "policy_source", "policy_pattern", "policy_unreadable"]

# A longer text is no statement that anybody writes, and counts as excluded.
_MAX_TEXT = 20_000
_MAX_BYTES = 64 * 1024
_MAX_RULES = 1000
_MAX_RULE_LENGTH = 500
_PLACE = re.compile(r"\(at line (\d+), column \d+\)")


@dataclass(frozen=True)
class Policy:
    """The rules of all files together, the files in ``files``. Without rules nothing is excluded.

    Letters count without case. ``exclude_paths`` are in the grammar of .gitignore, for a file outside the repository
    from the root of the file system; ``exclude_sources`` are globs over ids, or names of agents; ``exclude_patterns``
    are regular expressions.
    """

    exclude_paths: tuple[tuple[str, ...], ...] = ()  # by file, so that `!` in one takes nothing back from another
    exclude_sources: tuple[str, ...] = ()
    exclude_patterns: tuple[str, ...] = ()
    files: tuple[Path, ...] = field(default=(), compare=False)

    @property
    def has_rules(self) -> bool:
        return bool(self.exclude_paths or self.exclude_sources or self.exclude_patterns)

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the rules: another one means that other entries may be excluded."""
        rules = [self.exclude_paths, self.exclude_sources, self.exclude_patterns]
        return sha256(json.dumps(rules).encode("utf-8", "surrogatepass")).hexdigest()

    def of_path(self, *paths: str) -> PolicyReason | None:
        """Why a file is excluded that has these paths: as it is named, and as it is without links."""
        if not any(self.exclude_paths):
            return None
        folded = [path.removeprefix("/").casefold() for path in paths]
        found = self._in_time(lambda path: any(ignores(path) for ignores in self._paths), folded)
        return "policy_path" if found else None

    def of_source(self, identity: str, agent: str | None = None) -> PolicyReason | None:
        """Why a source is excluded, or the agent that it is of: ``live:claude:CLAUDE.md``, ``session:codex:…``."""
        owner = identity.split(":")[1] if of_agent(identity) else None
        names = [name.casefold() for name in (identity, agent, owner) if name]
        excluded = any(fnmatchcase(name, rule) for rule in self.exclude_sources for name in names)
        return "policy_source" if excluded else None

    def of_text(self, *values: Any) -> PolicyReason | None:
        """Why a text is excluded, or a value by any text in it but names, as it is written and as it is read: in one
        line, without what has no shape."""
        for text in texts_of(values, names=False) if self.exclude_patterns else ():
            if len(text) > _MAX_TEXT:
                return "policy_pattern"
            plain = text.translate(invisible())
            variants = {text, plain, " ".join(printable(text).split())}
            if self._in_time(self._patterns, variants):
                return "policy_pattern"
        return None

    def __or__(self, other: Policy) -> Policy:
        """Joins two policies: what either excludes."""
        return Policy(
            (*self.exclude_paths, *other.exclude_paths),
            tuple(dict.fromkeys((*self.exclude_sources, *other.exclude_sources))),
            tuple(dict.fromkeys((*self.exclude_patterns, *other.exclude_patterns))),
            tuple(dict.fromkeys((*self.files, *other.files))),
        )

    @cached_property
    def _paths(self) -> list[Callable[[str], bool]]:
        from aicx.regex import ignoring

        return [ignoring(rules) for rules in self.exclude_paths]

    @cached_property
    def _patterns(self) -> ExpressionSearch:
        return ExpressionSearch(self.exclude_patterns, re.IGNORECASE)

    def _in_time(self, excludes: Callable[[str], bool], texts: Iterable[str]) -> bool:
        """Whether ``excludes`` says so of one of ``texts``.

        Raises MalformedPolicy where that takes too long, or the rules are too many.
        """
        try:
            return any(map(excludes, texts))
        except (PatternRefused, TooSlow) as error:
            files = ", ".join(map(str, self.files))
            hint = "make its patterns simpler; nothing is shown until then"
            raise MalformedPolicy(f"{files}: the rules take too long to search for", hint=hint) from error


def of_agent(identity: str) -> bool:
    """Whether a reference names an agent, with a session of it or a file that it reads."""
    kind, colon, _ = identity.partition(":")
    return bool(colon) and kind in _OF_AGENTS


def load_policy(home: Path, repository: Path | None, user_home: Path | None = None) -> Policy:
    """The policy of ``home`` (`AICX_HOME`) and of the repository; rules with ``~/`` are below ``user_home``.

    In a worktree the policy of the main working folder counts too: a file that git does not track is only there.
    Raises MalformedPolicy for a file that cannot be read and understood as a whole.
    """
    folders = [repository, _main_folder(repository)] if repository else []
    found: list[tuple[Path, dict[str, tuple[str, ...]]]] = []
    for path, top in ((home / NAME, None), *((top / FOLDER / NAME, top) for top in folders if top is not None)):
        if (rules := rules_in(path, top)) is not None:
            found.append((path, rules))
    # Signs of a pattern in the folder's name stand for themselves.
    below = re.sub(r"([\\*?\[!#])", r"\\\1", f"{user_home}/") if user_home else "~/"

    def folded(rules: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(re.sub(r"^(!?)~/", lambda found: found[1] + below, rule).casefold() for rule in rules)

    def joined(key: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rule for _, rules in found for rule in rules[key]))

    return Policy(
        tuple(folded(rules["exclude_paths"]) for _, rules in found if rules["exclude_paths"]),
        tuple(rule.casefold() for rule in joined("exclude_sources")),
        joined("exclude_patterns"),
        tuple(path for path, _ in found),
    )


def _main_folder(repository: Path) -> Path | None:
    """The working folder whose worktree ``repository`` is; None where it is none."""
    try:
        if not (repository / ".git").is_file():
            return None
        common = find_repository(repository).common
    except (OSError, AicxError):
        return None
    return common.parent if common is not None and common.name == ".git" and common.is_dir() else None


def rules_in(path: Path, top: Path | None) -> dict[str, tuple[str, ...]] | None:
    """The rules of a policy file by their keys; None where there is none. It must not leave ``top``.

    Raises MalformedPolicy.
    """
    body = _body(path, top)
    return None if body is None else _rules(path, body)


def _body(path: Path, top: Path | None) -> bytes | None:
    """A policy file's bytes; None where there is none."""
    if not exists(path):
        # A folder that is not there at the moment may hold rules.
        if top is not None and path.parent.is_symlink() and not path.parent.exists():
            raise _malformed(path, 1, f"{FOLDER} is a link that leads nowhere")
        return None
    try:
        place = resolve_inside(path, top) if top is not None else path.resolve(strict=True)
        return read_regular(place, _MAX_BYTES)[0]
    except (Refused, OSError, RuntimeError) as error:
        what = {
            "unsafe_symlink": "it is a link that leads out of the repository",
            "over_budget": f"it is larger than {_MAX_BYTES:,} bytes",
        }.get(getattr(error, "reason", ""), "it cannot be read as a file")
        raise _malformed(path, 1, what) from error


def _rules(path: Path, body: bytes) -> dict[str, tuple[str, ...]]:
    if not body.strip(b"\0 \t\r\n"):  # what a crash leaves of a file; nobody writes a policy that says nothing
        raise _malformed(path, 1, "it is empty; if it is to exclude nothing, delete it, and nothing is lost")
    import tomllib  # imported here: most people have no such file, and every recall would pay for it

    try:
        text = body.decode("utf-8")
        table = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise _malformed(path, body.count(b"\n", 0, error.start) + 1, "it is not UTF-8") from error
    except RecursionError as error:
        raise _malformed(path, 1, "its values are nested too deeply") from error
    except ValueError as error:
        found = _PLACE.search(str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise _malformed(path, line, _PLACE.sub("", str(error)).strip()) from error
    if unknown := next((key for key in table if key not in KEYS), None):
        name = shorten(unknown, 40)
        raise _malformed(path, _line_of(text, unknown), f"{name!r} is not a rule; the rules are {', '.join(KEYS)}")
    return {key: _list(path, text, key, table) for key in KEYS}


def _list(path: Path, text: str, key: str, table: Mapping[str, Any]) -> tuple[str, ...]:
    values, line = table.get(key, []), _line_of(text, key)
    if not isinstance(values, list) or not all(isinstance(value, str) and value.strip() for value in values):
        raise _malformed(path, line, f"{key} must be a list of texts, none of them empty")
    if len(values) > _MAX_RULES or any(len(value) > _MAX_RULE_LENGTH for value in values):
        raise _malformed(path, line, f"{key} takes up to {_MAX_RULES:,} rules of up to {_MAX_RULE_LENGTH} characters")
    number = 0
    try:
        if key == "exclude_paths":
            for number, value in enumerate(values):  # noqa: B007  the last one is named below
                if excludes_nothing(value.casefold()):
                    raise PatternRefused("excludes nothing")
        if key == "exclude_patterns" and (found := ExpressionSearch(values, re.IGNORECASE).found("")):
            raise PatternRefused("matches nothing, so everything", number=min(found))
    except PatternRefused as error:
        number = number if error.number is None else error.number
        raise _malformed(path, line, f"rule {number + 1} of {key} {error.message}", error.hint) from error
    return tuple(values)


def _line_of(text: str, key: str) -> int:
    """The line on which a key of the file is given, 1 where it is written in a way of its own."""
    found = re.search(rf"^[ \t]*\[*[ \t]*[\"']?{re.escape(key)}\b", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def _malformed(path: Path, line: int, what: str, hint: str | None = None) -> MalformedPolicy:
    mend = "mend the memory policy; nothing is shown until then"
    return MalformedPolicy(f"{path}, line {line}: {what}", hint=f"{mend} ({hint})" if hint else mend)
