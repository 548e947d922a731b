"""Plans to start from: a first run on this machine, and the benchmarks of the source articles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings

from runners.load_tools.pgbench.pgbench import PGBENCH_PRESET
from runners.plan_schema.run_plan import THIS_MACHINE
from runners.providers.registry import offered, provider_for, traits_of


@dataclass(frozen=True, slots=True)
class Preset:
    """`name` is the preset's among those of its card; alone, it is the card's title."""

    slug: str
    name: str
    plan: Mapping[str, Any]

    @property
    def exceeds_site_limit(self) -> bool:
        """Whether its budget is more than a run may cost on this site."""
        return bool(Decimal(self.plan["max_usd"]) > settings.MAX_RUN_USD)

    @property
    def machines(self) -> int:
        client = self.plan.get("client")
        return int(self.plan["database"]["count"]) + (int(client["count"]) if client else 0)


@dataclass(frozen=True, slots=True)
class Card:
    """Presets that belong together; of `is_comparison`, both are needed."""

    slug: str
    title: str
    note: str
    presets: tuple[Preset, ...]
    is_comparison: bool = False

    @property
    def place(self) -> str:
        """The provider of all its presets, or "" for several."""
        providers = {preset.plan["provider"] for preset in self.presets}
        return str(next(iter(providers))) if len(providers) == 1 else ""


_TWO_MILLION_WRITES = {
    "service": {"name": "cassandra", "version": "5.0.9"},
    "jdk": {"vendor": "openjdk", "version": "17"},
    "workload": {
        "tool": "cassandra-stress",
        "operation": "write",
        "consistency_level": "LOCAL_ONE",
        "replication_factor": 3,
        "threads": 200,
        "operations": 2_000_000,
    },
    "trials": 3,
    "max_duration_minutes": 60,
    "max_usd": "10",
}


CASSANDRA_HERE_VERSION = "5.0.9"  # what `fetch_cassandra` fetches by default


def _scale_out(nodes: int, clients: int, max_usd: str) -> Preset:
    """Netflix's scale-out of 2011, with clients in proportion: 4.8 nodes per client."""
    return Preset(
        slug=f"scale-out-{nodes}",
        name=f"{nodes} + {clients} clients",
        plan={
            "title": f"Scale-out over three zones: {nodes} nodes, {clients} clients",
            "provider": "aws",
            "region": "us-east-1",
            "zones": ["us-east-1a", "us-east-1b", "us-east-1c"],
            "service": {"name": "cassandra", "version": "5.0.9"},
            "jdk": {"vendor": "openjdk", "version": "17"},
            "database": {"instance_type": "m5d.xlarge", "count": nodes},
            "client": {"instance_type": "m5.4xlarge", "count": clients},
            "workload": {
                "tool": "cassandra-stress",
                "operation": "write",
                "consistency_level": "ONE",
                "replication_factor": 3,
                "threads": 200,
                "operations": 27_000_000,
                "columns": 10,
                "value_bytes": 10,
            },
            "trials": 1,
            "max_duration_minutes": 120,
            "max_usd": max_usd,
        },
    )


_PGBENCH_HERE = Preset("pgbench-here", "PostgreSQL on this machine", PGBENCH_PRESET)
_CASSANDRA_HERE = Preset(
    "cassandra-here",
    "three nodes, cassandra-stress",
    {
        "provider": "local",
        "service": {"name": "cassandra", "version": CASSANDRA_HERE_VERSION},
        "database": {"instance_type": THIS_MACHINE, "count": 3},
        "workload": {
            "tool": "cassandra-stress",
            "operation": "write",
            "consistency_level": "QUORUM",
            "replication_factor": 3,
            "threads": 16,
            "operations": 100_000,
        },
        "trials": 2,
        "max_duration_minutes": 30,
        "max_usd": "0",
    },
)
_YCSB_HERE = Preset(
    "ycsb-here",
    "with YCSB, workload A",
    {
        "provider": "local",
        "service": {"name": "cassandra", "version": CASSANDRA_HERE_VERSION},
        "database": {"instance_type": THIS_MACHINE, "count": 1},
        "workload": {
            "tool": "ycsb",
            "operation": "workloada",
            "consistency_level": "ONE",
            "threads": 16,
            "duration_seconds": 30,
            "prefill": 50_000,
        },
        "trials": 3,
        "max_duration_minutes": 30,
        "max_usd": "0",
    },
)
_LATTE_HERE = Preset(
    "latte-here",
    "with latte, 80 % reads",
    {
        "provider": "local",
        "service": {"name": "cassandra", "version": CASSANDRA_HERE_VERSION},
        "database": {"instance_type": THIS_MACHINE, "count": 1},
        "workload": {
            "tool": "latte",
            "operation": "mixed",
            "read_share": 0.8,
            "consistency_level": "ONE",
            "threads": 64,
            "duration_seconds": 30,
            "prefill": 50_000,
        },
        "trials": 3,
        "max_duration_minutes": 30,
        "max_usd": "0",
    },
)
_WRITES_AWS = Preset(
    "writes-aws",
    "on AWS",
    {
        **_TWO_MILLION_WRITES,
        "title": "GCE against AWS, 2 million writes: AWS",
        "provider": "aws",
        "region": "us-east-1",
        "zones": ["us-east-1a"],
        "database": {"instance_type": "m5d.2xlarge", "count": 3},
        "client": {"instance_type": "c5.4xlarge", "count": 1},
    },
)
_WRITES_GCE = Preset(
    "writes-gce",
    "on Google Cloud",
    {
        **_TWO_MILLION_WRITES,
        "title": "GCE against AWS, 2 million writes: Google Cloud",
        "provider": "gce",
        "region": "us-central1",
        "zones": ["us-central1-a"],
        "database": {"instance_type": "n1-standard-8", "count": 3},
        "client": {"instance_type": "n1-highcpu-16", "count": 1},
    },
)
_SSD = Preset(
    "ssd",
    "SSD with a disk test",
    {
        "provider": "aws",
        "region": "us-east-1",
        "zones": ["us-east-1a", "us-east-1b", "us-east-1c"],
        "service": {"name": "cassandra", "version": "5.0.9"},
        "jdk": {"vendor": "openjdk", "version": "17"},
        "database": {"instance_type": "i3.2xlarge", "count": 3},
        "client": {"instance_type": "c5.4xlarge", "count": 1},
        "workload": {
            "tool": "cassandra-stress",
            "operation": "mixed",
            "read_share": 0.9,
            "consistency_level": "ONE",
            "replication_factor": 3,
            "threads": 200,
            "duration_seconds": 600,
            "prefill": 10_000_000,
            "disk_test": True,
        },
        "trials": 3,
        "max_duration_minutes": 180,
        "max_usd": "40",
    },
)

CARDS: tuple[Card, ...] = (
    Card(
        "postgresql",
        "PostgreSQL on this machine",
        "pgbench on a private PostgreSQL server: a real result in about two minutes, without a cloud or cost.",
        (_PGBENCH_HERE,),
    ),
    Card(
        "cassandra",
        "Cassandra on this machine",
        "Nodes with small heaps and the load tool on one machine: a functional test, not for ranking.",
        (_CASSANDRA_HERE, _YCSB_HERE, _LATTE_HERE),
    ),
    Card(
        "gce-against-aws",
        "GCE against AWS",
        "Two plans, as in the comparison of 2015: three nodes and a separate client on each cloud, 2 million writes.",
        (_WRITES_AWS, _WRITES_GCE),
        is_comparison=True,
    ),
    Card(
        "scale-out",
        "Scale-out over three zones",
        "As in “over a million writes per second”, up to 288 + 60 machines: RF 3, ONE, 10 columns of 10 bytes, "
        "200 threads per client.",
        (_scale_out(48, 10, "100"), _scale_out(96, 20, "200"), _scale_out(144, 30, "300"), _scale_out(288, 60, "600")),
    ),
    Card(
        "ssd",
        "SSD with a disk test",
        "As in “High performance I/O with SSD”: mixed reads and writes, after a fio test of the same hosts.",
        (_SSD,),
    ),
)
PRESETS: tuple[Preset, ...] = tuple(preset for card in CARDS for preset in card.presets)


def preset_by_slug(slug: str) -> Preset | None:
    return next((preset for preset in PRESETS if preset.slug == slug), None)


def card_of(preset: Preset) -> Card:
    return next(card for card in CARDS if preset in card.presets)


def comparison_by_slug(slug: str) -> Card | None:
    """A comparison all of whose presets this site offers."""
    return next((card for card in offered_cards() if card.slug == slug and card.is_comparison), None)


def offered_cards() -> list[Card]:
    """The cards with the presets whose provider this site offers, with everything that their database needs.

    What is left of a comparison is one plan among others.
    """
    cards = []
    for card in CARDS:
        presets = tuple(preset for preset in card.presets if is_offered(preset.plan))
        if presets:
            is_comparison = card.is_comparison and presets == card.presets
            cards.append(Card(card.slug, card.title, card.note, presets, is_comparison))
    return cards


def usual_plan(provider: str, tool: str) -> Mapping[str, Any]:
    """What a plan with this load tool there usually has: that of the first preset for both; {} without one."""
    plans: Sequence[Mapping[str, Any]] = [preset.plan for preset in PRESETS]
    return next(
        (plan for plan in plans if plan["provider"] == provider and plan["workload"]["tool"] == tool),
        {},
    )


def is_offered(plan: Mapping[str, Any]) -> bool:
    """Whether this site has the plan's provider, with everything that its database needs."""
    return plan["provider"] in offered() and not _lacks(plan)


def _lacks(plan: Mapping[str, Any]) -> str | None:
    if not traits_of(plan["provider"]).is_this_machine:
        return None  # in a cloud, runs install what they need
    service, provider = plan["service"], provider_for(plan["provider"])
    return provider.lacks(service["name"], service.get("version")) or provider.lacks_tool(plan["workload"]["tool"])
