"""Parameters that are the reader's own are in no address that others see, and no answer to them is kept."""

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from benchsite.http.private_parameters import (
    PrivateParametersMiddleware,
    has_private,
    is_private,
    private_of,
    without_private,
)


def answered(query, response=None):
    """The response to a query, and whether its view was told that it is private."""
    seen = []

    def view(request):
        seen.append(is_private())
        return response or HttpResponse(headers={"ETag": '"1"', "Cache-Control": "public, max-age=60"})

    return PrivateParametersMiddleware(view)(RequestFactory().get(f"/?{query}")), seen[0]


def test_an_answer_to_one_is_for_no_cache():
    response, was_private = answered("by=provider&discount=aws%3A25")

    assert was_private
    assert response["Cache-Control"] == "private, no-store"
    assert "ETag" not in response
    assert not is_private()


@pytest.mark.parametrize("query", ["", "by=provider", "discount="])
def test_any_other_answer_is_left_alone(query):
    response, was_private = answered(query)

    assert not was_private
    assert response["Cache-Control"] == "public, max-age=60"


def test_what_is_streamed_later_is_private_too():
    response, _ = answered("discount=aws%3A25", StreamingHttpResponse(str(is_private()) for _ in range(1)))

    assert b"".join(response.streaming_content) == b"True"


def test_an_address_is_shown_without_them():
    assert without_private("by=provider&discount=aws%3A25&currency=EUR") == "by=provider&currency=EUR"
    assert without_private("q=a%20b") == "q=a%20b"
    assert private_of("by=provider&discount=aws%3A25") == "&discount=aws%3A25"
    assert not has_private("by=discount")
