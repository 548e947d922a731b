"""Each view says what its answer is made from, or why it is not shared; what is unchanged is sent once."""

import re
from collections import defaultdict
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.conf import settings as site
from django.core.cache import caches
from django.http import QueryDict
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from benchsite.http.from_data import FromData, declaration_of, match_of_path
from submissions.dataset.write import write
from submissions.models import LINK_KEY
from submissions.records.curves.interval_window import OTHER_PARAMETERS
from tests.factories import PriceFactory, SubmissionFactory

pytestmark = pytest.mark.django_db

OURS = ("benchsite.", "submissions.", "runners.")
ANY_VALUE = {"int": 1, "uuid": "12345678-1234-5678-1234-567812345678"}

WITH_ARGS = {
    "submissions:detail": "pk",
    "submissions:badge": "pk",
    "submissions:service": "service",
    "submissions:service_feed": "service",
    "submissions:workload": "workload",
    "submissions:sitemap_part": "part",
    "submissions:machine": "machine",
    "api:machine": "machine",
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


def _patterns(resolver, namespace="", route=""):
    """(name, route, view) of each address of the site that is made by a view of ours."""
    for pattern in resolver.url_patterns:
        path = f"{route}{pattern.pattern}"
        if not isinstance(pattern, URLPattern):
            yield from _patterns(pattern, f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace, path)
        elif getattr(pattern.callback, "view_class", pattern.callback).__module__.startswith(OURS):
            yield f"{namespace}{pattern.name}", path, pattern.callback


PATTERNS = list(_patterns(get_resolver()))
FROM_DATA = {name: declaration_of(view) for name, _, view in PATTERNS if isinstance(declaration_of(view), FromData)}
# The pages that are pictures of others: with the address of one
ABOUT_PAGES = {"submissions:card", "submissions:embed", "submissions:oembed", "submissions:badge"}


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
    "submissions:compare_machines": "a=m3.2xlarge&b=gce:none",
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
    args |= {"machine": [row.provider, row.instance_type]}
    made = []
    for name in FROM_DATA.keys() - {"submissions:embed", "submissions:card"}:  # they read what another page reads
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

    parameters = {name: set(declared.parameters) for name, declared in FROM_DATA.items()}
    # nothing of an unlisted result is kept, nor what a reader pays
    allowed = {"format", LINK_KEY, *OTHER_PARAMETERS, *site.PRIVATE_PARAMETERS}
    # of the page that it has in a parameter
    read["api:chart"] -= read["submissions:value"] - FROM_DATA["api:chart"].parameters
    read["api:schema"] -= {"lang"}  # of translations, which this site does not have
    missing = {name: read[name] - {*names, *allowed} for name, names in parameters.items()}
    assert not {name: found for name, found in missing.items() if found}
    of_pagination = {"cursor", "page_size", "ordering", "format"}  # read where there is more, or as CSV alone
    unread = {name: set(names) - of_pagination - read[name] for name, names in parameters.items()}
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
            match = match_of_path(parts.path, site.ROOT_URLCONF)
            declared = FROM_DATA.get(match.view_name) if match else None
            links += declared is not None
            if declared is not None and not declared.reads_all_of(parts.query):
                wrong.add((match.view_name, parts.query, address))
    assert not wrong
    assert links > 50


def test_an_address_that_says_nothing_answers_no_stranger():
    """Whatever anybody can read has `from_data`, or `not_shared` with the reason."""
    login, answered = reverse(site.LOGIN_URL), {}
    for name, route, view in PATTERNS:
        if declaration_of(view) is None:
            path = re.sub(r"<(\w+):\w+>", lambda found: str(ANY_VALUE.get(found[1], "a")), route)
            answer = Client().get(f"/{path}", REMOTE_ADDR=f"10.0.0.{len(answered) % 250}")
            is_login = answer.status_code == 302 and answer["Location"].startswith(login)
            answered[name] = "refused" if is_login or answer.status_code in (401, 403, 405) else answer.status_code

    assert not {name: status for name, status in answered.items() if status != "refused"}
    assert len(answered) > 50


def test_each_reason_is_one():
    reasons = [declaration_of(view).why for _, _, view in PATTERNS if hasattr(declaration_of(view), "why")]

    assert len(reasons) > 20
    assert all(reasons)


@pytest.mark.parametrize("address", ["/prices/", "/api/v1/prices/"])
def test_prices_change_with_the_price_book_and_not_with_results(address, settings, clear_cache):
    settings.PAGE_CACHE_SECONDS = 2
    SubmissionFactory()
    tags = []
    for change in (SubmissionFactory, SubmissionFactory, PriceFactory):
        change()
        for cache in caches:
            caches[cache].clear()  # half a second later
        tags.append(Client().get(address)["ETag"])

    assert tags[0] == tags[1] != tags[2]


def test_each_is_sent_once_without_a_cookie_and_304_has_the_same_headers(settings, clear_cache):
    settings.PAGE_CACHE_SECONDS = 2
    row = SubmissionFactory()
    write(timezone.now())
    args = {
        "pk": (row.pk,),
        "service": (row.service,),
        "workload": (row.workload.fingerprint,),
        "part": ("pages", 1),
        "machine": (row.provider, row.instance_type),
    }
    wrong = []
    for name in FROM_DATA.keys() - ABOUT_PAGES:
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
