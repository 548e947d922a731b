"""A price book in which results cost today what they cost when they were measured."""

from typing import Any

from submissions.models import NodeGroup, Price
from tests.factories import PriceFactory


def in_price_book(**facts: Any) -> None:
    """The price of every machine of the system under test, as it was stored; what GCE bills beside it is left out."""
    for group in NodeGroup.objects.exclude(node_hourly_usd=None).select_related("submission"):
        place = {"provider": group.submission.provider, "region": group.submission.region}
        PriceFactory(
            **place, sku=group.instance_type, pricing_model=group.pricing_model, usd=group.node_hourly_usd, **facts
        )
    NodeGroup.objects.filter(submission__provider="gce").update(disks=[])
    assert Price.objects.exists()
