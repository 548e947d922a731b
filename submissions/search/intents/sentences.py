"""The names of what a search leads to."""

from submissions.formatting.names import provider_name, service_name
from submissions.formatting.numbers import exact
from submissions.search.intents.reading import FactWord, Reading
from submissions.search.intents.words import Best

_BEST = {Best.CHEAPEST: "The cheapest cluster", Best.FASTEST: "The fastest cluster", Best.VALUE: "The best value"}
_ARCHITECTURES = {"arm64": "ARM", "x86_64": "x86"}


def recommendation(reading: Reading) -> str:
    """ "The cheapest cluster for Apache Cassandra on AWS, p99 at most 10 ms"."""
    limits = reading.limits
    parts = [
        f"at least {exact(limits.target_ops_s)} ops/s" if limits.target_ops_s is not None else "",
        f"p99 at most {exact(limits.max_p99_ms)} ms" if limits.max_p99_ms is not None else "",
        f"at most ${exact(limits.budget_usd_month)} a month" if limits.budget_usd_month is not None else "",
    ]
    return ", ".join(part for part in (f"{_BEST[reading.best or Best.CHEAPEST]}{_of(reading)}", *parts) if part)


def value(reading: Reading) -> str:
    return f"Operations per dollar{_of(reading)}"


def listed(reading: Reading) -> str:
    """ "Results of PostgreSQL on gp3"."""
    limit = reading.limits.max_p99_ms
    p99 = f", p99 at most {exact(limit)} ms" if limit is not None else ""
    first = {Best.CHEAPEST: ", most per dollar first", Best.VALUE: ", most per dollar first"}
    order = ", fastest first" if reading.best == Best.FASTEST else first.get(reading.best) if reading.best else ""
    return f"Results{_of(reading)}{p99}{order or ''}"


def no_result(service: str) -> str:
    return f"no result of {service_name(service)} yet"


def pair(one: str, other: str) -> str:
    return f"{one} and {other} under the same workload"


def no_pair(one: str, other: str) -> str:
    return f"no workload has comparable results on both {one} and {other}"


OF_MACHINES = "size, prices, and results under the same workloads"


def machines(one: str, other: str) -> str:
    return f"{one} and {other} side by side"


def machine(name: str) -> str:
    return f"{name}: facts, prices and results"


def architectures(service: str) -> str:
    return f"ARM against x86{f' for {service_name(service)}' if service else ''}, all else equal"


def value_by_architecture(service: str) -> str:
    return f"Operations per dollar{f' of {service_name(service)}' if service else ''} by architecture"


def of_machine(name: str) -> str:
    return f"Results on {name}"


def _of(reading: Reading) -> str:
    facts = reading.facts
    places = [
        provider_name(facts[FactWord.PROVIDER]) if FactWord.PROVIDER in facts else "",
        facts.get(FactWord.REGION, ""),
        facts.get(FactWord.DISK_KIND, ""),
        _ARCHITECTURES.get(facts.get(FactWord.ARCHITECTURE, ""), ""),
    ]
    where = ", ".join(place for place in places if place)
    return f"{f' of {service_name(reading.service)}' if reading.service else ''}{f' on {where}' if where else ''}"
