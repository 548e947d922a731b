"""Dated prices: a new price is a new row, an old one is never changed."""

from datetime import date
from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q

from submissions.choices import PricingModel

# Prices that replace one another in the course of time.
SERIES = ("provider", "region", "sku", "unit", "pricing_model")


class PriceQuerySet(models.QuerySet["Price"]):
    def in_force(self, day: date) -> Self:
        """Of each series the newest price that is not later than `day`."""
        newer = Price.objects.filter(
            **{column: OuterRef(column) for column in SERIES},
            valid_from__gt=OuterRef("valid_from"),
            valid_from__lte=day,
        )
        return self.filter(~Exists(newer), valid_from__lte=day)


class Price(models.Model):
    """What a provider charges for one unit of one thing, from a day on.

    `sku` is an instance type ("m3.2xlarge") with unit `hour`, or a part of one
    ("n1-vcpu", "n1-memory-gib", unit `hour`), storage ("gp3", unit `gib_month`;
    "gp3-iops", unit `iops_month`) or traffic ("cross-zone", unit `gb`).
    """

    class Unit(models.TextChoices):
        HOUR = "hour"
        GIB_MONTH = "gib_month"
        IOPS_MONTH = "iops_month"
        MIBPS_MONTH = "mibps_month"
        GB = "gb"

    provider = models.CharField(max_length=50)
    region = models.CharField(max_length=50)
    sku = models.CharField(max_length=100)
    unit = models.CharField(max_length=20, choices=Unit)
    pricing_model = models.CharField(max_length=20, choices=PricingModel.pairs)
    usd = models.DecimalField(max_digits=16, decimal_places=8)
    valid_from = models.DateField()  # the UTC day on which the price came into force or was seen
    source = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PriceQuerySet.as_manager()

    class Meta:
        ordering = ["provider", "region", "sku", "pricing_model", "-valid_from"]
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "region", "sku", "unit", "pricing_model", "valid_from"],
                name="one_price_a_day",
            ),
            # 0.0 in a price list means "missing", never "free"
            models.CheckConstraint(condition=Q(usd__gt=0), name="price_is_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.region} {self.sku} {self.pricing_model}: {self.usd} USD/{self.unit}"


class InstanceType(models.Model):
    """The hardware behind a provider's name for it; unknown facts are null."""

    provider = models.CharField(max_length=50)
    name = models.CharField(max_length=100)
    vcpus = models.PositiveIntegerField(null=True)
    memory_gib = models.FloatField(null=True)
    local_disk_gib = models.FloatField(null=True)  # all instance-store disks together
    source = models.CharField(max_length=200)

    class Meta:
        ordering = ["provider", "name"]
        constraints = [
            models.UniqueConstraint(fields=["provider", "name"], name="one_instance_type"),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.name}"
