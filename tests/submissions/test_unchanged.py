"""Every address of the results that can be read is in one of two lists, and what is unchanged is sent once."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from benchsite import unchanged as recent
from submissions import api_urls, unchanged, urls
from submissions.dataset.write import write
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db

WITH_ARGS = {
    "submissions:detail": "pk",
    "submissions:service": "service",
    "submissions:service_feed": "service",
    "submissions:workload": "workload",
    "submissions:sitemap_part": "part",
    "api:submission-detail": "pk",
    "api:trial-list": "pk",
    "api:host-list": "pk",
    "api:artifact-list": "pk",
    "api:age": "pk",
    "api:bill": "pk",
}
# They need parameters: of what they answer without them nothing is kept.
NEED_PARAMETERS = {
    "api:chart",
    "api:compare",
    "api:one-fact",
    "api:leaderboard",
    "api:grid",
    "api:size",
    "api:history",
    "api:recommend",
}


def test_each_address_is_in_one_list_with_the_reason_why_in_the_other():
    for app, module, listed in (
        ("submissions", urls, unchanged.PAGES),
        ("api", api_urls, unchanged.API),
    ):
        names = {pattern.name for pattern in module.urlpatterns}
        others = unchanged.NOT_BY_DATA[app]
        assert set(listed) | set(others) == names
        assert not set(listed) & set(others)
        assert all(others.values())


def test_each_is_sent_once_without_a_cookie_and_304_has_the_same_headers(settings, clear_cache):
    settings.PAGE_CACHE_SECONDS = 2
    recent._recent.clear()
    row = SubmissionFactory()
    write(timezone.now())
    args = {
        "pk": (row.pk,),
        "service": (row.service,),
        "workload": (row.workload.fingerprint,),
        "part": ("pages", 1),
    }
    wrong = []
    for name in unchanged.NAMES:
        address = reverse(name, args=args[WITH_ARGS[name]] if name in WITH_ARGS else [])
        first = Client().get(address)
        if first.status_code != 200:
            wrong += [] if name in NEED_PARAMETERS else [f"{name}: {first.status_code}"]
            continue
        second = Client().get(address, headers={"If-None-Match": first.get("ETag", "")})
        if first.cookies or second.status_code != 304:
            wrong.append(f"{name}: {second.status_code} after {first.headers}")
        policies = ("Content-Security-Policy", "Cache-Control", "X-Content-Type-Options", "ETag")
        wrong += [f"{name}: {policy}" for policy in policies if first.get(policy) != second.get(policy)]
    assert not wrong
