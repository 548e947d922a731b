"""Resized clusters at other prices: proportional, never negative, never cheaper with more nodes."""

from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.choices import PricingModel, Role
from submissions.models import NodeGroup
from submissions.pricing.clusters import UNDATED
from submissions.pricing.reprice import as_measured, costs_of_resized, resized
from submissions.pricing.terms import PriceTerms
from tests.queries import queries_of

WHEN_MEASURED = PriceTerms(None, PricingModel.ON_DEMAND)


def group(role, count, usd, **fields):
    return NodeGroup(
        role=role,
        count=count,
        instance_type=f"{role}-machine",
        pricing_model=fields.pop("pricing_model", PricingModel.ON_DEMAND),
        node_hourly_usd=usd,
        storage_hourly_usd=usd and Decimal(0),
        price_date=date(2012, 7, 19),
        **fields,
    )


def measured(*groups, **fields):
    """A submission with its node groups, as they stand after a prefetch."""
    return SimpleNamespace(
        provider="aws",
        region="us-east-1",
        measured_at=fields.get("measured_at"),
        node_groups=SimpleNamespace(all=lambda: list(groups)),
    )


NETFLIX = measured(
    group(Role.DATABASE, 48, Decimal("1.80")), group(Role.CACHE, 36, Decimal("0.45")), group(Role.CLIENT, 9, None)
)


def test_half_the_nodes_have_half_the_caches_and_no_clients():
    half = resized(NETFLIX, 24)

    assert [(one.role, one.count) for one in half.groups] == [(Role.DATABASE, 24), (Role.CACHE, 18)]
    assert costs_of_resized([half], WHEN_MEASURED)[0].hourly_usd == Decimal("51.30")
    assert NETFLIX.node_groups.all()[0].count == 48


def test_a_system_as_measured_has_its_stored_cost():
    assert costs_of_resized([as_measured(NETFLIX)], WHEN_MEASURED)[0].hourly_usd == Decimal("102.60")
    assert as_measured(NETFLIX).caches == ((36, "cache-machine"),)


def test_database_groups_of_equal_nodes_become_one():
    two = measured(group(Role.DATABASE, 2, Decimal(1)), group(Role.DATABASE, 1, Decimal(1)))

    assert [one.count for one in resized(two, 6).groups] == [6]


def test_another_basis_without_a_day_of_measurement_has_no_price(db):
    [cost] = costs_of_resized([as_measured(NETFLIX)], PriceTerms(None, PricingModel.RESERVED_1Y))

    assert (cost.hourly_usd, cost.missing) == (None, UNDATED)


def test_an_unknown_price_stays_unknown_at_any_size():
    unknown = measured(group(Role.DATABASE, 3, None), measured_at=datetime(2020, 1, 1, tzinfo=UTC))

    assert costs_of_resized([resized(unknown, 6)], WHEN_MEASURED)[0].hourly_usd is None


@given(
    counts=st.tuples(st.integers(1, 500), st.integers(0, 500)),
    usd=st.tuples(*[st.decimals("0.00000001", "1000", places=8)] * 2),
    sizes=st.tuples(st.integers(1, 1_000_000), st.integers(1, 1_000_000)),
)
@settings(max_examples=200, deadline=None)
def test_no_cost_is_negative_and_more_nodes_never_cost_less(counts, usd, sizes):
    groups = [group(Role.DATABASE, counts[0], usd[0])]
    groups += [group(Role.CACHE, counts[1], usd[1])] if counts[1] else []
    small, large = costs_of_resized([resized(measured(*groups), size) for size in sorted(sizes)], WHEN_MEASURED)

    assert 0 < small.hourly_usd <= large.hourly_usd
    assert small.monthly_usd == small.hourly_usd * 730


def test_the_prices_of_more_clusters_take_no_more_queries(db):
    terms = PriceTerms(date(2020, 1, 1), PricingModel.ON_DEMAND)
    clusters = [resized(NETFLIX, count) for count in (3, 6, 12)]

    of_one = queries_of(lambda: costs_of_resized(clusters[:1], terms))
    assert queries_of(lambda: costs_of_resized(clusters, terms)) == of_one
    assert [cost.hourly_usd for cost in costs_of_resized(clusters, terms)] == [None] * 3
