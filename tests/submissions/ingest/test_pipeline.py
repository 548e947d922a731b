"""Logs and facts to submissions: the whole way, with real outputs of the load tools."""

from datetime import date
from decimal import Decimal

import pytest

from benchsite.http.refusals import Refusal
from submissions.choices import EXCLUDING_FLAGS, ArtifactKind, Flag, LatencyKind, Trust
from submissions.ingest.curves import intervals
from submissions.ingest.files import storage
from submissions.ingest.pipeline import prepare_import
from submissions.ingest.provenance import Origin
from submissions.ingest.store.store import store
from submissions.ingest.uploads import offered
from submissions.models import Price, Submission
from submissions.pricing.reprice import confirmed
from tests.documents import metadata
from tests.factories import PriceFactory
from tests.files import DATA, stress_log, uploaded

pytestmark = pytest.mark.django_db


def prepare(*starts, changes=None, trials=()):
    files = [uploaded(stress_log(start)) for start in starts]
    return prepare_import(metadata(changes), offered(files, trials))


def refused(*starts, changes=None, trials=()):
    with pytest.raises(Refusal) as caught:
        prepare(*starts, changes=changes, trials=trials)
    return [(fault.pointer, fault.detail) for fault in caught.value.faults]


@pytest.fixture
def price_of_m5d():
    return PriceFactory(
        provider="aws",
        region="us-east-1",
        sku="m5d.xlarge",
        unit="hour",
        pricing_model="on_demand",
        usd=Decimal("0.192"),
        valid_from=date(2026, 1, 1),
    )


def test_a_real_log_becomes_a_priced_submission(price_of_m5d):
    nodes = [{"role": "database", "count": 3, "instance_type": "m5d.xlarge"}]

    [prepared] = prepare("cs50-10-3node-write", changes={"nodes": nodes})
    submission = store(prepared, submitted_by=None).submission

    submission.refresh_from_db()
    assert submission.throughput_ops_s == pytest.approx(30_000 / 28.1)  # 1067.6; the log prints 1,069
    assert (submission.operations, submission.errors) == (30_000, 0)
    assert (submission.latency_p99_ms, submission.latency_kind) == (194.6, "service_time")
    assert (submission.replication_factor, submission.consistency_level) == (3, "QUORUM")
    assert (submission.threads, submission.operation, submission.tool) == (24, "write", "cassandra-stress")
    assert submission.trust == Trust.LOG_VERIFIED
    assert submission.flags == [Flag.SHORT]
    assert (submission.hourly_usd, submission.price_date) == (Decimal("0.576"), date(2026, 1, 1))
    # 1,067.6156... ops/s x 3,600 s / 0.576 USD
    assert float(submission.ops_per_usd) == pytest.approx(6_672_597.86, rel=1e-8)


def test_a_price_that_was_last_seen_over_a_year_before_is_flagged_and_changes_no_rank(price_of_m5d):
    Price.objects.update(valid_from=date(2020, 1, 1), last_seen=date(2020, 8, 30))
    nodes = [{"role": "database", "count": 3, "instance_type": "m5d.xlarge"}]

    [prepared] = prepare("cs50-10-3node-write", changes={"nodes": nodes})
    submission = store(prepared, submitted_by=None).submission

    assert submission.flags == [Flag.SHORT, Flag.STALE_PRICE]
    assert submission.price_last_seen == date(2020, 8, 30)
    assert Flag.STALE_PRICE not in EXCLUDING_FLAGS
    assert Submission.objects.rankable().priced().filter(pk=submission.pk).exists()
    assert "last confirmed" in confirmed(submission)


def test_what_the_log_says_is_told_apart_from_what_the_uploader_says(price_of_m5d):
    nodes = [{"role": "database", "count": 3, "instance_type": "m5d.xlarge"}]

    [prepared] = prepare("cs50-10-3node-write", changes={"nodes": nodes})

    told = {fact.pointer: (fact.value, fact.source) for fact in prepared.understood}
    assert told["#/workload/consistency_level"] == ("QUORUM", Origin.LOG)
    assert told["#/workload/operations/write"] == (1.0, Origin.LOG)
    assert told["#/trials/0/latency_ms/p99"] == (194.6, Origin.LOG)
    assert told["#/provider"] == ("aws", Origin.UPLOADER)
    assert told["#/nodes/0/instance_type"] == ("m5d.xlarge", Origin.UPLOADER)
    assert told["#/nodes/0/hourly_usd"] == ("0.19200000", Origin.PRICE_BOOK)


def test_raw_files_are_kept_byte_by_byte():
    [prepared] = prepare("cs50-10-3node-write")
    submission = store(prepared, submitted_by=None).submission

    raw, series = submission.artifacts.order_by("kind")[::-1]
    path = stress_log("cs50-10-3node-write")
    assert (raw.name, raw.kind, raw.trial_index) == (path.name, ArtifactKind.LOAD_LOG, 0)
    with storage.open_stored(raw.sha256) as stored_raw:
        assert stored_raw.read() == path.read_bytes()
    with storage.open_stored(series.sha256) as packed:
        content = intervals.unpacked(packed)
    rows = content["trials"][0]["clients"][0]
    assert len(rows) == 28
    first = dict(zip(content["columns"], rows[0], strict=True))
    assert (first["operation"], first["elapsed_seconds"], first["operations"]) == ("total", 2.0, 242)
    assert (first["p99_ms"], first["p50_ms"]) == (393.7, 58.4)


def test_a_log_whose_every_operation_failed_is_no_result():
    [(pointer, detail)] = refused("cs50-12-all")

    assert pointer == "#/files/0"
    assert "all 200 of 200 operations failed" in detail


def test_a_killed_tool_leaves_a_truncated_trial():
    [prepared] = prepare("cs50-14-sigterm")

    [trial] = prepared.trials
    assert trial.is_truncated
    assert (trial.operations, trial.duration_s, trial.latency.p99) == (4216, 5.0, None)
    assert Flag.TRUNCATED in prepared.flags
    assert any("stops before its results" in warning for warning in prepared.warnings)


def test_an_auto_log_is_one_load_curve_with_a_point_for_each_thread_count():
    [prepared] = prepare("cs50-09-auto", changes={"nodes": [{**metadata()["nodes"][0], "count": 1}]})

    assert [trial.threads for trial in prepared.trials] == [4, 8, 16, 24]
    assert [trial.operations for trial in prepared.trials] == [2000] * 4
    assert [trial.latency.p99 for trial in prepared.trials] == [16.5, 29.5, 24.5, 11.4]
    assert prepared.workload["load_mode"] == "curve"
    assert [(point.threads, point.trials_count) for point in prepared.points] == [(4, 1), (8, 1), (16, 1), (24, 1)]
    [peak] = prepared.repetitions
    assert peak.throughput_ops_s == prepared.throughput.mean == max(each.throughput_ops_s for each in prepared.trials)


def test_a_histogram_log_shows_service_and_response_time_apart():
    [prepared] = prepare("cs50-07b-mixed", "cs50-07b.hdr")

    [trial] = prepared.trials
    by_kind = dict(trial.by_kind)
    assert set(by_kind) == {LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME}
    # a fixed rate of 3,000/s that the node could not keep: the wait is in the response time alone
    assert by_kind[LatencyKind.RESPONSE_TIME].p99 == pytest.approx(2464.2, rel=0.01)
    assert by_kind[LatencyKind.SERVICE_TIME].p99 < 100
    assert (trial.latency_kind, trial.latency.p99) == (LatencyKind.RESPONSE_TIME, 2464.2)
    assert [owned.file.kind for owned in prepared.files] == [ArtifactKind.LOAD_LOG, ArtifactKind.HISTOGRAM_LOG]


def test_two_logs_are_two_trials_by_default():
    [prepared] = prepare("cs40a2-03-netns", "cs40a2-03-netns")

    assert len(prepared.trials) == 2
    assert prepared.throughput.n == 2
    assert [owned.trial_index for owned in prepared.files] == [0, 1]


def test_two_logs_of_one_trial_are_two_clients():
    [prepared] = prepare("cs40a2-03-netns", "cs40a2-03-netns", trials=["a", "a"])

    [trial] = prepared.trials
    assert trial.client_count == 2
    assert trial.throughput_ops_s == pytest.approx(2 * 20_000 / 35.1)
    assert Flag.NOT_MERGEABLE in prepared.flags


def test_a_graph_beside_its_log_is_kept_but_not_counted_again():
    [prepared] = prepare("cs50-30-graph-run1", "cs50-30-graph.html")

    assert len(prepared.trials) == 1
    assert [owned.file.kind for owned in prepared.files] == [ArtifactKind.LOAD_LOG, ArtifactKind.GRAPH]


def test_a_histogram_log_alone_is_no_result():
    [(pointer, detail)] = refused("cs50-07b.hdr")

    assert pointer == "#/files/0"
    assert "no file contains a measured trial" in detail


def test_logs_of_different_workloads_are_no_trials_of_one_submission():
    found = refused("cs50-02-read", "cs50-10-3node-write")

    assert found[0][0] == "#/files"


def test_logs_that_contradict_each_other_are_refused():
    [(pointer, detail), *_] = refused("cs50-10-3node-write", "cs40a2-03-netns")

    assert pointer == "#/files"
    assert "differ in" in detail


def test_a_contradiction_to_the_log_is_refused_with_both_values():
    found = refused("cs50-10-3node-write", changes={"workload": {"consistency_level": "ONE"}})

    assert found == [("#/workload/consistency_level", "the log says QUORUM, the upload says ONE")]


def test_trials_cannot_be_stated_beside_a_log():
    found = refused("cs50-10-3node-write", changes={"trials": []})

    assert found == [("#/trials", "is read from the logs: leave it out of the metadata")]


def test_more_trials_than_files_are_refused():
    assert refused("cs50-10-3node-write", trials=["a", "b"]) == [("#/trial", "2 trials for 1 files")]


def test_a_histogram_file_of_an_unknown_trial_is_refused():
    found = refused("cs50-07b-mixed", "cs50-07b.hdr", trials=["a", "b"])

    assert found == [("#/files/1", "there is no log with trial 'b'")]


def test_each_revision_of_a_graph_is_a_submission_with_its_own_facts():
    prepared = prepare("cs50-30-graph.html", changes={"workload": {"consistency_level": None}})

    assert [
        (one.document.workload.threads, one.document.workload.consistency_level, one.trials[0].operations)
        for one in prepared
    ] == [(8, "LOCAL_QUORUM", 20_000), (32, "ONE", 20_000)]


def test_a_disk_test_beside_the_log_is_stored_with_its_file():
    files = [uploaded(stress_log("cs50-33")), uploaded(DATA / "fio" / "random_read.json")]

    [prepared] = prepare_import(metadata(), offered(files))
    submission = store(prepared, submitted_by=None).submission

    submission.refresh_from_db()
    (test,) = submission.document["disk_tests"]
    assert (test["tool"], test["pattern"], test["block_bytes"]) == ("fio", "random_read", 4096)
    assert (test["mb_s"], test["iops"], test["latency_ms"]["p99"]) == (174.308737, 42555.844156, 6.586368)
    assert set(submission.artifacts.values_list("kind", flat=True)) >= {ArtifactKind.LOAD_LOG, ArtifactKind.DISK_TEST}
    understood = {fact.pointer: fact.source for fact in prepared.understood}
    assert understood["#/disk_tests/0/mb_s"] == Origin.LOG


def test_sysbench_against_a_database_is_a_submission_at_its_rate():
    [prepared] = prepare_import(
        metadata({"workload": {"tool": "sysbench"}, "service": {"name": "postgresql"}}),
        offered([uploaded(DATA / "sysbench" / "sb10-03-rate.log")]),
    )
    submission = store(prepared, submitted_by=None).submission

    assert (submission.tool, submission.tool_version, submission.operation) == ("sysbench", "1.0.20", "mixed")
    assert submission.document["workload"]["fixed_rate_ops_s"] == 100
    assert (submission.latency_kind, submission.latency_p95_ms) == ("response_time", 134.9)
