"""Every machine type that the price book or a result knows, with its facts."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, NamedTuple

from submissions.aggregates.read import site_counts
from submissions.models import InstanceType, priced_by_the_hour
from submissions.models.versions.data_version import Subject
from submissions.pricing.machines.addresses import is_type, machine_address
from submissions.pricing.providers import billing_of
from submissions.records.aggregate import FACETS, MACHINE
from submissions.records.cache import cached
from submissions.vocabulary import slug

MOST_NEAREST = 8
_LIKENESS = 0.6


class MachineKey(NamedTuple):
    """How an address names a type: "aws:i4i.2xlarge"."""

    provider: str
    name: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}"


@dataclass(frozen=True, slots=True)
class Machine:
    """None is unknown, of a disk too; `local_disk_gib` is of all disks together."""

    key: MachineKey
    vcpus: int | None = None
    memory_gib: float | None = None
    architecture: str | None = None
    cpu_model: str | None = None
    local_disk_count: int | None = None
    local_disk_gib: float | None = None
    local_disk_kind: str | None = None
    source: str = ""  # of these facts; empty: results state them
    results: int = 0  # listed ones, with a rate

    @property
    def provider(self) -> str:
        return self.key.provider

    @property
    def name(self) -> str:
        return self.key.name

    @property
    def family(self) -> str | None:
        return billing_of(self.provider).family_of(self.name)

    @property
    def deployment(self) -> str | None:
        return billing_of(self.provider).deployment_of(self.name)

    @property
    def has_local_disks(self) -> bool | None:
        return None if self.local_disk_count is None else self.local_disk_count > 0

    def get_absolute_url(self) -> str:
        return machine_address(*self.key)


Catalogue = Mapping[MachineKey, Machine]


class _Measured(NamedTuple):
    """A type as a result states it."""

    provider: str
    name: str
    vcpus: int | None
    memory_gib: float | None
    architecture: str | None
    cpu_model: str | None


_FACTS = _Measured._fields[2:]


def catalogue() -> Catalogue:
    """In the order of providers and names. Five queries, one while it is cached."""
    return cached(("machine types",), _catalogue, subjects=[Subject.PRICES])


def _catalogue() -> dict[MachineKey, Machine]:
    known = {machine.key: machine for machine in _of_price_book()}
    counts: Counter[MachineKey] = Counter()
    stated: dict[MachineKey, dict[str, Counter[Any]]] = {}
    for one, n in _measured():
        key = MachineKey(one.provider, one.name)
        counts[key] += n
        for name in _FACTS:
            if (value := getattr(one, name)) is not None:
                stated.setdefault(key, {}).setdefault(name, Counter())[value] += n
    for key, n in counts.items():
        machine = known.get(key, Machine(key))
        known[key] = replace(machine, results=n, **_missing_facts(machine, stated.get(key, {})))
    return dict(sorted(known.items()))


def _of_price_book() -> Iterable[Machine]:
    columns = ("vcpus", "memory_gib", "cpu_model", "local_disk_count", "local_disk_gib", "local_disk_kind", "source")
    for provider, name in priced_by_the_hour():
        billing = billing_of(provider)
        if billing.family_of(name) is not None and not billing.is_part(name):
            yield Machine(MachineKey(provider, name))
    for provider, name, arch, *facts in InstanceType.objects.values_list("provider", "name", "arch", *columns):
        yield Machine(MachineKey(provider, name), architecture=arch, **dict(zip(columns, facts, strict=True)))


def _measured() -> Iterable[tuple[_Measured, int]]:
    for key, n in site_counts(FACETS, MACHINE).items():
        one = _Measured(*json.loads(key.removeprefix(MACHINE)))
        if is_type(one.provider, one.name):
            yield one, n


def _missing_facts(machine: Machine, stated: Mapping[str, Counter[Any]]) -> dict[str, Any]:
    """What the price book does not say of it, as most results state it."""
    return {
        name: max(values.items(), key=lambda item: (item[1], str(item[0])))[0]
        for name, values in stated.items()
        if getattr(machine, name) is None
    }


def keys_named(text: str, known: Catalogue) -> list[MachineKey]:
    """The types that "aws:i4i.2xlarge" or "i4i.2xlarge" names."""
    provider, colon, name = text.strip().partition(":")
    if colon:
        key = MachineKey(_slug(provider), name)
        return [key] if key in known else []
    return [key for key in known if key.name == text.strip()]


def _slug(provider: str) -> str:
    """Empty for what names no provider."""
    try:
        return slug(provider)
    except ValueError:
        return ""


def nearest(text: str, known: Catalogue) -> list[MachineKey]:
    """Of "aws:i4i.2xlarg" or "z3-highmem-8": the types whose names begin so, then those that are spelt most alike."""
    provider, colon, name = text.strip().rpartition(":")
    name = name.lower()
    own = [key for key in known if not colon or key.provider == _slug(provider)]
    names = {key.name.lower(): key for key in reversed(own or list(known))}
    begun = sorted((one for one in names if one.startswith(name)), key=lambda one: (len(one), one)) if name else []
    alike = get_close_matches(name, names, MOST_NEAREST, _LIKENESS)
    return [names[one] for one in dict.fromkeys((*begun, *alike))][:MOST_NEAREST]
