"""What one fact costs: pairs of results that differ in it alone, each with its verdict."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from submissions import facts
from submissions.analysis.comparison.noise import Runs
from submissions.analysis.comparison.verdicts import Judgement, Side, judge
from submissions.api.forms import BadParameter
from submissions.choices import PROVEN, LatencyKind, Trust
from submissions.ingest.checks.noise import configuration_runs, noise_books
from submissions.models import Workload
from submissions.questions.boards.counts import Counts, board_counts
from submissions.questions.boards.noise import series_of
from submissions.questions.boards.reasons import board_reasons
from submissions.questions.boards.trust_filter import TrustFilter, trust_filter_of, trust_of
from submissions.questions.grid.parameters import AXES, VARIED, FactValue, Parameter
from submissions.questions.one_fact.rows import MOST_ROWS, FactRow, fact_rows
from submissions.questions.one_fact.statements import Statement, statements_about
from submissions.records.credits import credits_of

OPENING = (facts.REPLICATION_FACTOR.key, facts.OPERATION_MIX.key)
MOST_PAIRS = 30  # the ones with the most results

Sides = tuple[tuple[FactRow, ...], tuple[FactRow, ...]]  # of the baseline's value and of the variant's


@dataclass(frozen=True, slots=True)
class FactPair:
    """All else equal: the results with the baseline's value, those with the variant's, and the verdict on them."""

    baseline: tuple[FactRow, ...]
    variant: tuple[FactRow, ...]
    judgement: Judgement

    @property
    def rows(self) -> tuple[FactRow, ...]:
        return (*self.baseline, *self.variant)

    @property
    def is_relative(self) -> bool:
        return self.baseline[0].is_relative


@dataclass(frozen=True, slots=True)
class OwnBaselines:
    """Relative figures whose baseline has the same value of the fact: what something else costs at either value.

    They do not say what the fact itself costs. Percent of the difference from the baseline, means of `cells`.
    """

    headings: tuple[str, ...]  # what tells it from the others: "virtual network", "encryption: none"
    baseline_percent: float
    variant_percent: float
    cells: int
    rows: tuple[FactRow, ...]


@dataclass(frozen=True, slots=True)
class OneFactResult:
    parameter: Parameter
    baseline: FactValue | None  # None: no result states the fact
    variant: FactValue | None
    values: tuple[FactValue, ...]  # all that results have, in their order
    unknown: tuple[str, ...]  # values that were asked for and that no result has
    pairs: tuple[FactPair, ...]
    own_baselines: tuple[OwnBaselines, ...]
    statements: tuple[Statement, ...]
    counts: Counts
    trust: Trust | None
    is_cut: bool

    @property
    def credits(self) -> tuple[str, ...]:
        paired = [row.submission for pair in self.pairs for row in pair.rows]
        return credits_of([*paired, *(row.submission for own in self.own_baselines for row in own.rows)])

    @property
    def trust_filter(self) -> TrustFilter:
        return trust_filter_of(self.trust, self.counts)


def one_fact_of(params: Mapping[str, str]) -> OneFactResult:
    """`params` are those of a valid form; values that are left open have the most pairs.

    Raises BadParameter for an unknown workload.
    """
    trust, baseline, variant = trust_of(params["trust"]), params["baseline"], params["variant"]
    parameter, rows, workloads = _opened(params["fact"], _known(params["workload"]), trust)
    is_cut, rows = len(rows) > MOST_ROWS, rows[:MOST_ROWS]
    by_key = _by_key(rows)
    values = tuple(sorted({row.value for row in rows}, key=parameter.sort_key))
    tokens = {parameter.token(value): value for value in values}
    a, b = _chosen(parameter, by_key.values(), tokens.get(baseline), tokens.get(variant), values)
    both = [of_key for of_key in by_key.values() if a in of_key and b in of_key]
    pairs, own = _pairs(both, a, b) if a is not None and b is not None else ([], [])
    return OneFactResult(
        parameter=parameter,
        baseline=a,
        variant=b,
        values=values,
        unknown=tuple(token for token in (baseline, variant) if token and token not in tokens),
        pairs=_judged(pairs[:MOST_PAIRS]),
        own_baselines=tuple(_own_baselines(parameter, own)),
        statements=statements_about(parameter.key),
        counts=board_counts(workloads, board_reasons(trust), trust, with_relative=True),
        trust=trust,
        is_cut=is_cut,
    )


def _opened(key: str, workload: str, trust: Trust | None) -> tuple[Parameter, list[FactRow], list[int] | None]:
    """The fact, and its rows; without a fact the first of OPENING that results with a raw log differ in alone.

    Three queries, six where results with a raw log do not differ in the first.
    """
    keys = (key,) if key else OPENING
    tried = []
    for parameter in (AXES[each] for each in keys):
        tried.append((parameter, *fact_rows(parameter, workload, trust)))
        if any(_has_proven_pair(of_key) for of_key in _by_key(tried[-1][1]).values()):
            return tried[-1]
    return tried[0]


def _by_key(rows: Iterable[FactRow]) -> dict[str, dict[FactValue, list[FactRow]]]:
    by_key: dict[str, dict[FactValue, list[FactRow]]] = {}
    for row in rows:
        by_key.setdefault(row.key, {}).setdefault(row.value, []).append(row)
    return by_key


def _has_proven_pair(group: Mapping[FactValue, Sequence[FactRow]]) -> bool:
    """Whether two values have results with a raw log."""
    proven = [rows for rows in group.values() if any(row.submission.trust in PROVEN for row in rows)]
    return len(proven) > 1


def _known(fingerprint: str) -> str:
    """The fingerprint that the workload has now."""
    if not fingerprint:
        return ""
    workload = Workload.objects.open().by_fingerprint(fingerprint)
    if workload is None:
        raise BadParameter("workload", "there is no such workload", is_missing=True)
    return workload.fingerprint


def _chosen(
    parameter: Parameter,
    groups: Iterable[Mapping[FactValue, Sequence[FactRow]]],
    baseline: FactValue | None,
    variant: FactValue | None,
    values: Sequence[FactValue],
) -> tuple[FactValue | None, FactValue | None]:
    """What is left open: the pair that the most groups have, the lower value as the baseline.

    Of the groups with a pair of results with a raw log, where there are such.
    """
    if baseline is not None and variant is not None and baseline != variant:
        return baseline, variant
    fixed = baseline if baseline is not None else variant
    every = list(groups)
    proven = [group for group in every if _has_proven_pair(group) and (fixed is None or fixed in group)]
    found = Counter(
        pair
        for group in proven or every
        for pair in combinations(sorted(group, key=parameter.sort_key), 2)
        if fixed is None or fixed in pair
    )
    if found:
        low, high = max(found, key=lambda pair: (found[pair], -values.index(pair[0]), -values.index(pair[1])))
    else:
        others = [value for value in values if value != fixed]
        if not others or (fixed is None and len(others) < 2):
            return fixed, None
        low, high = (others[0], others[1]) if fixed is None else sorted((fixed, others[0]), key=values.index)
    turned = high == baseline or low == variant
    return (high, low) if turned and fixed is not None else (low, high)


def _pairs(
    groups: Sequence[Mapping[FactValue, Sequence[FactRow]]], a: FactValue, b: FactValue
) -> tuple[list[Sides], list[tuple[FactRow, FactRow]]]:
    """Sides that can be judged, and pairs of relative figures that have baselines of their own."""
    pairs: list[Sides] = []
    own = []
    for group in groups:
        for base in dict.fromkeys(row.base for row in group[a]):
            baselines = tuple(row for row in group[a] if row.base == base)
            variants = tuple(row for row in group[b] if row.base == base)
            if variants:
                pairs.append((baselines, variants))
            elif base:
                own += [(baselines[0], row) for row in group[b][:1]]
    return sorted(pairs, key=lambda sides: -len(sides[0]) - len(sides[1])), own


def _judged(pairs: Sequence[Sides]) -> tuple[FactPair, ...]:
    """As on every page: the runs of a configuration together, with the noise of the baseline's workload."""
    shown = [side[0].submission for sides in pairs for side in sides]
    runs = configuration_runs(shown, LatencyKind.UNKNOWN) if shown else {}
    books = noise_books({submission.workload_id for submission in shown}, LatencyKind.UNKNOWN) if shown else {}
    judged = []
    for baselines, variants in pairs:
        a, b = baselines[0], variants[0]
        noise = books[a.submission.workload_id].of_pair(a.submission.trust_filter, b.submission.trust_filter).throughput
        side_a, side_b = (_side(row, runs[row.submission.pk].throughput) for row in (a, b))
        judged.append(FactPair(baselines, variants, judge(side_a, side_b, noise)))
    return tuple(judged)


def _side(row: FactRow, runs: Runs | None) -> Side:
    submission = row.submission
    return Side(
        fmean(row.rates),
        row.rates,
        runs,
        submission.configuration,
        series_of(submission, list(submission.trials.all())),
        submission.averaged_over,
    )


def _own_baselines(parameter: Parameter, pairs: Sequence[tuple[FactRow, FactRow]]) -> list[OwnBaselines]:
    """One for each system, over its workloads; without the baselines themselves, which differ from nothing."""
    axes = [axis for axis in VARIED.values() if axis.key != parameter.key]
    told_apart = [axis for axis in axes if len({_value(axis, baseline) for baseline, _ in pairs}) > 1]
    systems: dict[str, list[tuple[FactRow, FactRow]]] = {}
    for pair in pairs:
        if any(_percent(row) for row in pair):
            systems.setdefault(pair[0].system_key, []).append(pair)
    return [
        OwnBaselines(
            headings=tuple(axis.heading(value) for axis in told_apart if (value := _value(axis, of_system[0][0]))),
            baseline_percent=fmean(_percent(a) for a, _ in of_system),
            variant_percent=fmean(_percent(b) for _, b in of_system),
            cells=len(of_system),
            rows=tuple(row for pair in of_system for row in pair),
        )
        for of_system in systems.values()
    ]


def _value(axis: Parameter, row: FactRow) -> FactValue | None:
    columns = {name: getattr(row.submission, name) for name in axis.columns}
    return axis.value_in(columns, {})


def _percent(row: FactRow) -> float:
    """The difference from the baseline, which is 1 or 100 by the words of the base."""
    whole = 100.0 if row.base[0].startswith("100") else 1.0
    return (fmean(row.rates) / whole - 1) * 100
