"""In what the results of one sentence differ beside their figures: pricing model, price day, latency kind, trust."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from submissions.choices import Choice, LatencyKind, PricingModel, Trust
from submissions.formatting.text import day_range, join_and
from submissions.metrics import LATENCY_P99, OPS_PER_USD, Metric
from submissions.models import Submission
from submissions.pricing.clusters import measured_on
from submissions.pricing.providers import billing_of

MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a figure holds for. None where it makes no difference to the figure, or is unknown."""

    trust: Trust | None
    pricing_model: PricingModel | None = None
    price_day: date | None = None
    latency_kind: LatencyKind | None = None


Named = Sequence[tuple[str, Circumstances]]


def circumstances_of(row: Submission, metric: Metric, basis: PricingModel | None = None) -> Circumstances:
    """Of the row's figure; `basis` is the pricing model on which all rows were priced again. No query."""
    trust = Trust(row.trust) if row.trust else None
    if metric == LATENCY_P99:
        return Circumstances(trust, latency_kind=LatencyKind(row.latency_kind))
    if metric != OPS_PER_USD:
        return Circumstances(trust)
    bought = PricingModel(row.pricing_model) if row.pricing_model else None
    model = basis if basis and billing_of(row.provider).has_list_prices else bought
    return Circumstances(trust, model, row.repriced_on or measured_on(row))


def unlike(named: Named) -> list[str]:
    """Who has what, of each circumstance that is not the same for all: "AWS on demand, Google Cloud spot"."""
    words = [
        _who(named, lambda one: one.pricing_model and one.pricing_model.label),
        _days(one.price_day for _, one in named),
        _who(named, lambda one: one.latency_kind and one.latency_kind.label),
        _who(named, lambda one: one.trust and one.trust.label),
    ]
    return [text for text in words if text]


def mixed(circumstances: Iterable[Circumstances]) -> list[str]:
    """The same of many that a sentence does not name: "on demand and spot"."""
    every = list(circumstances)
    words = [
        _all_of(PricingModel, {one.pricing_model for one in every}, "pricing models"),
        _days(one.price_day for one in every),
        _all_of(LatencyKind, {one.latency_kind for one in every}, "kinds of latency"),
        mixed_trust(one.trust for one in every if one.trust),
    ]
    return [text for text in words if text]


def mixed_trust(trusts: Iterable[str]) -> str:
    """ "trust levels: uploaded and log verified"; empty for one."""
    return _all_of(Trust, {Trust(trust) for trust in trusts if trust}, "trust levels")


def in_brackets(*words: str) -> str:
    """ " (a; b)"; nothing without words."""
    text = "; ".join(word for word in words if word)
    return f" ({text})" if text else ""


def names(every: Sequence[str]) -> str:
    """The first three by name."""
    shown = list(every[:MOST_NAMED])
    if len(every) > MOST_NAMED:
        shown.append(f"{len(every) - MOST_NAMED:,} more")
    return join_and(shown)


def _who(named: Named, label_of: Callable[[Circumstances], str | None]) -> str:
    by_label: dict[str, list[str]] = {}
    for name, one in named:
        if label := label_of(one):
            by_label.setdefault(label, []).append(name)
    return ", ".join(f"{names(own)} {label}" for label, own in by_label.items()) if len(by_label) > 1 else ""


def _days(days: Iterable[date | None]) -> str:
    known = sorted({day for day in days if day})
    if len(known) < 2:
        return ""
    return f"priced on {known[0]} and {known[1]}" if len(known) == 2 else f"priced on {day_range(known)}"


def _all_of(choices: Iterable[Choice], present: Collection[Choice | None], noun: str) -> str:
    labels = [choice.label for choice in choices if choice in present]
    return f"{noun}: {join_and(labels)}" if len(labels) > 1 else ""
