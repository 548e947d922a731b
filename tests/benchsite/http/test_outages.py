"""What cannot be done now is 503 or 507 with a time to come back; reading goes on without Redis and without space."""

import json

import pytest
import redis
from django.db import OperationalError, connection
from django.test import Client
from django.urls import path
from kombu.exceptions import OperationalError as BrokerError

from benchsite.http import problems
from benchsite.http.outages import DISK_FULL, TOO_LONG, UNAVAILABLE, outage_of

pytestmark = pytest.mark.django_db


def of(call):
    try:
        call()
    except Exception as error:
        return outage_of(error)
    return None


def write_to_a_full_disk():
    with open("/dev/full", "w") as full:
        full.write("x")


def ask_for_a_minute():
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 10")
        cursor.execute("SELECT pg_sleep(60)")


def raise_disk_full_of_the_database():
    with connection.cursor() as cursor:
        cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$")


@pytest.mark.parametrize(
    ("call", "outage"),
    [
        (write_to_a_full_disk, DISK_FULL),
        (raise_disk_full_of_the_database, DISK_FULL),
        (ask_for_a_minute, TOO_LONG),
        (lambda: redis.Redis(port=1).ping(), UNAVAILABLE),
        (lambda: open("/nowhere"), None),  # noqa: SIM115
        (lambda: 1 / 0, None),
    ],
)
def test_an_error_is_known_for_the_outage_that_it_is(call, outage):
    assert of(call) == outage


@pytest.mark.parametrize("error", [OperationalError("the connection is lost"), BrokerError("connection refused")])
def test_the_api_says_when_to_come_back(error):
    answer = problems.exception_handler(error, {})

    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert json.loads(answer.content)["type"] == "/problems/unavailable"


def broken(request):
    raise OperationalError("the connection is lost")


class BrokenMiddleware:
    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        raise OperationalError("the connection is lost")


urlpatterns = [path("broken/", broken), path("api/broken/", broken)]
handler404 = "benchsite.http.problems.not_found"
handler500 = "benchsite.http.problems.server_error"


@pytest.fixture
def site(settings):
    settings.ROOT_URLCONF = __name__
    # the page of an outage has links: these addresses have none
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [], "APP_DIRS": False, "OPTIONS": {"loaders": [LOADER]}}]
    return Client(raise_request_exception=False)


LOADER = ("django.template.loaders.locmem.Loader", {"503.html": "{{ outage.detail }}"})


@pytest.mark.parametrize("middleware", [[], ["tests.benchsite.http.test_outages.BrokenMiddleware"]])
@pytest.mark.parametrize("address", ["/broken/", "/api/broken/"])
def test_a_lost_database_is_503_wherever_it_is_noticed(site, settings, address, middleware):
    settings.MIDDLEWARE = ["benchsite.http.problems.OutageMiddleware", *middleware]

    answer = site.get(address)

    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert b"cannot reach its database" in answer.content


def test_the_page_of_an_outage_needs_no_database(client):
    page = problems.unavailable(client.get("/").wsgi_request, UNAVAILABLE)

    assert b"Temporarily unavailable" in page.content
