"""Dated prices: a new price is a new row, an old one is never changed."""

from datetime import date, timedelta
from typing import Any, Self

from django.db import connections, models, router
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now

from submissions.choices import SPOT_PRICE_DAYS, PricingModel
from submissions.models.versions.data_version import Subject, any_write_triggers

# Prices that replace one another in the course of time.
SERIES = ("provider", "region", "sku", "unit", "pricing_model")


class PriceQuerySet(models.QuerySet["Price"]):
    def in_force(self, day: date) -> Self:
        """Of each series the newest price that is not later than `day`; no spot price that is too old."""
        newer = Price.objects.filter(
            **{column: OuterRef(column) for column in SERIES},
            valid_from__gt=OuterRef("valid_from"),
            valid_from__lte=day,
        )
        return self.known_on(day).filter(~Exists(newer))

    def known_on(self, day: date) -> Self:
        """Prices that came into force on `day` or before, the replaced ones too; no spot price that is too old."""
        outdated = Q(pricing_model=PricingModel.SPOT, last_seen__lt=day - timedelta(days=SPOT_PRICE_DAYS))
        return self.filter(~outdated, valid_from__lte=day)


# One step of an index for each region: DISTINCT would read every price.
_PLACES = """WITH RECURSIVE place AS (
  (SELECT provider, region FROM submissions_price ORDER BY provider, region LIMIT 1)
  UNION ALL
  SELECT following.provider, following.region FROM place, LATERAL (
    SELECT provider, region FROM submissions_price
    WHERE (provider, region) > (place.provider, place.region) ORDER BY provider, region LIMIT 1
  ) AS following
) SELECT provider, region FROM place"""


def priced_places() -> list[tuple[str, str]]:
    """Every provider and region of the price book, in order. One query."""
    with connections[router.db_for_read(Price)].cursor() as cursor:
        cursor.execute(_PLACES)
        return [(provider, region) for provider, region in cursor.fetchall()]


# As above, of each name one row: DISTINCT would read every price.
_NAMES = """WITH RECURSIVE item AS (
  (SELECT sku, provider, unit FROM submissions_price ORDER BY sku, id LIMIT 1)
  UNION ALL
  SELECT following.sku, following.provider, following.unit FROM item, LATERAL (
    SELECT sku, provider, unit FROM submissions_price WHERE sku > item.sku ORDER BY sku, id LIMIT 1
  ) AS following
) SELECT provider, sku FROM item WHERE unit = 'hour'"""


def priced_by_the_hour() -> list[tuple[str, str]]:
    """The provider and name of everything that has a price by the hour: machine types, and parts of them. One query.

    A name that two providers share is that of the one whose price came first.
    """
    with connections[router.db_for_read(Price)].cursor() as cursor:
        cursor.execute(_NAMES)
        return [(provider, sku) for provider, sku in cursor.fetchall()]


class Price(models.Model):
    """What a provider charges for one unit of one thing, from a day on.

    `sku` is an instance type ("m3.2xlarge") with unit `hour`, or a part of one
    ("n1-vcpu", "n1-memory-gib", unit `hour`), storage ("gp3", unit `gib_month`;
    "gp3-iops", unit `iops_month`; "premium-ssd-p10", unit `disk_month`), copies of it ("snapshot", "object-storage",
    unit `gib_month`) or traffic ("cross-zone", "cross-region", "egress" to the internet, unit `gb`).
    """

    class Unit(models.TextChoices):
        HOUR = "hour"
        GIB_MONTH = "gib_month"
        IOPS_MONTH = "iops_month"
        MIBPS_MONTH = "mibps_month"
        DISK_MONTH = "disk_month"
        GB = "gb"

    provider = models.CharField(max_length=50)
    region = models.CharField(max_length=50)
    sku = models.CharField(max_length=100)
    unit = models.CharField(max_length=20, choices=Unit)
    pricing_model = models.CharField(max_length=20, choices=PricingModel.pairs)
    usd = models.DecimalField(max_digits=16, decimal_places=8)
    valid_from = models.DateField()  # the UTC day on which the price came into force or was seen
    last_seen = models.DateField()  # the last UTC day on which a source still had it
    source = models.CharField(max_length=200)
    created_at = models.DateTimeField(db_default=Now())

    objects = PriceQuerySet.as_manager()

    class Meta:
        ordering = ["provider", "region", "sku", "pricing_model", "-valid_from"]
        triggers = any_write_triggers(Subject.PRICES)
        indexes = [models.Index(fields=["sku", "id"], name="price_by_name")]
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "region", "sku", "unit", "pricing_model", "valid_from"],
                name="one_price_a_day",
            ),
            # 0.0 in a price list means "missing", never "free"
            models.CheckConstraint(condition=Q(usd__gt=0), name="price_is_positive"),
            models.CheckConstraint(condition=Q(last_seen__gte=F("valid_from")), name="price_seen_after_it_began"),
        ]

    def save(self, **options: Any) -> None:
        """A price that is stored by hand was seen on the day from which it is valid."""
        self.last_seen = self.last_seen or self.valid_from
        super().save(**options)

    def __str__(self) -> str:
        return f"{self.provider} {self.region} {self.sku} {self.pricing_model}: {self.usd} USD/{self.unit}"


class InstanceType(models.Model):
    """The hardware behind a provider's name for it; unknown facts are null."""

    provider = models.CharField(max_length=50)
    name = models.CharField(max_length=100)
    vcpus = models.PositiveIntegerField(null=True)
    memory_gib = models.FloatField(null=True)
    local_disk_gib = models.FloatField(null=True)  # all instance-store disks together
    local_disk_count = models.PositiveSmallIntegerField(null=True)
    local_disk_kind = models.CharField(max_length=50, null=True)  # local-ssd, local-hdd or nvme
    arch = models.CharField(max_length=20, null=True)  # x86_64 or arm64
    cpu_model = models.CharField(max_length=200, null=True)
    source = models.CharField(max_length=200)

    class Meta:
        ordering = ["provider", "name"]
        triggers = any_write_triggers(Subject.PRICES)
        constraints = [
            models.UniqueConstraint(fields=["provider", "name"], name="one_instance_type"),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.name}"


class PriceLoad(models.Model):
    """When prices were last loaded from a source, and why the last attempt failed, if it did."""

    source = models.CharField(max_length=50, unique=True)  # snapshot, or a provider
    attempted_at = models.DateTimeField()
    succeeded_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=500, blank=True)  # of the last attempt
    digest = models.CharField(max_length=64, blank=True)  # of the file that was loaded

    class Meta:
        ordering = ["source"]
        triggers = any_write_triggers(Subject.PRICES)

    def __str__(self) -> str:
        return f"{self.source}: {self.problem or self.succeeded_at}"
