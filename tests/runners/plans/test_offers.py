"""What the form suggests: regions of the price book, and types with their hardware and the price of the region."""

from datetime import date
from decimal import Decimal

import pytest

from runners.plans.offers import offers_of, regions_of
from submissions.models import InstanceType
from tests.factories import PriceFactory

pytestmark = pytest.mark.django_db
TODAY = date(2026, 11, 22)


def price(sku, usd, *, provider="aws", region="us-east-1", valid_from=date(2026, 1, 1), pricing_model="on_demand"):
    PriceFactory(
        provider=provider,
        region=region,
        sku=sku,
        unit="hour",
        pricing_model=pricing_model,
        usd=Decimal(usd),
        valid_from=valid_from,
    )


def shown(provider, region):
    return [(offer.name, str(offer)) for offer in offers_of(provider, region, on=TODAY)]


def test_types_are_in_the_order_of_their_sizes_with_the_newest_price_on_demand():
    for name, vcpus in (("m10.xlarge", 4), ("m5.2xlarge", 8), ("m5.xlarge", 4), ("m5.16xlarge", 64)):
        InstanceType.objects.create(provider="aws", name=name, vcpus=vcpus, memory_gib=vcpus * 4, local_disk_gib=0)
        price(name, "0.1")
    price("m5.xlarge", "0.3", valid_from=date(2026, 5, 1))
    price("m5.xlarge", "9", valid_from=date(2999, 1, 1))
    price("m5.xlarge", "0.01", valid_from=date(2026, 6, 1), pricing_model="spot")

    assert shown("aws", "us-east-1") == [
        ("m5.xlarge", "4 vCPUs, 16 GiB, $0.30/h"),
        ("m5.2xlarge", "8 vCPUs, 32 GiB, $0.10/h"),
        ("m5.16xlarge", "64 vCPUs, 256 GiB, $0.10/h"),
        ("m10.xlarge", "4 vCPUs, 16 GiB, $0.10/h"),
    ]


def test_a_type_that_is_billed_by_its_parts_has_the_price_of_them_together():
    InstanceType.objects.create(provider="gce", name="n1-standard-8", vcpus=8, memory_gib=30)
    InstanceType.objects.create(provider="gce", name="n2-standard-8", vcpus=8, memory_gib=32)
    price("n1-vcpu", "0.03", provider="gce", region="us-central1")
    price("n1-memory-gib", "0.004", provider="gce", region="us-central1")

    assert shown("gce", "us-central1") == [("n1-standard-8", "8 vCPUs, 30 GiB, $0.36/h")]


def test_a_type_with_a_price_of_its_own_has_that_one_and_its_parts_are_no_types():
    InstanceType.objects.create(provider="gce", name="c4a-standard-8", vcpus=8, memory_gib=32, arch="arm64")
    price("c4a-standard-8", "0.36", provider="gce", region="us-central1")
    price("n2-vcpu", "0.03", provider="gce", region="us-central1")

    assert shown("gce", "us-central1") == [("c4a-standard-8", "8 vCPUs, Arm, 32 GiB, $0.36/h")]


def test_where_no_price_is_known_every_known_type_is_offered():
    InstanceType.objects.create(provider="aws", name="z9.large", vcpus=1)
    price("z9.large", "1", region="eu-west-1")

    assert shown("aws", "us-east-1") == shown("aws", None) == [("z9.large", "1 vCPU")]
    assert regions_of("aws") == ["eu-west-1"]
