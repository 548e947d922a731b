"""What the rows of the list show after a change, and to nobody who may not see it."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from submissions.choices import LatencyKind, Visibility
from submissions.ingest.changes.retract import retract
from submissions.models import Submission
from tests.factories import PriceFactory, SubmissionFactory, UserFactory, WorkloadFactory
from tests.pages import text

pytestmark = pytest.mark.django_db

URL = "/submissions/"


def shown(client, query=""):
    response = client.get(f"{URL}{query}")
    assert response.status_code == 200
    return text(response)


@pytest.fixture
def listed(client):
    """Two results that were shown."""
    rows = [SubmissionFactory(title=f"the {name} result") for name in ("first", "second")]
    assert "the first result" in shown(client)
    return rows


def hide(row):
    Submission.objects.filter(pk=row.pk).update(hidden_at=timezone.now())


def make_private(row):
    Submission.objects.filter(pk=row.pk).update(visibility=Visibility.PRIVATE, published_at=None)


def unlist(row):
    Submission.objects.filter(pk=row.pk).update(visibility=Visibility.UNLISTED, link_key="k" * 32)


def embargo(row):
    Submission.objects.filter(pk=row.pk).update(embargo_until=timezone.now() + timedelta(days=1))


@pytest.mark.parametrize("withdraw", [hide, make_private, unlist, embargo, lambda row: retract(row, reason="wrong")])
@pytest.mark.parametrize("is_signed_in", [False, True])
def test_what_was_withdrawn_is_shown_no_more(client, listed, withdraw, is_signed_in):
    if is_signed_in:
        client.force_login(UserFactory())
    withdraw(listed[0])

    page = client.get(URL)

    assert "the first result" not in text(page)
    assert "the second result" in text(page)
    assert "k" * 32 not in page.content.decode()


def test_a_change_of_a_row_is_seen_at_once(client, listed):
    Submission.objects.filter(pk=listed[0].pk).update(title="another title")

    assert "another title" in shown(client)
    assert "the first result" not in shown(client)


def test_a_row_of_the_same_id_in_a_restored_database_is_another(client, listed):
    row = listed[0]
    Submission.objects.filter(pk=row.pk).update(title="restored", created_at=row.created_at + timedelta(days=1))

    assert "restored" in shown(client)


def test_a_new_price_marks_a_row_that_was_shown(client):
    today = timezone.now().date()
    unknown = dict.fromkeys(("service_version", "jdk_vendor", "jdk_version"))
    SubmissionFactory(measured_at=timezone.now(), hourly_usd=Decimal("1.596"), **unknown)
    PriceFactory(valid_from=date(2025, 12, 1), last_seen=today)
    assert 'class="badge age"' not in client.get(URL).content.decode()

    PriceFactory(usd=Decimal("0.6"), valid_from=today - timedelta(days=1), last_seen=today)

    assert 'class="badge age"' in client.get(URL).content.decode()


def test_what_depends_on_the_other_rows_is_made_for_each_page(client):
    workload = WorkloadFactory()
    facts = {"workload": workload, "latency_p99_ms": 3.0, "measured_at": datetime(2015, 9, 1, tzinfo=UTC)}
    for number in (1, 4):
        SubmissionFactory(
            ops_per_usd=Decimal(number * 10**8), latency_kind=LatencyKind.SERVICE_TIME, provider=f"p{number}", **facts
        )
    both = client.get(URL).content.decode()
    assert ("share-25" in both, "share-100" in both) == (True, True)
    assert "ms, service time" in text(client.get(URL))

    alone = client.get(f"{URL}?provider=p1").content.decode()
    SubmissionFactory(
        latency_kind=LatencyKind.RESPONSE_TIME, **facts | {"workload": WorkloadFactory(fingerprint="cd" * 8)}
    )
    mixed = client.get(URL)

    assert "share-" not in alone
    assert "share-" not in mixed.content.decode()  # values of two workloads are not comparable
    assert "ms, service time" not in text(mixed)
    assert '<span class="muted">service</span>' in mixed.content.decode()
