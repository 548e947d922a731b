"""Loading prices: the shipped snapshot, twice; what a source may not do."""

import io
from datetime import date
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.db.models import F

from submissions.models import InstanceType, Price

pytestmark = pytest.mark.django_db


def history(provider, region, sku, pricing_model="on_demand"):
    rows = Price.objects.filter(provider=provider, region=region, sku=sku, pricing_model=pricing_model)
    return list(rows.order_by("valid_from").values_list("valid_from", "usd"))


@pytest.fixture(scope="module")
def loaded(django_db_setup, django_db_blocker):
    """What the command printed; 150,000 prices are loaded once for all tests here, and taken back."""
    printed = io.StringIO()
    with django_db_blocker.unblock(), transaction.atomic():
        call_command("load_prices", stdout=printed)
        yield printed.getvalue()
        transaction.set_rollback(True)


def test_the_snapshot_is_loaded_whole(loaded):
    rows = Price.objects.count()

    assert loaded == (
        f"snapshot: {rows} new prices, 0 unchanged, 0 missing, 0 in conflict with another price of the same day\n"
    )
    assert rows > 150_000
    assert not Price.objects.filter(last_seen__lt=F("valid_from")).exists()


def test_loading_twice_adds_nothing(loaded, capsys):
    before = set(Price.objects.values_list("pk", "usd", "valid_from"))

    call_command("load_prices")

    assert capsys.readouterr().out == "snapshot: loaded before, nothing new\n"
    assert set(Price.objects.values_list("pk", "usd", "valid_from")) == before


def test_a_machine_has_the_prices_of_its_time(loaded):
    assert history("aws", "us-east-1", "m2.4xlarge") == [
        (date(2011, 11, 2), Decimal("2.00")),
        (date(2012, 7, 19), Decimal("1.80")),
        (date(2015, 12, 2), Decimal("0.98")),
    ]


def test_a_zero_in_the_source_left_the_price_before_it(loaded):
    # the release of 2025 has 0.0 for it, and 0.585 in Oregon, which is that of dedicated hardware
    assert history("aws", "us-east-1", "m3.2xlarge") == [(date(2015, 9, 1), Decimal("0.532"))]
    assert history("aws", "us-west-2", "m3.2xlarge") == [(date(2015, 12, 2), Decimal("0.532"))]


def test_instance_types_are_loaded_with_their_hardware(loaded):
    types = InstanceType.objects.filter(name__in=["m3.2xlarge", "n1-standard-8"])

    assert set(types.values_list("provider", "name", "vcpus", "memory_gib", "local_disk_gib")) == {
        ("aws", "m3.2xlarge", 8, 30.0, 149.0),  # 2 x 80 GB
        ("gce", "n1-standard-8", 8, 30.0, 0.0),  # local SSD is attached to it, and billed
    }


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--region", "us-east-1"], "the snapshot is loaded whole"),
        (["--source", "aws", "--spot"], "--spot goes with --source aws and at least one --region"),
        (["--source", "gce", "--spot", "--region", "us-central1"], "--spot goes with --source aws"),
        (["--source", "aws", "--endpoint", "http://127.0.0.1:1"], "AWS_ENDPOINT_URL_PRICING"),
    ],
)
def test_options_that_do_not_fit_are_refused(arguments, reason):
    with pytest.raises(CommandError, match=reason):
        call_command("load_prices", *arguments)
