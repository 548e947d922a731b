"""What a sizing finds, in words; nothing is read from the database."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.choices import LatencyKind, PricingModel
from submissions.models import Submission, Workload
from submissions.pricing.cost import BilledItem, Group, Rate, SystemCost, system_cost
from submissions.pricing.terms import PriceTerms
from submissions.questions.boards.counts import Counts
from submissions.questions.sizing.query import Candidate, SizingResult
from submissions.questions.sizing.sentences import (
    caveats,
    configuration,
    distance,
    finding,
    measured_sizes,
    unreachable,
)
from submissions.questions.sizing.target import SizingParams, Target


def cost(usd: str | None) -> SystemCost:
    rate = Rate(usd and Decimal(usd), date(2015, 6, 1))
    return system_cost([Group("database", 1, BilledItem("node", Decimal(1), "hour", rate))])


def candidate(nodes=6, usd="1.50", measured=(3, 6), **fields) -> Candidate:
    submission = Submission(pk=7, provider="aws", region="us-east-1", instance_type="m3.2xlarge")
    defaults = {
        "nodes_per_zone": nodes,
        "throughput": 1000.0,
        "is_extrapolated": not measured[0] <= nodes <= measured[-1],
        "caches": (),
        "n": 2,
        "usable_tb": None,
        "tb_per_zone": None,
    }
    return Candidate(
        submission=submission, node_count=nodes, cost=cost(usd), measured=measured, **{**defaults, **fields}
    )


def result(*candidates, day=None, basis=PricingModel.ON_DEMAND, max_p99_ms=None, kind=LatencyKind.SERVICE_TIME, **more):
    base = next((Submission(pk=4, throughput_ops_s=1000.0) for one in candidates if one.is_base), None)
    params = SizingParams(
        target_ops_s=1000.0,
        equal_to=base and base.pk,
        workload="",
        max_p99_ms=max_p99_ms,
        latency_kind=None,
        replication_factor=None,
        zones=1,
        terms=PriceTerms(day, basis),
        trust=None,
    )
    target = Target(Workload(title="w"), 1000.0, base, ())
    return SizingResult(params, target, Counts(2, kind, {}), candidates, **more)


def test_a_configuration_names_its_caches():
    assert configuration(candidate()) == "6× m3.2xlarge · AWS us-east-1"
    assert configuration(candidate(caches=((2, "m2.xlarge"),))) == (
        "6× m3.2xlarge + 2× m2.xlarge cache · AWS us-east-1"
    )


@pytest.mark.parametrize(
    ("measured", "words"), [((3,), "3"), ((3, 6, 12), "3, 6 and 12"), ((1, 2, 3, 4, 5), "5 sizes from 1 to 5")]
)
def test_many_measured_sizes_are_a_range(measured, words):
    assert measured_sizes(candidate(measured=measured)) == words


def test_the_distance_from_the_measured_sizes():
    assert distance(candidate(6, measured=(3, 12))) == ""
    assert distance(candidate(24, measured=(3, 12))) == "2 times the largest measured size"
    assert distance(candidate(2, measured=(3, 12))) == "the smallest measured size is 1.5 times larger"


def test_the_finding_is_the_cheapest_configuration():
    assert finding(result(candidate(), candidate(usd="2"))) == (
        "6× m3.2xlarge · AWS us-east-1 reaches 1 k ops/s for $1,095/month (on demand), "
        "the cheapest of 2 priced configurations."
    )
    assert finding(result(candidate(24, usd="2", measured=(1,)))) == (
        "24× m3.2xlarge · AWS us-east-1 reaches 1 k ops/s for $1,460/month (on demand), "
        "the only priced configuration. Extrapolated from 1 node: 24 times the largest measured size."
    )
    assert finding(result(candidate(usd=None))) == (
        "6× m3.2xlarge · AWS us-east-1 reaches 1 k ops/s; its cost is unknown."
    )


def test_a_latency_limit_is_part_of_the_goal():
    assert finding(result(max_p99_ms=2.5)) == (
        "No measured configuration of this workload reaches 1 k ops/s with a p99 service time of at most 2.5 ms."
    )
    assert finding(result(max_p99_ms=2.5, kind=LatencyKind.UNKNOWN)) == (
        "No measured configuration of this workload reaches 1 k ops/s "
        "with a p99 of at most 2.5 ms (latency kind unknown)."
    )


def test_a_result_is_matched_for_a_share_of_its_cost():
    base = candidate(4, "2.50", measured=(4,), is_base=True)
    other = candidate(6, "1.50", share_of_base_cost=Decimal("0.6"))

    assert finding(result(other, base)) == (
        "6× m3.2xlarge · AWS us-east-1 matches the throughput of 4× m3.2xlarge · AWS us-east-1 "
        "for $1.50/h instead of $2.50/h: 60 % of the cost."
    )
    assert finding(result(candidate(usd=None), base)) == (
        "6× m3.2xlarge · AWS us-east-1 matches the throughput of 4× m3.2xlarge · AWS us-east-1; "
        "one of the costs is unknown."
    )
    assert finding(result(base)) == "No configuration comparable to 4× m3.2xlarge · AWS us-east-1 has been measured."


def test_caveats_are_those_that_apply():
    always = "A month has 730 hours. Load clients and network traffic are not included."

    assert caveats(result(candidate())) == [
        "Cost at the prices of the measurement date, on demand: AWS list price of 2015-06-01.",
        always,
    ]
    assert caveats(result(candidate(24), day=date(2020, 1, 1), basis=PricingModel.SPOT, max_p99_ms=3.0)) == [
        "Striped bars are extrapolated in proportion to the nearest measured size.",
        "Cost at the prices of 2020-01-01, spot: AWS list price of 2015-06-01.",
        "Spot prices change hourly, so a month at the prices of one day is an estimate.",
        "The latency limit was checked at the measured sizes, not at the sizes shown.",
        always,
    ]


def test_unreachable_configurations_are_counted():
    assert unreachable(result()) == ""
    assert unreachable(result(unreachable=2)) == (
        "2 configurations would need more than twice their largest measured size: "
        "too far from what was measured for an answer."
    )
