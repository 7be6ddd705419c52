"""What the builders of git repositories share: none of these starts a process."""

from __future__ import annotations

from pathlib import Path

# After each commit, git starts another process to see whether the repository needs upkeep. Those of tests do not.
NO_UPKEEP = ("-c", "maintenance.auto=false")

_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"
_REMOTE = '[remote "origin"]\n\turl = {}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'


def begin(folder: Path, remote: str = "") -> None:
    """What `git init` makes, with the branch `main`, and `git remote add origin`."""
    for name in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
        (folder / ".git" / name).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(_CONFIG + (_REMOTE.format(remote) if remote else ""))


def head(folder: Path) -> str:
    """The commit at `HEAD`, made a moment ago and so in a file of its own."""
    found = (folder / ".git" / "HEAD").read_text().strip()
    return found if len(found) == 40 else (folder / ".git" / found.removeprefix("ref: ")).read_text().strip()
