"""Writes the tables of rankers and peers in docs/benchmarks.md from benchmarks/results; with --check compares them.

`search.json` there is what `aicx bench report --json` printed, `recommendation.json` what `aicx bench recommend --json`
did, a line a ranker, and `peers.json` has reports of runs with peers, a line each; `memory.json` is the report of an
ablation of recall. Nothing is measured here, and
nothing but the base install is needed.
"""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "benchmarks.md"
RESULTS = PAGE.parent.parent / "benchmarks" / "results"
START = "<!-- Written by docs/generate_benchmarks.py from benchmarks/results; `make docs` writes it again. -->"
END = "<!-- Here ends what is written by docs/generate_benchmarks.py. -->"
START_PEERS = "<!-- Results of peers, written by docs/generate_benchmarks.py; `make docs` writes them again. -->"

START_MEMORY = "<!-- Rules of recall, written by docs/generate_benchmarks.py; `make docs` writes them again. -->"

_COUNTED = "counted"
# The parts of the memory's sets, and the rankers in their order.
_PARTS = {"topic words": "by topic words", _COUNTED: "in other words"}
_RECALLS = ("memory", "memory:static")
_CHANCE = 0.05
_SIZES = ("index MB", "peak MB", "tokens handed over")
# What else is to be said of a result, by its commit: where its tables are older than what they are about.
_SINCE = {
    "93525e153bb2": "The changes `in the repository` are of a second run at that commit, with git repositories beside "
    "the logs; both runs answered all 289 questions of commits alike without them.",
}
# Rows of these sets that need no MiniLM are of an earlier commit than the report that they are in.
_EARLIER, _EARLIER_SETS, _LATER = "9e6f8687ba23", ("locomo", "cosqa", "bundled"), "minilm"
# What each set is, for readers who have not seen it.
_SETS = {
    "commits": "A commit's subject line, and the sessions in which the commit was made: the question of a person "
    "who knows the change and looks for the reason. Subjects that occur in a log word for word, or that are too short "
    "to be a question, are reported apart.",
    "locomo": "LoCoMo: questions about long conversations between two people, each conversation asked on its own. "
    "No code.",
    "cosqa": "CoSQA: queries typed into a web search engine, and the Python functions that answer them.",
    "bundled": "The invented set that comes with aicx. It is small enough to judge by eye, and far too small to "
    "rank rankers by.",
}


def render(report: Mapping[str, Any], recommended: Sequence[Mapping[str, Any]]) -> str:
    """The section on rankers, from one marker to the other."""
    first, *others = recommended
    rules = [*_rules(first), *(line for other in others for line in _rules_of(other))]
    return "\n".join([START, "", *_intro(report), *_sets(report), *rules, *_not_claimed(), "", END])


def render_peers(reports: Sequence[Mapping[str, Any]]) -> str:
    """The tables of peers, from one marker to the other: each set's in the order of the runs."""
    return "\n".join([START_PEERS, *(line for report in reports for line in _peers(report)), "", END])


def _peers(report: Mapping[str, Any]) -> Iterator[str]:
    machine = report["machine"]
    for dataset in report["datasets"]:
        sessions = f", {dataset['answers']} sessions" if dataset["answer"] == "session" else ""
        yield from ("", f"#### {dataset['name']}{sessions}", "")
        cores = f"{machine['cores']} core{'' if machine['cores'] == 1 else 's'}"
        yield (
            f"{_size(dataset)} Made {report['made_at'][:10]} at commit {report['commit']} on {cores} "
            f"of {machine['processor'] or machine['architecture']}, which other work shared."
        )
        yield from ("", *_quality(dataset, report["reference"]))
        timed = all(cost["build_seconds"] is not None for cost in dataset["costs"].values())
        yield from _remaining(dataset, (_costs if timed else _sizes)(dataset))


def render_memory(report: Mapping[str, Any]) -> str:
    """Recall with each rule and without it, set by set, from one marker to the other."""
    return "\n".join(
        [START_MEMORY, *(line for dataset in report["datasets"] for line in _recall(report, dataset)), "", END]
    )


def _recall(report: Mapping[str, Any], dataset: Mapping[str, Any]) -> Iterator[str]:
    quality, labels = dataset["quality"], dataset["abstention"]
    counts = {part: next(iter(lines.values()))["queries"] for part, lines in quality.items()}
    machine = report["machine"]
    yield from ("", f"#### {dataset['name']}", "")
    yield (
        f"{dataset['documents']:,} records and lines of an instruction file. Made {report['made_at'][:10]} at commit "
        f"{report['commit']} on {machine['cores']} cores of {machine['processor'] or machine['architecture']}, which "
        "other work shared."
    )
    measures = [(part, measure) for part in _PARTS if part in counts for measure in ("Recall@5", "MRR@10")]
    head = [f"{measure} {_PARTS[part]} (n = {counts[part]})" for part, measure in measures]
    for base in _RECALLS:
        rows = []
        for name in (name for name in quality[_COUNTED] if name == base or name.startswith(f"{base} ")):
            cells = [_ends(quality[part][name][measure]) for part, measure in measures]
            told = labels[name]
            quiet = f"{told['abstained']} + {told['weak']} of {told['negatives']}"
            rows.append([name.removeprefix(base).strip() or f"`{base}` as it is", *cells, quiet])
        yield ""
        yield from _table(["rule off, or changed", *head, "none + weak where nothing answers"], rows)


def _intro(report: Mapping[str, Any]) -> Iterator[str]:
    machine, settings, versions = report["machine"], report["settings"], report["versions"]
    names = " ".join(
        f"-d {dataset['name']}{'' if dataset['name'] == 'bundled' else '=PATH'}" for dataset in report["datasets"]
    )
    rankers = " ".join(f"-r {name}" for name in settings["rankers"])
    packages = ", ".join(
        f"{name} {versions[name]}"
        for name in ("python", "tantivy", "lancedb", "pylance", "ir-measures")
        if name in versions
    )
    yield "```console"
    yield f"$ aicx bench run {names} --home FOLDER {rankers}"
    yield "$ aicx bench report RESULT.json --json > benchmarks/results/search.json"
    yield "```"
    yield ""
    yield (
        f"Made {report['made_at'][:10]} at commit {report['commit']} on {machine['cores']} cores of "
        f"{machine['processor'] or machine['architecture']} with {machine['memory_gb']:.0f} GB "
        f"({machine['system']}), which other work shared; {packages}. Every ranker answers the same questions with "
        f"{settings['depth']} answers. MRR@10 has 95 % intervals by a paired bootstrap over questions "
        f"({settings['resamples']:,} resamples, seed {settings['seed']}). p is that of a paired randomisation test "
        f"against `{report['reference']}`, corrected for the number of rankers (Holm); differences with p below "
        f"{_CHANCE} are set in bold. Same data and seed give the same figures. Times were not kept, because too many "
        "other processes shared the cores; [the page on embedders](decisions/default-embedder.md) has some."
    )
    yield ""
    indexed = " and ".join(f"`{name}`" for name in settings["rankers"] if name.startswith("aicx:"))
    yield (
        f"`aicx` is `aicx search` right after `aicx store`, {indexed} after `aicx index` with that `--embedder`. The "
        "others: `grep` counts words, newest first; `rank-bm25` and SQLite's `fts5` are BM25s of others over "
        "plain text; `lexical` and `dense:static` are our two retrievers alone, `rrf` and `weighted` join them by "
        "ranks and by scores."
    )


def _sets(report: Mapping[str, Any]) -> Iterator[str]:
    for dataset in report["datasets"]:
        name = dataset["name"]
        yield from ("", f"### {name}", "")
        if name in _SETS:
            yield from (_SETS[name], "")
        yield _size(dataset)
        yield ""
        if name not in _EARLIER_SETS:
            yield from _tables(dataset, report["reference"])
        else:
            rankers = dataset["quality"][_COUNTED]
            yield from (f"At commit {_EARLIER}:", "")
            yield from _tables(_only(dataset, [one for one in rankers if _LATER not in one]), report["reference"])
            yield from ("", f"At commit {report['commit']}, compared with the `{report['reference']}` above:", "")
            yield from _tables(_only(dataset, [one for one in rankers if _LATER in one]), report["reference"])
        yield from _remaining(dataset)


def _tables(dataset: Mapping[str, Any], reference: str) -> Iterator[str]:
    yield from _quality(dataset, reference)
    if len(dataset["types"]) > 1:
        yield from ("", "By type of question, MRR@10:", "", *_by_type(dataset))
    yield from ("", *_sizes(dataset))


def _only(dataset: Mapping[str, Any], rankers: Sequence[str]) -> dict[str, Any]:
    """The figures of some rankers, which a table of one commit has."""

    def kept(rows: Mapping[str, Any]) -> dict[str, Any]:
        return {name: row for name, row in rows.items() if name in rankers}

    return {
        **dataset,
        "quality": {_COUNTED: kept(dataset["quality"][_COUNTED])},
        "against": kept(dataset["against"]),
        "abstention": kept(dataset["abstention"]),
        "types": {kind: kept(lines) for kind, lines in dataset["types"].items()},
        "costs": kept(dataset["costs"]),
    }


def _part(part: str, lines: Mapping[str, Any]) -> str:
    queries = next(iter(lines.values()))["queries"]
    cells = [f"`{ranker}` {_ends(line['MRR@10'])}" for ranker, line in lines.items()]
    return f"Apart, {part} (n = {queries}), MRR@10: {'; '.join(cells)}."


def _remaining(dataset: Mapping[str, Any], costs: Iterable[str] = ()) -> Iterator[str]:
    """What follows the figures that count: the parts reported apart, costs, what failed, what was left out."""
    for part, lines in dataset["quality"].items():
        if part != _COUNTED:
            yield from ("", _part(part, lines))
    if costs := list(costs):
        yield from ("", *costs)
    for ranker, failure in dataset["failures"].items():
        yield from ("", f"`{ranker}` is missing: {failure}.")
    for note in dataset["notes"]:
        yield from ("", f"Of the data: {note}.")


def _size(dataset: Mapping[str, Any]) -> str:
    count = f"{dataset['documents']:,} {'documents' if dataset['answer'] == 'document' else 'chunks'}"
    if dataset["answer"] == "session":
        count += f" of {dataset['answers']:,} sessions, and an answer is a session"
    if dataset["corpora"] > 1:
        count += f", in {dataset['corpora']} corpora"
    types = dataset["queries"][_COUNTED]
    return (
        f"{count}. {sum(types.values())} questions: {', '.join(f'{number} {kind}' for kind, number in types.items())}."
    )


def _quality(dataset: Mapping[str, Any], reference: str) -> Iterator[str]:
    lines = dataset["quality"][_COUNTED]
    queries = next(iter(lines.values()))["queries"]
    labels = dataset["abstention"]
    head = ["ranker", f"MRR@10 (n = {queries})", "nDCG@10", "Recall@10", "hit@1", f"MRR@10 against `{reference}`", "p"]
    rows = []
    for ranker, line in lines.items():
        gap = dataset["against"].get(ranker)
        row = [f"`{ranker}`", _ends(line["MRR@10"])]
        row += [f"{line[measure]['mean']:.3f}" for measure in ("nDCG@10", "Recall@10", "hit@1")]
        row += [_gap(gap), _chance(gap["corrected"])] if gap else ["", ""]
        if labels:
            found = labels[ranker]
            precision = "" if found["precision"] is None else f" (precision {found['precision']:.2f})"
            row.append(f"{found['abstained'] + found['weak']} of {found['negatives']}{precision}")
        rows.append(row)
    yield from _table([*head, *(["none or weak where nothing answers"] if labels else [])], rows)


def _by_type(dataset: Mapping[str, Any]) -> Iterator[str]:
    types = dataset["types"]
    head = ["ranker", *(f"{kind} (n = {next(iter(lines.values()))['queries']})" for kind, lines in types.items())]
    rankers = next(iter(types.values()))
    yield from _table(
        head, [[f"`{name}`", *(_ends(lines[name]["MRR@10"]) for lines in types.values())] for name in rankers]
    )


def _costs(dataset: Mapping[str, Any]) -> Iterator[str]:
    rows = []
    for ranker, cost in dataset["costs"].items():
        cold = "" if cost["cold_p50"] is None else f"{cost['cold_p50']:.0f} ({cost['cold_ratio']:.0f}x)"
        build = "" if cost["build_seconds"] is None else f"{cost['build_seconds']:.1f}"
        row = [f"`{ranker}`", f"{cost['warm_p50']:.1f}", f"{cost['warm_p95']:.1f}", cold, build]
        rows.append([*row, *_size_cells(cost)])
    head = ["ranker", "warm p50 ms", "warm p95 ms", "cold p50 ms (of a bare `python -c pass`)", "build s"]
    yield from _table([*head, *_SIZES], rows)


def _sizes(dataset: Mapping[str, Any]) -> Iterator[str]:
    """Costs without times, of a run whose times say nothing."""
    rows = [[f"`{ranker}`", *_size_cells(cost)] for ranker, cost in dataset["costs"].items()]
    yield from _table(["ranker", *_SIZES], rows)


def _size_cells(cost: Mapping[str, Any]) -> list[str]:
    tokens = cost["tokens"] or 0
    return [f"{cost['index_bytes'] / 1e6:.1f}", f"{cost['memory_bytes'] / 1e6:.0f}", f"{tokens:,.0f}"]


def _rules(recommended: Mapping[str, Any]) -> Iterator[str]:
    sets = list(recommended["datasets"])
    yield from ("", "### What each rule is worth", "")
    yield from ("```console", f"$ aicx bench ablate {' '.join(f'-d {name}' for name in sets)} ...")
    yield from ("$ aicx bench recommend RESULT.json --json > benchmarks/results/recommendation.json", "```", "")
    yield (
        f"Each rule of `{recommended['ranker']}` switched off or replaced by an alternative, with everything else "
        "unchanged: MRR@10 with the change minus MRR@10 without it. A value below zero supports the rule. Bold: more "
        f"than noise (p below {_CHANCE}, paired, corrected for the number of changes on that set). A rule has *earned* "
        "its place when some set is worse without it by more than noise, or answers questions without an answer. It "
        "is replaced only by a change that is better on some set by more than noise, worse on none, and better on "
        "average; so what is *kept* without having earned it is a choice, not a finding. Questions that are reported "
        "apart from a set can show the purpose of a rule; they cannot support a change."
    )
    if "own" in sets:
        yield ""
        yield (
            "`own` are questions mined from the sessions that `commits` asks about, as `aicx bench run -d own` mines "
            "them from yours: identifiers that occur in one session, prompts that ask again, commits, dates, and what "
            "was never there. "
            "Its questions about a time have the date in them, so by construction it favours reading dates."
        )
    yield ""
    yield from _rule_table(recommended)
    yield ""
    yield (
        "These sets cannot test two rules. None of their logs is a subagent's (`subagent`), and few of their sessions "
        "are a program's (`automated`). Both stay because users need them, untested by figures."
    )
    yield from _rule_costs(recommended)
    yield ""
    since = _SINCE.get(recommended["commit"])
    yield (
        f"Measured {recommended['made_at'][:10]} at commit {recommended['commit']}. {f'{since} ' if since else ''}"
        "`tests/bench/test_recommendation.py` fails when the defaults in `retrieval/params.py` differ from this "
        "result recommends."
    )


def _rules_of(recommended: Mapping[str, Any]) -> Iterator[str]:
    """The same for another ranker, which the defaults do not follow."""
    yield from ("", f"#### {recommended['ranker']}", "", *_rule_table(recommended), *_rule_costs(recommended))


def _rule_costs(recommended: Mapping[str, Any]) -> Iterator[str]:
    """Set by set, what a ranker costs as it is, and with each change that may make a difference to it."""
    head = ["change", "index MB", "build s", "warm p50 ms", "cold, of a bare `python -c pass`"]
    for name, changes in recommended["costs"].items():
        rows = []
        for change, cost in changes.items():
            build = "" if cost["build_seconds"] is None else f"{cost['build_seconds']:.1f}"
            cold = "" if cost["cold_ratio"] is None else f"{cost['cold_ratio']:.0f}x"
            row = [change or "as it is", f"{cost['index_bytes'] / 1e6:.1f}", build, f"{cost['warm_p50']:.1f}", cold]
            rows.append(row)
        yield from ("", f"What it costs on {name}, with `{recommended['ranker']}` asked without the command line:", "")
        yield from _table(head, rows)


def _rule_table(recommended: Mapping[str, Any]) -> Iterator[str]:
    sets = list(recommended["datasets"])
    rows = []
    for line in recommended["evidence"]:
        cells = [_effect(line["sets"].get(name)) for name in sets]
        verdict = "gives way" if not line["keep"] else "earned" if line["earned"] else "kept"
        rows.append([line["change"], f"`{line['rule']}`", *cells, "; ".join(_apart(line["sets"], sets)), verdict])
    counts = {
        name: next(line["sets"][name]["queries"] for line in recommended["evidence"] if name in line["sets"])
        for name in sets
    }
    yield from _table(
        ["change", "rule", *(f"{name} (n = {number})" for name, number in counts.items()), "apart", "the rule"], rows
    )


def _not_claimed() -> Iterator[str]:
    yield from ("", "### What is not claimed", "")
    yield "- Nothing about rankers whose intervals overlap and whose p is not small: such differences may be noise."
    yield "- Nothing about other people's histories. `aicx bench run --dataset own` measures on yours."
    yield "- Nothing about speed beyond this machine. It was not idle, and times on it vary by a third and more."
    yield (
        "- Commits were matched to sessions by programs, not people: an answer that is right and not in the list "
        "counts as wrong."
    )
    yield (
        "- Other memory tools are not in these tables; [Peers](#peers) has them. Larger embedders are not there either."
    )


def _effect(effect: Mapping[str, Any] | None) -> str:
    if effect is None:
        return ""
    cell = _gap(effect)
    if effect["quiet"] != effect["quiet_base"]:
        cell += f"; quiet on {effect['quiet']} negatives, not {effect['quiet_base']}"
    return cell


def _apart(effects: Mapping[str, Any], sets: Sequence[str]) -> Iterator[str]:
    """What a change does to questions reported apart, where it is more than noise."""
    for name, effect in effects.items():
        if name not in sets and effect["corrected"] < _CHANCE:
            yield f"{_gap(effect)} on {name} (n = {effect['queries']})"


def _gap(gap: Mapping[str, Any]) -> str:
    text = f"{gap['mean']:+.3f}"
    return f"{f'**{text}**' if gap['corrected'] < _CHANCE else text} [{gap['low']:+.3f}, {gap['high']:+.3f}]"


def _ends(around: Mapping[str, float]) -> str:
    return f"{around['mean']:.3f} [{around['low']:.3f}, {around['high']:.3f}]"


def _chance(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" + "|--:" * (len(head) - 1) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _read(name: str) -> list[dict[str, Any]]:
    """The objects of a file of results, a line each."""
    return [json.loads(line) for line in (RESULTS / f"{name}.json").read_text("utf-8").splitlines()]


def _put(page: str, start: str, section: str) -> str:
    before, _, rest = page.partition(start)
    _, _, after = rest.partition(END)
    return f"{before}{section}{after}"


def main(arguments: list[str]) -> int:
    """Writes the section, or compares it; 1 when it is out of date."""
    [report], recommended, peers = map(_read, ("search", "recommendation", "peers"))
    found = PAGE.read_text("utf-8")
    wanted = _put(_put(found, START, render(report, recommended)), START_PEERS, render_peers(peers))
    wanted = _put(wanted, START_MEMORY, render_memory(_read("memory")[0]))
    if "--check" not in arguments:
        PAGE.write_text(wanted, "utf-8")
        return 0
    if found == wanted:
        return 0
    changes = difflib.unified_diff(
        found.splitlines(), wanted.splitlines(), "docs/benchmarks.md", "the results", "", "", 1
    )
    sys.stderr.write("\n".join(changes) + "\ndocs/benchmarks.md is out of date: make docs\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
