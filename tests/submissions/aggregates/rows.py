"""Submissions of every sort that boards treat in a way of their own."""

from datetime import UTC, datetime
from decimal import Decimal

from submissions.choices import Flag, Trust, Visibility
from tests.factories import SubmissionFactory

LATER = datetime(2100, 1, 1, tzinfo=UTC)


def any_submission(random, known, user, workloads):
    """Published or not, ranked or not, with a rate or a relative one, of any trust filter."""
    supersedes = random.choice(known) if known and random.random() < 0.1 else None
    is_relative = random.random() < 0.1
    workload = random.choice(workloads)
    return SubmissionFactory(
        submitted_by=user,
        supersedes=supersedes,
        workload=workload,
        replication_factor=workload.canonical.get("replication_factor"),
        trust=random.choice([trust for trust in Trust for _ in range(1 + 5 * (trust == Trust.LOG_VERIFIED))]),
        flags=random.choice(([], [], [], [Flag.ERRORS.value], [Flag.THROTTLED.value], [Flag.STATED_PRICE_OFF.value])),
        visibility=random.choice((Visibility.PUBLIC, Visibility.PUBLIC, Visibility.PUBLIC, Visibility.PRIVATE)),
        embargo_until=random.choice((None, None, None, None, LATER)),
        unranked_until=random.choice((None, None, None, None, LATER)),
        unranked_at=random.choice((None, None, None, None, LATER)),
        hidden_at=random.choice((None, None, None, None, LATER)),
        throughput_ops_s=None if is_relative else random.uniform(1, 1e6),
        relative_throughput=2.0 if is_relative else None,
        service=random.choice(("cassandra", "scylladb")),
        relative_base="the baseline" if is_relative else "",
        hourly_usd=random.choice((None, Decimal("1.5"), Decimal("0.25"))),
        instance_type=random.choice(("m3.2xlarge", "i2.xlarge")),
        region=random.choice(("us-east-1", None)),
        node_count=random.choice((3, 6, 12)),
        cache_node_count=random.choice((0, 0, 0, 2)),
        jdk_version=random.choice(("8u51", None)),
        measured_at=random.choice((datetime(2015, 9, 1, tzinfo=UTC), datetime(2016, 9, 1, tzinfo=UTC), None)),
        trials_count=0,
    )
