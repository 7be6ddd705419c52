"""The invented home of the golden files, and the commands that are run in it, one after the other."""

from __future__ import annotations

import os
from pathlib import Path

from tests.corpus.builders import T0, ClaudeLog, CodexLog, Home
from tests.evidence.stories import Repository
from tests.sessions.compacted import SUMMARY

FIRST = "4f2a81c0-7d1e-4c55-9b1a-3e6f0a9c2d11"
SECOND = "7c19e2f4-7d1e-4c55-9b1a-3e6f0a9c2d11"
CODEX = "019f68cf-0000-4000-8000-000000000001"
SECRET = "ghp_" + "R4nd0mLetters0123456789abcdefABCDEFGH"[:36]

# A line is a command of aicx; `--json` is added where the command has it. `name <- field.of.answer` before it keeps a
# value of the answer for `{name}` in later lines; `(2)` is an exit code that is expected, and ` < text` what it reads.
STORY = """
store --dry-run
store
claude --dry-run
codex --since 7d
gemini
all
list
state
refs
projects list
projects rename octo/site octo/website
projects merge octo/website ada/myrepo
projects assign ~/src/other acme/other
projects ignore ~/src/widgets
projects reset ~/src/widgets
search retry policy of exports
search root cause --mode scan --limit 2
search retry --group session --explain
steer -p myrepo
steer retry --explain
rank -p myrepo -H 0
sessions list
sessions search retry policy
sessions recall why did the migration fail
sessions show 4f2a81c0
sessions chain --session 7c19e2f4
sessions windows 4f2a81c0
sessions summarize 4f2a81c0
sessions summarize 4f2a81c0 --mode seed --query retry --max-chars 2000
sessions open --agent claude --session 7c19e2f4-7d1e-4c55-9b1a-3e6f0a9c2d11 --continues 4f2a81c0
sessions fork --session 7c19e2f4
sessions link 7c19e2f4 019f68cf --type continues
sessions restore --session 4f2a81c0
sessions stats
sessions close --session 7c19e2f4 --status ok
show 4f2a81c0
show claude:4f2a81c0-7d1e-4c55-9b1a-3e6f0a9c2d11:001 --verify
show file:src/parser.py
show commit:{commit}
extract --session 4f2a81c0
why {commit}
why src/parser.py:1-5
failure <- items.0.id : failures list
failures show {failure}
failures parse --command mypy < src/parser.py:3: error: Name 'x' is not defined  [name-defined]
map refresh
map status
map query "where are retries limited"
rule <- entry.ref : memory put "Exports need an authorisation check" --name exports-policy --kind policy --topic exports
fact <- entry.ref : memory put "Exports are written twice" --name export-check --kind fact --topic exports
other <- entry.ref : memory put "Retries are capped at 5" --kind fact --topic retries --anchor src/retry.py#L2-L4
guess <- entry.ref : memory put "Perhaps the cache is cold" --kind fact --topic cache
memory edit export-check --statement "Exports are written three times"
memory accept {rule} --by Ada --why "agreed" --yes
memory accept {fact} --by Ada --yes
memory accept {other} --by Ada --yes
memory reject {guess} --by Ada --why "it was a guess"
memory supersede {fact} --with {other} --by Ada --yes
memory pin {rule} --by Ada --yes
memory unpin {rule} --by Ada
memory hold {rule} --why "to be looked at"
memory release {rule} --by Ada --yes
memory validate {rule} --result pass --by Ada --yes --method "pytest -q"
memory archive {rule} --by Ada
memory restore {rule} --by Ada
memory list
memory get {rule}
memory history {rule}
memory recall how are exports authorised
memory recall exports --with-evidence
memory stats
memory sources
memory candidates list
memory backfill
memory lint
memory curate
memory eval
memory audit < Exports need an authorisation check. Exports are not checked.
memory seal --by Ada --yes
memory verify
memory delete {guess} --yes
task <- task.id : task start "Fix the export of empty files" --next "Reproduce it"
task update --verified "the parser accepts empty files" --evidence session:claude:4f2a81c0 --file src/export.py
task update --json-patch '{{"uncertainties": [{{"claim": "Windows", "confidence": "low"}}]}}'
task status
task list
task show {task}
next
resume
resume --task "fix the retry of exports" --explain
prepare --task "fix the retry of exports"
boot
finalize --status success --summary "The export handles empty files" --tests-executed "pytest -q" --next "Changelog"
task handoffs
task areas
task close {task} --status resolved --note merged
task resume {task}
usage
usage --contracts
continuity save
continuity save --scope local
continuity status
continuity load
continuity refresh
continuity open
pack <- artifact : pack task
pack family
pack show {pack}
cas put notes.md --tag release
cas list
cas get {pack}
cas pin {pack}
cas unpin {pack}
cas gc
review build
review candidates
review show {rule}
mine <- entry.ref : memory put "Always write the changelog last" --kind policy --topic changelog
review approve {mine} --by Ada
review promote {mine} --by Ada --target AGENTS.md --yes
review apply-prep {mine}
(1) review verify-apply {mine}
doubt <- entry.ref : memory put "Never run the tests twice" --kind policy --topic tests
review reject {doubt} --by Ada --why "no longer"
(2) review adopt {mine} --by Ada --yes
reports .
init --dry-run
init --yes
doctor --repo .
clean --yes
install claude --dry-run
install codex --yes
uninstall --yes
doctor
index build --embedder test
index status
index drop
forget --session 019f68cf --dry-run
forget --session 019f68cf --yes
store --redact-again
continuity clear --scope local
(3) show nothing-like-it
bench list
init --yes
reminded
"""
# Commands with `--json` that are not run, and why.
NOT_RUN = {
    "dashboard": "a server",
    "demo": "makes a home of its own, with a clock of its own",
    **dict.fromkeys(
        ("bench run", "bench ablate", "bench recommend", "bench report", "bench compare", "bench peers"),
        "figures of this machine",
    ),
    **dict.fromkeys(
        ("share init", "share push", "share build", "share status", "share verify", "share forget", "share leave"),
        "keys and times of one machine",
    ),
}


def fill(user: Home) -> dict[str, str]:
    """A repository and sessions of two agents about it; returns what later commands call them."""
    place = Repository(user.root / "src" / "orbit", remote="git@example.org:ada/myrepo.git")
    for name, text in {
        "CLAUDE.md": "# Rules\n\n- Exports need an authorisation check\n",
        "AGENTS.md": "# Rules\n",
        "src/retry.py": "".join(f"retry_{n} = {n}\n" for n in range(8)),
        "src/export.py": "def export(): ...\n",
        "notes.md": "notes\n",
        "Makefile": "test:\n\t@true\n",
    }.items():
        place.write(name, text)
    commit = place.commit("src/parser.py", "".join(f"value_{n} = {n}\n" for n in range(9)), "Retry uploads (#12)")
    for number, (session, folder) in enumerate(((FIRST, "src/orbit"), (SECOND, "src/orbit"), ("acce5500", "src/site"))):
        at = 600.0 * number
        log = ClaudeLog(session, f"{user.root}/{folder}").prompt(f"Why did the migration fail {number}? {SECRET}", at)
        log.call("Edit", at + 1, f"e{number}", file_path=f"{user.root}/{folder}/src/parser.py", new_string="x")
        log.result("", at + 2, f"e{number}").call("Bash", at + 3, f"b{number}", command="mypy src")
        log.result("src/parser.py:3: error: Name 'x' is not defined  [name-defined]", at + 4, f"b{number}", failed=True)
        log.call("Edit", at + 4.2, f"f{number}", file_path=f"{user.root}/{folder}/src/parser.py", new_string="x = 1")
        log.result("", at + 4.4, f"f{number}").call("Bash", at + 4.6, f"g{number}", command="mypy src")
        log.result("Success: no issues found in 1 source file", at + 4.8, f"g{number}")
        log.call("Bash", at + 5, f"c{number}", command="git commit -m Retry")
        log.result(f"[main {commit[:7]}] Retry uploads", at + 6, f"c{number}")
        log.add("system", at + 7, subtype="compact_boundary", content="Conversation compacted")
        log.add("user", at + 7, isCompactSummary=True, message={"role": "user", "content": SUMMARY})
        log.prompt("Always check exports for authorisation. Retry policy of exports?", at + 8)
        log.answer("The root cause is ERR_CONN_REFUSED. Next: write the changelog.", at + 20)
        user.claude(log)
    rollout = CodexLog(CODEX, f"{user.root}/src/orbit", remote="git@example.org:ada/myrepo.git")
    user.codex(rollout.prompt("Refresh the token", 30).answer("The token refresh is done.", 31))
    for folder, name in (("site", "octo/site"), ("widgets", "acme/widgets"), ("other", "")):
        Repository(user.root / "src" / folder, remote=f"git@example.org:{name}.git" if name else "").commit()
    for path in sorted(user.root.rglob("*")):
        os.utime(path, (T0.timestamp() + 7200,) * 2)
    return {"commit": commit}


# What aicx makes again from other files, and locks.
_DERIVED = ("**/*.sqlite*", "**/*.checksums.json", "**/*.lock", "index/**/*")


def kept_files(user: Home) -> dict[Path, bytes]:
    """What aicx has written, but for what it makes again from other files, and the agents' files that it edits."""
    edited = [*user.root.glob(".c*/*"), *user.root.glob("src/orbit/*"), *user.root.glob("src/orbit/.[ac]*/**/*")]
    made = {path for path in [*user.corpus.rglob("*"), *edited] if path.is_file()}
    again = {path for pattern in _DERIVED for path in user.corpus.glob(pattern)}
    return {path: path.read_bytes() for path in sorted(made - again)}
