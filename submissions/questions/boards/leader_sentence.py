"""Who leads a ranking, in sentences that claim no lead which noise does not allow."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from submissions.analysis.comparison.ranking import RankedEntry
from submissions.analysis.comparison.verdicts import Verdict
from submissions.choices import LatencyKind
from submissions.formatting.numbers import compact, milliseconds, percent, significant, value_in_millions, value_unit
from submissions.formatting.p99_words import AT_MOST
from submissions.metrics import LATENCY_P99, OPS_PER_USD, THROUGHPUT, Metric
from submissions.questions.boards.likeness import Circumstances, in_brackets, names, unlike
from submissions.questions.boards.noise_words import more_runs

_CLEARLY_MORE = 1.1  # below it a factor says less than a percentage

Ranking = Sequence[tuple[str, RankedEntry]]  # (name, entry), best first


@dataclass(frozen=True, slots=True)
class RankingTerms:
    """The words for a ranking: "Google Cloud" `verb` `superlative`: 440 `unit`."""

    verb: str  # "offers"
    superlative: str  # "the best value"
    unit: str  # "M ops/$"
    number: Callable[[float], str] = compact  # a figure in `unit`
    higher_is_better: bool = True
    conditions: str = ""  # "at the prices of 2026-11-20": what holds for all figures

    def figure(self, figure: float) -> str:
        """ "440 M ops/$"."""
        return f"{self.number(figure)} {self.unit}"


def ranking_terms(metric: Metric, latency_kind: LatencyKind | None = None, conditions: str = "") -> RankingTerms:
    """`latency_kind` is that of a p99."""
    if metric == THROUGHPUT:
        return RankingTerms("reaches", "the highest throughput", "ops/s", conditions=conditions)
    if metric == OPS_PER_USD:
        return RankingTerms("offers", "the best value", value_unit(), value_in_millions, conditions=conditions)
    if metric == LATENCY_P99:
        superlative = f"the lowest p99 {latency_kind.label}" if latency_kind else "the lowest p99"
        return RankingTerms("has", superlative, "ms", milliseconds, higher_is_better=False, conditions=conditions)
    raise ValueError(f"nothing is ranked by {metric.key}")


_UNLIKE = "their p99s are not of the same operations"


def leader_sentence(
    ranking: Ranking, terms: RankingTerms, circumstances: Mapping[str, Circumstances] | None = None
) -> str:
    """The leader and how far it leads, or who is tied with it; empty for an empty ranking.

    `circumstances` are those of each entry, by its key: what is not alike is said where it is compared.
    """
    known = circumstances or {}
    if not ranking:
        return ""
    (name, leader), others = ranking[0], ranking[1:]
    if not others:
        return f"Only {name} has comparable results: {_figure(leader, terms)}{in_brackets(terms.conditions)}."
    tied = _with_verdict(others, Verdict.WITHIN_NOISE)
    undecided = _with_verdict(others, Verdict.INCONCLUSIVE)
    ahead = _with_verdict(others, Verdict.BETTER)
    are_all = len(undecided) == len(others)
    first = _tie([ranking[0], *tied], terms, known) if tied else _lead(ranking, terms, known)
    is_said = not tied and undecided == [others[0]]  # of these two by the first sentence
    differing = [] if is_said else _unlike([ranking[0], *undecided], known)
    return (
        first
        + (
            _close(undecided)
            if is_said and _is_close(leader, others[0])
            else _inconclusive(undecided, differing, are_all=are_all)
        )
        + _over_runs(ahead, name, _unlike([ranking[0], *ahead], known))
    )


def has_ranges(ranking: Sequence[RankedEntry]) -> bool:
    """Whether noise leaves any rank open."""
    return any(not entry.is_exact for entry in ranking)


def _with_verdict(others: Ranking, verdict: Verdict) -> list[tuple[str, RankedEntry]]:
    """Those that have it against the leader."""
    return [(name, entry) for name, entry in others if entry.verdict == verdict]


def _unlike(compared: Ranking, known: Mapping[str, Circumstances]) -> list[str]:
    return unlike([(name, known[entry.entry.key]) for name, entry in compared if entry.entry.key in known])


def _lead(ranking: Ranking, terms: RankingTerms, known: Mapping[str, Circumstances]) -> str:
    (name, leader), next_best = ranking[0], ranking[1]
    figure, advantage = _figure(leader, terms), _advantage(leader, next_best, terms)
    brackets = in_brackets(terms.conditions, *_unlike([ranking[0], next_best], known))
    return f"{name} {terms.verb} {terms.superlative}: {figure}, {advantage}{brackets}."


def _tie(tied: Ranking, terms: RankingTerms, known: Mapping[str, Circumstances]) -> str:
    best, last = (terms.number(entry.entry.figure) for _, entry in (tied[0], tied[-1]))
    figures = _figure(tied[0][1], terms) if best == last else f"{best} to {last} {terms.unit}"
    figures += f", {terms.conditions}" if terms.conditions else ""
    brackets = in_brackets(figures, *_unlike(tied, known))
    return f"{_names(tied)} are statistically tied for {terms.superlative}{brackets}."


def _inconclusive(undecided: Ranking, differing: Sequence[str], *, are_all: bool) -> str:
    """Nothing where the lead is beyond noise."""
    judgements = [entry.judgement for _, entry in undecided if entry.judgement]
    if not judgements:
        return ""
    against = "" if are_all else f" against {_names(undecided)}"
    missing = more_runs(judgements[0])
    would = f"; {missing} would detect the difference" if missing and len(judgements) == 1 else ""
    few = _UNLIKE if not _are_alike(undecided) else "one run each" if _are_single(undecided) else "too few runs"
    return f" Not yet conclusive{against}{in_brackets(*differing)}: {few}{would}."


def _is_close(leader: RankedEntry, next_best: tuple[str, RankedEntry]) -> bool:
    figures = leader.entry.figure, next_best[1].entry.figure
    return max(figures) / min(figures) < _CLEARLY_MORE


def _close(undecided: Ranking) -> str:
    """Of a lead over the next one alone, which the first sentence names."""
    few = _UNLIKE if not _are_alike(undecided) else "each was run once" if _are_single(undecided) else "too few runs"
    return f" Too close to call: {few}."


def _are_single(undecided: Ranking) -> bool:
    return all(entry.judgement and entry.judgement.runs == (1, 1) for _, entry in undecided)


def _are_alike(undecided: Ranking) -> bool:
    return all(entry.judgement and entry.judgement.is_alike for _, entry in undecided)


def _figure(entry: RankedEntry, terms: RankingTerms) -> str:
    """With its sign where it is a bound."""
    return f"{'' if entry.entry.side.bound_of == '' else AT_MOST}{terms.figure(entry.entry.figure)}"


def _over_runs(ahead: Ranking, leader: str, differing: Sequence[str]) -> str:
    """The leader's best run may be luckier than its others."""
    if not ahead:
        return ""
    be = "is" if len(ahead) == 1 else "are"
    return f" Over all their runs {_names(ahead)} {be} ahead of {leader}{in_brackets(*differing)}."


def _advantage(leader: RankedEntry, next_best: tuple[str, RankedEntry], terms: RankingTerms) -> str:
    name, entry = next_best
    if not terms.higher_is_better:
        return f"against {_figure(entry, terms)} for {name}"
    ratio = leader.entry.figure / entry.entry.figure
    if ratio >= _CLEARLY_MORE:
        return f"{significant(ratio)}× {name}"
    return f"{percent(ratio - 1)} more than {name}" if ratio > 1 else f"as much as {name}"


def _names(ranking: Ranking) -> str:
    return names([name for name, _ in ranking])
