"""The currency of an answer holds for what is streamed of it, and for views with the parameter alone."""

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from submissions.api.currency import CurrencyMiddleware
from submissions.formatting.currency import current


def codes(address, response):
    return CurrencyMiddleware(response)(RequestFactory().get(address))


def test_a_view_with_the_parameter_is_answered_in_the_currency():
    response = codes("/value/?currency=EUR", lambda request: HttpResponse(current().code))

    assert response.content == b"EUR"
    assert current().code == "USD"


def test_what_is_streamed_is_in_it_too():
    response = codes("/value/?currency=EUR", lambda request: StreamingHttpResponse(current().code for _ in range(1)))

    assert b"".join(response.streaming_content) == b"EUR"


@pytest.mark.parametrize(
    "address", ["/runs/?currency=EUR", "/account/?currency=EUR", "/value/?currency=XYZ", "/value/"]
)
def test_receipts_and_all_other_views_stay_in_dollars(address):
    assert codes(address, lambda request: HttpResponse(current().code)).content == b"USD"
