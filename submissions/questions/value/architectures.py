"""What a dollar buys on ARM and on x86: of each cloud and architecture the best machine type, and the median one."""

from dataclasses import dataclass, field
from decimal import Decimal
from statistics import median

_Place = tuple[str, str]  # provider, architecture


@dataclass(frozen=True, slots=True)
class ArchitectureValue:
    """Each machine type by its best result: `median` is that of the types, of which none counts twice."""

    provider: str
    architecture: str
    machine_types: int
    best_type: str
    best: Decimal
    median: Decimal


@dataclass(slots=True)
class BestOfTypes:
    """The most operations per dollar of each machine type whose architecture is known."""

    values: dict[_Place, dict[str, Decimal]] = field(default_factory=dict)

    def add(self, provider: str, architecture: str | None, instance_type: str, ops_per_usd: Decimal) -> None:
        if architecture is None:
            return
        of_place = self.values.setdefault((provider, architecture), {})
        of_place[instance_type] = max(ops_per_usd, of_place.get(instance_type, ops_per_usd))


def architecture_values(types: BestOfTypes) -> tuple[ArchitectureValue, ...]:
    """The best first; empty where all are of one architecture."""
    if len({architecture for _, architecture in types.values}) < 2:
        return ()
    rows = [
        ArchitectureValue(
            provider,
            architecture,
            len(values),
            max(values, key=lambda name: (values[name], name)),
            max(values.values()),
            median(values.values()),
        )
        for (provider, architecture), values in types.values.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.best, row.provider, row.architecture)))
