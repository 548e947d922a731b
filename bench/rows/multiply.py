"""Adds rows until there are as many as wanted: real ones first, then copies of them with other facts and figures."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Q
from django.utils import timezone

from bench.rows import copies, draws, workloads
from bench.rows.shares import Shares
from submissions.models import NodeGroup, Submission, Trial
from tools.synthetic.copying import make_dataset
from tools.synthetic.documents import SOURCE

BASE = 5_000  # real rows, from which the others are made
POPULAR_SHARE = 0.05  # of the new rows go to the largest workload, beside those that it has anyway
OWNER, OWNERS = "bench-owner-", 20  # accounts of the copies
TABLES = (Submission, Trial, NodeGroup)


@dataclass(frozen=True, slots=True)
class Plan:
    """Which numbers to make, after `bench_draw` has a line for each."""

    first: int
    end: int
    parameters: dict[str, Any]

    def statements(self, slice_rows: int) -> list[tuple[str, dict[str, Any]]]:
        """With their parameters, in the order of ids; each submission's trials and node groups after it."""
        found = []
        for start in range(self.first, self.end, slice_rows):
            parameters = {**self.parameters, "from": start, "to": min(start + slice_rows, self.end)}
            found += [(sql, parameters) for sql in (copies.submissions(), copies.trials(), copies.node_groups())]
        return found


def there() -> int:
    """How many invented rows; what was uploaded meanwhile is not among them."""
    of_nobody = Q(submitted_by=None) | Q(submitted_by__username__startswith=OWNER)
    return Submission.objects.filter(of_nobody, source=SOURCE).count()


def make_base(rows: int, *, seed: int, base: int = BASE) -> int:
    """The real rows of a set of `rows`; how many rows there are then."""
    if there() < min(rows, base):
        make_dataset(min(rows, base), seed=seed)
    return there()


def planned(rows: int, shares: Shares | None = None, *, base: int = BASE) -> Plan:
    """Draw what is missing of `rows` rows."""
    first = there()
    base = min(base, first)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_base")
        cursor.execute(draws.BASE, {"source": SOURCE, "base": base})
        # else the draws are sorted to be joined, with arrays: a minute and a half of a million
        cursor.execute("ANALYZE bench_base")
        popular = workloads.make_variants()
        numbers = {"first": first, "end": rows, "count": rows - first, "first_id": _reserved(rows - first)}
        cursor.execute("DROP TABLE IF EXISTS bench_draw")
        drawn = {**numbers, "base": base, "popular": popular, "popular_share": POPULAR_SHARE}
        cursor.execute(draws.draws(shares or Shares()), drawn)
        cursor.execute("CREATE INDEX ON bench_draw (n)")
        cursor.execute("ANALYZE bench_draw")
        for statement in copies.sources():
            cursor.execute(statement)
    return Plan(first, rows, {**numbers, "since": _newest(), "now": timezone.now(), "owners": _owners()})


def multiply(plan: Plan) -> None:
    """All of it in this connection, with triggers and indexes as they are: for some thousand rows."""
    with connection.cursor() as cursor:
        for statement, parameters in plan.statements(plan.end):
            cursor.execute(statement, parameters)
        forget(cursor.execute)


def forget(execute: Callable[[str], object]) -> None:
    execute(f"DROP TABLE bench_base, bench_draw, bench_workload, {', '.join(copies.SOURCES.values())}")


def _owners() -> list[int]:
    users = get_user_model().objects
    return [users.get_or_create(username=f"{OWNER}{number}")[0].pk for number in range(OWNERS)]


def _newest() -> datetime:
    newest = Submission.objects.filter(source=SOURCE).order_by("-pk").values_list("created_at", flat=True).first()
    return newest or timezone.now()


def _reserved(count: int) -> int:
    """The first of `count` ids that nobody else gets."""
    with connection.cursor() as cursor:
        sequence = "pg_get_serial_sequence('submissions_submission', 'id')"
        cursor.execute(f"SELECT nextval({sequence})")
        first: int = cursor.fetchone()[0]
        cursor.execute(f"SELECT setval({sequence}, %s)", [first + count - 1])
    return first
