"""No figure of any page depends on how it was counted: added to, cached or counted anew, it is the same."""

import re

import pytest
from django.db import connection, transaction
from django.utils import timezone

from bench.rows.multiply import make_base, multiply, planned
from bench.rows.shares import Shares
from benchsite.redis.cache import evictable_cache
from submissions.aggregates.check import all_workloads
from submissions.aggregates.store import count_all_again, refresh_all
from submissions.models import Aggregate, QueuedChange, SiteCount, Submission, WorkloadFigures
from tests.factories import SubmissionFactory
from tests.read_only import with_figures

BASE, AT_FIRST, ROWS = 250, 4_500, 5_000

# What differs between two answers to the same question: tokens of forms, the times and signatures of cursors
PASSING = re.compile(r'name="csrfmiddlewaretoken" value="\w+"|X-CSRFToken[^}]+|(:|%3A)[\w-]{6}(:|%3A)[\w-]{43}')

# Sums of the same floats in another order differ beyond
DIGITS = 12
LONG = re.compile(r"\b\d[\d,]*\.\d{5,}(?:e-?\d+)?\b")


def count_everything_anew():
    """Nothing cached, and no figures: both may be so at any time."""
    evictable_cache.clear()
    workloads = all_workloads()
    for table in (Aggregate, SiteCount, WorkloadFigures):
        table.objects.all().delete()
    count_all_again(workloads)


def answers(client, addresses):
    return {address: shown(client.get(address)) for address in addresses}


def shown(response):
    if response.status_code != 200:
        return f"{response.status_code}: {response.content[:300]!r}"
    content = b"".join(response.streaming_content) if response.streaming else response.content
    return LONG.sub(_rounded, PASSING.sub("", content.decode(errors="replace")))


def _rounded(figure):
    return f"{float(figure[0].replace(',', '')):.{DIGITS}g}"


def add_rows(until):
    with transaction.atomic():
        multiply(planned(until, Shares(5), base=BASE))


def change_some():
    """Owners and moderators change rows that were counted before."""
    now = timezone.now()
    some = list(Submission.objects.published().order_by("content_hash").values_list("pk", flat=True)[:60])
    rows = Submission.objects.all()
    rows.filter(pk__in=some[:20]).update(retracted_at=now, retraction_reason="Wrong disk.")
    rows.filter(pk__in=some[20:40]).update(hidden_at=now)
    rows.filter(pk__in=some[40:50]).update(unranked_at=now)
    rows.filter(pk__in=some[50:]).update(visibility="private", published_at=None)


def of_most_rows():
    """(fingerprint, newest ids) of the workload with most results."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT workload_id, fingerprint FROM submissions_submission"
            " JOIN submissions_workload AS workload ON workload.id = workload_id"
            " GROUP BY 1, 2 ORDER BY count(*) DESC, 1 LIMIT 1"
        )
        workload, fingerprint = cursor.fetchone()
    rows = Submission.objects.published().filter(workload=workload).order_by("-pk")
    return fingerprint, list(rows.values_list("pk", flat=True)[:3])


@pytest.mark.django_db(transaction=True)
def test_every_page_shows_what_the_rows_say(client, clear_cache):
    make_base(AT_FIRST, seed=3, base=BASE)
    add_rows(AT_FIRST)
    for provider, machine_type in (("aws", "m5.xlarge"), ("gce", "n2-standard-4")):  # which have a page then
        SubmissionFactory(provider=provider, instance_type=machine_type)
    fingerprint, newest = of_most_rows()
    addresses = with_figures(newest, fingerprint)
    refresh_all()  # what beat starts now and then
    answers(client, addresses[::2])  # now much is kept of the first rows

    add_rows(ROWS)
    change_some()
    refresh_all()
    with_kept = answers(client, addresses)
    assert not QueuedChange.objects.exists()
    count_everything_anew()
    of_rows = answers(client, addresses)

    refused = {address: shown for address, shown in of_rows.items() if re.match(r"\d{3}: ", shown)}
    assert refused == {}
    different = [address for address in addresses if with_kept[address] != of_rows[address]]
    assert different == [], [first_difference(with_kept[address], of_rows[address]) for address in different]


def first_difference(one, other):
    pairs = zip(one.splitlines(), other.splitlines(), strict=False)
    return next((pair for pair in pairs if pair[0] != pair[1]), "one is longer")
