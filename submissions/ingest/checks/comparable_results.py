"""The best that others have submitted of a workload: the measure of what is plausible for a new result."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db import connection
from django.db.models import BooleanField, F, OuterRef, QuerySet, Subquery
from django.db.models.expressions import RawSQL

from submissions.choices import Trust
from submissions.models import CompiledQuery, Submission, SubmissionQuerySet, Workload

FEWEST = 3  # results of others: with fewer the best is no measure
NOBODY = 0  # instead of an account


@dataclass(frozen=True, slots=True)
class Best:
    """Of what others have submitted of a workload; None with too few results."""

    ops_s: float | None = None
    ops_per_usd: Decimal | None = None


@dataclass(frozen=True, slots=True)
class StoredWorkload:
    workload: Workload  # without its canonical form
    best: Best


def stored_workloads(fingerprints: Iterable[str], account: int | None) -> dict[str, StoredWorkload]:
    """Those that exist, by fingerprint, as the account's next result finds them. One query.

    Uploads without a log count only where fewer than FEWEST results with one are known.
    """
    names = ("id", "fingerprint", "title", "service")  # in the order of the model
    primary: Any = connection  # benchsite/postgresql
    with primary.prepared_cursor() as cursor:
        cursor.execute(_statement(), [list(fingerprints), NOBODY if account is None else account])
        rows = cursor.fetchall()
    stored = {}
    for *columns, traced, value_of_traced, rates, value in rows:
        if len(traced) == FEWEST:
            best = Best(traced[0], value_of_traced)
        else:
            best = Best(rates[0], value) if len(rates) == FEWEST else Best()
        stored[columns[1]] = StoredWorkload(Workload.from_db(connection.alias, names, columns), best)
    return stored


def _workloads(fingerprints: str, account: int) -> QuerySet[Workload, Any]:
    others = Submission.objects.rankable().filter(workload=OuterRef("pk")).exclude(submitted_by=account)
    with_log = others.exclude(trust=Trust.UPLOADED)
    is_given = RawSQL("submissions_workload.fingerprint = ANY (%s::text[])", [fingerprints], BooleanField())
    columns = Workload.objects.filter(is_given).order_by().values_list("id", "fingerprint", "title", "service")
    return columns.annotate(
        traced=_highest_rates(with_log),
        value_of_traced=_highest_value(with_log),
        rates=_highest_rates(others),
        value=_highest_value(others),
    )


def _highest_rates(rows: SubmissionQuerySet) -> ArraySubquery:
    return ArraySubquery(rows.order_by(F("throughput_ops_s").desc(nulls_last=True)).values("throughput_ops_s")[:FEWEST])


def _highest_value(rows: SubmissionQuerySet) -> Subquery:
    return Subquery(rows.priced().order_by(F("ops_per_usd").desc(nulls_last=True)).values("ops_per_usd")[:1])


@cache
def _statement() -> str:
    """With the constants of the query in its text: no partial index is chosen for what is a parameter."""
    query = CompiledQuery(_workloads, fingerprints="fingerprints", account=-1)
    text = query.literal_sql_of(fingerprints="given.fingerprints", account="given.account")
    return (  # of our own query
        "SELECT stored.* FROM (SELECT %s::text[] AS fingerprints, %s::integer AS account) given,"
        f" LATERAL ({text}) stored"
    )
