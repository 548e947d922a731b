"""Rates and stated prices that nothing known comes near: flagged, and off the boards until a moderator looks."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from django.contrib.auth.models import User

from submissions.choices import Flag, Trust
from submissions.ingest.pipeline import Prepared
from submissions.ingest.rivals import Best, Rival, best_of, rivals_of
from submissions.models import VersionMemory
from submissions.pricing.cost import ops_per_usd

MOST_TIMES = 10  # of the best of the workload
MOST_OPS_S_PER_NODE = 100_000_000  # no database node does that
LEAST_HOURLY_USD = Decimal("0.001")  # of a node: no machine costs less

_ROUNDING = 1 + 1e-9  # what is as near as that to a limit is compared exactly
_ROUNDING_VALUE = Decimal("1.000000001")
# By workload and account: what results of others with a log have.
_rivals: VersionMemory[tuple[str, int], Rival] = VersionMemory(10_000)

_EXEMPT = (Trust.HISTORICAL, Trust.RUN_BY_US)


def with_outliers_flagged(
    batch: Sequence[Prepared], submitted_by: User | None, *, data_version: object = None
) -> list[Prepared]:
    """The batch in its order. At most two queries, none where nothing can be an outlier.

    With the version of the data, read before, it is known from earlier batches where nothing can.
    """
    suspects = [prepared for prepared in batch if is_suspect(prepared)]
    suspects = _without_a_rival(suspects, submitted_by, data_version)
    account = submitted_by.pk if submitted_by else 0
    best = best_of({prepared.fingerprint for prepared in suspects}, account) if suspects else {}
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
    """Those whose rate or stated price may be absurd: of the others a result of somebody else shows that neither is.

    Most are plausible, and a result that is a tenth as good is found sooner than the best of all. New results take
    nothing from one with a log: it is known as long as the version of the data lasts.
    """
    account = submitted_by.pk if submitted_by else 0
    asked: dict[str, tuple[float, Decimal]] = {}
    for prepared in suspects:
        rate, value = asked.get(prepared.fingerprint, (0.0, Decimal(0)))
        asked[prepared.fingerprint] = max(rate, _rate(prepared)), max(value, _stated_value(prepared) or Decimal(0))
    least = {key: (_least_rate(rate), _least_value(value)) for key, (rate, value) in asked.items()}
    unknown = {key: pair for key, pair in least.items() if not _is_known(data_version, (key, account), pair)}
    plausible = rivals_of(unknown, account) if unknown else {}
    for key, rival in plausible.items():
        if rival is not None and submitted_by is not None and data_version is not None:
            _rivals.set(data_version, (key, account), rival)
    return [each for each in suspects if each.fingerprint in unknown and each.fingerprint not in plausible]


def _least_rate(rate: float) -> float:
    return rate / MOST_TIMES * _ROUNDING


def _least_value(value: Decimal) -> Decimal:
    return value / MOST_TIMES * _ROUNDING_VALUE


def _is_known(data_version: object, key: tuple[str, int], least: tuple[float, Decimal]) -> bool:
    known = _rivals.get(data_version, key)
    return known is not None and known.ops_s >= least[0] and known.ops_per_usd >= least[1]


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
