"""docs/openapi.json is what the site does: no request that it allows breaks anything."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode, checks
from schemathesis.specs.openapi import checks as openapi_checks

from submissions import api_urls
from tests.factories import ArtifactFactory, PriceFactory, SubmissionFactory, make_token
from tests.fuzz.cases import EXAMPLES
from tests.pages import faults, links, text

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs/openapi.json").read_text())  # which `make openapi-check` compares with the code
LOOK = 8  # examples of each operation: a look, not a siege; `make fuzz` has more, and what the schema forbids
MODES = [GenerationMode.POSITIVE, GenerationMode.NEGATIVE] if EXAMPLES else [GenerationMode.POSITIVE]
UNCOMPRESSED = {"Accept-Encoding": "identity"}  # what calls the site without a server unpacks nothing
CHECKS = [
    checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_schema_conformance,
]


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


def test_the_body_of_a_submission_is_the_document_itself():
    body = SCHEMA["paths"]["/api/v1/submissions/"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    document = SCHEMA["components"]["schemas"]["SubmissionDocument"]

    assert body == {"$ref": "#/components/schemas/SubmissionDocument"}
    assert document["required"] == ["service", "provider", "nodes", "workload", "trials"]
    assert document["additionalProperties"] is False


def test_every_operation_documents_its_problems():
    for path, operations in SCHEMA["paths"].items():
        for method, operation in operations.items():
            answers = operation["responses"]
            assert {"400", "401", "405", "406", "429"} <= set(answers), (method, path)
            for status in answers:
                if status >= "400":
                    assert list(answers[status]["content"]) == ["application/problem+json"]


@pytest.mark.django_db
def test_the_reference_has_every_operation_with_its_parameters(client):
    response = client.get("/api/docs/")

    said = text(response)
    for method, path in OPERATIONS:
        assert f"{method} {path}" in said
    assert "max_p99_ms" in said
    assert faults(response) == []
    assert links(response, "^/api/docs/console/$")


@pytest.mark.django_db
def test_the_console_needs_nothing_that_our_policy_forbids(client):
    response = client.get("/api/docs/console/")

    page = response.content.decode()
    assert response.status_code == 200
    assert "unsafe" not in response["Content-Security-Policy"]
    assert not re.search(r"<style|style=|<script(?![^>]*\bsrc=)|\son\w+=", page)
    assert all(link.startswith("/") for link in re.findall(r'(?:src|href)="([^"]+)"', page))


@pytest.mark.django_db
def test_the_script_of_the_console_is_its_own_address(client):
    script = re.findall(r'<script src="([^"]+)"', client.get("/api/docs/console/").content.decode())[-1]

    response = client.get(script.replace("&amp;", "&"))

    assert response.status_code == 200
    assert response["Content-Type"].startswith("application/javascript")


@pytest.mark.django_db
def test_the_schema_s_version_parameter_reaches_no_header(client):
    assert client.get("/api/v1/schema/?version=a%0d%0aX-Evil:%201&format=json").status_code == 200


OPERATIONS = [(method.upper(), path) for path, operations in SCHEMA["paths"].items() for method in operations]


@cache
def served():
    """The schema as the site serves it; its operations call the site itself."""
    return schemathesis.openapi.from_wsgi("/api/v1/schema/?format=json", get_wsgi_application())


@pytest.fixture
def api_schema(db):
    """With rows to find."""
    ArtifactFactory(submission=SubmissionFactory(pk=1, trials_count=2))
    PriceFactory()
    # as Django's own test client does: a request must not close the test's connection
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield served()
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_request_that_the_schema_describes_breaks_anything(api_schema, record_property, method, path, mode):
    operation = api_schema[path][method]
    headers = {"Authorization": f"Bearer {make_token()}", **UNCOMPRESSED}
    statuses = Counter()

    @settings(
        max_examples=EXAMPLES or LOOK,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def answers_as_documented(case):
        response = case.call(headers=headers)
        statuses[str(response.status_code)] += 1
        if response.status_code >= 400:
            assert response.headers["content-type"] == ["application/problem+json"]
        case.validate_response(response, checks=CHECKS)

    try:
        answers_as_documented()
    except Unsatisfiable:
        if mode == GenerationMode.POSITIVE:
            raise  # else nothing of the operation can be wrong
    record_property("fuzzed", [f"requests by the API's schema, {mode.value}", dict(statuses)])


@pytest.mark.parametrize(
    "path", [path for method, path in OPERATIONS if method == "GET" and "submissions/{id}" in path]
)
def test_a_stored_submission_is_answered_as_documented(api_schema, path):
    case = api_schema[path]["GET"].Case(path_parameters={"id": 1})

    response = case.call(headers=UNCOMPRESSED)

    assert response.status_code == 200
    case.validate_response(response, checks=CHECKS)


def test_every_json_answer_of_the_site_is_an_address_of_the_schema():
    named = {
        re.sub(r"<\w+:\w+>", "{}", f"/api/{pattern.pattern!s}")
        for pattern in api_urls.urlpatterns
        if hasattr(pattern.callback, "view_class")
    }
    documented = {re.sub(r"{\w+}", "{}", path) for path in SCHEMA["paths"]}

    assert named - documented == {"/api/v1/schema/", "/api/docs/console/"}
    for package in ("submissions", "runners"):
        for module in (ROOT / package).rglob("*.py"):
            assert "JsonResponse" not in module.read_text(), module
