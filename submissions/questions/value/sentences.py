"""The value question in words: the finding, the Pareto front, missing prices, caveats of the charts."""

from collections.abc import Sequence
from datetime import date

from submissions.formatting.names import system_name
from submissions.formatting.text import plural
from submissions.metrics import OPS_PER_USD
from submissions.questions.value.query import ValueResult
from submissions.questions.workload.leader import leader_sentence, ranking_terms
from submissions.records.caveats import of_measuring

MOST_REASONS = 3


def finding(result: ValueResult) -> str:
    """Who offers the best value, as far as noise allows a claim."""
    if not result.groups:
        return "No priced result of this workload is within these limits."
    names = {str(group.best.pk): group.name for group in result.groups}
    terms = ranking_terms(OPS_PER_USD, conditions=_conditions(result))
    return leader_sentence([(names[entry.entry.key], entry) for entry in result.ranking], terms)


def front_finding(result: ValueResult) -> str:
    """Which systems no cheaper one beats; empty without any."""
    front = result.systems.front
    if not front:
        return ""
    if len(front) == 1:
        return f"One system beats all others in both cost and throughput: #{front[0].pk}, {system_name(front[0])}."
    systems = plural(result.total, "system")
    return f"{len(front)} of {systems} are on the Pareto front: no other is both cheaper and faster."


def missing_prices(result: ValueResult) -> list[tuple[int, str]]:
    """(results, why they have no price), most frequent first."""
    missing = result.valuation.missing_prices
    reasons = [(number, why) for why, number in missing[:MOST_REASONS]]
    others = missing[MOST_REASONS:]
    if others:
        reasons.append((sum(number for _, number in others), f"{len(others):,} other prices are unknown."))
    return reasons


def bar_caveats(result: ValueResult) -> list[str]:
    sentences = [_prices(result)]
    if any(group.n > 1 for group in result.groups):
        sentences.append("Each bar is the best result of its group; the line goes back to the worst result.")
    if len(result.groups) > 1:
        sentences.append("Groups with the same rank are statistically tied; the table has the ranks.")
    return sentences


def scatter_caveats(result: ValueResult) -> list[str]:
    return [_prices(result), *of_measuring(result.systems.shown)]


def _prices(result: ValueResult) -> str:
    days = sorted({group.best.price_date for group in result.groups if group.best.price_date})
    return f"Value {result.params.terms.words}{_between(days)}."


def _between(days: Sequence[date]) -> str:
    if not days:
        return ""
    return f" ({days[0]})" if days[0] == days[-1] else f" ({days[0]} to {days[-1]})"


def _conditions(result: ValueResult) -> str:
    limit = result.params.max_p99_ms
    if limit is None:
        return result.params.terms.words
    return f"{result.params.terms.words}, p99 {result.counts.latency_kind.label} of at most {limit:g} ms"
