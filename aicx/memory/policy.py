"""The memory policy: what may not be shown, by path, by source and by words, of the repository and of the home.

Both files count, and neither can allow what the other excludes. One that cannot be understood stops everything.
"""

from __future__ import annotations

import json
import re
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from aicx.errors import MalformedPolicy
from aicx.memory.sources_files import Refused, exists, read_regular, resolve_inside
from aicx.terminal import invisible
from aicx.text import printable, shorten

NAME = "memory-policy.toml"
FOLDER = ".aicx"
KEYS = ("exclude_paths", "exclude_sources", "exclude_patterns")

PolicyReason = Literal["policy_path", "policy_source", "policy_pattern"]

_MAX_BYTES = 64 * 1024
_MAX_RULES = 1000
_MAX_RULE_LENGTH = 500
# A text is searched in pieces of this many characters, each with the second half of the one before, so that no pattern
# takes long. A text longer than the last number is no statement that anybody writes, and counts as excluded.
_PIECE, _LONGEST_TEXT = 1000, 20_000
# Parts of a pattern that may go on without end over nearly any text: with every further one a search takes a thousand
# times as long.
_MAX_WIDE = 2
_PLACE = re.compile(r"\(at line (\d+), column \d+\)")
_WIDE = re.compile(r"(?:\.|\\[SWDw]|[\])])\Z")
_WITHOUT_END = re.compile(r"[*+]|\{\d*,\}")


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
    def digest(self) -> str:
        """SHA-256 (hex) of the rules: another one means that other entries may be excluded."""
        rules = [self.exclude_paths, self.exclude_sources, self.exclude_patterns]
        return sha256(json.dumps(rules).encode("utf-8", "surrogatepass")).hexdigest()

    def of_path(self, *paths: str) -> PolicyReason | None:
        """Why a file is excluded that has these paths: as it is named, and as it is without links."""
        if not any(self.exclude_paths):
            return None
        folded = [path.removeprefix("/").casefold() for path in paths]
        return "policy_path" if any(spec(path) for spec in self._paths for path in folded) else None

    def of_source(self, identity: str, agent: str | None = None) -> PolicyReason | None:
        """Why a source is excluded: ``live:claude:CLAUDE.md``, ``chunk:…``, ``session:codex:…``."""
        names = [identity.casefold(), *([agent.casefold()] if agent else ())]
        excluded = any(fnmatchcase(name, rule) for rule in self.exclude_sources for name in names)
        return "policy_source" if excluded else None

    def of_text(self, *texts: str) -> PolicyReason | None:
        """Why a text is excluded, as it is written and as it is read: in one line, without what has no shape."""
        for text in texts if self.exclude_patterns else ():
            if len(text) > _LONGEST_TEXT:
                return "policy_pattern"
            plain = text.translate(invisible())
            variants = {text, plain, " ".join(printable(text).split())}
            pieces = [piece for variant in variants for piece in _pieces(variant)]
            if any(pattern.search(piece) for pattern in self._patterns for piece in pieces):
                return "policy_pattern"
        return None

    def __or__(self, other: Policy) -> Policy:
        """What either excludes."""
        return Policy(
            (*self.exclude_paths, *other.exclude_paths),
            tuple(dict.fromkeys((*self.exclude_sources, *other.exclude_sources))),
            tuple(dict.fromkeys((*self.exclude_patterns, *other.exclude_patterns))),
            tuple(dict.fromkeys((*self.files, *other.files))),
        )

    @cached_property
    def _paths(self) -> list[Any]:
        # Imported here: most repositories have no such rule, and every recall would pay for it.
        from pathspec import GitIgnoreSpec

        return [GitIgnoreSpec.from_lines(rules).match_file for rules in self.exclude_paths]

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        return [_compiled(pattern) for pattern in self.exclude_patterns]


def load_policy(home: Path, repository: Path | None, user_home: Path | None = None) -> Policy:
    """The policy of ``home`` (`AICX_HOME`) and of the repository; rules with ``~/`` are below ``user_home``.

    Raises MalformedPolicy for a file that cannot be read and understood as a whole.
    """
    found: list[tuple[Path, dict[str, tuple[str, ...]]]] = []
    for path, top in ((home / NAME, None), (repository and repository / FOLDER / NAME, repository)):
        if path is not None and (body := _body(path, top)) is not None:
            found.append((path, _rules(path, body)))
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


def _body(path: Path, top: Path | None) -> bytes | None:
    """A policy file's bytes; None where there is none."""
    if not exists(path):
        # A folder that is not there at the moment may hold rules.
        if top is not None and path.parent.is_symlink() and not path.parent.exists():
            raise _malformed(path, 1, f"{FOLDER} is a link that leads nowhere")
        return None
    try:
        place = resolve_inside(path, top) if top is not None else path.resolve(strict=True)
        return read_regular(place, _MAX_BYTES).body
    except (Refused, OSError, RuntimeError) as error:
        what = {
            "unsafe_symlink": "it is a link that leads out of the repository",
            "over_budget": f"it is larger than {_MAX_BYTES:,} bytes",
        }.get(getattr(error, "reason", ""), "it cannot be read as a file")
        raise _malformed(path, 1, what) from error


def _rules(path: Path, body: bytes) -> dict[str, tuple[str, ...]]:
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
    for number, value in enumerate(values, 1):
        if wrong := _wrong(key, value):
            raise _malformed(path, line, f"rule {number} of {key} {wrong}")
    return tuple(values)


def _wrong(key: str, rule: str) -> str | None:
    """What is wrong with one rule, without quoting it."""
    if key == "exclude_paths":
        from pathspec import GitIgnoreSpec

        try:
            spec = GitIgnoreSpec.from_lines([rule.casefold()])
        except (ValueError, re.error):
            return "is not a pattern as .gitignore has them"
        return None if any(one.include is not None for one in spec.patterns) else "excludes nothing"
    if key == "exclude_patterns":
        try:
            pattern = _compiled(rule)
        except (re.error, OverflowError, RecursionError) as error:
            return f"is not a regular expression: {error}" if isinstance(error, re.error) else "is too complex"
        if pattern.search(""):
            return "matches nothing, so everything"
        return "has repetitions that may take forever" if _may_explode(rule) else None
    return None


def _pieces(text: str) -> Iterator[str]:
    yield text[:_PIECE]
    for start in range(_PIECE // 2, len(text) - _PIECE // 2, _PIECE // 2):
        yield text[start : start + _PIECE]


def _compiled(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(pattern, re.IGNORECASE)


def _may_explode(pattern: str) -> bool:
    """Whether a search may take very long: a group that may repeat without end has a repetition or a choice in it, or
    there are more than two repetitions without end of what fits nearly any text.
    """
    open_groups: list[bool] = []
    before, wide = "", 0
    for place, sign in _signs(pattern):
        if sign == "(":
            open_groups.append(False)
        elif sign == ")" and open_groups:
            inner = open_groups.pop()
            if inner and _WITHOUT_END.match(pattern, place + 1):
                return True
            if inner and open_groups:
                open_groups[-1] = True
        elif open_groups and (sign in "*+{|" or (sign == "?" and before != "(")):
            open_groups[-1] = True
        wide += bool(_WIDE.search(pattern, 0, place)) and bool(_WITHOUT_END.match(pattern, place))
        before = sign
    return wide > _MAX_WIDE


def _signs(pattern: str) -> Iterator[tuple[int, str]]:
    """The signs of an expression that are neither escaped nor in a class."""
    in_class = -1
    place = 0
    while place < len(pattern):
        sign = pattern[place]
        if sign == "\\":
            place += 1
        elif in_class >= 0:
            if sign == "]" and place > in_class + 1:
                in_class = -1
        elif sign == "[":
            in_class = place + (pattern[place + 1 : place + 2] == "^")
        else:
            yield place, sign
        place += 1


def _line_of(text: str, key: str) -> int:
    """The line on which a key of the file is given, 1 where it is written in a way of its own."""
    found = re.search(rf"^[ \t]*\[*[ \t]*[\"']?{re.escape(key)}\b", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def _malformed(path: Path, line: int, what: str) -> MalformedPolicy:
    return MalformedPolicy(f"{path}, line {line}: {what}", hint="mend the memory policy; nothing is shown until then")
