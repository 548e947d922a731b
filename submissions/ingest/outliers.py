"""Rates and stated prices that nothing known comes near: flagged, and off the boards until a moderator looks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Count, Max, Q, QuerySet

from submissions.choices import Flag, Trust
from submissions.ingest.pipeline import Prepared
from submissions.models import IS_PRICE_OFF, CompiledQuery, Submission, SubmissionQuerySet, VersionMemory
from submissions.pricing.cost import ops_per_usd

MOST_TIMES = 10  # of the best of the workload
FEWEST_KNOWN = 3  # results of others: with fewer the best is no measure
MOST_OPS_S_PER_NODE = 100_000_000  # no database node does that
LEAST_HOURLY_USD = Decimal("0.001")  # of a node: no machine costs less

_ROUNDING = 1 + 1e-9  # what is as near as that to a limit is compared exactly
_ROUNDING_VALUE = Decimal("1.000000001")
# By workload and account: rate and value of results of others.
_rivals: VersionMemory[tuple[str, int], tuple[float, Decimal]] = VersionMemory(10_000)

_EXEMPT = (Trust.HISTORICAL, Trust.RUN_BY_US)


@dataclass(frozen=True, slots=True)
class Best:
    """Of what others have submitted of a workload; None with too few results."""

    ops_s: float | None = None
    ops_per_usd: Decimal | None = None


def with_outliers_flagged(
    batch: Sequence[Prepared], submitted_by: User | None, *, data_version: object = None
) -> list[Prepared]:
    """The batch in its order. At most two queries, none where nothing can be an outlier.

    With the version of the data, read before, it is known from earlier batches where nothing can.
    """
    suspects = [prepared for prepared in batch if is_suspect(prepared)]
    suspects = _without_a_rival(suspects, submitted_by, data_version)
    best = _best_of({prepared.fingerprint for prepared in suspects}, submitted_by) if suspects else {}
    return [
        prepared if prepared.trust in _EXEMPT else _flagged(prepared, best.get(prepared.fingerprint, Best()))
        for prepared in batch
    ]


def is_suspect(prepared: Prepared) -> bool:
    """Whether what others have submitted decides about its flags."""
    return prepared.trust not in _EXEMPT and prepared.throughput is not None


def without_best(prepared: Prepared) -> Prepared:
    """With the flags that it has whatever others have submitted; all of one for which `is_plausible` holds."""
    return prepared if prepared.trust in _EXEMPT else _flagged(prepared, Best())


def least_of_rivals(prepared: Prepared) -> tuple[float | None, Decimal | None]:
    """The rate and the value that results of others must have; None: any, or none at all."""
    if not is_suspect(prepared):
        return None, None
    value = _stated_value(prepared)
    return _least_rate(_rate(prepared)), _least_value(value) if value else None


def is_plausible(**places: str) -> str:
    """A condition in SQL, of a `workload` and an `account`, and of the least `rate` and `value`.

    Somebody else has these, or too few results are known for the best of them to be a measure.
    """
    of = {"workload": places["workload"], "account": places["account"]}
    rate = _TRACED_OF_RATE.literal_sql_of(**of, least=places["rate"])
    value = _TRACED_OF_VALUE.literal_sql_of(**of, least=places["value"])
    few = _FEW_OF_OTHERS.literal_sql_of(**of)
    return (
        f"(({places['rate']} IS NULL OR ({rate}) IS NOT NULL)"  # noqa: S608 - of our own queries
        f" AND ({places['value']} IS NULL OR ({value}) IS NOT NULL)"
        f" OR (SELECT count(*) FROM ({few}) few) < {FEWEST_KNOWN})"
    )


def has_implausible_rate(prepared: Prepared, best: Best) -> bool:
    if prepared.throughput is None:
        return False
    rate = prepared.throughput.mean
    nodes = sum(group.count for group in prepared.document.nodes if group.role in group.role.SYSTEM_UNDER_TEST)
    return rate > nodes * MOST_OPS_S_PER_NODE or (best.ops_s is not None and rate > MOST_TIMES * best.ops_s)


def has_implausible_price(prepared: Prepared, best: Best) -> bool:
    """Of a price that the submitter stated; stated_prices.py compares it with the price book."""
    value = _stated_value(prepared)
    if value is None:
        return False
    stated = (group.hourly_usd for group in prepared.document.nodes if group.role in group.role.SYSTEM_UNDER_TEST)
    if any(usd is not None and usd < LEAST_HOURLY_USD for usd in stated):
        return True
    return best.ops_per_usd is not None and value > MOST_TIMES * best.ops_per_usd


def _without_a_rival(suspects: Sequence[Prepared], submitted_by: User | None, data_version: object) -> list[Prepared]:
    """Those whose rate or stated price may be absurd: of the others one result with a log shows that neither is.

    A result of somebody else that is a tenth as good is no further than the first rows of an index, while the best of
    all would be read from every result of the workload. New results take nothing from it: it is known as long as the
    version of the data lasts.
    """
    account = submitted_by.pk if submitted_by else 0
    asked: dict[str, tuple[float, Decimal]] = {}
    for prepared in suspects:
        rate, value = asked.get(prepared.fingerprint, (0.0, Decimal(0)))
        asked[prepared.fingerprint] = max(rate, _rate(prepared)), max(value, _stated_value(prepared) or Decimal(0))
    least = {key: (_least_rate(rate), _least_value(value)) for key, (rate, value) in asked.items()}
    unknown = {key: pair for key, pair in least.items() if not _is_known(data_version, (key, account), pair)}
    beaten = _beaten(unknown, account) if unknown else {}
    for key, pair in beaten.items():
        if submitted_by is not None and data_version is not None:
            _rivals.set(data_version, (key, account), pair)
    return [each for each in suspects if each.fingerprint in unknown and each.fingerprint not in beaten]


def _least_rate(rate: float) -> float:
    return rate / MOST_TIMES * _ROUNDING


def _least_value(value: Decimal) -> Decimal:
    return value / MOST_TIMES * _ROUNDING_VALUE


def _is_known(data_version: object, key: tuple[str, int], least: tuple[float, Decimal]) -> bool:
    known = _rivals.get(data_version, key)
    return known is not None and known[0] >= least[0] and known[1] >= least[1]


def _beaten(least: Mapping[str, tuple[float, Decimal]], account: int) -> dict[str, tuple[float, Decimal]]:
    """By fingerprint a rate and a value of results of other accounts, at least those given; where there are any."""
    sql, params = _statement(any(value for _, value in least.values()))
    given: list[Any] = [
        account,
        list(least),
        [rate for rate, _ in least.values()],
        [value for _, value in least.values()],
        list(least),
    ]
    primary: Any = connection  # benchsite/postgresql
    with primary.prepared_cursor() as cursor:
        cursor.execute(sql, [*params, *given])
        return {row[0]: (row[1], row[2]) for row in cursor.fetchall()}


@cache
def _statement(has_prices: bool) -> tuple[str, list[Any]]:
    places = {"workload": "workload.id", "account": "suspect.account"}
    rate, params = _TRACED_OF_RATE.sql_of(**places, least="suspect.ops_s")
    value, more = _TRACED_OF_VALUE.sql_of(**places, least="suspect.value") if has_prices else ("SELECT 0::numeric", [])
    value = f"CASE WHEN suspect.value > 0 THEN ({value}) ELSE 0 END"
    return (
        "SELECT * FROM ("  # noqa: S608 - of our own queries
        f"SELECT workload.fingerprint, ({rate}) AS rate, {value} AS value"
        " FROM (SELECT *, %s::integer AS account"
        " FROM unnest(%s::text[], %s::float8[], %s::numeric[]) AS given (fingerprint, ops_s, value)) suspect"
        " JOIN submissions_workload workload USING (fingerprint) WHERE workload.fingerprint = ANY(%s)"
        " OFFSET 0) rival WHERE rate IS NOT NULL AND value IS NOT NULL",  # OFFSET: each subquery runs once
        [*params, *more],
    )


def _traced(account: int) -> SubmissionQuerySet:
    return Submission.objects.rankable().exclude(submitted_by=account).exclude(trust=Trust.UPLOADED).order_by()


_TRACED_OF_RATE = CompiledQuery(
    lambda workload, account, least: (
        _traced(account).filter(workload=workload, throughput_ops_s__gte=least).values("throughput_ops_s")[:1]
    ),
    workload=-1,
    account=-2,
    least=-3.0,
)
_TRACED_OF_VALUE = CompiledQuery(
    lambda workload, account, least: (
        _traced(account)
        .filter(workload=workload)
        .exclude(IS_PRICE_OFF)
        .filter(ops_per_usd__gte=least)
        .values("ops_per_usd")[:1]
    ),
    workload=-1,
    account=-2,
    least=Decimal(-3),
)


_FEW_OF_OTHERS = CompiledQuery(
    lambda workload, account: (
        Submission.objects.rankable().filter(workload=workload).exclude(submitted_by=account).order_by().values("pk")
    )[:FEWEST_KNOWN],
    workload=-1,
    account=-2,
)


def _rate(prepared: Prepared) -> float:
    return prepared.throughput.mean if prepared.throughput else 0.0


def _stated_value(prepared: Prepared) -> Decimal | None:
    cost = prepared.priced.cost
    if not cost.is_stated or cost.hourly_usd is None or prepared.throughput is None:
        return None
    return ops_per_usd(hourly_usd=cost.hourly_usd, throughput_ops_s=prepared.throughput.mean)


def _flagged(prepared: Prepared, best: Best) -> Prepared:
    found = set(prepared.flags)
    if has_implausible_rate(prepared, best):
        found.add(Flag.RATE_IMPLAUSIBLE)
    if has_implausible_price(prepared, best):
        found.add(Flag.STATED_PRICE_OFF)
    flags = tuple(flag for flag in Flag if flag in found)
    return prepared if flags == prepared.flags else replace(prepared, flags=flags)


def _best_of(fingerprints: set[str], submitted_by: User | None) -> dict[str, Best]:
    """By fingerprint. Uploads without a log count only where too few others are known."""
    primary: Any = connection  # benchsite/postgresql
    sql, params = _best_statement()
    with primary.prepared_cursor() as cursor:
        cursor.execute(sql, [list(fingerprints), submitted_by.pk if submitted_by else 0, *params])
        return {fingerprint: _best(traced, others) for fingerprint, traced, others in map(_numbers, cursor.fetchall())}


def _all_of_others(fingerprint: str, account: int) -> QuerySet[Submission, Any]:
    is_traced, is_priced = ~Q(trust=Trust.UPLOADED), ~IS_PRICE_OFF
    others = Submission.objects.rankable().filter(workload__fingerprint=fingerprint).exclude(submitted_by=account)
    rows = others.order_by().values("workload__fingerprint")
    return rows.annotate(
        n=Count("pk"),
        ops_s=Max("throughput_ops_s"),
        value=Max("ops_per_usd", filter=is_priced),
        traced_n=Count("pk", filter=is_traced),
        traced_ops_s=Max("throughput_ops_s", filter=is_traced),
        traced_value=Max("ops_per_usd", filter=is_traced & is_priced),
    ).values_list("workload__fingerprint", "traced_n", "traced_ops_s", "traced_value", "n", "ops_s", "value")


_ALL_OF_OTHERS = CompiledQuery(_all_of_others, fingerprint="fingerprint", account=-1)


@cache
def _best_statement() -> tuple[str, list[Any]]:
    """Of the fingerprints and the account, which come first of its parameters; account 0 is nobody's."""
    sql, params = _ALL_OF_OTHERS.sql_of(
        fingerprint="ANY ((SELECT fingerprints FROM asked)::text[])", account="(SELECT account FROM asked)"
    )
    return f"WITH asked AS (SELECT %s::text[] AS fingerprints, %s::bigint AS account) {sql}", params


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Of some of the results of a workload."""

    n: int
    ops_s: float | None
    value: Decimal | None


def _numbers(row: Sequence[Any]) -> tuple[str, _Numbers, _Numbers]:
    return row[0], _Numbers(*row[1:4]), _Numbers(*row[4:])


def _best(traced: _Numbers, others: _Numbers) -> Best:
    for known in (traced, others):
        if known.n >= FEWEST_KNOWN:
            return Best(known.ops_s, known.value)
    return Best()
