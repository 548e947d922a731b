"""Three machine types of two clouds, with their prices."""

from datetime import date
from decimal import Decimal

import pytest

US = {"region": "us-east-1", "sku": "i4i.2xlarge"}


@pytest.fixture
def types(db):
    from submissions.models import InstanceType
    from tests.factories import PriceFactory

    size = {"vcpus": 8, "memory_gib": 64, "arch": "x86_64"}
    disk = {"local_disk_count": 1, "local_disk_gib": 1746.2, "local_disk_kind": "nvme"}
    InstanceType.objects.create(
        provider="aws", name="i4i.2xlarge", **size, **disk, cpu_model="Intel Xeon 8375C", source="ec2-instances-info"
    )
    InstanceType.objects.create(provider="gce", name="z3-highmem-8-highlssd", **size, source="pricing calculator")
    InstanceType.objects.create(provider="aws", name="c7g.large", vcpus=2, memory_gib=4, arch="arm64", source="test")
    PriceFactory(**US, usd=Decimal("0.686"), valid_from=date(2023, 12, 11))
    PriceFactory(**US, usd=Decimal("0.5"), pricing_model="reserved_1y", valid_from=date(2025, 5, 28))
    PriceFactory(**{**US, "region": "eu-west-1"}, usd=Decimal("0.76"), valid_from=date(2025, 5, 28))
    z3 = {"provider": "gce", "region": "us-central1", "sku": "z3-highmem-8-highlssd"}
    PriceFactory(**z3, usd=Decimal("1.1519"), valid_from=date(2026, 7, 25))
