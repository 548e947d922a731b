"""The first page: its finding is of one workload, its empty state says what to do."""

import gzip
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from submissions.choices import Outcome
from submissions.moderation.decisions import decide
from tests.factories import PriceFactory, SubmissionFactory, UserFactory, WorkloadFactory
from tests.measured import measured
from tests.pages import HOSTILE, faults, links, text
from tests.price_book import in_price_book

pytestmark = pytest.mark.django_db


def test_an_empty_site_says_what_to_do(client):
    response = client.get("/")

    assert "It has no results yet." in text(response)
    assert "/submissions/new/" in links(response)
    assert faults(response) == []


def test_the_finding_is_the_best_value_of_one_workload(client):
    write = WorkloadFactory(title="writes at LOCAL_ONE")
    SubmissionFactory(workload=write, throughput_ops_s=90748.0, hourly_usd=Decimal("1.596"))
    SubmissionFactory(
        workload=write,
        provider="gce",
        instance_type="n1-standard-8",
        throughput_ops_s=111394.0,
        hourly_usd=Decimal("0.912"),
    )
    # much more for a dollar, but of another workload
    SubmissionFactory(workload=WorkloadFactory(title="reads"), throughput_ops_s=9e6, hourly_usd=Decimal("0.01"))

    in_price_book()

    response = client.get("/")

    assert (
        "Google Cloud n1-standard-8 offers the best value: 440 M ops/$, 2.15× AWS m3.2xlarge. "
        "Workload: writes at LOCAL_ONE. Best result: 3× n1-standard-8 · Google Cloud us-east-1, 1 trial, $0.91/h "
        f"at today's prices, {timezone.now():%Y-%m-%d}, on demand (Google Cloud list price of 2015-06-01, "
    ) in text(response)
    points = [trace for trace in response.context["charts"][0].figure["data"] if trace["mode"] == "markers"]
    assert {trace["name"]: list(trace["y"]) for trace in points} == {"AWS": [90748.0], "Google Cloud": [111394.0]}
    assert faults(response) == []


def test_machines_within_noise_of_each_other_are_tied(client):
    measured(1000.0, 1010.0, 990.0, instance_type="one")
    measured(990.0, 1003.0, 985.0, instance_type="other")
    measured(500.0, 505.0, 495.0, instance_type="slow")

    in_price_book()

    response = client.get("/")

    assert ("AWS one and AWS other are statistically tied for the best value (2.26 to 2.24 M ops/$).") in text(response)
    assert faults(response) == []


def test_a_lead_beyond_noise_is_claimed(client):
    measured(1000.0, 1010.0, 990.0, instance_type="one")
    measured(500.0, 505.0, 495.0, instance_type="slow")

    in_price_book()

    assert ("AWS one offers the best value: 2.26 M ops/$, 2× AWS slow. Workload: ") in text(client.get("/"))


def clusters(provider, count, ops_s, **fields):
    """Priced clusters of one workload, each of a machine type of its own that was measured once."""
    for number in range(count):
        SubmissionFactory(
            provider=provider,
            instance_type=f"{provider}-{number}",
            throughput_ops_s=ops_s * 0.95**number,
            hourly_usd=Decimal(1),
            **fields,
        )


def test_a_lead_that_noise_could_explain_is_claimed_only_of_a_workload_that_was_chosen(client):
    workload = WorkloadFactory(title="too close")
    SubmissionFactory(workload=workload, instance_type="a", throughput_ops_s=1200.0, hourly_usd=Decimal(1))
    SubmissionFactory(workload=workload, instance_type="b", throughput_ops_s=1000.0, hourly_usd=Decimal(1))
    in_price_book()

    page, chosen = client.get("/"), client.get("/", {"workload": workload.fingerprint})

    assert "offers the best value" not in text(page)
    assert "Workload: too close" in text(page)
    assert "AWS a offers the best value: 4.32 M ops/$, 1.2× AWS b. Not yet conclusive: one run each" in text(chosen)
    assert faults(page) == []


def test_the_newest_workload_with_twenty_priced_clusters_and_a_conclusive_pair_leads(client):
    now = timezone.now()
    conclusive = WorkloadFactory(title="clouds differ")
    clusters("aws", 12, 90_000.0, workload=conclusive, measured_at=now - timedelta(days=9))
    clusters("gce", 12, 30_000.0, workload=conclusive, measured_at=now - timedelta(days=9))
    newer = WorkloadFactory(title="newer, and too close")
    clusters("aws", 12, 90_000.0, workload=newer, measured_at=now)
    clusters("gce", 12, 80_000.0, workload=newer, measured_at=now)
    small = WorkloadFactory(title="newest, and small")
    clusters("aws", 2, 90_000.0, workload=small, measured_at=now)
    clusters("gce", 2, 10_000.0, workload=small, measured_at=now)
    in_price_book()

    response = client.get("/")

    assert (
        "AWS aws-0 offers 324 M ops/$, 3× Google Cloud gce-0, the best measured of Google Cloud. One run each, "
        "assuming the usual noise of clouds, 6 % from run to run. Workload: clouds differ."
    ) in text(response)
    assert f'value="{conclusive.fingerprint}" selected' in response.content.decode()
    assert faults(response) == []


def test_the_finding_of_a_large_workload_is_hidden_once_something_is_asked(client):
    workload = WorkloadFactory(title="clouds differ")
    clusters("aws", 12, 90_000.0, workload=workload)
    clusters("gce", 12, 30_000.0, workload=workload)
    in_price_book()

    assert "the best measured of Google Cloud" not in text(client.get("/", {"service": workload.service}))


def test_within_one_cloud_the_best_of_each_architecture_are_compared(client):
    workload = WorkloadFactory(title="arm and x86")
    for number, (architecture, ops_s) in enumerate([("arm64", 90_000.0), ("arm64", 80_000.0), ("x86_64", 30_000.0)]):
        SubmissionFactory(
            workload=workload,
            instance_type=f"t{number}",
            architecture=architecture,
            throughput_ops_s=ops_s,
            hourly_usd=Decimal(1),
        )
    in_price_book()

    assert "AWS t0 offers 324 M ops/$, 3× AWS t2, the best measured of x86. One run each" in text(client.get("/"))


def test_another_workload_can_be_chosen_by_its_address(client):
    for title in ("writes", "reads"):
        SubmissionFactory(workload=WorkloadFactory(title=title))
    reads = WorkloadFactory(title="reads")

    response = client.get("/", {"workload": reads.fingerprint})

    assert response.context["home"].workload.pk == reads.pk
    assert client.get("/", {"workload": "no such"}).status_code == 200


def test_without_a_price_no_best_value_is_claimed(client):
    SubmissionFactory(hourly_usd=None)

    response = client.get("/")

    assert "there is no best value to show yet" in text(response)
    assert response.context["charts"] == ()


def test_below_a_chart_of_many_clusters_is_a_table_of_the_best_fifty(client):
    workload = WorkloadFactory(title="writes")
    for number in range(60):
        SubmissionFactory(workload=workload, hourly_usd=Decimal(1), throughput_ops_s=1000.0 + number)
    in_price_book()

    response = client.get("/")

    assert "The 50 best by value of the 60 clusters in the chart" in text(response)
    content = response.content.decode()
    table = content.partition('aria-label="The best clusters by value"')[2].partition("</table>")[0]
    assert table.count("<tr>") == 1 + 50
    assert f"/submissions/?workload={workload.fingerprint}&ordering=-ops_per_usd" in links(response)
    assert faults(response) == []


def test_the_page_is_sent_in_at_most_forty_kilobytes(client):
    workload = WorkloadFactory(title="writes")
    for number in range(60):
        SubmissionFactory(workload=workload, title=f"result {number} " * 8, throughput_ops_s=1000.0 + number)

    assert len(gzip.compress(client.get("/").content)) < 40_000


def test_a_hostile_title_is_words_in_the_page_and_in_the_figure(client):
    SubmissionFactory(title=HOSTILE, provider="</script><script>alert(3)</script>"[:50])

    response = client.get("/")

    assert "<script>alert" not in response.content.decode()
    assert faults(response) == []


def test_what_is_made_for_a_reader_who_is_signed_in_signs_in_no_other(client):
    SubmissionFactory()
    client.force_login(UserFactory())
    assert "/account/login/" not in links(client.get("/"))

    client.logout()
    assert "/account/login/" in links(client.get("/"))


def test_a_new_result_is_on_the_page_at_once(client):
    client.force_login(UserFactory())
    SubmissionFactory(title="The first one")
    assert "The first one" in text(client.get("/"))

    SubmissionFactory(title="The second one")
    assert "The second one" in text(client.get("/"))


def test_no_title_that_a_new_account_wrote_is_on_the_page_before_a_moderator_has_decided(client):
    row = SubmissionFactory(title="Buy cheap databases", unranked_until=timezone.now() + timedelta(days=7))
    generated = "Apache Cassandra 2.1.8 on 3× m3.2xlarge · AWS us-east-1: cassandra-stress write"

    page = client.get("/").content.decode()
    assert "Buy cheap" not in page
    assert generated in page

    decide(row, Outcome.APPROVED, reason="Looks right.", by=None)
    page = client.get("/").content.decode()
    assert "Buy cheap databases" in page
    assert generated not in page


def test_below_an_answer_nothing_is_of_anything_else(client):
    SubmissionFactory(service="cassandra", hourly_usd=Decimal(1), title="one of the newest")
    assert "Newest" in text(client.get("/"))

    asked = client.get("/", {"service": "cassandra", "target_ops_s": "1000"})
    shown = text(asked)

    assert asked.status_code == 200
    assert "Throughput against cost" not in shown
    assert "Newest" not in shown
    assert asked.context["charts"] == ()
    assert client.get("/", {"service": "cassandra", "target_ops_s": "-1"}).status_code == 400


def test_the_price_of_today_is_the_default_and_the_one_when_measured_is_beside_it(client):
    SubmissionFactory(throughput_ops_s=1000.0, hourly_usd=Decimal("1.596"))
    PriceFactory(usd=Decimal("1"), valid_from=date(2020, 1, 1), last_seen=timezone.now())

    today, then = text(client.get("/")), text(client.get("/?prices=then"))

    assert "1 trial, $3.00/h at today's prices" in today
    assert (
        f"(AWS list price, unchanged since 2020-01-01, seen {timezone.now():%Y-%m-%d}). $1.60/h when measured." in today
    )
    assert "1 trial, $1.60/h at the prices of the measurement date" in then
    assert "(AWS list price of 2015-06-01)" in then
    assert client.get("/?prices=on&prices_on=2016-01-01").status_code == 200
