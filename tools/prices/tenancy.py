"""Separates EC2's shared from dedicated tenancy in tables that confuse them.

Since 2022 apache-libcloud's scraper writes, for each type, the shared price, the dedicated one (6 to 10 %
more) or the 0.0 of a dedicated host: whichever the price list names last. The tables for Red Hat were
filled in the same accidental way, from other lines of the list: less the licence, which depends only on the
vCPUs, each is a further draw for the same machine. Within a family and region prices are proportional to
size. So the lowest price per size that several draws agree on is the shared one; what is above it, or has no
second draw, is dropped: unknown is better than wrong.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

Table = Mapping[tuple[str, str], Decimal]  # USD/h by (instance type, region)

_NORMALISED_SIZES = {
    "nano": Decimal("0.25"),
    "micro": Decimal("0.5"),
    "small": Decimal(1),
    "medium": Decimal(2),
    "large": Decimal(4),
    "xlarge": Decimal(8),
}
_MULTIPLE = re.compile(r"(\d+)xlarge")
_TOLERANCE = Decimal("1.015")  # lists are rounded to tenths of a cent; dedicated is at least 5 % more
_DRAWS_THAT_CONVINCE = 4


def shared_tenancy(
    linux: Table, licensed: Sequence[Table], *, earlier: Table, vcpus: Mapping[str, int]
) -> dict[tuple[str, str], Decimal]:
    """The prices of `linux` that are convincingly those of shared tenancy.

    `licensed` are tables of the same machines with a licence on top; `earlier` are the prices known
    to have been in force before, which are draws like the others (EC2 prices fall, if they change).
    """
    draws = [linux, earlier, *(_without_licence(linux, table, vcpus) for table in licensed)]
    per_size: dict[tuple[str, str], list[Decimal]] = defaultdict(list)
    for table in draws:
        for (instance_type, region), usd in table.items():
            if size := normalised_size(instance_type):
                per_size[_family(instance_type), region].append(usd / size)
    return {key: usd for key, usd in linux.items() if _convinces(key, usd, per_size)}


def normalised_size(instance_type: str) -> Decimal | None:
    """How many `small`s AWS counts a type for; None for metal and other sizes."""
    _, _, size = instance_type.partition(".")
    if multiple := _MULTIPLE.fullmatch(size):
        return _NORMALISED_SIZES["xlarge"] * int(multiple[1])
    return _NORMALISED_SIZES.get(size)


def _convinces(key: tuple[str, str], usd: Decimal, per_size: Mapping[tuple[str, str], Sequence[Decimal]]) -> bool:
    instance_type, region = key
    size = normalised_size(instance_type)
    if size is None:
        return False
    draws = per_size[_family(instance_type), region]
    limit = min(draws) * _TOLERANCE
    agreeing = sum(draw <= limit for draw in draws)
    return usd / size <= limit and agreeing >= _DRAWS_THAT_CONVINCE


def _without_licence(linux: Table, licensed: Table, vcpus: Mapping[str, int]) -> dict[tuple[str, str], Decimal]:
    fees = dict(_fees(linux, licensed, vcpus))
    return {
        key: usd - fee
        for key, usd in licensed.items()
        if (fee := fees.get(vcpus.get(key[0], 0))) is not None and usd > fee
    }


def _fees(linux: Table, licensed: Table, vcpus: Mapping[str, int]) -> Iterator[tuple[int, Decimal]]:
    """The licence per hour by number of vCPUs: the difference that most types of that size have."""
    differences: dict[int, Counter[Decimal]] = defaultdict(Counter)
    for key, usd in licensed.items():
        if key in linux and key[0] in vcpus:
            differences[vcpus[key[0]]][round(usd - linux[key], 3)] += 1
    for count, counted in differences.items():
        fee, times = counted.most_common(1)[0]
        if times * 2 > counted.total():
            yield count, fee


def _family(instance_type: str) -> str:
    return instance_type.partition(".")[0]
