"""The sizing page: node counts, costs on any basis and day, limits, and one system against another."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from submissions.choices import Flag, LatencyKind, PricingModel, Role, Trust
from tests.factories import NodeGroupFactory, PriceFactory, SubmissionFactory, WorkloadFactory
from tests.pages import faults, links, text

pytestmark = pytest.mark.django_db

URL = "/size/"


def workload(title="w", factor=3):
    return WorkloadFactory(title=title, canonical={"service": "cassandra", "replication_factor": factor})


def cluster(nodes, rate, usd="0.532", **fields):
    """`usd` is that of a node and hour."""
    fields.setdefault("workload", workload())
    hourly = None if usd is None else Decimal(usd) * nodes
    return SubmissionFactory(node_count=nodes, throughput_ops_s=rate, hourly_usd=hourly, **fields)


@pytest.fixture
def two_clouds():
    aws = [cluster(nodes, rate) for nodes, rate in ((3, 90_000.0), (6, 150_000.0), (12, 270_000.0))]
    gce = cluster(3, 110_000.0, "0.304", provider="gce", instance_type="n1-standard-8", region="us-central1")
    return aws, gce


def found(response):
    """(instance type, nodes, USD per hour, extrapolated, nearest submission)"""
    return [
        (
            one.submission.instance_type,
            one.node_count,
            one.cost.hourly_usd and str(one.cost.hourly_usd.normalize()),
            one.is_extrapolated,
            one.submission.pk,
        )
        for one in response.context["answer"].candidates
    ]


def test_configurations_are_ranked_by_cost_and_extrapolation_is_marked(client, two_clouds):
    aws, gce = two_clouds

    response = client.get(URL, {"target_ops_s": "200000"})

    # m3.2xlarge: 6 + (200,000 - 150,000) / 120,000 x 6 = 8.5; n1-standard-8: 200,000 / 110,000 x 3 = 5.5
    assert found(response) == [
        ("n1-standard-8", 6, "1.824", True, gce.pk),
        ("m3.2xlarge", 9, "4.788", False, aws[1].pk),
    ]
    content = text(response)
    assert (
        "6 × n1-standard-8 (gce) reach 200,000 operations a second for $1,331.52 a month, on demand: "
        "the cheapest of 2 priced configurations (extrapolated from 3 nodes: 2 times the largest measured)."
    ) in content
    assert "Striped bars are extrapolated: in proportion to the nearest size that was measured." in content


def test_how_far_an_answer_is_from_what_was_measured_is_said(client, two_clouds):
    content = text(client.get(URL, {"target_ops_s": "30000"}))

    assert "1 × n1-standard-8" not in content  # the replication factor is 3
    assert "3 × n1-standard-8 (gce) reach 30,000 operations a second" in content
    large = text(client.get(URL, {"target_ops_s": "540000", "zones": "3"}))
    assert "24 × m3.2xlarge (aws) extrapolated 2 times the largest measured" in large


def test_node_counts_are_multiples_of_the_zones_and_at_least_the_replication_factor(client, two_clouds):
    ask = {"target_ops_s": "1", "zones": "2"}

    assert [row[:2] for row in found(client.get(URL, ask))] == [("n1-standard-8", 4), ("m3.2xlarge", 4)]
    assert [row[1] for row in found(client.get(URL, {"target_ops_s": "200000", "zones": "3"}))] == [6, 9]


def test_only_sizes_within_the_latency_limit_count_and_the_rest_is_said(client):
    cluster(3, 90_000.0, latency_p99_ms=4.0)
    within = cluster(6, 150_000.0, latency_p99_ms=2.0)
    cluster(12, 270_000.0, latency_p99_ms=None)
    cluster(24, 500_000.0, latency_kind=LatencyKind.RESPONSE_TIME, latency_p99_ms=1.0)

    response = client.get(URL, {"target_ops_s": "160000", "max_p99_ms": "3"})

    assert found(response) == [("m3.2xlarge", 7, "3.724", True, within.pk)]
    assert (
        "Of this workload do not count: 1 with a p99 above 3 ms; 1 with a latency that is not service time; "
        "1 whose p99 is unknown."
    ) in text(response)


def test_flagged_retracted_relative_and_mixed_rows_are_no_base_of_a_sizing(client):
    cluster(3, 1e9, flags=[Flag.LITTLES_LAW])
    cluster(3, 1e9, retracted_at=datetime(2020, 1, 1, tzinfo=UTC))
    cluster(3, None, usd=None, relative_throughput=1.0, relative_base="x")
    mixed = cluster(3, 1e9)
    NodeGroupFactory(submission=mixed, position=3, instance_type="m1.large", count=1)
    sound = cluster(3, 100.0)

    response = client.get(URL, {"target_ops_s": "100"})

    assert found(response) == [("m3.2xlarge", 3, "1.596", False, sound.pk)]
    assert "1 with a flag that puts the rate in doubt; 1 of database nodes of several machine types." in text(response)


def test_a_least_trust_leaves_out_the_lower_ones(client):
    cluster(3, 100.0, trust=Trust.HISTORICAL)
    better = cluster(6, 100.0, trust=Trust.LOG_VERIFIED)

    response = client.get(URL, {"target_ops_s": "100", "trust": "uploaded"})

    assert [row[4] for row in found(response)] == [better.pk]
    assert "1 of lower trust" in text(response)


def test_another_basis_is_priced_at_the_day_of_the_measurement_and_any_day_can_be_asked_for(client):
    cluster(3, 100.0)  # measured on 1 September 2015
    PriceFactory(pricing_model=PricingModel.SPOT, usd=Decimal("0.100"), valid_from=date(2015, 6, 1))
    PriceFactory(usd=Decimal("0.400"), valid_from=date(2020, 1, 1))

    def hourly(**ask):
        [row] = found(client.get(URL, {"target_ops_s": "200", **ask}))
        return row[1:3]

    assert hourly() == (6, "3.192")
    assert hourly(basis="spot") == (6, "0.6")
    assert hourly(at="2021-05-01") == (6, "2.4")
    assert hourly(at="2010-01-01") == (6, None)
    assert hourly(basis="reserved_3y") == (6, None)


def test_an_unknown_price_stands_last_and_says_why(client, two_clouds):
    cluster(3, 1e6, None, instance_type="z1.huge")

    response = client.get(URL, {"target_ops_s": "100000"})

    assert [row[:3] for row in found(response)][-1] == ("z1.huge", 3, None)
    assert "The price of z1.huge was unknown when it was stored, and 1 more." in text(response)


def test_disks_of_another_layout_are_another_configuration(client):
    cluster(3, 100.0, node_groups__disks=[{"kind": "local-ssd", "count": 2, "size_gib": 1000, "raid": "raid1"}])
    cluster(6, 150.0, node_groups__disks=[{"kind": "local-ssd", "count": 2, "size_gib": 1000}])

    response = client.get(URL, {"target_ops_s": "150"})

    usable = [(one.node_count, one.usable_tb) for one in response.context["answer"].candidates]
    assert usable == [(5, pytest.approx(5 * 1.073741824 / 3)), (6, pytest.approx(6 * 2 * 1.073741824 / 3))]


def test_space_is_unknown_where_the_disks_or_the_factor_are(client):
    cluster(3, 100.0, node_groups__disks=[])
    other = cluster(3, 100.0, workload=workload("unknown factor", None))

    first = client.get(URL, {"target_ops_s": "100", "workload": workload().fingerprint})
    second = client.get(URL, {"target_ops_s": "100", "workload": other.workload.fingerprint})

    assert [one.usable_tb for one in first.context["answer"].candidates] == [None]
    assert [one.usable_tb for one in second.context["answer"].candidates] == [None]
    assert "The replication factor of this workload is unknown, and with it the usable space." in text(second)


@pytest.fixture
def with_cache():
    """Four database nodes with two caches at 2.50 USD an hour, and a series without."""
    old = cluster(4, 1000.0, "0.500", cache_node_count=2, instance_type="old")
    NodeGroupFactory(
        submission=old, position=2, role=Role.CACHE, count=2, instance_type="cache", node_hourly_usd=Decimal("0.25")
    )
    ssd = [cluster(nodes, rate, "0.300", instance_type="ssd") for nodes, rate in ((3, 600.0), (6, 1200.0))]
    return old, ssd


def test_a_system_with_caches_is_set_against_one_without_at_equal_throughput(client, with_cache):
    old, ssd = with_cache

    response = client.get(URL, {"equal_to": old.pk})

    assert found(response) == [("ssd", 5, "1.5", False, ssd[1].pk), ("old", 4, "2.5", False, old.pk)]
    assert (
        "5 × ssd (aws) do what 4 × old with 2 × cache as cache (aws) do, for $1.50 an hour against $2.50: "
        "60 % of the cost."
    ) in text(response)


def test_caches_grow_in_proportion(client, with_cache):
    response = client.get(URL, {"target_ops_s": "1300"})

    by_type = {one.submission.instance_type: one for one in response.context["answer"].candidates}
    assert (by_type["old"].node_count, by_type["old"].caches) == (6, ((3, "cache"),))
    assert by_type["old"].cost.hourly_usd == Decimal("3.75")  # 6 x 0.50 + 3 x 0.25


def test_without_a_target_the_page_asks_for_one(client, two_clouds):
    response = client.get(URL)

    assert "Say how many operations a second you need" in text(response)
    assert faults(response) == []


def test_an_empty_site_says_what_to_do(client):
    assert "Upload the log of a benchmark to begin." in text(client.get(URL))


def test_nothing_under_the_limits_says_how_to_go_on(client, two_clouds):
    response = client.get(URL, {"target_ops_s": "100", "max_p99_ms": "0.001"})

    assert "No measured configuration of this workload reaches 100 operations a second at a p99 service time" in text(
        response
    )
    assert "Take the limits away" in text(response)
    assert faults(response) == []


def test_what_a_million_nodes_would_not_reach_is_said(client):
    cluster(3, 0.001)

    assert "1 configuration would need more than a million nodes." in text(
        client.get(URL, {"target_ops_s": "10000000"})
    )


def test_the_page_has_both_dates_of_prices_and_keeps_its_state(client, two_clouds):
    response = client.get(URL, {"target_ops_s": "200000", "at": "2020-01-01", "zones": "3", "basis": "spot"})

    kept = [link for link in links(response, "target_ops_s=200000") if link.startswith("?")]
    assert all("zones=3" in link and "basis=spot" in link for link in kept)
    assert [("at=" in link, "2020-01-01" in link) for link in kept[:2]] == [(True, False), (False, False)]
    assert faults(response) == []


def test_csv_and_json_have_the_candidates(client, two_clouds):
    _, gce = two_clouds
    ask = {"target_ops_s": "200000"}

    csv = client.get(URL, {**ask, "format": "csv"})
    body = json.loads(client.get(URL, {**ask, "format": "json"}).content)

    lines = b"".join(csv.streaming_content).decode().splitlines()
    assert lines[0].startswith("submission,provider,region,instance_type,node_count,")
    assert lines[1].startswith(f"{gce.pk},gce,us-central1,n1-standard-8,6,6,,220000.0,,true,3,1,1.824,1331.52,")
    assert [one["usd_per_month"] for one in body["candidates"]] == ["1331.52", "3495.24"]


@pytest.mark.parametrize(
    ("query", "named", "status"),
    [
        ("target_ops_s=0", "target_ops_s", 400),
        ("target_ops_s=-5", "target_ops_s", 400),
        ("target_ops_s=nan", "target_ops_s", 400),
        ("target_ops_s=1e11", "target_ops_s", 400),
        ("max_p99_ms=inf&target_ops_s=1", "max_p99_ms", 400),
        ("zones=0", "zones", 400),
        ("zones=21", "zones", 400),
        ("basis=free", "basis", 400),
        ("at=tomorrow", "at", 400),
        ("trust=blind", "trust", 400),
        ("latency_kind=x", "latency_kind", 400),
        ("workload=%00", "workload", 400),
        ("format=xml", "format", 400),
        ("equal_to=x", "equal_to", 400),
        (f"equal_to={10**30}", "equal_to", 400),
        ("replication_factor=5&workload=W", "replication_factor", 400),
        ("equal_to=E&target_ops_s=5", "target_ops_s", 400),
        ("equal_to=999999", "equal_to", 404),
        ("target_ops_s=1&workload=0123456789abcdef", "workload", 404),
    ],
)
def test_a_bad_parameter_is_named(client, two_clouds, query, named, status):
    aws, _ = two_clouds
    query = query.replace("workload=W", f"workload={aws[0].workload.fingerprint}").replace("=E&", f"={aws[0].pk}&")

    response = client.get(f"{URL}?{query}")

    assert response.status_code == status
    assert f"{named}:" in text(response)
    assert faults(response) == []


def test_a_rate_in_doubt_is_nothing_to_reach(client):
    doubtful = cluster(3, 100.0, flags=[Flag.TRUNCATED])

    assert client.get(URL, {"equal_to": doubtful.pk}).status_code == 400


def test_a_hostile_name_stays_text(client):
    cluster(3, 100.0, instance_type='<script>alert("1")</script>')

    assert faults(client.get(URL, {"target_ops_s": "100"})) == []


@pytest.mark.parametrize("ask", [{"target_ops_s": "100"}, {"target_ops_s": "100", "at": "2020-01-01"}])
def test_any_number_of_rows_costs_the_same_queries(client, django_assert_max_num_queries, clear_cache, ask):
    counts = []
    for number in range(3):
        for nodes in (3, 6):
            cluster(nodes, nodes * 100.0, instance_type=f"type-{number}")
            cluster(nodes, nodes * 100.0, instance_type=f"type-{number}", workload=workload(f"w{number}"))
        if number in (0, 2):
            with django_assert_max_num_queries(10) as queries:
                assert client.get(URL, ask).status_code == 200
            counts.append(len(queries))

    assert counts[0] == counts[1]
