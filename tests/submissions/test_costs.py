"""What each page costs, with one result and with three: database queries, and bytes on the wire."""

import gzip
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

import brotli
import pytest
from django.contrib.staticfiles import finders
from django.db import connection, transaction
from django.template.loader import get_template
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver
from django.utils import timezone

from benchsite.redis.cache import evictable_cache
from submissions import models
from submissions.aggregates import store
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.price_book import in_price_book
from tests.read_only import PAGES, pages

pytestmark = pytest.mark.django_db  # pytest-django makes the database of `costs` only where a test asks for one

# all compressed, pages by gzip, the library as WhiteNoise sends it to browsers
PAGE_KB = 40
LARGER_KB = {"api:schema": 60}  # read by programs, once
CHART_LIBRARY_KB = 330
A_ROW_KB = 0.56  # what one result more adds at most, to tables and to charts for a desk and for a phone

# Views that are no page of results for everybody: forms, accounts, files, and answers that need more than results.
OTHERS = {
    "a form": "new report shorten account change create_token close_account accept_invitation retract revoke_token"
    " new_follow change_follow unsubscribe"
    " revoke_all_tokens submission-retract submission-report submission-import submission-bulk",
    "of its owner": "follows follow_feed level_change follow-list follow-detail"
    " preview batch batch-result outcome bill upload-status token-list token-current token-detail",
    "of moderators": "moderation_queue moderation_decision moderation_account",
    "a file": "security_txt artifact artifact-download dataset_file croissant data_citation card sitemap_part",
    "leads to another page": "chart_numbers short_link about_short_link moved_size",
}


OF_SEVERAL = (
    "submissions:compare",
    "submissions:compare_machines",
    "api:compare",
)  # one result alone is an error there

# {view: most queries of the first reader, when nothing is kept of an answer before}; UPDATE_QUERY_COUNTS=1 writes it
QUERY_COUNTS = Path(__file__).with_name("query_counts.json")


def names_of(resolver, app=""):
    for pattern in resolver.url_patterns:
        if hasattr(pattern, "url_patterns"):
            yield from names_of(pattern, pattern.app_name or app)
        elif app in ("submissions", "api") and pattern.name:
            yield f"{app}:{pattern.name}"


def test_every_view_is_measured_or_is_no_page_of_results():
    others = {name for names in OTHERS.values() for name in names.split()}
    views = {name for name in names_of(get_resolver()) if name.partition(":")[2] not in others}

    assert views - set(PAGES) == set()


def some_results(count):
    """Of one workload, unlike in what pages group by; the newest first. And what the site keeps of them."""
    workload = WorkloadFactory(title="cassandra-stress write", fingerprint="ab" * 8)
    machines = (("aws", "m5.xlarge", "17.0.4"), ("gce", "n2-standard-4", "11.0.9"), ("azure", "D4s", "21.0.2"))
    rows = [
        SubmissionFactory(
            workload=workload,
            provider=provider,
            instance_type=machine,
            jdk_version=jdk,
            node_count=3 * (place + 1),
            trials_count=2,
            throughput_ops_s=90_000.0 * (place + 1),
        )
        for place, (provider, machine, jdk) in enumerate(machines[:count])
    ]
    models.NodeGroup.objects.update(disks=[])  # what clouds bill beside the machine has no price here
    in_price_book(last_seen=timezone.now().date())
    store.refresh_all()
    return [row.pk for row in reversed(rows)], workload.fingerprint


@dataclass(frozen=True)
class Cost:
    queries: int
    kb: float  # compressed


def cost(client, address):
    """Of the first reader."""
    evictable_cache.clear()
    with CaptureQueriesContext(connection) as queries:
        response = client.get(address)
        content = b"".join(response.streaming_content) if response.streaming else response.content
    assert response.status_code == 200, f"{address}: {response.status_code} {content[:300]!r}"
    packed = content if response.get("Content-Encoding") == "gzip" else gzip.compress(content, 6)
    return Cost(len(queries), len(packed) / 1000)


@pytest.fixture(scope="module")
def costs(django_db_setup, django_db_blocker):
    """By number of results and view; measured once, in a transaction that is taken back."""
    measured = {}
    with django_db_blocker.unblock():
        for count in (1, 3):
            with transaction.atomic():
                addresses = dict(pages(*some_results(count)))
                able = {name: address for name, address in addresses.items() if count > 1 or name not in OF_SEVERAL}
                measured[count] = {name: cost(Client(), address) for name, address in able.items()}
                transaction.set_rollback(True)
    if os.environ.get("UPDATE_QUERY_COUNTS"):
        counts = {name: measured[3][name].queries for name in PAGES}
        QUERY_COUNTS.write_text(json.dumps(counts, indent=2) + "\n")
    return measured


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_the_database_no_more_often_for_more_results(costs, name):
    assert costs[3][name].queries <= json.loads(QUERY_COUNTS.read_text())[name]
    assert name in OF_SEVERAL or costs[3][name].queries <= costs[1][name].queries


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_small_and_grows_by_what_it_shows(costs, name):
    assert costs[3][name].kb <= LARGER_KB.get(name, PAGE_KB)
    assert name in OF_SEVERAL or costs[3][name].kb - costs[1][name].kb <= 2 * A_ROW_KB


def test_the_library_of_charts_is_of_limited_size_and_delays_no_page():
    library = Path(finders.find("vendor/plotly/plotly-basic.min.js")).read_bytes()
    script = get_template("components/chart_scripts.html").render()

    assert len(brotli.compress(library)) / 1000 <= CHART_LIBRARY_KB
    assert not re.search(r"<script [^>]*src=[^>]*plotly", script)  # fetched when a chart is touched
