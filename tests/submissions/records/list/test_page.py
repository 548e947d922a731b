"""The list of submissions: its state is its address."""

import gzip
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from justhtml import JustHTML

from submissions.age.retired import retired_of
from submissions.aggregates.store import refresh
from submissions.records.cache import prices_version
from tests.factories import SubmissionFactory, UserFactory, WorkloadFactory
from tests.load_curves import curve
from tests.pages import HOSTILE, checked_values, faults, links, text

pytestmark = pytest.mark.django_db

URL = "/submissions/"


def shown(response):
    return [row.pk for row in response.context["page"].rows]


def test_an_empty_site_tells_what_to_do(client):
    response = client.get(URL)

    assert response.status_code == 200
    assert "There are no results yet." in text(response)
    assert "/submissions/new/" in links(response)


def test_the_newest_stand_first_and_the_retracted_do_not_stand(client):
    first, second = SubmissionFactory(), SubmissionFactory()
    SubmissionFactory(retracted_at="2020-01-01T00:00:00Z")

    response = client.get(URL)

    assert shown(response) == [second.pk, first.pk]
    assert "2 results of 1 workload." in text(response)


def test_filters_of_the_address_hold_and_their_boxes_are_ticked(client):
    gce = SubmissionFactory(provider="gce", jdk_vendor=None)
    SubmissionFactory(provider="gce", jdk_vendor="oracle")
    aws = SubmissionFactory(provider="aws", jdk_vendor=None)
    SubmissionFactory(provider="azure", jdk_vendor=None)

    response = client.get(URL, {"provider": ["aws", "gce"], "jdk_vendor": "unknown"})

    assert shown(response) == [aws.pk, gce.pk]
    assert sorted(checked_values(response, "provider")) == ["aws", "gce"]
    assert checked_values(response, "jdk_vendor") == ["unknown"]
    assert links(response, "^/submissions/\\?provider=gce&jdk_vendor=unknown$")
    assert faults(response) == []


def test_exports_carry_the_same_filters_and_order_and_give_the_same_rows(client):
    for rate in (1000.0, 3000.0, 2000.0):
        SubmissionFactory(provider="gce", throughput_ops_s=rate)
    SubmissionFactory(provider="aws")

    response = client.get(URL, {"provider": "gce", "ordering": "-ops_per_usd", "cursor": ""})

    [export] = links(response, "format=json")
    assert export == "/api/v1/submissions/?provider=gce&ordering=-ops_per_usd&format=json"
    assert [row["id"] for row in client.get(export).json()["results"]] == shown(response)
    [csv] = links(response, "format=csv")
    assert client.get(csv).status_code == 200


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("min_throughput=fast", "min_throughput: Enter a number such as 80000, 80,000, 80k or 1.5M, in ops/s."),
        ("min_throughput=-1", "min_throughput:"),
        ("max_p99_ms=nan", "max_p99_ms:"),
        ("ordering=title", "ordering: must be one of"),
        ("trust=divine", "trust: must be one of historical"),
        ("replication_factor=three", "replication_factor: must be a whole number"),
        ("cursor=abc", "cursor: is not a cursor of this list"),
        ("provider=" + "a" * 300, "provider:"),
        ("provider=%00", "provider:"),
        ("&".join(f"region=r{n}" for n in range(51)), "region: takes at most 50 values"),
    ],
)
def test_a_bad_parameter_is_named(client, query, said):
    SubmissionFactory()

    response = client.get(f"{URL}?{query}")

    assert response.status_code == 400
    assert said in text(response)
    assert faults(response) == []


def test_hostile_parameters_and_titles_are_words(client):
    SubmissionFactory(title=HOSTILE, provider="gce", cpu_model=HOSTILE)

    response = client.get(URL, {"cpu_model": HOSTILE})

    assert response.status_code == 200
    assert "<script>alert" not in response.content.decode()
    assert HOSTILE in text(response)
    assert faults(response) == []


def test_pages_follow_one_another_without_a_gap(client):
    made = [SubmissionFactory(submitted_by=None).pk for _ in range(120)]

    first = client.get(URL)
    [to_second] = links(first, "cursor")
    second = client.get(to_second)
    to_first, back, to_third = links(second, "^/submissions/$|cursor")[-3:]
    third = client.get(to_third)

    assert shown(first) + shown(second) + shown(third) == made[::-1]
    assert shown(client.get(back)) == shown(first)
    assert to_first == URL
    assert not [link for link in links(third, "cursor") if "next" in link]


def test_a_sorted_list_has_rates_and_no_relative_figures(client):
    low = SubmissionFactory(throughput_ops_s=10.0)
    high = SubmissionFactory(throughput_ops_s=20.0)
    SubmissionFactory(throughput_ops_s=None, relative_throughput=9999.0, relative_base="the existing system")

    for ordering, expected in (
        ("-throughput_ops_s", [high, low]),
        ("throughput_ops_s", [low, high]),
    ):
        response = client.get(URL, {"ordering": ordering})
        assert shown(response) == [row.pk for row in expected]


def test_a_list_by_latency_holds_one_kind_and_leads_to_the_other(client):
    service = [SubmissionFactory(latency_kind="service_time", latency_p99_ms=p99) for p99 in (9.0, 4.0)]
    response_time = SubmissionFactory(latency_kind="response_time", latency_p99_ms=1.0)
    for _ in range(3):
        SubmissionFactory(latency_kind="unknown", latency_p99_ms=0.5)

    response = client.get(URL, {"ordering": "latency_p99_ms"}, follow=True)

    assert response.redirect_chain == [("/submissions/?ordering=latency_p99_ms&latency_kind=service_time", 302)]
    assert shown(response) == [service[1].pk, service[0].pk]
    other = "/submissions/?ordering=latency_p99_ms&latency_kind=response_time"
    assert other in links(response)
    assert shown(client.get(other)) == [response_time.pk]


def test_two_kinds_at_once_are_not_ranked_either(client):
    SubmissionFactory(latency_kind="service_time")
    SubmissionFactory(latency_kind="response_time")

    response = client.get(URL, {"ordering": "-latency_p99_ms", "latency_kind": ["service_time", "response_time"]})

    assert response.status_code == 302


def test_what_is_unknown_is_no_zero(client):
    SubmissionFactory(
        hourly_usd=None,
        latency_p99_ms=None,
        latency_mean_ms=None,
        measured_at=None,
        region=None,
        disk_kind=None,
        jdk_vendor=None,
        jdk_version=None,
        throughput_ops_s=12345.0,
    )

    response = client.get(URL)
    row = text(response).split("Select to compare")[1]

    assert row.count("—unknown") == 4  # value, p99, cost, measured
    assert 'title="disk unknown"' in response.content.decode()
    assert 'title="JDK unknown"' in response.content.decode()
    assert " 0 " not in row


def test_figures_of_several_workloads_are_said_to_be_apart(client):
    for title in ("writes", "reads"):
        SubmissionFactory(workload=WorkloadFactory(title=title))

    assert "comparable within one workload only" in text(client.get(URL, {"ordering": "-ops_per_usd"}))
    assert "comparable within one workload only" not in text(client.get(URL))


def test_the_ticked_rows_go_to_the_comparison(client):
    a, b = SubmissionFactory(), SubmissionFactory(throughput_ops_s=1.0, hourly_usd=Decimal(1))

    response = client.get(URL)

    content = response.content.decode()
    assert 'action="/compare/"' in content
    assert all(f'name="s" value="{row.pk}"' in content for row in (a, b))
    assert client.get(f"/compare/?s={a.pk}&s={b.pk}").status_code == 200


def test_only_reading_is_possible(client):
    assert client.post(URL).status_code == 405


@pytest.mark.parametrize("is_signed_in", [False, True])
def test_the_list_costs_the_same_with_one_row_and_with_thirty(client, is_signed_in):
    if is_signed_in:
        client.force_login(UserFactory())

    def queries_of(rows):
        for number in range(rows):
            SubmissionFactory(flags=["short", "errors"], workload=WorkloadFactory(title=f"w{rows} {number}"))
        refresh()  # each workload is counted once, by whoever reads first
        retired_of(prices_version())  # as it was read by any page since the last change of prices
        with CaptureQueriesContext(connection) as queries:
            assert client.get(URL).status_code == 200
        return len(queries)

    queries_of(1)  # what every later reader finds in the cache
    assert queries_of(1) == queries_of(30)


def test_a_full_page_is_sent_in_at_most_forty_kilobytes(client):
    for number in range(60):
        SubmissionFactory(
            title=f"result {number} " * 8,
            cpu_model=f"a processor with a long name {number}",
            instance_type=f"t{number}",
            region=f"region-{number}",
            throughput_ops_s=1000.7 * (number + 1),
            workload=WorkloadFactory(title=f"workload {number}"),
        )

    content = client.get(URL).content

    assert content.count(b"<tr>") == 1 + 50
    assert len(content) < 150_000
    assert len(gzip.compress(content)) < 40_000


def test_each_cell_of_a_row_has_its_head(client):
    SubmissionFactory()

    [head, row] = JustHTML(client.get(URL).text, sanitize=False).query(".results tr")

    assert len(row.query("td, th")) == len(head.query("th")) == 13  # as css/tables.css counts them to hide one
    assert text(client.get(URL)).count("Data to memory") == 2  # the head, and the box that hides it


def test_a_list_of_one_workload_leads_to_its_page(client):
    workload = SubmissionFactory().workload

    assert f"/workloads/{workload.fingerprint}/" in links(client.get(f"{URL}?workload={workload.fingerprint}"))
    assert links(client.get(URL), "^/workloads/.") == []


def test_a_column_has_the_rate_and_the_cost_at_the_limit_of_load_curves(client):
    stated = {"nodes/0/hourly_usd": "1.00", "nodes/0/price_source": "a test"}  # $3 an hour
    curve(changes=stated)
    curve(changes={**stated, "title": "another limit", "slo": {"percentile": "p99", "max_ms": 5}})
    curve([(100, 1000.0, 70.0), (200, 1100.0, 90.0)], {**stated, "title": "too slow"})
    SubmissionFactory()

    rows = JustHTML(client.get(URL).text, sanitize=False).query("tbody tr")
    shown = [" ".join(row.query("td")[-2].to_text(separator="", strip=False).split()) for row in rows]

    assert shown == [
        "one load only",
        "not kept",
        "40 k p99 ≤ 5 ms, $2,190.00 a month, $0.021 per M",
        "110 k $2,190.00 a month, $0.0076 per M",
    ]


@pytest.mark.parametrize("query", ["age=type_retired", "age=type_retired&provider=aws", "age=price_drift&workload={}"])
def test_a_mark_that_nothing_has_is_an_empty_list(client, query):
    row = SubmissionFactory()

    response = client.get(f"{URL}?{query.format(row.workload.fingerprint)}")

    assert response.status_code == 200
    assert "No result matches these filters." in text(response)
    SubmissionFactory()
    assert "No result matches these filters." in text(client.get(f"{URL}?{query.format(row.workload.fingerprint)}"))
