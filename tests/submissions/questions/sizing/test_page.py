"""The sizing page: node counts, costs on any basis and day, limits, and one system against another."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from submissions.aggregates.store import refresh
from submissions.choices import Flag, LatencyKind, PricingModel, Role, Trust
from tests.factories import NodeGroupFactory, PriceFactory, SubmissionFactory, WorkloadFactory
from tests.pages import faults, links, text
from tests.queries import queries_of

pytestmark = pytest.mark.django_db

URL = "/recommend/sizes/"


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


def sized(response):
    """(instance type, nodes, USD per hour, extrapolated, nearest submission)"""
    return [
        (
            one.submission.instance_type,
            one.node_count,
            one.cost.hourly_usd and str(one.cost.hourly_usd.normalize()),
            one.is_extrapolated,
            one.submission.pk,
        )
        for one in response.context["result"].candidates
    ]


def test_configurations_are_ranked_by_cost_and_extrapolated_ones_stay_below_measured_ones(client, two_clouds):
    aws, gce = two_clouds

    response = client.get(URL, {"target_ops_s": "200000"})

    # m3.2xlarge: 6 + (200,000 - 150,000) / 120,000 x 6 = 8.5; n1-standard-8: 200,000 / 110,000 x 3 = 5.5
    assert sized(response) == [
        ("m3.2xlarge", 9, "4.788", False, aws[1].pk),
        ("n1-standard-8", 6, "1.824", True, gce.pk),
    ]
    content = text(response)
    assert (
        "9× m3.2xlarge · AWS us-east-1 reaches 200 k ops/s for $3,495/month (on demand), "
        "the only priced configuration within the measured sizes."
    ) in content
    assert "Striped bars are extrapolated in proportion to the nearest measured size." in content


def test_the_distance_from_the_measured_sizes_is_stated(client, two_clouds):
    content = text(client.get(URL, {"target_ops_s": "30000"}))

    assert "1× n1-standard-8" not in content  # the replication factor is 3
    assert "3× n1-standard-8 · Google Cloud us-central1 reaches 30 k ops/s" in content
    large = text(client.get(URL, {"target_ops_s": "540000", "zones": "3"}))
    assert "24× m3.2xlarge · AWS us-east-1 extrapolated 2 times the largest measured size" in large


def test_node_counts_are_multiples_of_the_zones_and_at_least_the_replication_factor(client, two_clouds):
    ask = {"target_ops_s": "1", "zones": "2"}

    assert [row[:2] for row in sized(client.get(URL, ask))] == [("m3.2xlarge", 4), ("n1-standard-8", 4)]
    assert [row[1] for row in sized(client.get(URL, {"target_ops_s": "200000", "zones": "3"}))] == [9, 6]


def test_sizes_outside_the_latency_limit_are_excluded_with_the_reason(client):
    cluster(3, 90_000.0, latency_p99_ms=4.0)
    within = cluster(6, 150_000.0, latency_p99_ms=2.0)
    cluster(12, 270_000.0, latency_p99_ms=None)
    cluster(24, 500_000.0, latency_kind=LatencyKind.RESPONSE_TIME, latency_p99_ms=1.0)

    response = client.get(URL, {"target_ops_s": "160000", "max_p99_ms": "3"})

    assert sized(response) == [("m3.2xlarge", 7, "3.724", True, within.pk)]
    assert (
        "Excluded: 1 with a p99 not known to be service time and 1 with a p99 above 3 ms. "
        "Of 1 result the p99 is unknown."
    ) in text(response)


def test_flagged_retracted_relative_and_mixed_rows_are_no_base_of_a_sizing(client):
    cluster(3, 1e9, flags=[Flag.LITTLES_LAW])
    cluster(3, 1e9, retracted_at=datetime(2020, 1, 1, tzinfo=UTC))
    cluster(3, None, usd=None, relative_throughput=1.0, relative_base="x")
    mixed = cluster(3, 1e9)
    NodeGroupFactory(submission=mixed, position=3, instance_type="m1.large", count=1)
    sound = cluster(3, 100.0)

    response = client.get(URL, {"target_ops_s": "100"})

    assert sized(response) == [("m3.2xlarge", 3, "1.596", False, sound.pk)]
    assert "Excluded: 1 with a data-quality flag and 1 with database nodes of several instance types." in text(response)


def test_a_least_trust_leaves_out_the_lower_ones(client):
    cluster(3, 100.0, trust=Trust.HISTORICAL)
    better = cluster(6, 100.0, trust=Trust.LOG_VERIFIED)

    response = client.get(URL, {"target_ops_s": "100", "trust": "uploaded"})

    assert [row[4] for row in sized(response)] == [better.pk]
    assert "1 historical result from articles on a separate board." in text(response)


def test_another_basis_is_priced_at_the_day_of_the_measurement_and_any_day_can_be_asked_for(client):
    cluster(3, 100.0)  # measured on 1 September 2015
    PriceFactory(pricing_model=PricingModel.SPOT, usd=Decimal("0.100"), valid_from=date(2015, 8, 20))
    PriceFactory(usd=Decimal("0.400"), valid_from=date(2020, 1, 1))

    def hourly(**ask):
        [row] = sized(client.get(URL, {"target_ops_s": "200", **ask}))
        return row[1:3]

    assert hourly() == (6, "3.192")
    assert hourly(basis="spot") == (6, "0.6")
    assert hourly(at="2021-05-01") == (6, "2.4")
    assert hourly(at="2010-01-01") == (6, None)
    assert hourly(basis="reserved_3y") == (6, None)


def test_an_unknown_price_is_last_and_says_why(client, two_clouds):
    cluster(3, 1e6, None, instance_type="z1.huge")

    response = client.get(URL, {"target_ops_s": "100000"})

    assert [row[:3] for row in sized(response)][-1] == ("z1.huge", 3, None)
    assert "The price of z1.huge was unknown when the submission was stored, and 1 more." in text(response)


def test_disks_of_another_layout_are_another_configuration(client):
    cluster(3, 100.0, node_groups__disks=[{"kind": "local-ssd", "count": 2, "size_gib": 1000, "raid": "raid1"}])
    cluster(6, 150.0, node_groups__disks=[{"kind": "local-ssd", "count": 2, "size_gib": 1000}])

    response = client.get(URL, {"target_ops_s": "150"})

    usable = [(one.node_count, one.usable_tb) for one in response.context["result"].candidates]
    assert usable == [(6, pytest.approx(6 * 2 * 1.073741824 / 3)), (5, pytest.approx(5 * 1.073741824 / 3))]


def test_space_is_unknown_where_the_disks_or_the_factor_are(client):
    cluster(3, 100.0, node_groups__disks=[])
    other = cluster(3, 100.0, workload=workload("unknown factor", None))

    first = client.get(URL, {"target_ops_s": "100", "workload": workload().fingerprint})
    second = client.get(URL, {"target_ops_s": "100", "workload": other.workload.fingerprint})

    assert [one.usable_tb for one in first.context["result"].candidates] == [None]
    assert [one.usable_tb for one in second.context["result"].candidates] == [None]
    assert "The replication factor of this workload is unknown, and so is the usable space." in text(second)


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

    assert sized(response) == [("ssd", 5, "1.5", False, ssd[1].pk), ("old", 4, "2.5", False, old.pk)]
    assert (
        "5× ssd · AWS us-east-1 matches the throughput of 4× old + 2× cache cache · AWS us-east-1 "
        "for $1.50/h instead of $2.50/h: 60 % of the cost."
    ) in text(response)


def test_caches_grow_in_proportion(client, with_cache):
    response = client.get(URL, {"target_ops_s": "1300"})

    by_type = {one.submission.instance_type: one for one in response.context["result"].candidates}
    assert (by_type["old"].node_count, by_type["old"].caches) == (6, ((3, "cache"),))
    assert by_type["old"].cost.hourly_usd == Decimal("3.75")  # 6 x 0.50 + 3 x 0.25


def test_without_a_target_the_page_asks_for_one(client, two_clouds):
    response = client.get(URL)

    assert "Enter the throughput you need" in text(response)
    assert faults(response) == []


def test_an_empty_site_says_what_to_do(client):
    assert "Upload a benchmark log to begin." in text(client.get(URL))


def test_nothing_under_the_limits_says_how_to_go_on(client, two_clouds):
    response = client.get(URL, {"target_ops_s": "100", "max_p99_ms": "0.001"})

    assert "No measured configuration of this workload reaches 100 ops/s with a p99 service time" in text(response)
    assert "Remove the limits" in text(response)
    assert faults(response) == []


def test_configurations_that_twice_their_largest_size_would_not_lift_are_counted(client):
    cluster(3, 1000.0)

    at_twice, beyond = (client.get(URL, {"target_ops_s": rate}) for rate in ("2000", "2010"))

    assert [node_count for _, node_count, *_ in sized(at_twice)] == [6]
    assert sized(beyond) == []
    content = text(beyond)
    assert "No measured configuration of this workload reaches 2.01 k ops/s within twice its largest" in content
    assert "1 configuration would need more than twice its largest measured size: too far from what was" in content
    answer = client.get("/api/v1/size/", {"target_ops_s": "2010"}).json()
    assert (answer["unreachable"], answer["candidates"]) == (1, [])


def test_the_page_links_to_both_dates_of_prices_and_keeps_its_state(client, two_clouds):
    response = client.get(URL, {"target_ops_s": "200000", "at": "2020-01-01", "zones": "3", "basis": "spot"})

    kept = [link for link in links(response, "target_ops_s=200000") if link.startswith("?")]
    assert all("zones=3" in link and "basis=spot" in link for link in kept)
    assert [("at=" in link, "2020-01-01" in link) for link in kept[:2]] == [(True, False), (False, False)]
    assert faults(response) == []


def test_csv_and_json_of_the_page_are_those_of_the_api(client, two_clouds):
    aws, gce = two_clouds

    response = client.get(URL, {"target_ops_s": "200000", "format": "csv"})
    csv = client.get(response["Location"])

    assert response["Location"] == "/api/v1/size/?target_ops_s=200000&format=csv"
    lines = b"".join(csv.streaming_content).decode().splitlines()
    assert lines[0] == (
        "submission,provider,region,instance_type,node_count,nodes_per_zone,cache,throughput_ops_s,"
        "relative_throughput,extrapolated,measured_node_counts,n,hourly_usd,usd_per_month,share_of_base_cost,"
        "price_date,price_last_seen,is_price_stated,price_missing,usable_tb,tb_per_zone,is_base,"
        "license,attribution,pack"
    )
    assert lines[1].startswith(f"{aws[1].pk},aws,us-east-1,m3.2xlarge,9,9,")
    assert lines[2].startswith(f"{gce.pk},gce,us-central1,n1-standard-8,6,6,,220000.0,,true,3,1,1.824,1331.52,")


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


def test_an_unreliable_rate_cannot_be_matched(client):
    doubtful = cluster(3, 100.0, flags=[Flag.TRUNCATED])

    assert client.get(URL, {"equal_to": doubtful.pk}).status_code == 400


def test_a_hostile_name_stays_text(client):
    cluster(3, 100.0, instance_type='<script>alert("1")</script>')

    assert faults(client.get(URL, {"target_ops_s": "100"})) == []


@pytest.mark.parametrize("ask", [{"target_ops_s": "100"}, {"target_ops_s": "100", "at": "2020-01-01"}])
def test_any_number_of_rows_costs_the_same_queries(client, clear_cache, ask):
    counts = []
    for number in range(3):
        for nodes in (3, 6):
            cluster(nodes, nodes * 100.0, instance_type=f"type-{number}")
            cluster(nodes, nodes * 100.0, instance_type=f"type-{number}", workload=workload(f"w{number}"))
        if number in (0, 2):
            refresh()
            counts.append(queries_of(lambda: client.get(URL, ask)))

    assert counts[0] == counts[1]
