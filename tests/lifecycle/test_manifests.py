"""What a manifest counts is what was printed: for every command that writes one, in any state and for any budget."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.packs.rendering import MIN_BUDGET
from aicx.resume import MIN_TOKENS, ResumeQuery
from aicx.resume.brief.output import json_brief, markdown_brief
from aicx.resume.run import resume
from tests.lifecycle.conftest import Place
from tests.lifecycle.test_states import STATES, agreed, everything, guided
from tests.sampling import ALL, sample

pytestmark = [pytest.mark.slow, pytest.mark.needs("test")]

# Where the JSON has the lines of each slot.
_LISTS = {
    "commits": "repo.commits",
    "changed_files": "repo.changed_files",
    "context": "loaded_context",
    "symbols": "structural_entry_points",
    "known_fixes": "known_fixes",
    "summary": "summary",
    "agreed": "agreed",
    "guidance": "guidance",
    "goal": "capsule.goal",
    "asked": "capsule.last_request",
    "progress": "capsule.last_progress",
    "next": "capsule.next",
    "failures": "capsule.failures",
    "decisions": "capsule.decisions",
    "validated": "capsule.validated",
    "commits_made": "capsule.commits",
    "pull_requests": "capsule.pull_requests",
    "files_edited": "capsule.files_edited",
    "entry_points": "capsule.entry_points",
    "stated": "stated",
    "stated_next": "stated.next",
    "stated_failing": "stated.failing",
    "stated_decisions": "stated.decisions",
    "stated_before": "stated_before",
    "ran": "ran",
}


@pytest.mark.parametrize("state", sample(STATES, 5, "manifest"), ids=lambda state: state.__name__)
def test_the_manifest_of_a_brief_adds_up(state: Callable[[Place], None], place: Place) -> None:
    state(place)
    reports = {
        task: resume(place.user.settings, ResumeQuery(task=task, now=datetime.now(UTC), folder=place.repository.folder))
        for task in ("", "renew the tokens of the login", "parse the spreadsheet")
    }

    @settings(max_examples=50 if ALL else 15)
    @given(st.sampled_from(sorted(reports)), st.integers(MIN_TOKENS, 4000), st.booleans())
    def holds(task: str, budget: int, is_json: bool) -> None:
        made = (json_brief if is_json else markdown_brief)(place.user.settings, reports[task], budget)
        manifest = made.manifest()
        assert manifest["output"]["bytes"] == len(made.text)
        agrees(manifest, in_json(json.loads(made.text)) if is_json else Counter(markdown=bullets(made.text.decode())))

    holds()


def agrees(manifest: dict[str, Any], printed: Counter[str]) -> None:
    """That the counts of a manifest agree with each other, and its lines with those that were printed."""
    lines, entries, sections = manifest["lines"], manifest["entries"], manifest["sections"]
    if "markdown" in printed:
        assert len(lines) == printed["markdown"]
    else:
        assert Counter(line["slot"] for line in lines) == printed
    rendered = Counter(line["section"] for line in lines)
    assert {one["name"]: one["rendered"] for one in sections if one["rendered"]} == rendered
    assert all(one["considered"] == one["rendered"] + one["omitted"] for one in sections)
    assert manifest["output"]["truncated"] == any(one["omitted"] for one in sections)

    assert len({one["ref"] for one in entries}) == len(entries)
    assert {one["ref"]: one["items_shown"] for one in entries if one["items_shown"]} == Counter(
        line["entry"] for line in lines
    )
    assert sum(one["items_total"] for one in entries) == sum(one["considered"] for one in sections)
    for one in entries:
        shown, total = one["items_shown"], one["items_total"]
        assert one["included"] == ("none" if not shown else "full" if shown == total else "partial")
        assert (one["left_out"] is None) == bool(shown)
        assert bool(one["bytes"]) == bool(shown)
        assert one["reasons"] or not shown, one
    left_out = Counter(one["left_out"] for one in entries if one["left_out"])
    assert manifest["exclusions"]["by_reason"] == left_out


def bullets(text: str) -> int:
    """The lines of a brief's history, without the one on git that every brief begins with."""
    found = re.findall(r"^- ", text, re.MULTILINE)
    return max(len(found) - 1, 0)


def in_json(brief: dict[str, Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    for slot, path in _LISTS.items():
        value: Any = brief
        for name in path.split("."):
            value = value.get(name) if value else None
        found[slot] = len(value) if isinstance(value, list) else int(value is not None)
    return +found


def test_the_manifest_of_a_run_is_of_its_context(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    from aicx.cli import run

    everything(place)
    with pytest.raises(SystemExit):
        run(["run", "--task", "renew the tokens", "--", "true"])
    [path] = place.user.settings.layout.run_contexts.glob("*.json")
    brief = path.with_suffix(".md").read_text().partition("what a new session needs to know")[2]
    agrees(json.loads(path.read_text())["selection"], Counter(markdown=bullets(brief)))


def test_a_recall_says_of_all_that_it_considered_what_became_of_it(place: Place) -> None:
    agreed(place)
    guided(place)
    for number in range(6):
        place("memory", "put", f"Tokens of client {number} are renewed", "--kind", "fact", "--topic", "tokens")
    questions = ("tokens", "renew the tokens of the login", "spreadsheet", "always run tests")

    @settings(max_examples=50 if ALL else 12)
    @given(st.sampled_from(questions), st.integers(1, 6), st.booleans())
    def holds(question: str, limit: int, evidence: bool) -> None:
        more = ["--with-evidence"] if evidence else []
        found = place("memory", "recall", *question.split(), "--limit", str(limit), *more)
        refs = [one["ref"] for one in (*found["entries"], *found["excluded"])]
        assert len(refs) == len(set(refs)) == found["method"]["considered"]
        assert len(found["entries"]) <= limit
        assert all(one["reasons"] for one in (*found["entries"], *found["excluded"]))
        assert found["baseline"] == [one["ref"] for one in found["entries"] if one["baseline"]]
        assert sum(found["suppressed"].values()) <= len(found["excluded"])
        left = Counter(one["status"] for one in found["excluded"])
        assert all(count <= left[status] for status, count in found["suppressed"].items())

    holds()


@pytest.mark.parametrize("kind", ["task", "family"])
def test_a_pack_says_how_many_lines_of_it_it_left_out(kind: str, place: Place) -> None:
    everything(place)
    whole = place("pack", kind, "--budget", "100000")
    lines = bullets_of(whole)

    @settings(max_examples=25 if ALL else 5)
    @given(st.integers(MIN_BUDGET, 2000))
    def holds(budget: int) -> None:
        found = place("pack", "show", whole["artifact"], "--budget", str(budget))
        left = found["summary"]["omitted"]
        assert bullets_of(found) + sum(left.values()) == lines + sum(whole["summary"]["omitted"].values())
        assert all(left.values())

    holds()


def bullets_of(pack: dict[str, Any]) -> int:
    return len(re.findall(r"^- ", pack["summary"]["text"], re.MULTILINE))
