"""Whatever differs between results that one sentence compares is said in that sentence, on every page."""

from datetime import UTC, date, datetime, timedelta

import pytest

from submissions.choices import LatencyKind, PricingModel, Trust
from tests.factories import SubmissionFactory
from tests.measured import measured
from tests.pages import text

pytestmark = pytest.mark.django_db

API = "/api/v1"
UPLOADED_AND_OURS = "trust levels: log verified and run by us"


@pytest.fixture
def spot_and_on_demand():
    """Half as fast on demand, as the front of the issue had it; each at the prices of its own day."""
    spot = measured(
        1900.0, provider="gce", instance_type="n1-standard-8", region="us-central1",
        pricing_model=PricingModel.SPOT, price_date=date(2020, 6, 30), hourly_usd="0.5",
        measured_at=datetime(2020, 7, 1, tzinfo=UTC),
    )  # fmt: skip
    bought = measured(900.0, pricing_model=PricingModel.ON_DEMAND, price_date=date(2015, 7, 29), trust=Trust.RUN_BY_US)
    return spot, bought


def sentences(response):
    return [f"{sentence}." for sentence in response.split(". ")]


def test_a_comparison_per_dollar_names_both_pricing_models_and_days_where_it_compares(client, spot_and_on_demand):
    spot, bought = spot_and_on_demand

    finding = client.get(f"{API}/compare/", {"a": bought.pk, "b": spot.pk}).json()["sentence"]

    (sentence,) = [part for part in sentences(finding) if "per dollar" in part]
    assert f"#{spot.pk} (3× n1-standard-8 · Google Cloud us-central1) spot, #{bought.pk}" in sentence
    assert "us-east-1) on demand; " in sentence
    assert "priced on 2015-09-01 and 2020-07-01" in sentence
    assert "log verified" in sentence
    assert "run by us" in sentence


def test_a_comparison_of_two_alike_adds_nothing(client):
    first, other = measured(900.0), measured(1900.0, instance_type="i2.xlarge")

    finding = client.get(f"{API}/compare/", {"a": first.pk, "b": other.pk}).json()["sentence"]

    assert "on demand" not in finding
    assert "log verified" not in finding


def test_the_first_page_says_it_in_its_finding_and_beside_its_chart(client, spot_and_on_demand):
    content = text(client.get("/", {"prices": "then", "basis": "as_measured"}))

    assert (
        "(at the prices of the measurement date; Google Cloud n1-standard-8 spot, AWS m3.2xlarge on demand; "
        "priced on 2015-09-01 and 2020-07-01; "
    ) in content
    assert "pricing models: on demand and spot; priced on 2015-09-01 and 2020-07-01" in content
    assert UPLOADED_AND_OURS in content


def test_a_leaderboard_of_values_says_it_and_one_of_rates_names_the_trust_alone(client, spot_and_on_demand):
    workload = {"workload": spot_and_on_demand[0].workload.fingerprint, "by": "provider"}

    value = client.get(f"{API}/leaderboard/", {**workload, "metric": "ops_per_usd"}).json()["sentence"]
    rate = client.get(f"{API}/leaderboard/", {**workload, "metric": "throughput_ops_s"}).json()["sentence"]

    assert "(Google Cloud spot, AWS on demand; priced on 2015-09-01 and 2020-07-01; " in value
    assert "(Google Cloud log verified, AWS run by us)" in rate
    assert "spot" not in rate


def test_a_leaderboard_of_latencies_ranks_one_kind_only(client):
    service = measured(900.0, latency_p99_ms=5.0, latency_kind=LatencyKind.SERVICE_TIME)
    slower = measured(900.0, latency_p99_ms=9.0, latency_kind=LatencyKind.SERVICE_TIME, instance_type="c3.xlarge")
    measured(900.0, latency_p99_ms=2.0, latency_kind=LatencyKind.RESPONSE_TIME, instance_type="i2.xlarge")

    body = client.get(
        f"{API}/leaderboard/",
        {"workload": service.workload.fingerprint, "metric": "latency_p99_ms", "by": "instance_type"},
    ).json()

    assert [group["submission"] for group in body["groups"]] == [service.pk, slower.pk]
    assert "p99 service time" in body["sentence"]


def test_the_grid_the_scaling_and_the_history_say_which_trust_levels_they_span(client):
    rates = [1000.0, 2000.0, 3900.0, 7500.0, 14000.0]
    for number, rate in enumerate(rates):
        trust = Trust.RUN_BY_US if number % 2 else Trust.LOG_VERIFIED
        SubmissionFactory(node_count=2**number, throughput_ops_s=rate, trust=trust)
        SubmissionFactory(node_count=2**number, throughput_ops_s=rate / 2, trust=trust, provider="gce")
    start = datetime(2015, 1, 1, tzinfo=UTC)
    for day in range(20):
        SubmissionFactory(
            instance_type="m1.xlarge", node_count=6, measured_at=start + timedelta(days=day),
            throughput_ops_s=1000.0 + day % 3, trust=Trust.RUN_BY_US if day % 2 else Trust.LOG_VERIFIED,
        )  # fmt: skip

    grid = client.get(
        "/compare/grid/",
        {"vary": "provider", "baseline": "aws", "variant": "gce", "rows": "node_count",
         "subrows": "none", "columns": "service_version"},
    )  # fmt: skip
    scaling = client.get("/scaling/", {"provider": "aws", "instance_type": "m3.2xlarge"})
    history = client.get("/history/")

    for response in (grid, scaling, history):
        (finding,) = [part for part in sentences(text(response)) if UPLOADED_AND_OURS in part][:1]
        assert any(word in finding for word in ("range from", "times the throughput", "no change beyond noise"))


def test_one_trust_level_is_not_told(client):
    for nodes in (3, 6):
        SubmissionFactory(node_count=nodes, throughput_ops_s=1000.0 * nodes)

    assert "trust levels" not in text(client.get("/scaling/"))


def test_sizes_of_unlike_trust_and_price_days_say_so_with_their_rank(client):
    for day, trust, name in (
        (datetime(2015, 8, 1, tzinfo=UTC), Trust.LOG_VERIFIED, "m3.2xlarge"),
        (datetime(2016, 8, 1, tzinfo=UTC), Trust.RUN_BY_US, "i2.xlarge"),
    ):
        for nodes in (3, 6):
            SubmissionFactory(
                node_count=nodes, throughput_ops_s=30_000.0 * nodes, trust=trust, instance_type=name, measured_at=day,
                price_date=day.date(),
            )  # fmt: skip

    content = text(client.get("/recommend/sizes/", {"target_ops_s": "150000"}))

    (rank,) = [part for part in sentences(content) if "the cheapest of 2 priced configurations" in part][:1]
    assert "priced on 2015-08-01 and 2016-08-01" in rank
    assert UPLOADED_AND_OURS in rank


def test_a_line_is_drawn_over_a_bar_only_where_it_is_an_interval(client):
    """A spread over the trials of which the source gives only the mean is none, nor is that of equal trials."""
    interval = {"throughput_low_ops_s": 800.0, "throughput_high_ops_s": 1000.0, "trials_count": 3}
    rows = [
        SubmissionFactory(throughput_ops_s=900.0, instance_type="a", **interval),
        SubmissionFactory(throughput_ops_s=900.0, instance_type="b", averaged_over=10, **interval),
        SubmissionFactory(
            throughput_ops_s=900.0, instance_type="c", trials_count=3,
            throughput_low_ops_s=900.0, throughput_high_ops_s=900.0,
        ),
    ]  # fmt: skip

    query = {"workload": rows[0].workload.fingerprint, "metric": "throughput_ops_s", "by": "instance_type"}
    body = client.get(f"{API}/leaderboard/", query).json()

    drawn = {group["submission"]: group["interval"] for group in body["groups"]}
    assert {row: bool(ends) for row, ends in drawn.items()} == {row.pk: row is rows[0] for row in rows}
