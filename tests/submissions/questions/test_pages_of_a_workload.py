"""What a page says of one workload is made once: other workloads leave it, its own rows and prices change it."""

from datetime import date
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from submissions.aggregates import store
from submissions.models import Price, Submission
from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db

FINGERPRINT = "ab" * 8


@pytest.fixture
def rows(settings, clear_cache):
    settings.PAGE_CACHE_SECONDS = 0
    workload = WorkloadFactory(title="write", fingerprint=FINGERPRINT)
    return [
        SubmissionFactory(
            workload=workload,
            instance_type=machine,
            throughput_ops_s=rate,
            hourly_usd=1,
            ops_per_usd=Decimal(rate) * 3600,
            trust="log_verified",
        )
        for machine, rate in (("m5.large", 71_000), ("m5.xlarge", 93_000))
    ]


def addresses(rows):
    return {
        "value": f"/value/?workload={FINGERPRINT}&by=instance_type&prices=then&basis=as_measured",
        "workload": f"/workloads/{FINGERPRINT}/",
        "compare": f"/compare/?s={rows[0].pk}&s={rows[1].pk}",
        "home": "/?prices=then",
    }


@pytest.fixture(params=["value", "workload", "compare", "home"])
def page(request, rows, client):
    """Its text and the number of its queries."""

    def read():
        with CaptureQueriesContext(connection) as queries:
            response = client.get(addresses(rows)[request.param])
        assert response.status_code == 200
        return response.content.decode(), len(queries)

    return read


def test_it_is_not_made_again_for_a_result_of_another_workload(page, rows):
    page()
    SubmissionFactory(workload=WorkloadFactory(title="another"), throughput_ops_s=5_000)
    store.refresh_all()
    of_another, queries_of_another = page()
    Submission.objects.filter(pk=rows[1].pk).update(throughput_ops_s=93_001)
    store.refresh_all()
    of_its_own, queries_of_its_own = page()

    assert "93,000" in of_another
    assert "93,000" not in of_its_own
    assert queries_of_another < queries_of_its_own


def test_it_is_made_again_for_a_result_and_a_change_of_its_own(page, rows):
    page()
    Submission.objects.filter(pk=rows[1].pk).update(throughput_ops_s=123_400)

    assert "123,400" in page()[0]


def test_a_retracted_result_is_gone(page, rows, client):
    page()
    Submission.objects.filter(pk=rows[1].pk).update(retracted_at=timezone.now(), retraction_reason="Wrong disk.")

    texts = {name: client.get(address).content.decode() for name, address in addresses(rows).items()}

    assert [name for name, text in texts.items() if "93,000" in text] == []


def test_new_prices_are_new_values(rows, client):
    def value():
        address = f"/value/?workload={FINGERPRINT}&by=instance_type&prices=on&prices_on=2026-01-01"
        return client.get(address).content.decode()

    assert "without a price list" in value()
    for machine in ("m5.large", "m5.xlarge"):
        Price.objects.create(
            provider=rows[0].provider,
            region=rows[0].region,
            sku=machine,
            unit="hour",
            pricing_model="on_demand",
            usd=Decimal("0.25"),
            valid_from=date(2020, 1, 1),
            last_seen=date(2026, 1, 1),
            source="test",
        )
    assert "without a price list" not in value()
