"""The question in a form, its answers as cards: on its own page, on the first one, and at the address of sizing."""

import re

import pytest

from submissions.aggregates.store import refresh
from submissions.choices import Trust
from submissions.formatting.names import provider_name
from tests.pages import HOSTILE, faults, links, text
from tests.queries import queries_of
from tests.submissions.questions.recommend.results import READS, cluster, workload

pytestmark = pytest.mark.django_db

ASK = {"service": "cassandra", "work": "mixed", "target_ops_s": "100000", "max_p99_ms": "10"}


@pytest.mark.parametrize("address", ["/", "/recommend/"])
def test_two_clicks_from_the_first_page_lead_to_a_cluster_its_price_and_how_sure_that_is(client, address):
    interval = {"throughput_low_ops_s": 134_500.0, "throughput_high_ops_s": 139_500.0}
    row = cluster(136_000.0, 137_000.0, 138_000.0, instance_type="i4i.2xlarge", nodes=6, **interval)
    start = client.get(address)

    response = client.get(address, ASK)

    for name in (*ASK, "budget_usd_month", "provider", "region", "basis"):
        assert f'name="{name}"' in start.content.decode()
    content = text(response)
    assert "6× i4i.2xlarge · AWS us-east-1 reaches 137 k ops/s at p99 4.0 ms for $4,380/month." in content
    assert "Cheapest, best value and fastest" in content
    assert "measured 2015-09-01 (1" in content  # ... years ago
    assert "3 trials, ±1.82 %" in content
    assert "over 98 % likely to be reached again, assuming the usual noise between runs on clouds." in content
    assert row.get_absolute_url() in links(response)
    assert "/about/methodology/#recommendations" in links(response)
    assert faults(response) == []


def test_a_region_that_several_providers_have_is_offered_once_under_all_of_them(client):
    for provider, region in (("mongodb-atlas", "us-west-2"), ("scylladb-cloud", "us-west-2"), ("aws", "us-east-1")):
        cluster(100_000.0, provider=provider, region=region)

    content = client.get("/recommend/").content.decode()

    assert content.count('<option value="us-west-2"') == 1
    assert re.findall('<optgroup label="([^"]+)"', content) == [
        "AWS",
        f"{provider_name('mongodb-atlas')} and {provider_name('scylladb-cloud')}",
    ]


def test_mostly_reads_says_that_nothing_keeps_the_p99_and_shows_the_nearest(client):
    near = cluster(90_000.0, workload=workload("reads", READS), latency_p99_ms=21.0, instance_type="near")

    response = client.get("/", {**ASK, "work": "reads"})

    content = text(response)
    assert "No measured cluster of Apache Cassandra, mostly reads meets both. Closest: 3× near" in content
    assert "Too slow: 90 k of 100 k ops/s, p99 21.0 instead of 10 ms" in content
    assert "Next step: measure" in content
    assert f"/runs/new/?like={near.pk}" in links(response)
    assert "/submissions/new/" in links(response)
    assert faults(response) == []


def test_what_is_no_name_of_a_database_is_refused_and_no_run_of_it_is_offered(client):
    unknown = client.get("/recommend/", {**ASK, "service": "rocketdb"})

    for name in ("🚀", HOSTILE[:90]):
        odd = client.get("/recommend/", {**ASK, "service": name})
        assert odd.status_code == 400
        assert "service: Enter the name of a database in lower case, such as postgresql." in text(odd)
        assert name not in text(odd)
        assert 'name="target_ops_s" value="100000"' in odd.content.decode()
        assert faults(odd) == []
    assert "Upload the log of a benchmark of rocketdb, mixed. Upload a log" in text(unknown)
    assert "Plan a run" not in text(unknown)
    api = client.get("/api/v1/recommend/", {"service": "rocketdb"}).json()
    assert api["measure_next"]["run_url"] is None
    assert client.get("/api/v1/recommend/", {"service": "🚀"}).status_code == 400


def test_an_answer_of_another_time_has_its_age_marks(client):
    cluster(110_000.0, 110_100.0)

    assert '<span class="badge age"' in client.get("/recommend/", ASK).content.decode()


def test_a_result_measured_once_says_that_its_likelihood_is_not_known(client):
    cluster(110_000.0, latency_p99_ms=4.0)

    content = text(client.get("/recommend/", ASK))
    assert "The likelihood that it is reached again is not known: it was measured once, and no result of" in content
    assert "With the usual noise of clouds: 84 %." in content
    assert "100 % likely" not in content


def test_a_database_without_results_offers_the_run_and_the_upload(client):
    cluster(1.0)

    response = client.get("/recommend/", {**ASK, "service": "postgresql"})

    assert "Nothing has been measured for PostgreSQL" in text(response)
    assert " here, or upload the log of one." in text(response)
    assert {"/runs/new/", "/submissions/new/"} <= set(links(response))
    assert faults(response) == []


def test_extrapolated_answers_are_below_a_line_and_say_so(client):
    cluster(60_000.0, instance_type="m3")

    response = client.get("/recommend/", ASK)

    content = text(response)
    assert "Not measured at this size extrapolated $3,650/month 5× m3 · AWS us-east-1" in content
    assert "Extrapolated from 3 nodes: 5/3 of 60 k ops/s is about 100 k ops/s. Its p99 is not known." in content
    assert '<li class="answer extrapolated">' in response.content.decode()


def test_several_workloads_are_named_and_lead_to_their_own_answers(client):
    cluster(200_000.0)
    first = cluster(200_000.0)
    other = cluster(300_000.0, workload=workload("other mix", {"read": 0.7, "update": 0.3}))

    response = client.get("/recommend/", ASK)

    assert "Considered: 3 results of 2 workloads." in text(response)
    [address] = links(response, f"workload={first.workload.fingerprint}")
    assert "reaches 200 k ops/s" in text(client.get(f"/recommend/{address}"))
    assert "50 % reads" in text(client.get(f"/recommend/{address}"))
    assert f"/workloads/{other.workload.fingerprint}/" in links(response)


def test_articles_are_shown_only_where_nothing_else_is_and_said(client):
    cluster(200_000.0, trust=Trust.HISTORICAL)

    assert "Historical: no result of this workload has a raw log" in text(client.get("/recommend/", ASK))


def test_bad_parameters_are_named_and_nothing_is_a_server_error(client):
    cluster(1.0)
    for params, status in (
        ({"service": "cassandra", "target_ops_s": "many"}, 400),
        ({"service": "cassandra", "budget_usd_month": "-1"}, 400),
        ({"service": "cassandra", "budget_usd_month": "0", "max_p99_ms": "0"}, 200),
        ({"service": "cassandra", "workload": "nope"}, 404),
        ({"service": "\x00"}, 400),
    ):
        for address in ("/", "/recommend/"):
            response = client.get(address, params)
            assert response.status_code == status, (address, params)
            assert faults(response) == []


def test_the_address_of_sizing_leads_here_with_its_parameters(client):
    row = cluster(100.0)
    moved = {
        "/size/": "/recommend/",
        "/size/?workload=ab&target_ops_s=5&max_p99_ms=&basis=spot": "/recommend/?workload=ab&target_ops_s=5&basis=spot",
        f"/size/?equal_to={row.pk}": f"/recommend/sizes/?equal_to={row.pk}",
        "/size/?target_ops_s=5&zones=3": "/recommend/sizes/?target_ops_s=5&zones=3",
    }

    for old, new in moved.items():
        response = client.get(old)
        assert (response.status_code, response["Location"]) == (301, new)
    assert client.get("/size/?target_ops_s=5&format=csv")["Location"].startswith("/api/v1/size/?")


def test_the_ten_best_stand_in_a_table_with_cost_throughput_p99_age_and_likelihood(client):
    for number in range(12):
        row = cluster(110_000.0 + number, 110_100.0, nodes=3 + number, instance_type="i4i.large")

    response = client.get("/recommend/", ASK)

    content = text(response)
    content = content[content.index("The 10 best of") :][:400]
    assert "The 10 best of 12 Cluster Workload Cost Throughputops/s p99 Measured Likelihoodto be" in content
    assert "3× i4i.large · AWS us-east-1 50 % reads $2,190/month 110 k 4.0 ms" in content
    assert response.content.decode().count('data-label="likelihood"') == 10
    assert row.get_absolute_url() in links(response)
    assert f"/workloads/{row.workload.fingerprint}/" in links(response)


def test_the_others_have_the_reason_why_each_is_not_the_answer(client):
    cluster(110_000.0, 110_100.0)
    dear = cluster(110_000.0, 110_100.0, nodes=9)
    slow = cluster(100_000.0, workload=workload("other", {"read": 0.7, "update": 0.3}), latency_p99_ms=21.0)

    response = client.get("/recommend/", ASK)

    assert (
        "Why not the others 2 other clusters, with one reason each: the limit that it misses most, else its cost."
        in text(response)
    )
    assert re.search(r"9× \S+ · AWS us-east-1 50 % reads costs more \$6,570/month", text(response))
    assert re.search(r"3× \S+ · AWS us-east-1 70 % reads p99 21.0 ms \$2,190/month", text(response))
    assert {dear.get_absolute_url(), slow.get_absolute_url()} <= set(links(response))


def test_the_trust_of_a_card_leads_to_the_raw_log(client):
    row = cluster(110_000.0, 110_100.0)

    assert f"{row.get_absolute_url()}#files" in links(client.get("/recommend/", ASK))


def test_an_answer_takes_as_many_queries_whatever_was_measured(client, clear_cache):
    def queries(target):
        return queries_of(lambda: client.get("/recommend/", {**ASK, "target_ops_s": target}))

    cluster(1e6, workload=workload("elsewhere", {"read": 0.7, "update": 0.3}))
    cluster(100_000.0, 100_100.0)
    refresh()
    of_one = queries("100000")
    for number in range(20):
        cluster(100_000.0 + number, 100_100.0, instance_type=f"m{number % 7}", nodes=3 + number % 4)
    refresh()

    assert queries("100000") <= of_one
    assert queries("90000000") <= of_one  # which nothing reaches
    assert queries("100000") < of_one  # as it was answered before


def test_a_new_result_changes_a_cached_answer(client, clear_cache):
    cluster(100_000.0, 100_100.0)
    before = client.get("/api/v1/recommend/", ASK).json()

    better = cluster(900_000.0, 900_100.0)

    after = client.get("/api/v1/recommend/", ASK).json()
    assert better.pk not in [answer["submission"] for answer in before["answers"]]
    assert better.pk in [answer["submission"] for answer in after["answers"]]
