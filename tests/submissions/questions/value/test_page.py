"""The value page and API: one workload, groups by their best, the Pareto front, and what a limit excludes."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from submissions.choices import Flag, LatencyKind, Trust
from submissions.questions.value import page
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.measured import measured
from tests.pages import faults, links

pytestmark = pytest.mark.django_db

URL = "/value/"
API = "/api/v1/value/"
THEN = {"prices": "then"}  # as the results were stored


def text(response):
    return " ".join(response.content.decode().split())


@pytest.fixture
def cloud_pair():
    """The article's best of AWS and the three of GCE."""
    aws = SubmissionFactory(throughput_ops_s=90748.0, hourly_usd=Decimal("1.596"))
    gce = [
        SubmissionFactory(
            provider="gce",
            instance_type="n1-standard-8",
            throughput_ops_s=rate,
            hourly_usd=Decimal("0.912"),
            latency_p99_ms=3.0,
        )
        for rate in (111394.0, 109583.0, 101886.0)
    ]
    return aws, gce


def rows(response):
    return [
        (
            group.name,
            group.n,
            group.best.pk,
            str(group.best_ops_per_usd),
            str(group.worst_ops_per_usd),
        )
        for group in response.context["result"].groups
    ]


def test_clouds_are_represented_by_their_best_submission_with_n_and_range(client, cloud_pair):
    aws, gce = cloud_pair

    response = client.get(URL, THEN)

    assert rows(response) == [
        ("Google Cloud", 3, gce[0].pk, "439713157.8947", "402181578.9474"),
        ("AWS", 1, aws.pk, "204694736.8421", "204694736.8421"),
    ]
    assert (
        "Google Cloud offers the best value: 440 M ops/$, 2.15× AWS (at the prices of the measurement date, on demand)."
    ) in text(response)


def test_the_front_is_what_nothing_cheaper_beats(client, cloud_pair):
    _, gce = cloud_pair
    fast = SubmissionFactory(throughput_ops_s=150000.0, hourly_usd=Decimal("3.2"))

    response = client.get(URL, THEN)

    assert list(response.context["result"].systems.front) == [gce[0], fast]
    assert "2 of 5 systems are on the Pareto front" in text(response)


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("provider", ["AWS"]),
        ("instance_type", ["AWS m3.xlarge", "AWS m3.2xlarge"]),
        ("jdk", ["oracle 8u51", "not stated"]),
        ("disk", ["gp2", "local-ssd"]),
    ],
)
def test_each_grouping_ranks_its_own_values(client, by, names):
    SubmissionFactory(jdk_vendor=None, jdk_version=None)
    SubmissionFactory(instance_type="m3.xlarge", disk_kind="gp2", hourly_usd=Decimal("0.8"))

    response = client.get(URL, {**THEN, "by": by})

    assert [group.name for group in response.context["result"].groups] == names


def test_the_default_workload_is_that_with_the_most_priced_submissions(client):
    SubmissionFactory(workload=WorkloadFactory(title="a"))
    for _ in range(2):
        SubmissionFactory(workload=WorkloadFactory(title="b"))
    for _ in range(3):
        SubmissionFactory(workload=WorkloadFactory(title="c"), hourly_usd=None)

    response = client.get(URL, THEN)

    assert response.context["chosen"].title == "b"
    assert [(one.title, one.count) for one in response.context["workloads"]] == [("b", 2), ("a", 1)]


def test_it_opens_on_the_newest_workload_with_raw_logs_of_two_systems(client, clear_cache):
    def add(title, year, machines, trust=Trust.LOG_VERIFIED, count=1):
        of_title = WorkloadFactory(title=title)
        for machine in machines * count:
            day = datetime(year, 5, 1, tzinfo=UTC)
            SubmissionFactory(workload=of_title, instance_type=machine, trust=trust, measured_at=day)

    two = ("m5.xlarge", "m6i.xlarge")
    add("new", 2025, two)
    add("old", 2024, two, count=2)
    add("article", 2026, two, trust=Trust.HISTORICAL)
    add("single", 2026, ("m5.xlarge",))

    response = client.get(URL)

    assert response.context["chosen"].title == "new"
    choices = [(one.title, one.count) for one in response.context["workloads"]]
    assert choices == [("new", 2), ("old", 4), ("article", 2), ("single", 1)]
    assert client.get(API).json()["workload_title"] == "new"


def test_workloads_never_share_a_ranking(client):
    first = SubmissionFactory(workload=WorkloadFactory(title="a"))
    SubmissionFactory(workload=WorkloadFactory(title="b"), throughput_ops_s=999999.0)

    response = client.get(URL, {**THEN, "workload": first.workload.fingerprint})

    assert [group.best for group in response.context["result"].groups] == [first]


def test_a_limit_excludes_and_says_how_many_for_which_reason(client, cloud_pair):
    SubmissionFactory(latency_p99_ms=None)
    SubmissionFactory(latency_kind=LatencyKind.RESPONSE_TIME, latency_p99_ms=1.0)

    response = client.get(URL, {**THEN, "max_p99_ms": "3.5"})

    assert [(group.name, group.n) for group in response.context["result"].groups] == [("Google Cloud", 3)]
    assert (
        "Excluded: 1 with a p99 not known to be service time and 1 with a p99 above 3.5 ms. "
        "Of 1 result the p99 is unknown."
    ) in text(response)
    assert "p99 service time of at most 3.5 ms)" in text(response)


def test_another_kind_of_latency_can_be_limited_instead(client, cloud_pair):
    SubmissionFactory(latency_kind=LatencyKind.RESPONSE_TIME, latency_p99_ms=50.0)

    response = client.get(URL, {**THEN, "max_p99_ms": "60", "latency_kind": "response_time"})

    assert [(group.name, group.n) for group in response.context["result"].groups] == [("AWS", 1)]
    assert response.context["excluded"] == "Excluded: 4 with a p99 not known to be response time."


def test_a_minimum_trust_level_chooses_rows(client):
    log = SubmissionFactory(trust=Trust.LOG_VERIFIED)
    SubmissionFactory(trust=Trust.HISTORICAL)

    response = client.get(URL, {**THEN, "trust": "uploaded"})

    assert [(group.best, group.n) for group in response.context["result"].groups] == [(log, 1)]


def test_a_relative_figure_is_never_ranked(client):
    SubmissionFactory(throughput_ops_s=None, relative_throughput=1.0, relative_base="existing")

    response = client.get(URL, THEN)

    assert "No result with a raw log has a known price yet." in text(response)


def test_a_flagged_rate_is_excluded_and_the_page_says_so(client, cloud_pair):
    SubmissionFactory(throughput_ops_s=9e6, flags=[Flag.RATE_MISMATCH])
    SubmissionFactory(flags=[Flag.SHORT])

    response = client.get(URL, THEN)

    assert [(group.name, group.n) for group in response.context["result"].groups] == [
        ("Google Cloud", 3),
        ("AWS", 2),
    ]
    assert "Excluded: 1 with a data-quality flag." in text(response)


def test_unpriced_ones_are_counted_in_words(client, cloud_pair):
    SubmissionFactory(hourly_usd=None)
    SubmissionFactory(hourly_usd=None)

    assert "Excluded: 2 without a known price." in text(client.get(URL, THEN))


def test_nothing_under_the_limits_says_how_to_go_on(client, cloud_pair):
    content = text(client.get(URL, {**THEN, "max_p99_ms": "0.1"}))

    assert "No priced result of this workload is within these limits." in content
    assert "Remove the limits" in content


def test_csv_has_the_groups_with_exact_values(client, cloud_pair):
    aws, gce = cloud_pair

    response = client.get(API, {**THEN, "format": "csv"})

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response.getvalue().decode().splitlines() == [
        "provider,rank,n,best_ops_per_usd,worst_ops_per_usd,best_submission,trials,averaged_over,throughput_ops_s,"
        "latency_p99_ms,latency_p99_at_most_ms,latency_p99_is_bound,latency_kind,latency_mean_ms,client_placement,"
        "load_threads,load_offered_ops_s,load_is_of_slowest,hourly_usd,hourly_usd_when_measured,price_date,"
        "price_last_seen,age_marks,rank_today,license,attribution,pack",
        f"gce,1,3,439713157.8947,402181578.9474,{gce[0].pk},1,,111394.0,3.0,3.0,false,service_time,2.0,,,,,0.91200000,,"
        '2015-06-01,2015-06-01,"old_result,version_eol",,,,',
        f"aws,2,1,204694736.8421,204694736.8421,{aws.pk},1,,90748.0,4.0,4.0,false,service_time,2.0,,,,,1.59600000,,"
        '2015-06-01,2015-06-01,"old_result,version_eol",,,,',
    ]


def test_a_formula_in_a_name_is_no_formula_in_the_csv(client):
    SubmissionFactory(instance_type="=cmd()")

    content = client.get(API, {**THEN, "format": "csv", "by": "instance_type"}).getvalue().decode()

    assert "aws,'=cmd()," in content


def test_json_has_the_groups_and_the_front(client, cloud_pair):
    aws, gce = cloud_pair

    body = client.get(API, THEN).json()

    assert [group["best_submission"] for group in body["groups"]] == [gce[0].pk, aws.pk]
    assert body["pareto_front"] == [
        {
            "submission": gce[0].pk,
            "hourly_usd": "0.91200000",
            "throughput_ops_s": 111394.0,
            "ops_per_usd": "439713157.8947",
            "price_date": "2015-06-01",
            "price_last_seen": "2015-06-01",
        }
    ]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("by=colour", "by"),
        ("max_p99_ms=-1", "max_p99_ms"),
        ("max_p99_ms=nan", "max_p99_ms"),
        ("max_p99_ms=inf", "max_p99_ms"),
        ("basis=free", "basis"),
        ("prices=soon", "prices"),
        ("prices=on", "prices_on"),
        ("prices_on=2015-13-01", "prices_on"),
        ("prices_on=2999-01-01", "prices_on"),
        ("prices_on=%00", "prices_on"),
        ("by=submission", "by"),
        ("trust=blind", "trust"),
        ("latency_kind=x", "latency_kind"),
        ("workload=" + "x" * 17, "workload"),
        ("workload=%00", "workload"),
    ],
)
def test_a_bad_parameter_is_named(client, query, named):
    response = client.get(f"{URL}?{query}")

    assert response.status_code == 400
    assert f"<code>{named}</code>:" in text(response)


def test_an_unknown_workload_is_not_found(client):
    assert client.get(URL, {**THEN, "workload": "0123456789abcdef"}).status_code == 404


def test_groups_within_noise_are_named_as_a_tie(client):
    measured(1000.0, 1010.0, 990.0, provider="aws")
    measured(990.0, 1003.0, 985.0, provider="gce")
    measured(500.0, 505.0, 495.0, provider="azure")

    response = client.get(URL, THEN)

    assert [(row.group.name, row.entry.rank) for row in response.context["result"].ranked] == [
        ("AWS", "1-2"),
        ("Google Cloud", "1-2"),
        ("Azure", "3"),
    ]
    assert "AWS and Google Cloud are statistically tied for the best value (2.26 to 2.24 M ops/$" in text(response)
    assert faults(response) == []


def test_a_lead_beyond_noise_has_its_ratio(client):
    measured(1000.0, 1010.0, 990.0, provider="aws")
    measured(500.0, 505.0, 495.0, provider="azure")

    content = text(client.get(URL, THEN))

    assert (
        "AWS offers the best value: 2.26 M ops/$, 2× Azure (at the prices of the measurement date, on demand)."
        in content
    )
    assert "Not yet conclusive" not in content


@pytest.mark.parametrize("extension", ["csv", "json"])
def test_files_are_those_of_the_api(client, cloud_pair, extension):
    response = client.get(URL, {"format": extension, "by": "jdk"})

    assert (response.status_code, response["Location"]) == (302, f"{API}?format={extension}&by=jdk")
    assert client.get(response["Location"]).status_code == 200


def test_tables_have_the_best_and_another_address_has_all(client, monkeypatch):
    rows = [
        SubmissionFactory(provider=f"cloud{number}", throughput_ops_s=1000.0 * number, hourly_usd=Decimal(1))
        for number in range(1, 5)
    ]
    monkeypatch.setattr(page, "SHOWN_ROWS", 3)
    fingerprint = rows[0].workload.fingerprint

    best = client.get(URL, THEN)
    everything = client.get(URL, {**THEN, "workload": fingerprint, "rows": "all"})

    assert [value.group.best for value in best.context["ranked"]] == [rows[3], rows[2], rows[1]]
    assert list(best.context["systems"]) == [rows[3], rows[2], rows[1]]
    assert "The 3 best by value" in text(best)
    assert {f"{URL}?prices=then&workload={fingerprint}&rows=all#{part}" for part in ("by-value", "front")} <= set(
        links(best)
    )
    assert [value.group.best for value in everything.context["ranked"]] == rows[::-1]
    assert "All 4 systems in the chart" in text(everything)
    assert f"{URL}?prices=then&workload={fingerprint}" in links(everything)
    assert client.get(API, {**THEN, "workload": fingerprint}).json()["groups"][3]["best_submission"] == rows[0].pk
    assert faults(best) == faults(everything) == []


def test_an_api_address_has_no_rows_to_leave_out(client, cloud_pair):
    response = client.get(URL, {"format": "json", "rows": "all"})

    assert response["Location"] == f"{API}?format=json"
    assert "rows" not in "".join(links(client.get(URL, {**THEN, "rows": "all"}), "^/api/"))
