"""`aicx memory sources`: lists the instruction files that recall reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aicx import console, options
from aicx.commands.memory.outside import Outside, Owner, Paths, named_outside
from aicx.config import Settings, load_settings
from aicx.git.identity import find_repository
from aicx.paths import user_path

if TYPE_CHECKING:
    from aicx.memory.sources import SourceItem, SourcesAnswer
    from aicx.memory.sources_files import Named


def command(
    repo: options.Repo = None,
    outside: Outside = False,
    path: Paths = None,
    source: Owner = None,
    json: options.Json = False,
) -> None:
    """List the instruction files of a repository that recall reads, without their content.

    They are read when they are asked for, never stored, and always advisory. What a memory policy excludes, what a link
    leads out of the repository to, and what cannot be read as text is listed with the reason. Writes nothing.

    Example: aicx memory sources --json
    Example: aicx memory sources --global --path ~/.claude/projects/-work-site/memory
    """
    answer = list_sources(load_settings(), user_path(repo or "."), named_outside(outside, path, source))
    if json:
        from aicx.memory.sources import SCHEMA

        console.out_answer(SCHEMA, answer)
        return
    for item in answer.sources:
        _print(item)
    for blocked in answer.blocked:
        console.out(f"{console.style('blocked', fg='yellow')}  {blocked.ref}  {blocked.reason}")
    if not answer.sources:
        console.notify("No instruction file is there. `aicx memory sources --help` says where they are looked for.")


def list_sources(settings: Settings, folder: Path, named: Sequence[Named]) -> SourcesAnswer:
    """The live sources of the repository that ``folder`` is in, and of what is ``named`` outside it."""
    from aicx.memory.policy import load_policy
    from aicx.memory.sources import SourceItem, SourcesAnswer, read_live

    root = find_repository(folder).root
    policy = load_policy(settings.layout.home, root, settings.user_home)
    live = read_live(
        root,
        policy,
        named,
        homes=settings.homes,
        redact_secrets=settings.redact_secrets,
    )
    counts = Counter(one.source.id for one in live.statements)
    return SourcesAnswer(
        str(root),
        [SourceItem(one, counts[one.id]) for one in live.sources],
        live.blocked,
        [str(path) for path in policy.files],
        policy.digest,
    )


def _print(item: SourceItem) -> None:
    source = item.source
    allowed = source.policy == "allowed"
    state = console.style("allowed" if allowed else "blocked", fg="green" if allowed else "yellow")
    facts = [source.kind, source.reason or console.plural(item.statements, "statement")]
    if source.size is not None and source.mtime:
        facts += [console.size(source.size), f"changed {console.when(source.mtime)}"]
    console.out(f"{state}  {' '.join(source.id.split())}")
    console.out(f"         {' · '.join(facts)}")
