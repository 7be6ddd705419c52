"""A result's figures as tables, before anything decides how a table looks, and as JSON has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated, TypeVar

from aicx.bench.dataset import MEASURES
from aicx.bench.report.ablations import effect_tables, verdict_table
from aicx.bench.results import BenchResult, DatasetFacts, Machine, RunSettings
from aicx.bench.summary import (
    PRIMARY,
    Abstention,
    Against,
    Cost,
    Quality,
    ReportTable,
    abstentions_of,
    against,
    chance,
    costs_of,
    parts_of,
    quality_of,
    rankers_of,
    rounded,
    signed,
    types_of,
    with_ends,
)
from aicx.fields import INLINE, taken_from
from aicx.values import dataclass

# The ranker others are compared with: what there is right after `aicx store`.
DEFAULT_REFERENCE = "aicx"
_CHANCE = 0.05  # corrected p from which on a difference may be chance


@dataclass(frozen=True, slots=True)
class Section:
    """One dataset: what it is, its tables, and what to conclude from them in a sentence."""

    dataset: str
    facts: Sequence[str]
    tables: Sequence[ReportTable]
    plotted: bool = True
    conclusion: str = ""


def sections(result: BenchResult, reference: str = DEFAULT_REFERENCE) -> list[Section]:
    """A section for every dataset of the result; of an ablation also one for all of them together."""
    if result.facts.settings.ablate:
        found = [
            Section(described.name, _facts(result, described), effect_tables(result, described.name), False)
            for described in result.facts.datasets
        ]
        rankers = result.facts.settings.rankers
        return [*found, Section("All sets together", (), [verdict_table(result, name) for name in rankers], False)]
    return [
        Section(
            described.name,
            _facts(result, described),
            _tables(result, described.name, reference),
            conclusion=conclusion(result, described.name, reference),
        )
        for described in result.facts.datasets
    ]


def described(ranker: str) -> str:
    """A ranker's name, and beside that of aicx itself what it stands for."""
    method, _, embedder = ranker.partition(":")
    if method != "aicx":
        return ranker
    return f"{ranker} (aicx search, words and {embedder} vectors)" if embedder else f"{ranker} (aicx search, words)"


def conclusion(result: BenchResult, dataset: str, reference: str) -> str:
    """Compares ``reference`` with the others on the counted questions of a dataset, in one sentence."""
    lines = quality_of(result, dataset)
    if len(lines) < 2 or reference not in rankers_of(result, dataset):
        return ""
    gaps = against(result, dataset, reference)
    told = {sign: [gap.ranker for gap in gaps if _sign(gap) == sign] for sign in (-1, 0, 1)}
    said = [
        f"{verb} {_listed(told[sign])}"
        for sign, verb in ((-1, "better than"), (0, "not told apart from"), (1, "worse than"))
        if told[sign]
    ]
    return f"On these {lines[0].queries} questions, by {PRIMARY}, {reference} is {', '.join(said)}."


def _sign(gap: Against) -> int:
    """1 where the ranker is ahead of the reference by more than chance, -1 where it is behind, else 0."""
    if gap.corrected >= _CHANCE:
        return 0
    return 1 if gap.difference.mean > 0 else -1


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _tables(result: BenchResult, dataset: str, reference: str) -> list[ReportTable]:
    if not rankers_of(result, dataset):
        return []
    first, *others = parts_of(result, dataset)
    tables = [_quality(result, dataset, first, "Quality", reference)]
    if len(types := types_of(result, dataset)) > 1:
        tables.append(_by_type(result, dataset, types))
    if abstentions_of(result, dataset):
        tables.append(_abstention(result, dataset))
    tables += [_quality(result, dataset, part, f"Apart: {part}", None) for part in others]
    tables.append(_costs(result, dataset))
    return tables


def _facts(result: BenchResult, described: DatasetFacts) -> list[str]:
    counts = ", ".join(
        f"{sum(types.values())} {part} ({', '.join(f'{count} {kind}' for kind, count in types.items())})"
        for part, types in described.queries.items()
    )
    noun = "document" if described.answer == "document" else "chunk"
    facts = [f"{described.documents:,} {noun}s"]
    if described.answer == "session":
        facts[0] += f" of {described.answers:,} sessions; an answer is a session"
    if described.corpora > 1:
        facts[0] += f" in {described.corpora} corpora, each asked on its own"
    facts += [f"questions: {counts}", f"data fingerprint {described.fingerprint}", *described.notes]
    rankers = result.facts.costs(described.name)
    failed = [f"{row.ranker} is missing: {row.failure}" for row in rankers if row.failure]
    noted = [f"{row.ranker} is {note}" for row in rankers if not row.failure for note in row.notes]
    return facts + noted + failed


def _quality(result: BenchResult, dataset: str, part: str, title: str, reference: str | None) -> ReportTable:
    lines = quality_of(result, dataset, part)
    compared = reference is not None and reference in rankers_of(result, dataset)
    gaps = {item.ranker: item for item in against(result, dataset, str(reference))} if compared else {}
    head = ["ranker", *MEASURES]
    if compared:
        head += [f"{PRIMARY} against {reference}", "p"]
    rows = []
    for line in lines:
        row = [described(line.ranker), with_ends(line.measures[PRIMARY])]
        row += [f"{line.measures[name].mean:.3f}" for name in MEASURES if name != PRIMARY]
        if compared:
            gap = gaps.get(line.ranker)
            row += [signed(gap.difference), chance(gap.corrected)] if gap else ["", ""]
        rows.append(row)
    note = f"n = {lines[0].queries if lines else 0}. In brackets 95 % intervals (paired bootstrap over questions)."
    if compared:
        note += " p: paired randomisation test, corrected for the number of rankers (Holm)."
    return ReportTable(title, note, head, rows)


def _by_type(result: BenchResult, dataset: str, types: Sequence[str]) -> ReportTable:
    by_type = {kind: {line.ranker: line for line in quality_of(result, dataset, type=kind)} for kind in types}
    rows = []
    for ranker in rankers_of(result, dataset):
        cells = [ranker]
        for lines in by_type.values():
            line = lines[ranker]
            cells += [with_ends(line.measures[PRIMARY]), f"{line.measures['hit@1'].mean:.3f}"]
        rows.append(cells)
    head = ["ranker"]
    for kind, lines in by_type.items():
        head += [f"{kind} (n = {next(iter(lines.values())).queries}) {PRIMARY}", f"{kind} hit@1"]
    return ReportTable("By type of question", "", head, rows)


def _abstention(result: BenchResult, dataset: str) -> ReportTable:
    rows = [
        [
            line.ranker,
            f"{line.quiet} of {line.negatives}",
            str(line.abstained),
            str(line.weak) if line.labels else "-",
            f"{line.lost + line.doubted} of {line.answerable}",
            "-" if line.precision is None else f"{line.precision:.2f}",
        ]
        for line in abstentions_of(result, dataset)
    ]
    note = (
        "Negative questions have no answer: none is what they should get, or one that is labelled as weak evidence "
        "(- for rankers without labels). Wrongly: questions with an answer that got none or a label. Precision: the "
        "share of negative questions among all that got none or a label."
    )
    head = ["ranker", "none or weak on negatives", "none", "weak", "wrongly", "precision"]
    return ReportTable("Abstention", note, head, rows)


def _costs(result: BenchResult, dataset: str) -> ReportTable:
    rows = [
        [
            line.ranker,
            _plain(line.warm_p50),
            _plain(line.warm_p95),
            _plain(line.cold_p50),
            _plain(line.cold_p95),
            "-" if line.cold_ratio is None else f"{line.cold_ratio:.0f}x",
            "-" if line.build_seconds is None else f"{line.build_seconds:.1f}",
            f"{line.index_bytes / 1e6:.1f}",
            f"{line.memory_bytes / 1e6:.0f} ({line.base_bytes / 1e6:.0f})",
            "-" if line.tokens is None else f"{line.tokens:,.0f}",
        ]
        for line in costs_of(result, dataset)
    ]
    head = ["ranker", "warm p50 ms", "warm p95 ms", "cold p50 ms", "cold p95 ms", "cold/bare", "build s", "index MB"]
    note = (
        "Warm: one process, a question at a time. Cold: whole processes, beside a bare interpreter; not for what works "
        "in memory, which builds anew each time. Memory: the most its process held, and in brackets what the documents "
        "and Python took before. Tokens: what ten answers hand over, about four characters each."
    )
    return ReportTable("Cost", note, [*head, "peak memory MB", "tokens"], rows)


def _plain(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "-"
    return f"{milliseconds:.1f}" if milliseconds < 10 else f"{milliseconds:.0f}"


Line = TypeVar("Line", Quality, Against, Abstention, Cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetReport:
    """One dataset and the figures of each ranker on it."""

    facts: DatasetFacts = field(metadata=INLINE)
    failures: Annotated[Mapping[str, str], "ranker → why it is missing"]
    quality: Annotated[Mapping[str, Mapping[str, Quality]], "part → ranker → its figures"]
    types: Annotated[Mapping[str, Mapping[str, Quality]], "the same by type of question, for the part that counts"]
    against: Annotated[Mapping[str, Against], "ranker → its difference from `reference` in MRR@10"]
    abstention: Annotated[Mapping[str, Abstention], "ranker → how it did where nothing answers"]
    costs: Annotated[Mapping[str, Cost], "ranker → what it costs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchReport:
    """The figures without the rows."""

    made_at: Annotated[str, "time"]
    commit: Annotated[str | None, "of the code"]
    machine: Annotated[Machine, "of it, what decides a time"]
    versions: Annotated[Mapping[str, str], "package → version"]
    settings: Annotated[RunSettings, "as in `aicx.bench/1`"]
    reference: Annotated[str, "the ranker that others are compared with"]
    skipped: Annotated[Sequence[str], "names of datasets that were missing"]
    datasets: Annotated[Sequence[DatasetReport], "those that were measured"]


def figures(result: BenchResult, reference: str = DEFAULT_REFERENCE) -> BenchReport:
    """Makes the figures that `aicx bench report --json` prints and docs/benchmarks.md is made from."""
    facts = result.facts
    return taken_from(
        facts,
        BenchReport,
        machine=replace(facts.machine, release=None),
        reference=reference,
        skipped=[row.name for row in facts.skipped],
        datasets=[_dataset(result, described, reference) for described in facts.datasets],
    )


def _dataset(result: BenchResult, described: DatasetFacts, reference: str) -> DatasetReport:
    name = described.name
    parts = parts_of(result, name)
    compared = reference in rankers_of(result, name) and parts
    return DatasetReport(
        facts=described,
        failures={row.ranker: row.failure for row in result.facts.costs(name) if row.failure},
        quality={part: _by_ranker(quality_of(result, name, part)) for part in parts},
        types={kind: _by_ranker(quality_of(result, name, type=kind)) for kind in types_of(result, name)},
        against=_by_ranker(against(result, name, reference) if compared else ()),
        abstention=_by_ranker(abstentions_of(result, name)),
        costs=_by_ranker(costs_of(result, name)),
    )


def _by_ranker(lines: Iterable[Line]) -> dict[str, Line]:
    return {line.ranker: rounded(line) for line in lines}
