"""GET coverage/: every result that boards rank is in one cell, and gaps are rows and columns too."""

import csv
import io
from datetime import UTC, datetime
from random import Random

import pytest
from django.utils import timezone

from submissions.choices import Trust
from submissions.models import Submission
from submissions.questions.coverage.form import CoverageForm
from submissions.questions.coverage.query import coverage_result
from tests.factories import UserFactory
from tests.submissions.aggregates.rows import any_submission
from tests.submissions.questions.coverage.cells import URL, counts, result
from tests.submissions.questions.grid.results import workload

pytestmark = pytest.mark.django_db


def read(client, **params):
    response = client.get(URL, params)
    assert response.status_code == 200, response.content
    return response.json()


def test_a_result_is_counted_under_its_database_work_provider_and_family(client):
    result(), result(family="m5"), result("postgresql", "reads", "n2-standard", provider="gce")
    result(work=None, family=None, provider="on-premises")

    assert counts(read(client, by="machine_family")) == {
        ("cassandra", "writes", "aws", "m3"): 1,
        ("cassandra", "writes", "aws", "m5"): 1,
        ("postgresql", "reads", "gce", "n2-standard"): 1,
        ("cassandra", None, "on-premises", None): 1,
    }
    by_provider = read(client)
    assert by_provider["by"] == "provider"
    assert counts(by_provider)["cassandra", "writes", "aws", None] == 2
    [of_aws] = [cell for cell in by_provider["cells"] if cell["provider"] == "aws"]
    assert of_aws["machine_families"] == 2


def test_a_cell_has_the_day_of_its_newest_measurement_over_all_workloads(client):
    result(measured_at=datetime(2020, 1, 2, tzinfo=UTC))
    result(measured_at=datetime(2024, 3, 4, tzinfo=UTC), load={"columns": 5})
    result(measured_at=None, load={"columns": 5})
    result("redis", measured_at=None)

    newest = {cell["service"]: (cell["results"], cell["newest"]) for cell in read(client)["cells"]}
    assert newest == {"cassandra": (3, "2024-03-04T00:00:00Z"), "redis": (1, None)}


def test_what_boards_exclude_is_in_no_cell_and_is_said(client):
    result()
    result(flags=["errors"])
    result(trust="uploaded")
    result(trust="historical")
    result(unranked_at=timezone.now())
    result(retraction_reason="a mistake", retracted_at=timezone.now())
    result(visibility="private", published_at=None)

    body = read(client)
    assert (body["results"], body["shelf"], body["uploaded"]) == (1, "log_verified", 1)
    assert "Excluded: 1 with a data-quality flag and 1 awaiting a moderator." in body["caveats"][0]
    assert read(client, trust="uploaded")["results"] == 2
    assert read(client, trust="historical")["results"] == 1


def test_a_workload_without_a_raw_log_counts_its_historical_results(client):
    result("redis", trust="historical")
    result(), result(trust="historical")

    body = read(client)
    assert counts(body) == {("redis", "writes", "aws", None): 1, ("cassandra", "writes", "aws", None): 1}
    assert body["shelf"] == "log_verified"
    assert "1 historical result from articles, of workloads without any raw log" in body["caveats"][0]


@pytest.mark.parametrize("trust", [None, *Trust])
def test_the_cells_add_up_to_what_boards_use(trust):
    random, user, rows = Random(5), UserFactory(), []
    workloads = [workload(replication_factor=factor) for factor in (1, 3)] + [workload(key_count=7)]
    for _ in range(60):
        rows.append(any_submission(random, rows, user, workloads))
    assert Submission.objects.rankable().exists()

    form = CoverageForm({"trust": trust.value if trust else "", "by": "machine_family"})
    assert form.is_valid()
    found = coverage_result(form.params)
    assert found.results == found.counts.usable
    assert found.counts.usable == Submission.objects.rankable().trust_filtered(trust).count()


def test_filters_leave_the_gaps_of_what_they_choose(client):
    result(), result("redis", "mixed", "c5"), result("redis", "mixed", "n2-standard", provider="gce")

    body = read(client, service="cassandra")
    assert body["rows"] == [{"service": "cassandra", "work": "writes"}]
    assert [column["provider"] for column in body["columns"]] == ["aws", "gce"]
    assert counts(body) == {("cassandra", "writes", "aws", None): 1}
    of_gce = read(client, provider="gce")
    assert of_gce["by"] == "machine_family"
    assert of_gce["columns"] == [{"provider": "gce", "machine_family": "n2-standard"}]
    assert {row["service"] for row in of_gce["rows"]} == {"cassandra", "redis"}
    assert read(client, work="writes", machine_family="m3")["results"] == 1
    assert read(client, work="unknown")["rows"] == []


def test_another_spelling_of_a_provider_is_understood_and_no_slug_is_refused(client, faults):
    result(provider="gce", family="n1-standard")

    assert read(client, provider="GCP")["results"] == 1
    refused = {"provider": "!", "by": "moon", "page": "2"}
    assert [len(faults(client.get(URL, {name: value}))) for name, value in refused.items()] == [1, 1, 1]


def test_the_csv_has_a_row_for_each_cell(client):
    result(), result("redis", "mixed", "c5")

    rows = list(csv.DictReader(io.StringIO(client.get(URL, {"format": "csv"}).getvalue().decode())))
    assert [(row["service"], row["work"], row["results"], row["run_expected_usd"]) for row in rows] == [
        ("cassandra", "writes", "1", ""),
        ("redis", "mixed", "1", ""),
    ]
