"""Who leads a ranking, in sentences that claim no lead which noise does not allow."""

from collections.abc import Sequence
from dataclasses import dataclass

from submissions.analysis.ranking import RankedEntry
from submissions.analysis.verdicts import Verdict
from submissions.choices import LatencyKind
from submissions.formatting.numbers import percent, significant
from submissions.formatting.text import join_and
from submissions.metrics import LATENCY_P99, OPS_PER_USD, THROUGHPUT, Metric
from submissions.questions.workload.verdicts import more_runs

MOST_NAMED = 3
MILLION = 1_000_000
_CLEARLY_MORE = 1.1  # below it a factor says less than a percentage

Ranking = Sequence[tuple[str, RankedEntry]]  # (name, entry), best first


@dataclass(frozen=True, slots=True)
class RankingTerms:
    """The words for a ranking: "Google Cloud" `verb` `superlative`: 440 `unit`."""

    verb: str  # "offers"
    superlative: str  # "the best value"
    unit: str  # "M ops/$"
    scale: int = 1  # of the figures in `unit`
    higher_is_better: bool = True
    conditions: str = ""  # "at the prices of 2026-11-20": what holds for all figures

    def number(self, figure: float) -> str:
        return significant(figure / self.scale)

    def figure(self, figure: float) -> str:
        """ "440 M ops/$"."""
        return f"{self.number(figure)} {self.unit}"


def ranking_terms(metric: Metric, latency_kind: LatencyKind | None = None, conditions: str = "") -> RankingTerms:
    """`latency_kind` is that of a p99."""
    if metric == THROUGHPUT:
        return RankingTerms("reaches", "the highest throughput", "ops/s", conditions=conditions)
    if metric == OPS_PER_USD:
        return RankingTerms("offers", "the best value", "M ops/$", MILLION, conditions=conditions)
    if metric == LATENCY_P99:
        superlative = f"the lowest p99 {latency_kind.label}" if latency_kind else "the lowest p99"
        return RankingTerms("has", superlative, "ms", higher_is_better=False, conditions=conditions)
    raise ValueError(f"nothing is ranked by {metric.key}")


def leader_sentence(ranking: Ranking, terms: RankingTerms) -> str:
    """The leader and how far it leads, or who is tied with it; empty for an empty ranking."""
    if not ranking:
        return ""
    (name, leader), others = ranking[0], ranking[1:]
    if not others:
        return f"Only {name} can be ranked: {terms.figure(leader.entry.figure)}{_in_brackets(terms.conditions)}."
    tied = _with_verdict(others, Verdict.WITHIN_NOISE)
    undecided = _with_verdict(others, Verdict.INCONCLUSIVE)
    ahead = _with_verdict(others, Verdict.BETTER)
    if tied:
        return _tie([ranking[0], *tied], terms) + _inconclusive(undecided, are_all=False) + _over_runs(ahead, name)
    lead = (
        f"{name} {terms.verb} {terms.superlative}: {terms.figure(leader.entry.figure)}, "
        f"{_advantage(leader, others[0], terms)}{_in_brackets(terms.conditions)}."
    )
    return lead + _inconclusive(undecided, are_all=len(undecided) == len(others)) + _over_runs(ahead, name)


def has_ranges(ranking: Sequence[RankedEntry]) -> bool:
    """Whether noise leaves any rank open."""
    return any(not entry.is_exact for entry in ranking)


def _with_verdict(others: Ranking, verdict: Verdict) -> list[tuple[str, RankedEntry]]:
    """Those that have it against the leader."""
    return [(name, entry) for name, entry in others if entry.verdict == verdict]


def _tie(tied: Ranking, terms: RankingTerms) -> str:
    best, last = (terms.number(entry.entry.figure) for _, entry in (tied[0], tied[-1]))
    figures = terms.figure(tied[0][1].entry.figure) if best == last else f"{best} to {last} {terms.unit}"
    conditions = f", {terms.conditions}" if terms.conditions else ""
    return f"{_names(tied)} are statistically tied for {terms.superlative} ({figures}{conditions})."


def _inconclusive(undecided: Ranking, *, are_all: bool) -> str:
    """Nothing where the lead is beyond noise."""
    judgements = [entry.judgement for _, entry in undecided if entry.judgement]
    if not judgements:
        return ""
    are_single = all(judgement.runs == (1, 1) for judgement in judgements)
    against = "" if are_all else f" against {_names(undecided)}"
    missing = more_runs(judgements[0])
    would = f"; {missing} would detect the difference" if missing and len(judgements) == 1 else ""
    return f" Not yet conclusive{against}: {'one run each' if are_single else 'too few runs'}{would}."


def _over_runs(ahead: Ranking, leader: str) -> str:
    """The leader's best run may be luckier than its others."""
    return (
        f" Over all their runs {_names(ahead)} {'is' if len(ahead) == 1 else 'are'} ahead of {leader}." if ahead else ""
    )


def _advantage(leader: RankedEntry, next_best: tuple[str, RankedEntry], terms: RankingTerms) -> str:
    name, entry = next_best
    if not terms.higher_is_better:
        return f"against {terms.figure(entry.entry.figure)} for {name}"
    ratio = leader.entry.figure / entry.entry.figure
    if ratio >= _CLEARLY_MORE:
        return f"{significant(ratio)}× {name}"
    return f"{percent(ratio - 1)} more than {name}" if ratio > 1 else f"as much as {name}"


def _in_brackets(words: str) -> str:
    return f" ({words})" if words else ""


def _names(ranking: Ranking) -> str:
    names = [name for name, _ in ranking[:MOST_NAMED]]
    if len(ranking) > MOST_NAMED:
        names.append(f"{len(ranking) - MOST_NAMED:,} more")
    return join_and(names)
