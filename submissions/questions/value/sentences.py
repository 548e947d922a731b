"""The value question in words: the finding, the Pareto front, missing prices, caveats of the charts."""

from decimal import Decimal

from submissions.choices import Architecture
from submissions.formatting.names import provider_name, system_name
from submissions.formatting.text import join_and, plural
from submissions.metrics import OPS_PER_USD
from submissions.models import Submission
from submissions.pricing.book.dating import price_words
from submissions.pricing.reprice import price_dates
from submissions.questions.boards.counts import unknown_p99_sentence
from submissions.questions.boards.leader_sentence import leader_sentence, ranking_terms
from submissions.questions.boards.likeness import Circumstances, circumstances_of, in_brackets, mixed
from submissions.questions.value.query import ValueResult
from submissions.records.caveats import of_bursting, of_clients, of_measuring

MOST_REASONS = 3


def finding(result: ValueResult) -> str:
    """Who offers the best value, as far as noise allows a claim."""
    if not result.groups:
        if unknown := unknown_p99_sentence(result.counts):
            return f"No priced result of this workload is known to be within these limits. {unknown}"
        return "No priced result of this workload is within these limits."
    names = {str(group.best.pk): group.name for group in result.groups}
    terms = ranking_terms(OPS_PER_USD, conditions=_conditions(result))
    known = {str(group.best.pk): _circumstances(result, group.best) for group in result.groups}
    return leader_sentence([(names[entry.entry.key], entry) for entry in result.ranking], terms, known)


def front_finding(result: ValueResult) -> str:
    """Which systems are on the Pareto front; empty without any."""
    front = result.systems.front
    if not front:
        return ""
    differing = in_brackets(*mixed(_circumstances(result, row) for row in result.systems.shown))
    if len(front) == 1:
        best = f"#{front[0].pk}, {system_name(front[0])}"
        return f"One system beats all others in both cost and throughput: {best}{differing}."
    systems = plural(result.total, "system")
    return f"{len(front)} of {systems} are on the Pareto front: no other is both cheaper and faster{differing}."


def missing_prices(result: ValueResult) -> list[tuple[int, str]]:
    """(results, why they have no price), most frequent first."""
    missing = result.missing_prices
    reasons = [(number, why) for why, number in missing[:MOST_REASONS]]
    others = missing[MOST_REASONS:]
    if others:
        reasons.append((sum(number for _, number in others), f"{len(others):,} other prices are unknown."))
    return reasons


def without_list(result: ValueResult) -> str:
    """ "918 results of clouds without a price list are not ranked: 504 of Alibaba Cloud and 140 of Vultr." """
    clouds = result.without_list
    if not clouds:
        return ""
    number = sum(n for _, n in clouds)
    verb = "is" if number == 1 else "are"
    named = join_and([f"{n:,} of {provider_name(provider)}" for provider, n in clouds])
    return f"{plural(number, 'result')} of clouds without a price list {verb} not ranked: {named}."


def drawn(result: ValueResult) -> str:
    """Which results the scatter has."""
    systems = result.systems
    if systems.drawn >= result.total:
        return f"The chart has all {plural(result.total, 'result')}." if systems.others else ""
    words = f"The chart has {systems.drawn:,} of {plural(result.total, 'result')}: the best by value, and the front"
    return f"{words}; the best of each other cluster is a dot." if systems.others else f"{words}."


def architecture_finding(result: ValueResult) -> str:
    """What the best ARM type buys against the best x86 type of each cloud that has both; empty where none has."""
    values = {(row.provider, row.architecture): row for row in result.valuation.architectures}
    found = []
    for row in result.valuation.architectures:
        x86 = values.get((row.provider, Architecture.X86_64))
        if row.architecture == Architecture.ARM64 and x86 is not None:
            best, middle = _ratio(row.best, x86.best), _ratio(row.median, x86.median)
            found.append(f"on {provider_name(row.provider)} {best}× (median type: {middle}×)")
    return f"What a dollar buys on the best ARM type, against the best x86 type: {join_and(found)}." if found else ""


def _ratio(value: Decimal, other: Decimal) -> str:
    return f"{float(value / other):.3g}"


def ranking_caveats(result: ValueResult) -> list[str]:
    sentences = [_prices(result)]
    if any(group.n > 1 for group in result.groups):
        sentences.append(
            "Each dot is a group's best result; the line spans all of its results, the tick is their median."
        )
    if len(result.groups) > 1:
        sentences.append("Where noise leaves the order open, the table shows a range of ranks.")
    best = [group.best for group in result.groups]
    return [*sentences, *filter(None, (of_clients(best), of_bursting(best)))]


def scatter_caveats(result: ValueResult) -> list[str]:
    shown = result.systems.shown
    return [_prices(result), drawn(result), of_clients(shown), of_bursting(shown), *of_measuring(shown)]


def _circumstances(result: ValueResult, row: Submission) -> Circumstances:
    return circumstances_of(row, OPS_PER_USD, result.params.terms.basis)


def _prices(result: ValueResult) -> str:
    terms = result.params.terms
    dated = price_words(price_dates(group.best for group in result.groups))
    return f"Value {terms.words}{f': {dated}' if dated else ''}."


def _conditions(result: ValueResult) -> str:
    """What is not the default: other prices than today's on demand, a p99 limit."""
    terms, limit = result.params.terms, result.params.max_p99_ms
    conditions = [] if terms.are_usual else [terms.words]
    if limit is not None:
        conditions.append(f"p99 {result.counts.latency_kind.label} of at most {limit:g} ms")
    return ", ".join(conditions)
