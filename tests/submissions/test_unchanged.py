"""Every address of the results that can be read is in one of two lists, and what is unchanged is sent once."""

import re
from collections import defaultdict
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone

from benchsite import unchanged as recent
from submissions import api_urls, unchanged, urls
from submissions.dataset.write import write
from submissions.models import LINK_KEY
from submissions.records.curves.interval_window import _OTHER_PARAMETERS
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


# Beside the bare address: a query that leads deeper into the view.
QUERIES = {
    "submissions:home": "service={service}",
    "submissions:list": "ordering=latency_p99_ms",
    "submissions:recommend": "service={service}",
    "submissions:detail": "max_ms=1&basis=spot&scale=log",
    "submissions:compare": "s={pk}&s={other}",
    "submissions:size": "target_ops_s=1000&workload={workload}",
    "submissions:search": "q={service}",
    "submissions:prices": "q=m5",
    "api:chart": "page=/value/?workload={workload}&key=groups",
    "api:compare": "a={pk}&b={other}",
    "api:one-fact": "workload={workload}",
    "api:leaderboard": "workload={workload}",
    "api:grid": "workload={workload}",
    "api:size": "target_ops_s=1000&workload={workload}",
    "api:history": "like={pk}",
    "api:recommend": "service={service}",
}


@pytest.fixture
def addresses():
    """(name, address) of all that are registered, on a site with results."""
    row, other = SubmissionFactory(), SubmissionFactory()
    write(timezone.now())
    values = {"pk": row.pk, "other": other.pk, "service": row.service, "workload": row.workload.fingerprint}
    args = {name: [value] for name, value in values.items()} | {"part": ["pages", 1]}
    made = []
    for name in unchanged.PARAMETERS:
        path = reverse(name, args=args[WITH_ARGS[name]] if name in WITH_ARGS else [])
        made.append((name, path))
        if name in QUERIES:
            made.append((name, f"{path}?{QUERIES[name].format(**values)}"))
    return made


def test_each_parameter_that_an_address_reads_is_in_the_table(addresses, monkeypatch):
    """One that is missing there costs the cache; one that nothing reads would let anybody fill it."""
    read = defaultdict(set)
    name_of_view = ""

    def recorded(method):
        def recording(self, key, *args, **kwargs):
            read[name_of_view].add(key)
            return method(self, key, *args, **kwargs)

        return recording

    for method in ("__getitem__", "__contains__", "_getlist"):
        monkeypatch.setattr(QueryDict, method, recorded(getattr(QueryDict, method)))
    for name, address in addresses:
        name_of_view = name
        Client().get(address)

    allowed = {"format", LINK_KEY, *_OTHER_PARAMETERS}  # nothing of an unlisted result is kept
    # of the page that it has in a parameter
    read["api:chart"] -= read["submissions:value"] - set(unchanged.PARAMETERS["api:chart"])
    read["api:schema"] -= {"lang"}  # of translations, which this site does not have
    missing = {name: read[name] - {*names, *allowed} for name, names in unchanged.PARAMETERS.items()}
    assert not {name: found for name, found in missing.items() if found}
    of_pagination = {"cursor", "page_size", "ordering", "format"}  # read where there is more, or as CSV alone
    unread = {name: set(names) - of_pagination - read[name] for name, names in unchanged.PARAMETERS.items()}
    assert not {name: found for name, found in unread.items() if found}


def test_each_link_to_an_address_has_only_parameters_that_it_reads(addresses):
    """Whatever a reader can follow is kept."""
    wrong, links = set(), 0
    for _, address in addresses:
        page = Client().get(address)
        if not page.get("Content-Type", "").startswith("text/html"):
            continue
        for link in re.findall(r'href="(/[^"]*\?[^"]*)"', page.content.decode()):
            parts = urlsplit(unescape(link))
            try:
                name = resolve(parts.path).view_name
            except Resolver404:
                continue
            links += name in unchanged.PARAMETERS
            if name in unchanged.PARAMETERS and not recent.takes_query(name, parts.query):
                wrong.add((name, parts.query, address))
    assert not wrong
    assert links > 50


def test_an_address_that_is_not_in_the_table_is_kept_without_a_query_alone():
    assert recent.takes_query("submissions:terms", "")
    assert not recent.takes_query("submissions:terms", "x")
    assert not recent.takes_query("submissions:terms", "format=json")


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
    for name in unchanged.PARAMETERS:
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
