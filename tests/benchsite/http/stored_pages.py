"""What the tests of kept pages ask."""

import redis
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchsite.redis.cache import EVICTABLE, evictable_cache


def keys(pattern):
    """Of this cache alone."""
    with redis.Redis.from_url(settings.CACHES[EVICTABLE]["LOCATION"]) as server:
        return [key.decode().split(":", 2)[2] for key in server.keys(evictable_cache.make_key(pattern))]


def queries(address, client=None, **headers):
    """How many queries the answer took, as a first visit of a browser without cookies."""
    with CaptureQueriesContext(connection) as asked:
        assert (client or Client()).get(address, **headers).status_code == 200
    return len(asked)
