"""Machines of a workload: those that a reader chooses, by cloud, family, architecture, CPU model and vCPUs."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Q

FACETS = ("provider", "architecture", "machine_family", "cpu_model")  # parameters, and columns


class Machine(NamedTuple):
    """Columns of a submission: one database node."""

    provider: str
    machine_family: str | None
    architecture: str | None
    cpu_model: str | None
    vcpus: int | None


MACHINE_COLUMNS = Machine._fields
MachineCounts = Mapping[Machine, int]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Empty and None are no restriction; None among the values is a machine of which the fact is unknown."""

    provider: tuple[str | None, ...] = ()
    architecture: tuple[str | None, ...] = ()
    machine_family: tuple[str | None, ...] = ()
    cpu_model: tuple[str | None, ...] = ()
    min_vcpus: int | None = None
    max_vcpus: int | None = None

    @property
    def is_all(self) -> bool:
        return self == _ALL

    def takes(self, machine: Machine, *, but: str = "") -> bool:
        """Whether it is one of the chosen; `but`: whatever it has of that facet."""
        for name in FACETS:
            values = getattr(self, name)
            if values and name != but and getattr(machine, name) not in values:
                return False
        if self.min_vcpus is None and self.max_vcpus is None:
            return True
        if machine.vcpus is None:
            return False
        return (self.min_vcpus or 0) <= machine.vcpus and (self.max_vcpus is None or machine.vcpus <= self.max_vcpus)

    @property
    def condition(self) -> Q:
        """The same of a submission."""
        wanted = Q()
        for name in FACETS:
            values = getattr(self, name)
            if values:
                stated = Q(**{f"{name}__in": [value for value in values if value is not None]})
                wanted &= stated | Q(**{f"{name}__isnull": True}) if None in values else stated
        if self.min_vcpus is not None:
            wanted &= Q(vcpus__gte=self.min_vcpus)
        if self.max_vcpus is not None:
            wanted &= Q(vcpus__lte=self.max_vcpus)
        return wanted


_ALL = Chosen()


def facet_counts(counts: MachineCounts, chosen: Chosen) -> dict[str, Counter[str | None]]:
    """By facet and value, the results that the choices in all other facets leave."""
    found: dict[str, Counter[str | None]] = {name: Counter() for name in FACETS}
    taken = [machine for machine in counts if chosen.is_all or chosen.takes(machine)]
    for name in FACETS:
        has_choice = bool(getattr(chosen, name))
        for machine in [each for each in counts if chosen.takes(each, but=name)] if has_choice else taken:
            found[name][getattr(machine, name)] += counts[machine]
    return found
