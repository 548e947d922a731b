"""Every error of the API has the form of RFC 9457 and names the place."""

import json

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFilesSent
from django.http import Http404
from django.test import RequestFactory
from rest_framework import exceptions
from structlog.contextvars import clear_contextvars

from benchsite.http import problems
from benchsite.http.refusals import Fault, Refusal, UploadTooLarge


def answer_to(error):
    clear_contextvars()  # an answer that a test has not read to its end leaves its request's id behind
    response = problems.exception_handler(error, {})
    assert response["Content-Type"] == "application/problem+json"
    return response, json.loads(response.content)


def test_a_refused_submission_names_every_fault():
    response, body = answer_to(Refusal([Fault("#/nodes/0/count", "is required"), Fault("#/trials", "is required")]))

    assert response.status_code == 400
    assert body == {
        "type": "/problems/invalid",
        "title": "Bad Request",
        "status": 400,
        "errors": [
            {"pointer": "#/nodes/0/count", "detail": "is required"},
            {"pointer": "#/trials", "detail": "is required"},
        ],
    }


def test_an_upload_over_a_limit_is_413():
    response, body = answer_to(UploadTooLarge.at("#/files/0", "over 256 MiB"))

    assert (response.status_code, body["type"], body["title"]) == (
        413,
        "/problems/too-large",
        "Content Too Large",
    )


def test_nested_details_become_pointers():
    _, body = answer_to(
        exceptions.ValidationError(
            {
                "name": ["is required"],
                "a/b~c": ["odd"],
                "nodes": [{}, {"count": ["too few"]}],
                "non_field_errors": ["as a whole"],
            }
        )
    )

    assert body["errors"] == [
        {"pointer": "#/name", "detail": "is required"},
        {"pointer": "#/a~1b~0c", "detail": "odd"},
        {"pointer": "#/nodes/1/count", "detail": "too few"},
        {"pointer": "#", "detail": "as a whole"},
    ]


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (exceptions.ParseError("not JSON"), 400, "invalid"),
        (exceptions.NotAuthenticated(), 401, "unauthenticated"),
        (exceptions.PermissionDenied(), 403, "forbidden"),
        (PermissionDenied(), 403, "forbidden"),
        (Http404(), 404, "not-found"),
        (exceptions.MethodNotAllowed("PUT"), 405, "method-not-allowed"),
        (exceptions.NotAcceptable(), 406, "not-acceptable"),
        (RequestDataTooBig(), 413, "too-large"),
        (TooManyFilesSent(), 413, "too-large"),
        (exceptions.UnsupportedMediaType("text/html"), 415, "unsupported-media-type"),
        (exceptions.Throttled(), 429, "throttled"),
    ],
)
def test_every_refusal_has_its_status_and_type(error, status, kind):
    response, body = answer_to(error)

    assert (response.status_code, body["status"]) == (status, status)
    assert body["type"] == f"/problems/{kind}"
    assert [entry["pointer"] for entry in body["errors"]] == ["#"]


def test_a_throttled_caller_learns_when_to_come_back():
    response, _ = answer_to(exceptions.Throttled(wait=2.1))

    assert response["Retry-After"] == "3"


def test_an_unknown_error_is_left_to_django():
    assert problems.exception_handler(ZeroDivisionError(), {}) is None


def test_an_unknown_address_of_the_api_is_a_problem():
    response = problems.not_found(RequestFactory().get("/api/v1/nothing/"), Http404())

    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


def test_our_own_fault_in_the_api_is_a_problem_without_its_reason():
    response = problems.server_error(RequestFactory().get("/api/v1/submissions/"))

    assert (response.status_code, response["Content-Type"]) == (500, "application/problem+json")
    assert b"an error on our side" in response.content
