"""Patterns as .gitignore has them, matched in time that grows with the path alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from aicx.errors import PatternRefused

_BELOW_FOLDER = "ps_d"  # the group of pathspec's expressions that what is below a matching folder goes through


def ignoring(lines: Iterable[str]) -> Callable[[str], bool]:
    """Says of a path whether ``lines`` ignore it, the last that fits deciding. Raises PatternRefused.

    What is said of a file itself counts for more than what is said of a folder above it, as in pathspec.
    """
    # Imported here: most people have no such patterns, and every command would pay for it.
    from pathspec import GitIgnoreSpec
    from pathspec.util import normalize_file

    from aicx.regex import ExpressionSearch

    try:
        patterns = [
            (one.regex.pattern, one.include)
            for one in GitIgnoreSpec.from_lines(lines).patterns
            if one.include is not None and one.regex is not None
        ]
    except (ValueError, re.error) as error:
        raise PatternRefused(f"is not a pattern as .gitignore has them: {error}") from error
    expressions = [expression for expression, _ in patterns]
    above, itself = ExpressionSearch(expressions), ExpressionSearch(expressions, apart=_BELOW_FOLDER)

    def ignores(path: str) -> bool:
        path = normalize_file(path)
        exactly = itself.found(path)
        ignored, sure = False, False
        for number in sorted(above.found(path)):
            of_folder, wanted = number not in exactly, patterns[number][1]
            if not of_folder or wanted or not sure:
                ignored, sure = wanted, not of_folder
        return ignored

    return ignores


def excludes_nothing(line: str) -> bool:
    """Whether a line is a comment or empty. Raises PatternRefused."""
    from pathspec import GitIgnoreSpec

    try:
        return all(one.include is None for one in GitIgnoreSpec.from_lines([line]).patterns)
    except (ValueError, re.error) as error:
        raise PatternRefused(f"is not a pattern as .gitignore has them: {error}") from error
