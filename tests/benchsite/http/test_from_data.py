"""An ETag is of everything that an answer may depend on, and of nothing else."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from benchsite.http import from_data as module
from benchsite.http import response_cache
from benchsite.http.from_data import NotShared, declaration_of, from_data, is_known_to, not_shared
from benchsite.http.response_cache import ResponseCacheMiddleware
from benchsite.replicas import router

ADDRESS = "/submissions/"
OF_DATA = from_data("data")


@pytest.fixture(autouse=True)
def versions(monkeypatch, settings, clear_cache):
    """What is stored, for views of the test."""
    settings.PAGE_CACHE_SECONDS = 2
    settings.ALLOWED_HOSTS = ["*"]
    stored = {"data": "1", "prices": "1"}
    monkeypatch.setattr(response_cache, "read_versions", lambda: dict(stored))
    return stored


@pytest.fixture
def etag(monkeypatch, clear_cache):
    """Of the answer of a view that says this."""

    def etag_of(address=ADDRESS, declared=OF_DATA, **headers):
        clear_cache()
        view = declared(lambda request: HttpResponse("an answer"))
        monkeypatch.setattr(response_cache, "from_data_of", lambda match: declaration_of(view))
        return ResponseCacheMiddleware(view)(RequestFactory().get(address, **headers)).get("ETag")

    return etag_of


@pytest.fixture
def clear_cache():
    from django.core.cache import caches

    def clear():
        for each in caches:
            caches[each].clear()

    clear()
    return clear


@pytest.mark.parametrize(
    "other",
    [
        {"address": "/submissions/?service=cassandra"},
        {"address": "/services/"},
        {"HTTP_COOKIE": "sessionid=a"},
        {"HTTP_AUTHORIZATION": "Bearer a"},
        {"HTTP_ACCEPT": "text/csv"},
        {"HTTP_HOST": "another.example"},
        {"HTTP_HX_REQUEST": "true"},
        {"wsgi.url_scheme": "https"},
    ],
)
def test_it_differs_by(etag, other):
    assert etag(**other) != etag()
    assert etag() == etag()
    assert etag().startswith('W/"')


def test_it_differs_by_the_code_and_by_the_key_of_the_site(etag, settings, monkeypatch):
    before = etag()
    monkeypatch.setattr(response_cache, "code_version", lambda: "other code")
    by_code = etag()
    settings.SECRET_KEY = "another key, so that nobody else can make one"

    assert len({before, by_code, etag()}) == 3


def test_it_differs_by_the_version_of_what_the_view_names_and_of_nothing_else(etag, versions):
    declared = {"of data": from_data("data"), "of both": from_data("data", "prices"), "of none": from_data()}
    before = {name: etag(declared=each) for name, each in declared.items()}
    versions["prices"] = "2"

    assert [name for name, each in declared.items() if etag(declared=each) != before[name]] == ["of both"]


def test_where_a_version_cannot_be_known_there_is_none(etag, versions):
    del versions["data"]

    assert etag() is None
    assert etag(declared=from_data("prices"))


def test_a_view_that_is_not_shared_has_none(monkeypatch):
    view = not_shared("a form")(lambda request: HttpResponse("a form"))
    monkeypatch.setattr(module, "resolve", lambda *args: None)

    assert declaration_of(view) == NotShared("a form")
    assert module.from_data_of(None) is None


def test_a_class_does_not_inherit_what_another_says():
    class View:
        pass

    class Sub(from_data("data")(View)):
        pass

    assert declaration_of(View).subjects == ("data",)
    assert declaration_of(Sub) is None


@pytest.mark.parametrize(
    ("query", "is_read"),
    [
        ("", True),
        ("a=1&b=2", True),
        ("a", True),
        ("c=1", False),
        ("a=1&a=2&utm_source=x", False),
        ("&".join(["a=1"] * 600), False),
    ],
)
def test_a_query_is_read_where_each_parameter_is(query, is_read):
    declared = declaration_of(from_data("data", parameters=("a", "b"))(lambda request: None))

    assert declared.reads_all_of(query) is is_read


@pytest.mark.parametrize(
    ("given", "known"),
    [('W/"a"', True), ('"a"', True), ('"b", W/"a"', True), ('W/"b"', False), ("", False), ("*", False)],
)
def test_clients_name_what_they_have(given, known):
    assert is_known_to(RequestFactory().get("/", HTTP_IF_NONE_MATCH=given), 'W/"a"') is known


def test_a_recent_version_is_of_the_database_that_is_read(monkeypatch):
    """A replica that lags has pages of its own: they must not pass for those of the primary."""
    read = {"default": "new", "replica": "old"}
    monkeypatch.setattr(response_cache, "read_versions", lambda: {"data": read[router.reading_from()]})
    view = from_data("data")(lambda request: HttpResponse("an answer"))
    monkeypatch.setattr(response_cache, "from_data_of", lambda match: declaration_of(view))
    etags = []
    for alias in ("default", "replica", "default"):
        router.read_from(alias)
        # under a query that the view does not read nothing is stored: only the version is remembered
        etags.append(ResponseCacheMiddleware(view)(RequestFactory().get(ADDRESS, {"x": 1}))["ETag"])
    router.read_from("default")

    assert etags[0] == etags[2] != etags[1]
