"""What others have submitted of a workload, as a measure of new results: read by indexes, however many results it has.

An account may have nearly all results of a workload, and most may have no log. So the results of others are looked up
in the accounts before and after the own one, and those with a log have an index of their own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import DecimalField, ExpressionWrapper, F, QuerySet

from submissions.choices import Trust
from submissions.models import IS_PRICE_OFF, CompiledQuery, Submission, SubmissionQuerySet

FEWEST_KNOWN = 3  # results of others: with fewer the best is no measure

# With a sum no index by value is chosen, which would walk all results of the own account.
_VALUE = ExpressionWrapper(F("ops_per_usd") + 0, DecimalField())

_Select = Callable[..., QuerySet[Submission, Any]]  # of rows, and of the least figure


def _of_workload(workload: int, *, is_traced: bool) -> SubmissionQuerySet:
    rows = Submission.objects.rankable().filter(workload=workload).order_by()
    return rows.exclude(trust=Trust.UPLOADED) if is_traced else rows


def _of_others(select: _Select, **least: Any) -> dict[bool, tuple[CompiledQuery, ...]]:
    """Of those with a log or of all: of the accounts before, of those after, and of nobody's."""

    def compiled(*, is_traced: bool) -> tuple[CompiledQuery, ...]:
        def before(workload: int, account: int, **least: Any) -> QuerySet[Submission, Any]:
            return select(_of_workload(workload, is_traced=is_traced).filter(submitted_by__lt=account), **least)

        def after(workload: int, account: int, **least: Any) -> QuerySet[Submission, Any]:
            return select(_of_workload(workload, is_traced=is_traced).filter(submitted_by__gt=account), **least)

        def of_nobody(workload: int, **least: Any) -> QuerySet[Submission, Any]:
            return select(_of_workload(workload, is_traced=is_traced).filter(submitted_by=None), **least)

        examples = {"workload": -1, "account": -2, **least}
        of_accounts = (CompiledQuery(query, **examples) for query in (before, after))
        return (*of_accounts, CompiledQuery(of_nobody, workload=-1, **least))

    return {is_traced: compiled(is_traced=is_traced) for is_traced in (True, False)}


_KEYS = _of_others(lambda rows: rows.values("pk"))
_RATES = _of_others(lambda rows, least: rows.filter(throughput_ops_s__gte=least).values("throughput_ops_s"), least=-3.0)
_VALUES = _of_others(
    lambda rows, least: rows.exclude(IS_PRICE_OFF).alias(value=_VALUE).filter(value__gte=least).values("ops_per_usd"),
    least=Decimal(-3),
)


def _others(workload: int, account: int) -> SubmissionQuerySet:
    return _of_workload(workload, is_traced=False).exclude(submitted_by=account)


_HIGHEST_RATE = CompiledQuery(
    lambda workload, account: (
        _others(workload, account).order_by(F("throughput_ops_s").desc(nulls_last=True)).values("throughput_ops_s")[:1]
    ),
    workload=-1,
    account=-2,
)
_HIGHEST_VALUE = CompiledQuery(
    lambda workload, account: (
        _others(workload, account).priced().order_by(F("ops_per_usd").desc(nulls_last=True)).values("ops_per_usd")[:1]
    ),
    workload=-1,
    account=-2,
)


@dataclass(frozen=True, slots=True)
class Best:
    """Of what others have submitted of a workload; None with too few results."""

    ops_s: float | None = None
    ops_per_usd: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Rival:
    """A rate and a value that others have, each at least as high as was looked for."""

    ops_s: float
    ops_per_usd: Decimal


def is_plausible(**places: str) -> str:
    """A condition in SQL, of a `workload` and an `account`, and of the least `rate` and `value`.

    Somebody else has these, with a log where enough results have one, or too few results are known for the best of
    them to be a measure.
    """
    of = {"workload": places["workload"], "account": places["account"]}
    return (
        f"({has_traced_rival(**places)}"
        f" OR ({_few(is_traced=True, **of)} AND {_has(places, is_traced=False)})"
        f" OR {_few(is_traced=False, **of)})"
    )


def has_traced_rival(**places: str) -> str:
    """The part of `is_plausible` that holds for most results: somebody else has these with a log.

    A third of the SQL. What PostgreSQL never evaluates it plans and prepares all the same, at each execution.
    """
    return _has(places, is_traced=True)


def rivals_of(least: Mapping[str, tuple[float, Decimal]], account: int) -> dict[str, Rival | None]:
    """By fingerprint of a workload with a plausible rate and value: what shows it, or None where that may change.

    `least`: the rate and the value that others must have; value 0: any. A rival with a log stays one as long as no
    stored result changes; one without a log, or none, is no measure any more when others with a log come. Account 0
    is nobody's. One query.
    """
    given: list[Any] = [
        account,
        list(least),
        [rate for rate, _ in least.values()],
        [value or None for _, value in least.values()],
        list(least),
    ]
    return {
        fingerprint: None if rate is None or value is None else Rival(rate, value)
        for fingerprint, rate, value in _rows(_plausible_statement(), given)
    }


def best_of(fingerprints: set[str], account: int) -> dict[str, Best]:
    """By fingerprint. Uploads without a log count only where too few others are known. One query.

    Reads all results of others with a log.
    """
    rows = _rows(_best_statement(), [account, list(fingerprints)])
    return {fingerprint: Best(rate, value) for fingerprint, rate, value in rows}


def _rows(statement: str, params: Sequence[Any]) -> Sequence[tuple[Any, ...]]:
    primary: Any = connection  # benchsite/postgresql
    with primary.prepared_cursor() as cursor:
        cursor.execute(statement, params)
        rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
        return rows


@cache
def _plausible_statement() -> str:
    places = {"workload": "w.id", "account": "suspect.account", "rate": "suspect.ops_s", "value": "suspect.value"}
    of = {"workload": "w.id", "account": "suspect.account"}
    rate = f"({_rates(is_traced=True, least='suspect.ops_s', **of)} LIMIT 1)"
    value = f"({_values(is_traced=True, least='suspect.value', **of)} LIMIT 1)"
    return (
        f"SELECT w.fingerprint, {rate}, CASE WHEN suspect.value IS NULL THEN 0 ELSE {value} END"
        " FROM (SELECT *, %s::integer AS account"
        " FROM unnest(%s::text[], %s::float8[], %s::numeric[]) AS given (fingerprint, ops_s, value)) suspect"
        " JOIN submissions_workload w USING (fingerprint)"
        f" WHERE w.fingerprint = ANY(%s) AND {is_plausible(**places)}"
    )


@cache
def _best_statement() -> str:
    of = {"workload": "w.id", "account": "given.account"}
    traced_rate = f"(SELECT max(rate) FROM ({_rates(is_traced=True, least='0', **of)}) traced (rate))"
    traced_value = f"(SELECT max(value) FROM ({_values(is_traced=True, least='0', **of)}) traced (value))"
    rate, value = (f"({query.literal_sql_of(**of)})" for query in (_HIGHEST_RATE, _HIGHEST_VALUE))
    has_traced, has_any = (f"NOT ({_few(is_traced=is_traced, **of)})" for is_traced in (True, False))
    return (
        "SELECT w.fingerprint,"
        f" CASE WHEN of_workload.has_traced THEN {traced_rate} WHEN of_workload.has_any THEN {rate} END,"
        f" CASE WHEN of_workload.has_traced THEN {traced_value} WHEN of_workload.has_any THEN {value} END"
        " FROM (SELECT %s::integer AS account) given, submissions_workload w,"
        f" LATERAL (SELECT {has_traced} AS has_traced, {has_any} AS has_any OFFSET 0) of_workload"
        " WHERE w.fingerprint = ANY(%s)"
    )


def _has(places: Mapping[str, str], *, is_traced: bool) -> str:
    """Whether others have the rate, and the value; what is NULL they need not have."""
    of = {"workload": places["workload"], "account": places["account"]}
    rates = _rates(is_traced=is_traced, least=places["rate"], **of)
    values = _values(is_traced=is_traced, least=places["value"], **of)
    return f"(({places['rate']} IS NULL OR EXISTS ({rates})) AND ({places['value']} IS NULL OR EXISTS ({values})))"


def _few(*, is_traced: bool, **places: str) -> str:
    """Whether others have fewer results than a measure needs."""
    return f"(SELECT count(*) FROM ({_union(_KEYS[is_traced], places)} LIMIT {FEWEST_KNOWN}) few) < {FEWEST_KNOWN}"


def _rates(*, is_traced: bool, least: str, **places: str) -> str:
    return _union(_RATES[is_traced], {**places, "least": least})


def _values(*, is_traced: bool, least: str, **places: str) -> str:
    return _union(_VALUES[is_traced], {**places, "least": least})


def _union(queries: Sequence[CompiledQuery], places: Mapping[str, str]) -> str:
    *of_accounts, of_nobody = queries
    without_account = {name: place for name, place in places.items() if name != "account"}
    parts = [query.literal_sql_of(**places) for query in of_accounts]
    return " UNION ALL ".join(f"({part})" for part in (*parts, of_nobody.literal_sql_of(**without_account)))
