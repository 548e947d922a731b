"""What a load curve does at a limit: in the API, in the lists, on its page."""

import csv
import io
from datetime import UTC, datetime

import pyarrow.parquet as parquet
import pytest
from django.core.files.storage import default_storage
from django.http import QueryDict

from submissions.analysis.curves.load_curve import AtLimit, Confidence, LatencyLimit
from submissions.choices import Trust
from submissions.dataset.write import write
from submissions.ingest.pipeline import prepare_document, prepare_import
from submissions.ingest.store.store import store
from submissions.ingest.uploads import offered
from submissions.load_curves import sentences
from submissions.models import Submission
from submissions.records.detail.page import preview
from tests import load_curves
from tests.documents import document, metadata
from tests.factories import UserFactory, bearer
from tests.files import stress_log, uploaded
from tests.pages import text

pytestmark = pytest.mark.django_db

API = "/api/v1/submissions/"


def trials(*points, errors=0):
    """(offered, p99 in ms), three trials each, of which the last has that p99."""
    return [
        {
            "throughput_ops_s": offered,
            "operations": 1_000_000,
            "errors": errors,
            "duration_s": 1_000_000 / offered,
            "offered_ops_s": offered,
            "latency_kind": "response_time",
            "latency_ms": {"p50": 1.0, "p99": p99 - lower},
        }
        for offered, p99 in points
        for lower in (1.0, 0.5, 0.0)
    ]


CURVE = trials((10_000.0, 2.0), (40_000.0, 9.0), (48_000.0, 10.5), (60_000.0, 50.0))


@pytest.fixture
def curve():
    made = prepare_document(document({"trials": CURVE, "workload/threads": ...}), trust=Trust.LOG_VERIFIED)
    return store(made, submitted_by=None).submission


def answer(client, row, query="", status=200):
    response = client.get(f"{API}{row.pk}/{query}")
    assert response.status_code == status, response.json()
    return response.json()


def test_the_answer_has_the_points_and_the_highest_rate_with_its_price(client, curve):
    body = answer(client, curve)

    assert [point["offered_ops_s"] for point in body["load_points"]] == [10_000, 40_000, 48_000, 60_000]
    assert [point["is_peak"] for point in body["load_points"]] == [False, False, False, True]
    assert body["at_slo"] == {
        "percentile": "p99",
        "max_ms": 10.0,
        "max_error_share": 0.001,
        "ops_s": 40_000.0,
        "bracket": [40_000.0, 48_000.0],
        "confidence": ["confirmed"],
        "usd_per_month": "1165.08",  # 3 x $0.532 x 730 h
        "usd_per_million_ops": "0.0110833333",  # $1.596 for 144 M operations
    }


def test_another_limit_gives_another_rate(client, curve):
    wider = answer(client, curve, "?percentile=p99&max_ms=11")["at_slo"]
    median = answer(client, curve, "?percentile=p50&max_ms=0.5")["at_slo"]

    assert (wider["ops_s"], wider["bracket"]) == (48_000, [48_000, 60_000])
    assert (median["ops_s"], median["bracket"], median["confidence"]) == (None, [None, 10_000], ["none_kept"])
    assert median["usd_per_month"] is None


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("percentile=p90", "percentile"),
        ("max_ms=0", "max_ms"),
        ("max_ms=x", "max_ms"),
        ("max_error_share=2", "max_error_share"),
    ],
)
def test_a_limit_that_cannot_be_is_refused_by_its_field(client, curve, query, field):
    [error] = answer(client, curve, f"?{query}", 400)["errors"]

    assert error["pointer"].endswith(field)


def test_the_limit_that_a_curve_was_measured_for_is_its_own(client):
    slo = {"percentile": "p99", "max_ms": 60, "max_error_share": 0.01}
    made = prepare_document(document({"trials": CURVE, "workload/threads": ..., "slo": slo}))
    row = store(made, submitted_by=UserFactory()).submission

    own, changed = answer(client, row)["at_slo"], answer(client, row, "?max_ms=10")["at_slo"]

    assert (own["max_ms"], own["ops_s"], own["confidence"]) == (60, 60_000, ["confirmed", "no_upper_bound"])
    assert (changed["max_ms"], changed["max_error_share"], changed["ops_s"]) == (10, 0.01, 40_000)


def test_without_a_price_or_a_curve_nothing_is_made_up(client):
    unpriced = {"nodes/0/hourly_usd": ..., "nodes/0/instance_type": "of-nobody"}
    made = prepare_document(document({"trials": CURVE, "workload/threads": ..., **unpriced}))
    free = answer(client, store(made, submitted_by=None).submission)["at_slo"]
    plain = answer(client, store(prepare_document(document()), submitted_by=None).submission)

    assert (free["ops_s"], free["usd_per_month"], free["usd_per_million_ops"]) == (40_000, None, None)
    assert (plain["at_slo"], plain["load_points"]) == (None, [])


def test_an_upload_is_answered_as_it_is_read_later(client):
    body = document({"trials": CURVE, "workload/threads": ...})
    sent = client.post(API, body, content_type="application/json", **bearer())

    assert sent.status_code == 201
    later = answer(client, Submission.objects.get())
    assert sent.json()["at_slo"] == later["at_slo"]
    assert sent.json()["load_points"] == later["load_points"]
    dry = client.post(f"{API}?dry_run=true", body, content_type="application/json", **bearer()).json()
    assert dry["load_points"] == later["load_points"]


def test_lists_have_it_and_a_csv_as_json(client, curve):
    store(prepare_document(document(), trust=Trust.LOG_VERIFIED), submitted_by=None)

    rows = client.get(API).json()["results"]
    cells = list(csv.DictReader(io.StringIO(client.get(f"{API}?format=csv").getvalue().decode())))

    assert [row["at_slo"] and row["at_slo"]["ops_s"] for row in rows] == [None, 40_000]
    assert cells[0]["at_slo"] == ""
    assert '"ops_s":40000.0' in cells[1]["at_slo"]


def test_the_dump_has_the_points_and_the_rate_of_a_curve(curve):
    dump = write(datetime(2026, 11, 23, 3, tzinfo=UTC))

    submissions, points = (table_of(dump, name) for name in ("submissions", "load_points"))
    assert [(row["at_slo_max_ms"], row["at_slo_ops_s"]) for row in submissions] == [(10.0, 40_000.0)]
    assert [(row["offered_ops_s"], row["worst_p99_ms"]) for row in points] == [
        (10_000.0, 2.0),
        (40_000.0, 9.0),
        (48_000.0, 10.5),
        (60_000.0, 50.0),
    ]


def table_of(dump, name):
    with default_storage.open(f"{dump.folder}/{name}.parquet") as file:
        return parquet.read_table(file).to_pylist()


def test_the_page_draws_the_curve_and_says_what_it_shows(client, curve):
    page = text(client.get(f"/submissions/{curve.pk}/"))
    wider = text(client.get(f"/submissions/{curve.pk}/?percentile=p99&max_ms=11"))
    wrong = client.get(f"/submissions/{curve.pk}/?percentile=p99&max_ms=-1")

    assert "The highest measured rate that kept p99 ≤ 10 ms in every trial is 40 k ops/s; 48 k broke it." in page
    assert "is 48 k ops/s; 60 k broke it." in wider
    assert "was limited to each rate of its load curve" in page
    assert wrong.status_code == 400


def test_a_peak_is_named_as_one_with_its_own_trials(client):
    beyond = [{**trial, "throughput_ops_s": 50_000.0 + n} for n, trial in enumerate(trials((60_000.0, 90.0)))]
    made = prepare_document(document({"trials": [*CURVE[:6], *beyond], "workload/threads": ...}))
    row = store(made, submitted_by=None).submission

    page = text(client.get(f"/submissions/{row.pk}/"))

    assert "reached 50 k ops/s at the peak of its load curve, with a p99 of 89.5 ms, for $1.60/h" in page
    assert "is 40 k ops/s; 60 k broke it." in page
    assert "below its offered load" in page


def test_the_figures_of_a_search_are_those_of_its_answer_and_its_peak_is_not_judged(client):
    peak = {**trials((388.0, 56.8))[-1], "latency_kind": "service_time", "throughput_ops_s": 388.0}
    del peak["offered_ops_s"]
    rates = [trials(point)[-1] for point in ((330.0, 900.0), (165.0, 300.0), (82.5, 120.0), (20.6, 31.0))]
    changes = {"trials": [peak, *rates], "workload/threads": ..., "slo": {"percentile": "p99", "max_ms": 100.0}}
    row = store(prepare_document(document(changes)), submitted_by=None).submission

    page = text(client.get(f"/submissions/{row.pk}/"))

    assert "20.6 ops/s at p99 ≤ 100 ms" in page
    assert "p99 31.0 ms at that rate" in page
    assert "Peak 388 ops/s unthrottled" in page
    assert "is 20.6 ops/s; 82.5 broke it." in page
    assert "not judged: unthrottled" in page
    assert "reached 388 ops/s" not in page
    assert preview(QueryDict(), row.pk).key_figure == ("20.6", "ops/s")


def test_the_mean_of_a_document_from_before_there_were_curves_is_called_no_peak(client):
    row = load_curves.curve()
    row.load_points.all().delete()
    Submission.objects.filter(pk=row.pk).update(at_slo=None)

    page = text(client.get(f"/submissions/{row.pk}/"))

    assert "on average over several loads" in page
    assert "peak of its load curve" not in page


def test_a_result_at_one_load_says_nothing_of_curves(client):
    row = store(prepare_document(document()), submitted_by=None).submission

    assert "Load curve" not in text(client.get(f"/submissions/{row.pk}/"))


def test_results_of_one_log_of_before_are_linked_as_a_curve(client):
    """As they were stored when each thread count became a submission: of a real log, one of its trials each."""
    owner = UserFactory()
    files = [uploaded(stress_log("cs50-09-auto"))]
    [whole] = prepare_import(metadata({"nodes": [{**metadata()["nodes"][0], "count": 1}]}), offered(files))
    rows = [_former(whole, index, owner) for index in range(4)]

    page = text(client.get(f"/submissions/{rows[1].pk}/"))

    assert "was measured at 4 loads, and each load is a result of its own here" in page
    assert all(f"#{row.pk}" in page for row in rows)
    assert "No measured rate kept p99 ≤ 10 ms" in page


def _former(whole, index, owner):
    trial = whole.content["trials"][index]
    content = {
        **whole.content,
        "trials": [trial],
        "workload": {**whole.content["workload"], "threads": trial["threads"]},
    }
    row = store(prepare_document(content, trust=Trust.LOG_VERIFIED), submitted_by=owner).submission
    member = whole.files[0].file.member
    row.artifacts.create(
        kind="load_log", name=member.name, sha256=member.sha256, size_bytes=member.size_bytes, trial_index=0
    )
    return row


def test_sentences():
    limit = LatencyLimit("p999", 12.5, 0.0)

    assert sentences.finding(AtLimit(42_000.0, (42_000.0, None), ()), limit) == (
        "The highest measured rate that kept p99.9 ≤ 12.5 ms in every trial is 42 k ops/s."
    )
    assert sentences.finding(AtLimit(None, (None, None), ()), limit).startswith("Whether any measured rate")
    assert "100,000 operations" in sentences.notes(AtLimit(1.0, (1.0, None), (Confidence.FEW_OPERATIONS,)), limit)[0]
    assert sentences.errors_words(limit) == "No operation of a trial may fail."
