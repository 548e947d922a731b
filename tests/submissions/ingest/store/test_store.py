"""Storing: the whole submission once, or nothing of it."""

import threading
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchsite.http.refusals import Refusal
from submissions.choices import ArtifactKind, Trust, Visibility
from submissions.ingest.logs.document import OwnedFile
from submissions.ingest.logs.read import ReadFile
from submissions.ingest.pipeline import content_hash_of, prepare_document
from submissions.ingest.store.store import ExtraFile, attach, store, store_all
from submissions.ingest.uploads import offered
from submissions.models import NodeGroup, Submission, Trial, Workload
from tests.documents import document
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def stored(changes=None, **options):
    return store(prepare_document(document(changes)), submitted_by=options.get("submitted_by")).submission


def test_a_field_that_came_later_leaves_the_sum_of_a_document_without_it_as_it_was():
    content = prepare_document(document()).document.content()
    of_then = {name: value for name, value in content.items() if name not in ("hosts", "disk_tests")}
    of_then["trials"] = [
        {name: value for name, value in trial.items() if name != "averaged_over"} for trial in content["trials"]
    ]

    assert content_hash_of(content, ()) == content_hash_of(of_then, ())
    averaged = prepare_document(document({"trials": [{"throughput_ops_s": 9.0, "averaged_over": 10}]}))
    single = prepare_document(document({"trials": [{"throughput_ops_s": 9.0}]}))
    assert averaged.content_hash != single.content_hash


def test_the_contracts_example_becomes_rows():
    user = UserFactory()

    submission = stored(submitted_by=user)

    submission.refresh_from_db()
    assert {
        field: getattr(submission, field)
        for field in (
            "title",
            "service",
            "service_version",
            "provider",
            "region",
            "zones",
            "instance_type",
            "vcpus",
            "memory_gib",
            "disk_kind",
            "node_count",
            "client_count",
            "jdk_vendor",
            "jdk_version",
            "operation",
            "consistency_level",
            "replication_factor",
            "load_mode",
            "threads",
            "trials_count",
            "throughput_ops_s",
            "throughput_low_ops_s",
            "throughput_cv",
            "latency_kind",
            "latency_p99_ms",
            "latency_p50_ms",
            "operations",
            "errors",
            "trust",
            "flags",
            "is_price_stated",
            "submitted_by",
        )
    } == {
        "title": "Three nodes on AWS",
        "service": "cassandra",
        "service_version": "2.1.8",
        "provider": "aws",
        "region": "us-east-1",
        "zones": ["us-east-1a"],
        "instance_type": "m3.2xlarge",
        "vcpus": 8,
        "memory_gib": 30.0,
        "disk_kind": "local-ssd",
        "node_count": 3,
        "client_count": 1,
        "jdk_vendor": "oracle",
        "jdk_version": "8u51",
        "operation": "write",
        "consistency_level": "LOCAL_ONE",
        "replication_factor": 3,
        "load_mode": "threads",
        "threads": 200,
        "trials_count": 1,
        "throughput_ops_s": 90748.0,
        "throughput_low_ops_s": None,
        "throughput_cv": None,
        "latency_kind": "service_time",
        "latency_p99_ms": 4.0,
        "latency_p50_ms": None,
        "operations": 2000000,
        "errors": 0,
        "trust": "uploaded",
        "flags": ["short"],
        "is_price_stated": True,
        "submitted_by": user,
    }


def test_cost_is_of_the_database_nodes_and_not_of_the_client():
    submission = stored()

    submission.refresh_from_db()
    assert submission.hourly_usd == Decimal("1.596")  # 3 x 0.532
    # 90,748 ops/s x 3,600 s / 1.596 USD
    assert submission.ops_per_usd == Decimal("204694736.8421")
    # 1.596 USD x 1,000,000 / (90,748 x 3,600)
    assert submission.usd_per_million_ops == Decimal("0.0048853235")


def test_an_unknown_price_leaves_the_cost_unknown_and_says_why():
    submission = stored({"nodes/0/hourly_usd": ..., "provider": "hetzner"})

    submission.refresh_from_db()
    assert (submission.hourly_usd, submission.ops_per_usd, submission.usd_per_million_ops) == (None, None, None)
    assert submission.price_missing


def test_three_trials_give_a_mean_and_an_interval():
    trials = [{"throughput_ops_s": rate} for rate in (90.0, 100.0, 110.0)]

    submission = stored({"trials": trials})

    submission.refresh_from_db()
    assert (submission.trials_count, submission.throughput_ops_s) == (3, 100.0)
    # 4.302653 (t, 2 degrees of freedom, 97.5 %) x 10 / sqrt(3) = 24.8414
    assert submission.throughput_low_ops_s == pytest.approx(75.1586, abs=1e-4)
    assert submission.throughput_high_ops_s == pytest.approx(124.8414, abs=1e-4)
    assert submission.throughput_cv == pytest.approx(0.1)
    assert [trial.throughput_ops_s for trial in submission.trials.all()] == [90.0, 100.0, 110.0]


def test_percentiles_of_trials_are_their_median_and_the_maximum_is_the_largest():
    trials = [{"throughput_ops_s": 1, "latency_ms": {"p99": p99, "max": p99 * 2}} for p99 in (10.0, 1.0, 2.0)]

    submission = stored({"trials": trials})

    assert (submission.latency_p99_ms, submission.latency_max_ms) == (2.0, 20.0)


def test_a_percentile_that_one_trial_lacks_has_no_headline():
    trials = [{"throughput_ops_s": 1, "latency_ms": {"p99": 1.0}}, {"throughput_ops_s": 1}]

    assert stored({"trials": trials}).latency_p99_ms is None


def test_trials_of_two_latency_kinds_have_no_latency_headline():
    trials = [
        {"throughput_ops_s": 1, "latency_kind": kind, "latency_ms": {"p99": 1.0}}
        for kind in ("service_time", "response_time")
    ]

    submission = stored({"trials": trials})

    assert (submission.latency_kind, submission.latency_p99_ms) == ("unknown", None)


def test_the_same_content_again_finds_the_first():
    first = store(prepare_document(document()), submitted_by=None)

    again = store(prepare_document(document()), submitted_by=UserFactory())

    assert (first.created, again.created) == (True, False)
    assert again.submission == first.submission
    assert (Submission.objects.count(), Trial.objects.count(), NodeGroup.objects.count()) == (1, 1, 2)


def test_the_same_trials_under_another_title_are_the_first_submission():
    first = stored()

    assert stored({"title": "Again", "notes": "Better words."}) == first
    assert (Submission.objects.count(), Submission.objects.get().title) == (1, "Three nodes on AWS")


def test_another_setting_is_another_submission_of_the_same_workload():
    stored()
    stored({"settings": {"row_cache": "1 GiB"}})

    assert (Submission.objects.count(), Workload.objects.count()) == (2, 1)


def test_a_batch_with_the_same_content_twice_makes_one():
    prepared = [prepare_document(document({"settings": {"name": name}})) for name in ("a", "b", "a")]

    answers = store_all(prepared, submitted_by=None)

    assert [answer.created for answer in answers] == [True, True, False]
    assert answers[0].submission == answers[2].submission


@pytest.mark.parametrize(("few", "many"), [(1, 9), (10, 30)])  # by one statement; by COPY
def test_a_batch_costs_a_constant_number_of_queries(few, many):
    def queries(count):
        batch = [prepare_document(document({"settings": {"n": f"{number} of {count}"}})) for number in range(count)]
        with CaptureQueriesContext(connection) as captured:
            store_all(batch, submitted_by=None)
        return len(captured)

    stored()

    assert queries(few) == queries(many)


def test_of_files_without_curves_none_are_looked_for():
    [log] = offered([SimpleUploadedFile("output.txt", b"what a tool printed\n")])
    file = OwnedFile(ReadFile(log.member, None, None, ArtifactKind.LOAD_LOG), None)
    prepared = replace(prepare_document(document()), files=(file,))

    with CaptureQueriesContext(connection) as queries:
        submission = store(prepared, submitted_by=None).submission

    assert [artifact.name for artifact in submission.artifacts.all()] == ["output.txt"]
    assert not [query for query in queries if "intervalcurves" in query["sql"]]


@pytest.mark.django_db(transaction=True)
def test_eight_connections_at_the_same_moment_make_one_row():
    prepared = prepare_document(document())
    together = threading.Barrier(8)
    answers = []

    def submit():
        try:
            together.wait()
            answers.append(store(prepared, submitted_by=None))
        finally:
            connection.close()

    threads = [threading.Thread(target=submit) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(answers) == 8
    assert sum(answer.created for answer in answers) == 1
    assert {answer.submission.pk for answer in answers} == {Submission.objects.get().pk}


def test_only_a_historical_source_may_give_ratios():
    relative = {"trials": [{"relative_throughput": 100}], "relative_base": "native = 100"}

    with pytest.raises(Refusal) as refused:
        prepare_document(document(relative))
    assert [fault.pointer for fault in refused.value.faults] == ["#/trials/0/throughput_ops_s"]

    kept = store(prepare_document(document(relative), trust=Trust.HISTORICAL), submitted_by=None).submission
    kept.refresh_from_db()
    assert (kept.throughput_ops_s, kept.relative_throughput, kept.ops_per_usd) == (None, 100.0, None)
    assert kept not in Submission.objects.rankable()


def test_the_price_of_the_day_is_frozen(price_of_m3):
    submission = stored({"nodes/0/hourly_usd": ...})

    submission.refresh_from_db()
    assert (submission.hourly_usd, submission.price_date) == (Decimal("1.596"), date(2015, 8, 1))
    assert not submission.is_price_stated
    price_of_m3(usd="0.1", valid_from=date(2015, 8, 15))
    submission.refresh_from_db()
    assert submission.hourly_usd == Decimal("1.596")


@pytest.fixture
def price_of_m3():
    from tests.factories import PriceFactory

    def make(usd, valid_from):
        return PriceFactory(
            provider="aws",
            region="us-east-1",
            sku="m3.2xlarge",
            unit="hour",
            pricing_model="on_demand",
            usd=Decimal(usd),
            valid_from=valid_from,
        )

    make(usd="0.532", valid_from=date(2015, 8, 1))
    make(usd="0.666", valid_from=date(2015, 10, 1))  # later than the measurement
    return make


def test_files_beside_the_logs_are_attached_once_however_often():
    submission = stored()
    samples = ExtraFile("samples.csv", ArtifactKind.OTHER, "a" * 64, 10, trial_index=0)
    summary = ExtraFile("hosts.json", ArtifactKind.HOST_SUMMARY, "b" * 64, 20)

    attach(submission, [samples])
    attach(submission, [samples, summary])

    assert list(submission.artifacts.order_by("pk").values_list("name", "kind", "trial_index")) == [
        ("samples.csv", "other", 0),
        ("hosts.json", "host_summary", None),
    ]


def test_the_same_content_of_another_account_is_the_first_one_only_while_that_is_public():
    owner, stranger = UserFactory(), UserFactory()
    first = stored(submitted_by=owner)
    assert stored(submitted_by=stranger) == first

    Submission.objects.update(visibility=Visibility.PRIVATE)
    assert stored(submitted_by=owner) == first
    second = stored(submitted_by=stranger)
    assert second != first
    assert second.submitted_by == stranger
    assert stored(submitted_by=UserFactory()) == second
