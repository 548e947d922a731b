"""What the Netflix articles of 2011 and 2012 state of scaling and sizing comes out of the site."""

import pytest

from submissions.models import Submission
from tests.pages import text

pytestmark = pytest.mark.django_db

B_SOURCE = "Benchmarking Cassandra Scalability on AWS"
D_SOURCE = "Benchmarking High Performance I/O with SSD for Cassandra on AWS"


def of(source):
    return Submission.objects.filter(source__contains=source).order_by("id")


@pytest.fixture
def million_writes(published):
    return of(B_SOURCE).first().workload.fingerprint


@pytest.fixture
def existing(published):
    return of(D_SOURCE).get(instance_type="m2.4xlarge")


def test_288_nodes_are_105_percent_as_efficient_as_48_on_a_straight_line(client, million_writes):
    body = client.get("/api/v1/scaling/", {"workload": million_writes}).json()

    assert [(point["node_count"], point["client_count"], point["throughput_ops_s"]) for point in body["points"]] == [
        (48, 10, 174373.0),
        (96, 20, 366828.0),
        (144, 30, 537172.0),
        (288, 60, 1099837.0),
    ]
    assert [round(point["efficiency"] * 100, 1) for point in body["points"]] == [100.0, 105.2, 102.7, 105.1]
    assert round(body["linearity_r2"], 5) == 0.99978
    assert body["usl"]["peak_nodes"] is None


def test_each_client_wrote_about_17500_times_a_second_by_design(client, million_writes):
    body = client.get("/api/v1/scaling/", {"workload": million_writes}).json()

    assert [round(point["per_client"]) for point in body["points"]] == [17437, 18341, 17906, 18331]
    assert all(abs(point["per_client"] / 17_500 - 1) < 0.05 for point in body["points"])
    assert body["client_bound"] is False


def test_the_scaling_page_states_it(client, million_writes):
    content = text(client.get("/scaling/", {"workload": million_writes}))

    assert "scaling efficiency 105.1 % (super-linear)" in content
    assert "the number of clients grew with the nodes" in content


def test_15_ssd_nodes_replace_48_and_36_for_45_percent_of_the_cost(client, existing):
    body = client.get("/api/v1/size/", {"equal_to": existing.pk, "zones": 3}).json()

    names = ("instance_type", "node_count", "nodes_per_zone", "hourly_usd", "usd_per_month", "extrapolated", "is_base")
    assert [tuple(one[name] for name in names) for one in body["candidates"]] == [
        ("hi1.4xlarge", 15, 5, "46.5", "33945", False, False),
        ("m2.4xlarge", 48, 16, "102.6", "74898", False, True),
    ]
    ssd, base = body["candidates"]
    assert round(ssd["share_of_base_cost"], 2) == 0.45
    assert (ssd["relative_throughput"], ssd["throughput_ops_s"]) == (1.0, None)
    assert ssd["measured_node_counts"] == [12, 15]
    assert base["cache"] == [{"instance_type": "m2.xlarge", "node_count": 36}]


def test_five_ssd_nodes_a_zone_hold_ten_tb_after_replication(client, existing):
    ssd = client.get("/api/v1/size/", {"equal_to": existing.pk, "zones": 3}).json()["candidates"][0]

    assert (round(ssd["tb_per_zone"], 2), round(ssd["usable_tb"], 2)) == (10.0, 10.0)


def test_the_sizing_page_states_it(client, existing):
    content = text(client.get("/recommend/sizes/", {"equal_to": existing.pk}))

    assert (
        "15× hi1.4xlarge · AWS us-east-1 matches the throughput of "
        "48× m2.4xlarge + 36× m2.xlarge cache · AWS us-east-1 "
        "for $46.50/h instead of $102.60/h: 45 % of the cost."
    ) in content


def test_a_limit_of_10_ms_leaves_the_ssd_nodes_and_states_the_reasons(client, existing):
    response = client.get("/recommend/sizes/", {"equal_to": existing.pk, "max_p99_ms": "10", "latency_kind": "unknown"})

    assert [(one.node_count, one.measured) for one in response.context["result"].candidates] == [
        (15, (15,)),
        (48, (48,)),
    ]
    assert response.context["answer"].excluded == (
        "Excluded: 1 with a p99 above 10 ms. Of 1 result the p99 is unknown."
    )


def test_a_relative_system_is_sized_against_nothing_absolute(client, existing):
    relative = client.get("/api/v1/size/", {"equal_to": existing.pk}).json()
    absolute = client.get("/api/v1/size/", {"target_ops_s": 1, "workload": relative["workload"]}).json()

    assert absolute["candidates"] == []


def test_the_page_offers_the_systems_that_are_only_known_relative_to_each_other(client, existing):
    assert [base for base, _ in client.get("/recommend/sizes/").context["relative_bases"]] == [existing]


def test_half_a_million_writes_take_135_nodes_between_the_measured_96_and_144(client, million_writes):
    body = client.get("/api/v1/size/", {"workload": million_writes, "target_ops_s": 500_000, "zones": 3}).json()

    # 96 + (500,000 - 366,828) / (537,172 - 366,828) x 48 = 133.5: 135 is the next multiple of three zones
    [only] = body["candidates"]
    assert (only["node_count"], only["nodes_per_zone"], only["extrapolated"]) == (135, 45, False)
    assert only["usd_per_month"] == "67014"  # 135 x 0.68 x 730
    # half of the disks: Cassandra 0.8.6 needs the other half for compaction
    assert only["usable_tb"] == pytest.approx(135 * 4 * 372.5 * 2**30 / 10**12 / 2 / 3)
