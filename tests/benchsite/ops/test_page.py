"""/ops/ is for operators, and stands when everything else has fallen."""

from datetime import UTC, date, datetime, timedelta

import pytest

from benchsite.ops import figures, site
from benchsite.ops.figures import Figure, Kind
from benchsite.ops.page import finding, value_words
from submissions import operations
from submissions.models import Dataset, Upload
from tests.factories import PriceFactory, UserFactory
from tests.pages import faults, text

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def operator(client):
    user = UserFactory(is_staff=True)
    client.force_login(user)
    return user


def test_only_operators_see_it(client):
    assert client.get("/ops/").url.startswith("/account/login/")
    client.force_login(UserFactory())
    assert client.get("/ops/").status_code == 403


def test_it_says_what_waits_what_is_old_and_what_has_never_been(client, operator):
    PriceFactory(provider="gce")
    old = Upload.objects.create(owner=operator, status=Upload.Status.QUEUED)
    Upload.objects.filter(pk=old.pk).update(created_at=old.created_at - timedelta(hours=3, minutes=5))

    page = client.get("/ops/")

    words = text(page)
    assert faults(page) == []
    assert "Uploads that wait for a worker 1" in " ".join(words.split())
    assert "3 h 5 min" in words
    assert "No worker answers" in words
    assert "newest price of Google Cloud" in words
    assert "Age of the last backup" in words
    assert "never" in words
    assert "Open runs" in words
    assert words.startswith("Operations Needs attention: ")


def test_a_worker_that_runs_is_seen(celery_worker):
    both = {"celery": 1, "runs": 1}
    assert any(
        site.workers_by_queue() == both for _ in range(30)
    )  # each look waits for answers; a busy worker misses some


def test_one_source_that_fails_leaves_the_others(client, operator, monkeypatch):
    def broken():
        raise ZeroDivisionError

    monkeypatch.setitem(figures.SOURCES, "Results", broken)

    page = client.get("/ops/")

    assert page.status_code == 200
    assert "They could not be read" in text(page)
    assert "Open runs" in text(page)


def test_a_dump_that_fails_for_days_is_seen(client, operator):
    Dataset.objects.create(made_at=datetime(2026, 1, 1, tzinfo=UTC), folder="datasets/x", files=[])

    assert "The nightly dump fails" in text(client.get("/ops/"))


def test_prices_that_nobody_loads_any_more_are_seen(client, operator):
    PriceFactory(provider="gce", valid_from=date(2020, 8, 30))

    words = text(client.get("/ops/"))

    assert "Load newer prices with manage.py load_prices" in words
    assert "age of the newest price of Google Cloud" in words.partition(".")[0]


@pytest.mark.parametrize(("newest", "is_alarming"), [(date(2026, 9, 24), False), (date(2026, 9, 22), True)])
def test_prices_are_old_after_two_months(newest, is_alarming):
    figure = operations.price_age("aws", newest, NOW)

    assert bool(figure.alarm) == is_alarming


@pytest.mark.parametrize(("age", "is_alarming"), [(None, True), (timedelta(hours=20), False), (timedelta(3), True)])
def test_a_backup_that_is_missing_or_old_needs_attention(age, is_alarming):
    figure = site.backup_age(age and NOW - age, NOW)

    assert bool(figure.alarm) == is_alarming


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        (None, Kind.AGE, "never"),
        (None, Kind.COUNT, "unknown"),
        (12345, Kind.COUNT, "12,345"),
        (42, Kind.AGE, "42 s"),
        (12000, Kind.AGE, "3 h 20 min"),
        (190_000, Kind.AGE, "2 d 4 h"),
        (196_560_000, Kind.AGE, "2,275 d"),
        (13 * 1024**3, Kind.BYTES, "13.0 GiB"),
        (4.2, Kind.USD, "$4.20"),
        (1, Kind.FLAG, "yes"),
        (0, Kind.FLAG, "no"),
    ],
)
def test_values_in_words(value, kind, words):
    assert value_words(Figure("x", "X", value, kind)) == words


def test_the_finding():
    assert finding([]) == "Nothing needs attention."
    assert finding(["Workers", "Free disk"]) == "Needs attention: workers, free disk."
