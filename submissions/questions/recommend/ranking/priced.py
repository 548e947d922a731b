"""Candidates with their prices: those that are nearest to the question, whatever was measured."""

from collections.abc import Sequence
from dataclasses import replace

from submissions.questions.recommend.candidates import Candidate
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.ranking.misses import distance
from submissions.questions.recommend.ranking.prices import NOT_LOOKED_UP, Size, prices_on_day, prices_when_measured

# Of one question: clusters at the prices of a day, results at those of their measurement. Databases that were measured
# on more are not known; then the nearest to the throughput and the p99 are priced, and the others count as unpriced.
MOST_CLUSTERS = 5_000
MOST_RESULTS = 2_000


def priced(candidates: Sequence[Candidate], params: RecommendParams) -> list[Candidate]:
    """In the same order. Four queries at most, one at the prices of a day."""
    if params.terms.day is None:
        return _when_measured(candidates, params)
    sizes = list({Size(one.key, one.nodes): None for one in _nearest(candidates, params, MOST_CLUSTERS)})
    prices = prices_on_day(sizes[:MOST_CLUSTERS], params.terms)
    return [replace(one, price=prices.get(Size(one.key, one.nodes), NOT_LOOKED_UP)) for one in candidates]


def _when_measured(candidates: Sequence[Candidate], params: RecommendParams) -> list[Candidate]:
    keys = {one.point.pk: one.key for one in _nearest(candidates, params, MOST_RESULTS)[:MOST_RESULTS]}
    prices = prices_when_measured(keys, params.terms)
    return [replace(one, price=prices.get(one.point.pk, NOT_LOOKED_UP)) for one in candidates]


def _nearest(candidates: Sequence[Candidate], params: RecommendParams, most: int) -> Sequence[Candidate]:
    """As they are, where there are few; else by what is known without a price."""
    if len(candidates) <= most:
        return candidates
    return sorted(candidates, key=lambda one: (distance(one, params), -one.point.measured, -one.point.pk))
