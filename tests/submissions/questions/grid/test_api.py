"""The grid in the API, and which parameters both refuse."""

import csv
import io
from unittest.mock import ANY

import pytest

from tests.pages import text
from tests.submissions.questions.grid.results import API, JDKS, URL, answer, submission

pytestmark = pytest.mark.django_db


def test_csv_has_a_line_for_each_cell_with_exact_values(client):
    one = submission(100.0, "oracle", instance_type="=cmd()")
    other = submission(91.8, "openjdk", instance_type="=cmd()")

    response = client.get(API, {**JDKS, "baseline": "oracle 8", "variant": "openjdk 8", "format": "csv"})

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    (line,) = csv.DictReader(io.StringIO(response.getvalue().decode()))
    assert line == {
        "instance_type": "'=cmd()", "replication_factor": "3", "percent": str((91.8 / 100.0 - 1) * 100),
        "low_percent": ANY, "high_percent": ANY, "verdict": "inconclusive", "noise_from": "clouds",
        "runs_needed": ANY, "p_value": ANY, "counted": "trials",
        "n_baseline": "1", "n_variant": "1", "averaged_by_source": "false",
        "baseline_submissions": str(one.pk), "variant_submissions": str(other.pk),
        "differs": "", "not_known": "CPU model;architecture;deployment;settings", "left_out": "0", "attribution": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("vary=colour", "vary"),
        ("vary=replication_factor", "vary"),  # part of the workload: not to be varied
        ("rows=colour", "rows"),
        ("columns=none", "columns"),
        ("vary=jdk&rows=jdk", "rows"),
        ("rows=jdk&columns=jdk", "columns"),
        ("rows=disk_kind&subrows=disk_kind", "subrows"),
        ("baseline=" + "x" * 201, "baseline"),
        ("baseline=%00", "baseline"),
        ("workload=" + "x" * 17, "workload"),
        ("format=xml", "format"),
    ],
)
def test_a_bad_parameter_is_named(client, query, named):
    response = client.get(f"{URL}?{query}")

    assert response.status_code == 400
    assert f"{named}:" in text(response)


def test_an_unknown_workload_is_not_found(client):
    assert client.get(URL, {"workload": "0123456789abcdef"}).status_code == 404


def test_the_api_answers_with_nulls_where_there_is_nothing_to_compare(client):
    body = answer(client, vary="jdk")

    assert (body["vary"], body["baseline"], body["workload"], body["cells"]) == ("jdk", None, None, [])


def test_the_api_names_an_unknown_workload_and_an_unknown_parameter(client):
    for query, pointer in (({"workload": "0123456789abcdef"}, "#/workload"), ({"colour": "red"}, "#/colour")):
        response = client.get(API, query)
        assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, pointer)


@pytest.mark.parametrize("wanted", ["csv", "json"])
def test_a_page_that_is_asked_for_a_format_redirects_to_the_api(client, wanted):
    response = client.get(URL, {"vary": "jdk", "format": wanted})

    assert (response.status_code, response["Location"]) == (302, f"/api/v1/grid/?vary=jdk&format={wanted}")
