"""The siege's attack on the sign-in, on a real site with its own form and counters."""

from urllib.parse import urlsplit

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import caches

from bench.siege import lock
from bench.siege.target import Target

PASSWORD = "a long pass phrase 77"


@pytest.fixture
def target(live_server, clear_cache):
    get_user_model().objects.create_user("reader", password=PASSWORD)
    return Target(urlsplit(live_server.url).port)


def test_a_lock_that_lasts_is_seen_and_every_page_is_asked(target):
    found = lock.survives(target, f"reader:{PASSWORD}", 12, "/submissions/", say=lambda words: None)

    assert (found["is_locked"], found["locks"], found["pages"]["statuses"]) == (True, 1, {"200": 12})


def test_a_lock_that_is_gone_is_seen(target, monkeypatch):
    monkeypatch.setattr(
        lock, "read_pages", lambda *args: [cache.clear() for cache in caches.all(initialized_only=False)]
    )

    found = lock.survives(target, f"reader:{PASSWORD}", 12, "/submissions/", say=lambda words: None)

    assert found["is_locked"] is False


def test_a_site_that_locks_nobody_ends_the_siege(target, settings):
    settings.ACCOUNT_RATE_LIMITS = False

    with pytest.raises(SystemExit, match="6 wrong passwords do not lock the sign-in of reader"):
        lock.survives(target, f"reader:{PASSWORD}", 12, "/submissions/", say=lambda words: None)
