"""What a process knows to be true is sent by its event loop: the same answer, without a query or a request thread."""

import brotli
import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from benchsite.http import response_cache
from benchsite.http.response_cache import FROM_MEMORY, answer_from_memory
from benchsite.redis.cache import evictable_cache
from tests.benchsite.http.stored_pages import keys, queries
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db

LIST = "/submissions/"


@pytest.fixture(autouse=True)
def clock(monkeypatch, settings, clear_cache):
    """What the page cache takes for now: it stays, until a test moves it."""
    settings.PAGE_CACHE_SECONDS = 4
    now = [response_cache.time.time()]
    monkeypatch.setattr(response_cache.time, "time", lambda: now[0])

    def move(seconds):
        now[0] += seconds

    return move


def browser():
    return Client(headers={"Accept-Encoding": "br"})


def environ(address=LIST, method="get", **more):
    made = getattr(RequestFactory(), method)(address, **{"HTTP_ACCEPT_ENCODING": "br", **more}).environ
    return {name: value for name, value in made.items() if name not in ("HTTP_COOKIE", "CONTENT_LENGTH")}


def headers_of(response):
    return {name: value for name, value in response.items() if name != "X-Request-ID"}


@pytest.mark.parametrize("is_unchanged", [False, True])
def test_it_is_the_answer_that_a_thread_would_send(is_unchanged):
    SubmissionFactory()
    first = browser().get(LIST)
    asked = {"HTTP_IF_NONE_MATCH": first["ETag"]} if is_unchanged else {}
    by_thread = browser().get(LIST, **asked)

    evictable_cache.clear()  # it needs nothing that is elsewhere
    with CaptureQueriesContext(connection) as queries:
        known = answer_from_memory(environ(**asked))
        sent = WSGIHandler()({**environ(**asked), FROM_MEMORY: known}, lambda *_: None)
    assert not queries
    assert sent.status_code == (304 if is_unchanged else 200)
    assert sent.content == by_thread.content
    assert headers_of(sent) == headers_of(by_thread)


@pytest.mark.parametrize(
    "other",
    [
        {"HTTP_COOKIE": "sessionid=x"},
        {"HTTP_AUTHORIZATION": "Bearer x"},
        {"HTTP_HX_REQUEST": "true"},
        {"HTTP_HOST": "127.0.0.1"},
        {"HTTP_ACCEPT_ENCODING": "gzip"},
        {"HTTP_ACCEPT_ENCODING": "identity"},
        {"CONTENT_LENGTH": "5"},
        {"HTTP_TRANSFER_ENCODING": "chunked"},
        {"REQUEST_METHOD": "POST"},
        {"QUERY_STRING": "service=cassandra"},
        {"QUERY_STRING": "x=1"},
        {"PATH_INFO": "/nowhere/"},
    ],
)
def test_for_any_other_request_a_thread_has_to_see_to_it(other):
    browser().get(LIST)
    assert answer_from_memory({**environ(), "CONTENT_LENGTH": "0"})
    assert answer_from_memory({**environ(), **other}) is None


def test_an_answer_of_the_api_is_never_older_than_the_data():
    browser().get("/api/v1/submissions/")
    assert answer_from_memory(environ("/api/v1/submissions/")) is None


def test_where_replicas_are_read_which_of_them_is_chosen_first(monkeypatch):
    browser().get(LIST)
    monkeypatch.setattr(response_cache, "replicas_of", lambda _: ["replica_1"])
    assert answer_from_memory(environ()) is None


def test_half_a_second_later_the_state_of_the_data_is_looked_at_again(clock):
    browser().get(LIST)
    clock(0.4)
    assert answer_from_memory(environ())
    clock(0.2)
    assert answer_from_memory(environ()) is None
    browser().get(LIST)
    assert answer_from_memory(environ())


def test_after_a_change_it_is_as_old_as_any_kept_page_may_be(clock):
    first = browser().get(LIST)
    SubmissionFactory(title="Came a moment ago")
    clock(0.6)
    browser().get("/workloads/")  # looks at the state
    assert answer_from_memory(environ()).content == first.content
    clock(1.5)
    browser().get("/workloads/")
    assert answer_from_memory(environ()) is None
    assert b"Came a moment ago" in brotli.decompress(browser().get(LIST).content)
    assert b"Came a moment ago" in brotli.decompress(answer_from_memory(environ()).content)


def test_a_picture_is_kept_as_it_is():
    row = SubmissionFactory()
    address = f"{LIST}{row.pk}/card.png"
    first = Client().get(address)

    (page,) = keys("page:*")
    assert evictable_cache.get(page).response.content == first.content
    assert queries(address) == 0
