"""The API does what its schema says: where parameters are empty, methods unknown, numbers broken."""

import json
from pathlib import Path

import pytest

from runners.models import Run, RunOutput
from tests.factories import PriceFactory, SubmissionFactory
from tests.runners.fake_runs import PLAN, kept_log
from tests.submissions.caller import BASE

pytestmark = pytest.mark.django_db

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text())
# What an address needs beside its optional parameters
REQUIRED = {
    "/api/v1/chart/": "page=/value/&key=groups",
    "/api/v1/compare/": "a=1&b=2",
    "/api/v1/leaderboard/": "workload={workload}",
    "/api/v1/recommend/": "service=cassandra&target_ops_s=1000",
    "/api/v1/size/": "target_ops_s=1000",
}


def optional_parameters():
    """(path, names) of the optional query parameters of reading."""
    for path, operations in SCHEMA["paths"].items():
        parameters = operations.get("get", {}).get("parameters", [])
        names = [each["name"] for each in parameters if each["in"] == "query" and not each.get("required")]
        if names:
            yield path, names


@pytest.fixture
def results(db):
    rows = [SubmissionFactory(pk=number, node_count=3 * number) for number in (1, 2)]
    PriceFactory()
    receipt = {"machines": [], "total_usd": "0.00", "left": 0, "left_behind": []}
    facts = {"provider": "fake", "plan": PLAN, "max_usd": 1, "tag": "one", "receipt": receipt}
    kept_log(Run.objects.create(pk=1, owner=rows[0].submitted_by, **facts))
    return rows


@pytest.mark.parametrize(("path", "names"), list(optional_parameters()))
def test_an_empty_optional_parameter_is_as_if_it_were_missing(client, results, path, names):
    query = REQUIRED.get(path, "").format(workload=results[0].workload.fingerprint)
    filled = path.format(id=1, output=RunOutput.objects.get().pk, provider="aws", name=PriceFactory().sku)
    address = f"{filled}?{query}"
    client.force_login(results[0].submitted_by)
    empty = "&".join(f"{name}=" for name in names if f"{name}=" not in query)

    without, answer = client.get(address), client.get(f"{address}&{empty}")

    assert (answer.status_code, answer.getvalue()) == (200, without.getvalue())


def test_the_schema_says_so_of_each():
    for operations in SCHEMA["paths"].values():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", []):
                is_optional = method == "get" and parameter["in"] == "query" and not parameter.get("required")
                assert parameter.get("allowEmptyValue", False) == is_optional, (operation["operationId"], parameter)


@pytest.mark.parametrize("limit", ["0.5", "1e-3", "-1", "1000001", "9" * 5000])
@pytest.mark.parametrize("name", ["min_node_count", "max_node_count"])
def test_a_limit_of_nodes_is_a_whole_number(client, faults, name, limit):
    assert list(faults(client.get(f"{BASE}?{name}={limit}"))) == [f"#/{name}"]


def test_limits_of_nodes_keep_the_rows_within(client, results):
    def counts(query):
        return [row["node_count"] for row in client.get(f"{BASE}?{query}").json()["results"]]

    assert (counts("min_node_count=4"), counts("max_node_count=3")) == ([6], [3])


@pytest.mark.parametrize("method", ["TRACE", "PUT"])
@pytest.mark.parametrize("query", ["", "?format=csv"])
@pytest.mark.parametrize("path", ["submissions/", "submissions/1/intervals/", "value/", "runs/", "tokens/missing/"])
def test_a_method_that_an_address_does_not_have_is_405_whatever_its_format(client, faults, method, query, path):
    response = client.generic(method, f"/api/v1/{path}{query}", HTTP_ACCEPT="text/csv")

    assert list(faults(response, 405)) == ["#"]
    assert method not in response["Allow"].split(", ")


@pytest.mark.parametrize("path", ["submissions/bulk/", "submissions/import/"])
def test_where_only_writing_is_possible_reading_is_405_as_documented(client, faults, path):
    assert list(faults(client.get(f"/api/v1/{path}"), 405)) == ["#"]
    assert all("405" in operation["responses"] for operation in SCHEMA["paths"][f"/api/v1/{path}"].values())


def test_no_value_fits_two_alternatives_of_the_schema():
    """`oneOf` with an empty schema: that takes null too, beside the alternative that is null."""

    def alternatives(node):
        if isinstance(node, dict):
            yield from node.get("oneOf", ()) if isinstance(node.get("oneOf"), list) else ()
            for inner in node.values():
                yield from alternatives(inner)
        elif isinstance(node, list):
            for inner in node:
                yield from alternatives(inner)

    assert {} not in list(alternatives(SCHEMA))


@pytest.mark.parametrize("method", ["POST", "OPTIONS", "X" * 300])
def test_another_method_of_a_raw_file_is_a_problem_too(client, faults, method):
    response = client.generic(method, f"{BASE}1/artifacts/1/")

    assert list(faults(response, 405)) == ["#"]
    assert response["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("host", ["evil.example", "[::1", "test server", ""])
def test_a_foreign_host_is_a_problem_in_the_api_and_a_page_elsewhere(client, faults, host):
    assert list(faults(client.get(BASE, HTTP_HOST=host))) == ["#"]
    page = client.get("/submissions/", HTTP_HOST=host)
    assert (page.status_code, page["Content-Type"]) == (400, "text/html; charset=utf-8")
