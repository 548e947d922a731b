"""Everything about one submission; what is unknown is shown as unknown."""

from datetime import date
from decimal import Decimal

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext

from submissions.choices import ArtifactKind, Trust
from submissions.models import Reproduction, Trial
from tests.factories import (
    ArtifactFactory,
    PriceFactory,
    SubmissionFactory,
    TrialFactory,
)
from tests.load_curves import curve
from tests.pages import HOSTILE, faults, links, text

pytestmark = pytest.mark.django_db


def page(client, submission, **query):
    return client.get(submission.get_absolute_url(), query)


def test_the_page_opens_with_its_finding(client):
    submission = SubmissionFactory(throughput_ops_s=90748.0, latency_p99_ms=4.0)

    response = page(client, submission)

    assert (
        "Apache Cassandra 2.1.8 on 3× m3.2xlarge · AWS us-east-1 reached 90.7 k ops/s at a p99 of 4.0 ms "
        "for $1.60/h: 205 M ops/$. Single trial."
    ) in text(response)
    assert faults(response) == []


def test_a_relative_result_is_named_as_one(client):
    submission = SubmissionFactory(
        throughput_ops_s=None,
        relative_throughput=0.8,
        relative_base="the existing system",
        hourly_usd=None,
        latency_p99_ms=None,
    )

    said = text(page(client, submission))

    assert (
        "is known only relative to a baseline: 0.8 (baseline: the existing system). Relative results are never ranked."
    ) in said


def test_repeated_trials_show_their_interval_and_spread(client):
    submission = SubmissionFactory(
        trials_count=3,
        throughput_ops_s=107621.0,
        throughput_low_ops_s=95080.0,
        throughput_high_ops_s=120162.0,
        throughput_cv=0.0469,
    )

    said = text(page(client, submission))

    assert "95 % interval in these runs 95.1 k to 120 k" in said
    assert "CV 4.69 %" in said
    assert "M ops/$. 3 trials." in said


def test_service_and_response_time_are_separate(client):
    submission = SubmissionFactory(latency_kind="response_time", latency_p99_ms=2460.0)
    trial = Trial.objects.get(submission=submission)
    trial.latencies = {
        "service_time": {"mean": 1.2, "p50": 0.9, "p95": 2.0, "p99": 3.5, "p999": 8.0, "max": 24.1},
        "response_time": {"p99": 2460.0},
    }
    trial.save()

    found = page(client, submission).context["detail"].latencies

    assert [(row.kind.value, row.figures) for row in found] == [
        ("service_time", (1.2, 0.9, 2.0, 3.5, 8.0, 24.1)),
        ("response_time", (2.0, 1.5, 3.0, 2460.0, 20.0, 80.0)),
    ]


def test_a_range_over_clients_stands_under_its_highest(client):
    submission = SubmissionFactory(trials_count=0, flags=["not_mergeable"])
    TrialFactory(submission=submission, latency_p99_ms=4.0, latency_ranges={"p99": [3.1, 4.0]})

    response = page(client, submission)

    assert "4.03.1 to 4.0" in text(response)
    assert "percentiles not mergeable" in text(response)


def test_operations_of_a_mixed_load_have_their_own_table(client):
    submission = SubmissionFactory(trials_count=0)
    TrialFactory(
        submission=submission,
        by_operation=[
            {
                "name": "read",
                "operations": 15308,
                "errors": 2,
                "throughput_ops_s": 1220.0,
                "latency_ms": {"p99": 12.5, "mean": None},
            },
            {"name": "write", "operations": None, "errors": None, "throughput_ops_s": None},
        ],
    )

    said = text(page(client, submission)).split("By operation")[1].split("Workload")[0]

    assert "read11.22k15,3082" in said.replace(" ", "")
    assert "write1" + "—unknown" * 9 in said.replace(" ", "")


def test_what_the_source_does_not_state_is_named(client):
    submission = SubmissionFactory(
        service_version=None,
        measured_at=None,
        region=None,
        jdk_version=None,
        hourly_usd=None,
        errors=None,
        price_missing="no price of m3.2xlarge is known",
    )

    response = page(client, submission)

    assert response.context["detail"].not_stated == (
        "database version",
        "measurement date",
        "region",
        "CPU model",
        "JDK version",
        "amount of data",
        "number of errors",
        "cluster cost",
    )
    said = text(response)
    assert "; the cluster cost is unknown." in said
    assert "$0" not in said


def test_the_cost_has_its_items_its_date_and_its_source(client):
    submission = SubmissionFactory(hourly_usd=Decimal("1.596"))

    response = page(client, submission)

    cost = response.context["detail"].cost
    assert (cost.hourly_usd, cost.price_date) == (Decimal("1.596"), date(2015, 6, 1))
    assert [(item.label, item.quantity, item.unit_usd, item.usd) for item in cost.items] == [
        ("3× m3.2xlarge (database)", Decimal(3), Decimal("0.532"), Decimal("1.596"))
    ]
    assert "AWS price list of 2015-06-01" in text(response)


def test_a_stated_price_is_marked_as_stated(client):
    submission = SubmissionFactory(node_groups__is_price_stated=True, is_price_stated=True)

    assert "stated by the submitter" in text(page(client, submission))


def test_the_cluster_can_be_priced_again_at_another_day_and_basis(client):
    submission = SubmissionFactory(throughput_ops_s=90748.0, disk_kind=None, node_groups__disks=[])
    PriceFactory(usd=Decimal("0.400"), valid_from=date(2016, 1, 1))
    PriceFactory(usd=Decimal("0.100"), valid_from=date(2016, 1, 1), pricing_model="spot")

    response = page(client, submission, prices_on="2016-01-31", basis="spot")

    assert response.context["repriced"].cost.hourly_usd == Decimal("0.300")
    assert "At the prices of 2016-01-31, spot $0.30/h: 1,090 M ops/$." in text(response)
    before = page(client, submission, prices_on="2015-12-31").context["repriced"]
    assert before.cost.hourly_usd is None
    assert before.ops_per_usd is None


@pytest.mark.parametrize("query", [{"prices_on": "yesterday"}, {"basis": "free"}])
def test_a_bad_day_or_basis_is_named_and_the_page_stays(client, query):
    submission = SubmissionFactory()

    response = page(client, submission, **query)

    assert response.status_code == 400
    label = {"prices_on": "Prices of", "basis": "Pricing model"}[next(iter(query))]
    assert f"{label}: " in text(response)
    assert faults(response) == []


def test_a_retracted_submission_keeps_its_page_and_gives_the_reason(client):
    submission = SubmissionFactory(retracted_at="2020-01-02T00:00:00Z", retraction_reason="The clients were throttled.")

    response = page(client, submission)

    assert response.status_code == 200
    assert "Retracted on 2020-01-02: The clients were throttled." in text(response)


def test_words_of_others_are_words(client):
    submission = SubmissionFactory(
        title=HOSTILE,
        notes=f"{HOSTILE}\nsecond line\n\nthird <b>bold</b> javascript:alert(1)",
        cpu_model=HOSTILE,
        source=HOSTILE,
        source_url="https://example.org/?a=<script>",
        node_groups__cpu_model=HOSTILE,
        trials__by_operation=[{"name": HOSTILE, "latency_ms": {}}],
    )
    submission.document["workload"]["command"] = HOSTILE
    submission.document["settings"] = {"cassandra.yaml": {HOSTILE: HOSTILE}}
    submission.save()
    ArtifactFactory(submission=submission, name=HOSTILE[:200])

    response = page(client, submission)

    assert "<script>alert" not in response.content.decode()
    assert "<b>bold" not in response.content.decode()
    assert "second line" in text(response)
    assert faults(response) == []


def test_peers_of_the_workload_lead_to_a_comparison(client):
    submission = SubmissionFactory(throughput_ops_s=100.0)
    better = SubmissionFactory(throughput_ops_s=200.0)
    SubmissionFactory(retracted_at="2020-01-01T00:00:00Z")

    response = page(client, submission)

    assert response.context["detail"].peers == (better,)
    assert f"/compare/?s={submission.pk}&s={better.pk}" in links(response, "^/compare/")
    assert "1 other result for this workload" in text(response)
    assert f"/submissions/?workload={submission.workload.fingerprint}" in links(response)


def test_raw_files_are_listed_with_their_sums_and_come_back_byte_for_byte(client):
    content = b"<html><script>alert(1)</script> op rate : 90748\n"
    artifact = ArtifactFactory(content=content, name='log "1".html', kind=ArtifactKind.LOAD_LOG)

    response = page(client, artifact.submission)
    [address] = links(response, "artifacts")
    download = client.get(address)

    assert artifact.sha256 in text(response)
    assert b"".join(download.streaming_content) == content
    assert download["Content-Type"] == "application/octet-stream"
    assert download["Content-Disposition"] == 'attachment; filename="log \\"1\\".html"'
    assert download["X-Content-Type-Options"] == "nosniff"
    assert download["Content-Security-Policy"] == "default-src 'none'; sandbox"


def test_a_file_of_another_submission_is_not_found(client):
    artifact, other = ArtifactFactory(), SubmissionFactory()

    assert client.get(f"/submissions/{other.pk}/artifacts/{artifact.pk}/").status_code == 404
    assert client.get("/submissions/1/artifacts/99999999999999999999/").status_code == 404


def test_a_file_whose_bytes_are_lost_is_not_found(client):
    artifact = ArtifactFactory()
    default_storage.delete(artifact.storage_name)

    response = client.get(f"/submissions/{artifact.submission_id}/artifacts/{artifact.pk}/")

    assert response.status_code == 404


@pytest.mark.parametrize("pk", [0, 999, 99999999999999999999])
def test_no_submission_is_not_found(client, pk):
    response = client.get(f"/submissions/{pk}/")

    assert response.status_code == 404
    assert "There is no page at this address." in text(response)


def test_other_results_of_the_workload_are_those_that_all_may_see(client):
    submission = SubmissionFactory()
    for fields in ({}, {}, {"retracted_at": "2026-01-01T00:00:00Z"}, {"visibility": "private"}):
        SubmissionFactory(workload=submission.workload, **fields)

    assert "2 other results for this workload" in text(page(client, submission))
    retracted = submission.workload.submissions.get(retracted_at__isnull=False)
    assert "3 other results for this workload" in text(page(client, retracted))


def test_a_reproduced_submission_names_those_that_agree_and_its_own_level(client):
    first, second, retracted = (
        SubmissionFactory(trust=Trust.REPRODUCED, own_trust=Trust.LOG_VERIFIED, retracted_at=retracted_at)
        for retracted_at in (None, None, "2026-01-01T00:00:00Z")
    )
    for other in (second, retracted):
        Reproduction.objects.create(first=first, second=other)

    response = page(client, first)

    assert f"Two accounts agree: reproduced by #{second.pk} (compare). Its own trust level is log verified." in text(
        response
    )
    assert f"/compare/?s={first.pk}&s={second.pk}" in links(response)
    assert faults(response) == []


def test_the_page_leads_to_that_of_its_workload(client):
    submission = SubmissionFactory()

    assert f"/workloads/{submission.workload.fingerprint}/" in links(page(client, submission))


def test_the_page_looks_for_results_of_its_own_workload_only(client):
    """A search for logs in every workload took 0.8 s of a million results."""
    submission = SubmissionFactory()
    client.get(submission.get_absolute_url())

    with CaptureQueriesContext(connection) as queries:
        page(client, submission)

    of_peers = [query["sql"] for query in queries if 'ORDER BY "submissions_submission"."ops_per_usd"' in query["sql"]]
    assert len(of_peers) == 1
    assert not [
        query["sql"] for query in queries if '"workload_id" = ("submissions_submission"."workload_id")' in query["sql"]
    ]


def test_the_machine_and_where_the_load_clients_ran_are_among_the_facts(client):
    submission = SubmissionFactory(
        machine_family="m7g",
        architecture="arm64",
        client_placement="on_database",
        latency_p99_ms=None,
        latency_p99_at_most_ms=None,
        latency_mean_ms=0.95,
        document={"service": {"name": "redis"}, "nodes": [], "workload": {"pipeline": 16}},
    )

    response = page(client, submission)

    content = text(response)
    assert "Load clients ran on the database's machine, and took CPU time from it." in content
    assert "Machine family m7g Architecture ARM Load clients run on the database's machine" in content
    assert "Pipeline (requests)16" in content
    assert "Mean latency 0.95 ms its p99 is not known" in content
    assert faults(response) == []


def test_a_load_curve_without_percentiles_shows_its_means(client):
    trials = [
        {
            "throughput_ops_s": rate,
            "operations": 2_000,
            "errors": 0,
            "threads": threads,
            "latency_kind": "service_time",
            "latency_ms": {"mean": mean},
        }
        for threads, rate, mean in ((1, 2.85, 351.0), (48, 139.0, 346.0))
    ]
    row = curve(changes={"trials": trials})

    table = client.get(row.get_absolute_url()).content.decode().split('id="load-curve-heading"')[1].split("</table>")[0]

    assert "Mean latency" in table
    assert 'data-label="p99"' not in table
    assert [" ".join(cell.split("<")[0].split()) for cell in table.split('data-label="mean" data-unit=" ms">')[1:]] == [
        "351",
        "346",
    ]
