"""All that the site knows about one machine type."""

from dataclasses import dataclass
from datetime import date

from submissions.machines.catalogue import Machine, MachineKey, catalogue
from submissions.machines.prices import MachinePrices, prices_of
from submissions.machines.results import DatabaseValue, values_by_database
from submissions.pricing.discounts import Discounts


@dataclass(frozen=True, slots=True)
class MachineResult:
    machine: Machine
    day: date
    prices: MachinePrices
    values: tuple[DatabaseValue, ...]  # databases with most results on it first


def machine_result(key: MachineKey, region: str, day: date, discounts: Discounts = ()) -> MachineResult | None:
    """None for an unknown type. Four queries while the types and the value boards of its workloads are cached."""
    machine = catalogue().get(key)
    if machine is None:
        return None
    values = values_by_database(key, day, discounts) if machine.results else ()
    return MachineResult(machine, day, prices_of(key, region, day, discounts), values)
