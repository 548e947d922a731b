"""What did not change is not made again; nobody is shown what is somebody else's, or is older."""

import brotli
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.throttling import SimpleRateThrottle

from benchsite.http import response_cache
from benchsite.http.limits import costs
from benchsite.ops import counts
from benchsite.redis.cache import evictable_cache
from submissions.choices import Visibility
from submissions.ingest.changes.retract import retract
from tests.benchsite.http.stored_pages import keys, queries
from tests.factories import SubmissionFactory, UserFactory, bearer
from tests.pages import text

pytestmark = pytest.mark.django_db

LIST = "/submissions/"


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """What the page cache takes for now: it stays, until a test moves it."""
    now = [response_cache.time.time()]
    monkeypatch.setattr(response_cache.time, "time", lambda: now[0])

    def move(seconds):
        now[0] += seconds

    return move


@pytest.fixture(autouse=True)
def kept(settings, clear_cache):
    settings.PAGE_CACHE_SECONDS = 60


def test_the_second_reader_of_a_page_costs_no_query_and_gets_the_same_page(client):
    SubmissionFactory()
    first = client.get(LIST)

    assert queries(LIST) == 0
    second = Client().get(LIST)
    assert second.content == first.content
    assert second["Content-Security-Policy"] == first["Content-Security-Policy"]
    assert second["X-Request-ID"] != first["X-Request-ID"]
    assert second["Vary"] == first["Vary"]
    assert second["Cache-Control"] == "public, max-age=60, stale-while-revalidate=10"


def test_each_query_host_and_site_of_it_has_a_page_of_its_own(settings):
    settings.ALLOWED_HOSTS = ["one.example", "two.example"]
    assert queries(LIST, HTTP_HOST="one.example") > 0
    assert queries(LIST, HTTP_HOST="one.example") == 0
    assert queries(LIST, HTTP_HOST="two.example") > 0
    assert queries(f"{LIST}?service=cassandra", HTTP_HOST="one.example") > 0
    assert Client().get(LIST, HTTP_HOST="three.example").status_code == 400


def test_who_is_signed_in_sees_what_is_true_now_and_leaves_nothing_of_it_to_others(client):
    client.get(LIST)
    signed_in, added = Client(), SubmissionFactory(title="Came a moment ago")
    signed_in.force_login(UserFactory(username="reader-of-it"))

    assert added.title in text(signed_in.get(LIST))
    page = text(Client().get(LIST))
    assert added.title not in page
    assert "reader-of-it" not in page


def test_a_page_that_gives_a_cookie_is_nobody_elses(client):
    """It has the token of a form, which works with the cookie only."""
    visitors = [Client(), Client()]
    answers = [visitor.get("/account/login/") for visitor in visitors]

    tokens = {visitor.cookies["csrftoken"].value for visitor in visitors}
    assert len(tokens) == 2
    assert answers[0].content != answers[1].content


def test_a_program_that_asks_the_api_reads_what_it_has_just_written(client):
    client.get("/api/v1/submissions/")
    added = SubmissionFactory()

    assert [one["id"] for one in client.get("/api/v1/submissions/").json()["results"]] == [added.pk]


def test_a_missing_page_is_looked_for_again(client):
    added = SubmissionFactory.build()
    assert client.get(f"{LIST}999999/").status_code == 404
    SubmissionFactory(pk=999999, title=added.title)

    assert client.get(f"{LIST}999999/").status_code == 200


def test_without_the_setting_each_page_is_made_anew(client, settings):
    settings.PAGE_CACHE_SECONDS = 0
    client.get(LIST)

    assert queries(LIST) > 0
    assert not {"Cache-Control", "ETag"} & set(client.get(LIST).headers)


def test_a_kept_page_is_counted_by_its_name(client, redis_client, monkeypatch):
    names = []
    monkeypatch.setattr(counts, "count", lambda kind, name, *rest: names.append(name))

    for _ in range(2):
        Client().get(LIST)

    assert names == ["GET submissions:list"] * 2


def again(address, client=None, **headers):
    """Ask twice, the second time with the ETag of the first answer, which takes fewer queries; both answers."""
    client = client or Client()
    with CaptureQueriesContext(connection) as first_asked:
        first = client.get(address, **headers)
    assert first.status_code == 200, first.content[:300]
    with CaptureQueriesContext(connection) as asked:
        second = client.get(address, headers={"If-None-Match": first["ETag"]}, **headers)
    assert len(asked) < len(first_asked)
    return first, second


def test_unchanged_is_answered_before_the_view(client):
    SubmissionFactory()
    first, second = again(LIST)

    assert (second.status_code, second.content) == (304, b"")
    for name in ("ETag", "Cache-Control", "Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"):
        assert second[name] == first[name]
    assert not second.cookies
    assert client.head(LIST, headers={"If-None-Match": first["ETag"]}).status_code == 304


def test_half_a_second_later_it_is_unchanged_too(clock):
    SubmissionFactory()
    etag = Client().get(LIST)["ETag"]
    clock(0.6)

    assert Client().get(LIST, headers={"If-None-Match": etag}).status_code == 304


@pytest.mark.parametrize(
    "change",
    [
        lambda row: SubmissionFactory(),
        lambda row: retract(row, reason="throttled clients"),
        lambda row: row.delete(),
    ],
    ids=["upload", "retraction", "deletion"],
)
def test_after_a_change_the_page_is_made_anew(change, clock):
    row = SubmissionFactory()
    etag = Client().get(LIST)["ETag"]
    change(row)
    clock(60)

    answer = Client().get(LIST, headers={"If-None-Match": etag})
    assert (answer.status_code, answer["ETag"] != etag) == (200, True)


def test_a_page_is_kept_for_as_long_as_it_is_true(clock, settings):
    settings.PAGE_CACHE_SECONDS = 2
    SubmissionFactory()
    first = queries(LIST)
    clock(300)

    assert queries(LIST) < first


def test_in_a_storm_of_uploads_a_page_is_two_seconds_old_at_most(clock, settings):
    settings.PAGE_CACHE_SECONDS = 2
    Client().get(LIST)
    SubmissionFactory(title="Came a moment ago")
    clock(0.9)
    assert "Came a moment ago" not in text(Client().get(LIST))
    clock(1.2)

    assert "Came a moment ago" in text(Client().get(LIST))


def test_while_one_reader_makes_the_next_page_the_others_get_the_last(clock, settings):
    settings.PAGE_CACHE_SECONDS = 2
    Client().get(LIST)
    SubmissionFactory(title="Came a moment ago")
    clock(1.5)
    (page,) = keys("page:*")
    lock = f"{page}:lock"
    evictable_cache.add(lock, 1, 60)

    assert "Came a moment ago" not in text(Client().get(LIST))
    evictable_cache.delete(lock)
    assert "Came a moment ago" in text(Client().get(LIST))
    assert not evictable_cache.get(lock)


def test_a_page_that_fails_leaves_the_lock(client, monkeypatch):
    client.raise_request_exception = False
    monkeypatch.setattr("submissions.records.databases.services.service_summaries", lambda: 1 / 0)
    assert client.get("/services/").status_code == 500
    monkeypatch.undo()

    assert client.get("/services/").status_code == 200


@pytest.mark.parametrize(
    "query", ["x=1", "service=cassandra&utm_source=mail", "page_size=2", "key=of-24-characters-abcdefg"]
)
def test_under_a_query_that_the_address_does_not_read_nothing_is_kept(query):
    """Neither the page nor a lock: anybody could fill the cache with copies of one page."""
    row = SubmissionFactory()
    for path in (LIST, f"{LIST}{row.pk}/", "/services/", "/account/login/"):
        address = f"{path}?{query}"
        assert Client().get(address).status_code == 200
        assert not keys("page:*")
    first, second = again(f"{LIST}?{query}")
    assert (first["Cache-Control"], second.status_code) == ("public, max-age=60, stale-while-revalidate=10", 304)


def test_more_parameters_than_a_request_may_have_are_refused_as_ever():
    query = "&".join(f"x{number}=1" for number in range(600))

    assert Client().get(f"{LIST}?{query}").status_code == 400


@pytest.mark.parametrize("value", ["1", "True", "a-random-one"])
def test_what_htmx_would_not_send_makes_no_page_of_its_own(value):
    SubmissionFactory()
    Client().get(LIST)

    Client().get(LIST, headers={"HX-Request": value})
    assert len(keys("page:*")) == 1
    Client().get(LIST, headers={"HX-Request": "true"})
    assert len(keys("page:*")) == 2


def test_it_is_kept_compressed_for_each_encoding():
    SubmissionFactory()
    plain = Client().get(LIST).content
    answers = [Client().get(LIST, headers={"Accept-Encoding": "gzip, br"}) for _ in range(2)]

    assert [answer["Content-Encoding"] for answer in answers] == ["br", "br"]
    assert brotli.decompress(answers[1].content) == plain
    assert int(answers[1]["Content-Length"]) == len(answers[1].content) < len(plain) / 3
    assert "Content-Encoding" not in Client().get(LIST)


def test_nobody_gets_304_for_what_another_has_seen(client):
    SubmissionFactory()
    readers = [Client(), Client()]
    for reader in readers:
        reader.force_login(UserFactory())
        reader.get(LIST)  # brings the cookie of its form
    etags = {reader.get(LIST)["ETag"] for reader in [*readers, client]}

    assert len(etags) == 3
    for reader in [*readers, client]:
        own = reader.get(LIST)["ETag"]
        for etag in etags - {own}:
            assert reader.get(LIST, headers={"If-None-Match": etag}).status_code == 200


def test_who_is_signed_in_gets_304_from_the_own_browser_only():
    reader = Client()
    reader.force_login(UserFactory())
    SubmissionFactory()
    reader.get(LIST)
    first, second = again(LIST, reader)

    assert second.status_code == 304
    assert first["Cache-Control"] == second["Cache-Control"] == "private, no-cache"
    reader.get("/account/")
    SubmissionFactory()
    assert reader.get(LIST, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_a_right_that_is_taken_away_ends_304():
    user, reader = UserFactory(is_staff=True), Client()
    reader.force_login(user)
    reader.get(LIST)
    etag = reader.get(LIST)["ETag"]

    type(user).objects.filter(pk=user.pk).update(is_staff=False)

    assert reader.get(LIST, headers={"If-None-Match": etag}).status_code == 200


@pytest.mark.parametrize("visibility", [Visibility.UNLISTED, Visibility.PRIVATE])
def test_what_is_not_public_is_neither_kept_nor_unchanged(visibility):
    owner, reader = UserFactory(), Client()
    row = SubmissionFactory(visibility=visibility, submitted_by=owner, link_key="a-key-of-24-characters-ab")
    reader.force_login(owner)
    assert "ETag" not in reader.get(f"{LIST}{row.pk}/")
    for address in (row.get_absolute_url(), f"/api/v1{row.get_absolute_url()}"):
        answer = Client().get(address)
        assert answer.status_code == 200 if visibility == Visibility.UNLISTED else 404
        assert "ETag" not in answer
        if answer.status_code == 200:
            assert "no-store" in answer["Cache-Control"]
    assert not keys("page:*")


def test_an_embargo_that_ends_ends_304_too(clock):
    row = SubmissionFactory()
    etag = Client().get(LIST)["ETag"]
    with connection.cursor() as cursor:  # no trigger: only the time has passed
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(
            "UPDATE submissions_submission SET embargo_until = now() - interval '1s' WHERE id = %s", [row.pk]
        )
        cursor.execute("SET LOCAL session_replication_role = origin")

    clock(60)
    assert Client().get(LIST, headers={"If-None-Match": etag}).status_code == 200


class TestAPI:
    LIST = "/api/v1/submissions/"

    @pytest.fixture(autouse=True)
    def no_charge_for_time(self, monkeypatch):
        """On a busy machine the first answer takes long, and would count as several."""
        monkeypatch.setattr(costs, "SECONDS_A_UNIT", 3600)

    def test_it_is_answered_before_the_view_and_counted_by_the_throttle(self, monkeypatch):
        SubmissionFactory()
        monkeypatch.setitem(SimpleRateThrottle.THROTTLE_RATES, "anon", "3/min")
        first, second = again(self.LIST)

        assert second.status_code == 304
        assert first["Cache-Control"] == second["Cache-Control"] == "public, no-cache"
        assert {"Cookie", "Authorization"} <= set(first["Vary"].split(", "))
        statuses = [Client().get(self.LIST, headers={"If-None-Match": first["ETag"]}).status_code for _ in range(2)]
        assert statuses == [304, 429]

    def test_a_kept_answer_is_never_older_than_the_data(self):
        SubmissionFactory()
        first = queries(self.LIST)
        assert queries(self.LIST) < first
        added = SubmissionFactory()

        assert Client().get(self.LIST).json()["results"][0]["id"] == added.pk

    def test_a_token_has_etags_of_its_own_and_its_throttle_counts(self, monkeypatch):
        monkeypatch.setitem(SimpleRateThrottle.THROTTLE_RATES, "user", "3/min")
        owner = UserFactory()
        SubmissionFactory()
        token = bearer(owner)
        first, second = again(self.LIST, **token)

        assert (second.status_code, first["Cache-Control"]) == (304, "private, no-cache")
        assert Client().get(self.LIST, headers={"If-None-Match": first["ETag"]}).status_code == 200
        assert Client().get(self.LIST, **token).status_code == 200
        assert Client().get(self.LIST, headers={"If-None-Match": first["ETag"]}, **token).status_code == 429

    def test_formats_are_answers_of_their_own(self):
        SubmissionFactory()
        etag = Client().get(self.LIST)["ETag"]

        as_csv = Client().get(self.LIST, headers={"Accept": "text/csv", "If-None-Match": etag})
        assert (as_csv.status_code, as_csv["Content-Type"]) == (200, "text/csv; charset=utf-8")
