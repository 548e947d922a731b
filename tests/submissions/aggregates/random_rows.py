"""Submissions with anything that figures look at."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from django.utils import timezone

from submissions.choices import Flag, LatencyKind, PricingModel, Role, Trust, Visibility
from tests.factories import NodeGroupFactory, SubmissionFactory


def random_row(dice, workloads):
    now = timezone.now()
    rate = None if dice.random() < 0.15 else dice.choice((1000.0, 1100.0, 90_000.0, dice.uniform(1, 1e6)))
    row = SubmissionFactory(
        workload=dice.choice(workloads),
        provider=dice.choice(("aws", "gce")),
        instance_type=dice.choice(("m5.xlarge", "m5.large", "n2-8")),
        jdk_vendor=dice.choice((None, "", "oracle")),
        jdk_version=dice.choice((None, "8u51", "11")),
        disk_kind=dice.choice((None, "ssd")),
        trust=dice.choice(list(Trust)),
        flags=[flag for flag in Flag if dice.random() < 0.04],
        throughput_ops_s=rate,
        relative_throughput=None if rate else 1.5,
        trials_count=dice.choice((1, 1, 3)),
        averaged_over=dice.choice((None, None, 5)),
        hourly_usd=dice.choice((None, Decimal("1.5"), Decimal("0.25"))),
        latency_kind=dice.choice(list(LatencyKind)),
        latency_p99_ms=dice.choice((None, 0.0, 4.0, dice.uniform(1, 50))),
        measured_at=dice.choice((None, now, datetime(2015, 9, 1, tzinfo=UTC))),
        visibility=dice.choice((Visibility.PUBLIC,) * 8 + tuple(Visibility)),
        embargo_until=dice.choice((None,) * 8 + (now - timedelta(days=1), now + timedelta(days=1))),
        unranked_until=dice.choice((None,) * 6 + (now - timedelta(days=1), now + timedelta(days=1))),
        retracted_at=dice.choice((None,) * 9 + (now,)),
        hidden_at=dice.choice((None,) * 9 + (now,)),
        cache_node_count=dice.choice((0, 0, 2)),
        node_groups__pricing_model=dice.choice(list(PricingModel)),
    )
    if dice.random() < 0.2:
        NodeGroupFactory(
            submission=row,
            position=2,
            role=dice.choice((Role.DATABASE, Role.CACHE, Role.CLIENT)),
            instance_type=dice.choice((row.instance_type, "c5.large")),
            pricing_model=dice.choice(list(PricingModel)),
        )
    return row
