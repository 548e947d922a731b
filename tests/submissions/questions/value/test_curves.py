"""Operations per dollar under a limit: a load curve counts at the highest load that keeps it."""

from decimal import Decimal

import pytest

from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store
from tests.documents import document
from tests.load_curves import LOADS, curve
from tests.pages import text

pytestmark = pytest.mark.django_db

URL = "/api/v1/value/"
OTHER = {"provider": "gce", "region": "us-east1", "nodes/0/hourly_usd": "1.00", "nodes/0/price_source": "a test"}
STATED = {"nodes/0/hourly_usd": "1.00", "nodes/0/price_source": "a test"}


def ask(client, row, **params):
    answer = client.get(URL, {"workload": row.workload.fingerprint, "trust": "uploaded", "prices": "then", **params})
    assert answer.status_code == 200, answer.content
    return {group["provider"]: group for group in answer.json()["groups"]}


@pytest.fixture
def rows(db):
    # the second system peaks higher, and does less under the limit
    lower = [(threads, rate * 1.2, p99 * 3) for threads, rate, p99 in LOADS]
    return curve(changes=STATED), curve(lower, OTHER)


@pytest.mark.parametrize("prices", [{}, {"basis": "as_measured"}])
def test_a_limit_ranks_the_rates_that_keep_it_and_not_the_peaks(client, rows, prices):
    at_peak = ask(client, rows[0], **prices)
    at_limit = ask(client, rows[0], max_p99_ms=10, **prices)

    assert at_peak["gce"]["throughput_ops_s"] == 156_000.0
    assert {name: group["throughput_ops_s"] for name, group in at_limit.items()} == {"aws": 110_000.0, "gce": 48_000.0}
    assert {name: group["latency_p99_ms"] for name, group in at_limit.items()} == {"aws": 9.0, "gce": 6.0}
    for group, row in zip((at_limit["aws"], at_limit["gce"]), rows, strict=True):
        hourly = Decimal(group["hourly_usd"])
        assert hourly == row.hourly_usd
        wanted = Decimal(group["throughput_ops_s"]) * 3600 / hourly
        assert Decimal(group["best_ops_per_usd"]) == pytest.approx(wanted, abs=Decimal("0.0001"))
    assert [group["rank"] for group in at_limit.values()] != [group["rank"] for group in at_peak.values()]


def test_a_curve_of_which_no_load_keeps_the_limit_is_excluded_and_counted(client, rows):
    assert ask(client, rows[0], max_p99_ms=5).keys() == {"aws"}

    page = text(
        client.get(
            "/value/",
            {"workload": rows[0].workload.fingerprint, "trust": "uploaded", "prices": "then", "max_p99_ms": 5},
        )
    )
    assert "1 with a p99 above 5 ms" in page
    assert (
        "48 M ops/$ (at the prices of the measurement date, on demand, p99 service time of at most 5 ms)" in page
    )  # 40,000 ops/s for $3 an hour


def test_the_page_names_the_load_that_kept_the_limit(client, rows):
    params = {"workload": rows[0].workload.fingerprint, "trust": "uploaded", "prices": "then", "max_p99_ms": 10}

    assert "200 threads" in text(client.get("/value/", params))


def test_results_of_one_load_are_marked_where_a_limit_is_set(client, rows):

    row = store(prepare_document(document(STATED)), submitted_by=None).submission
    params = {"workload": row.workload.fingerprint, "trust": "uploaded", "prices": "then"}

    assert "one load only" in text(client.get("/value/", {**params, "max_p99_ms": 1000}))
    assert "one load only" not in text(client.get("/value/", params))
