"""What invented submissions are made of: machines with prices near the list prices of their time, software."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Machine:
    """An instance type; `usd` is USD per hour in the first of its cloud's regions, None where nobody lists one.

    `speed` compares one vCPU with the slowest here; `disk` is (kind, count, GiB of one disk).
    """

    name: str
    vcpus: int
    memory_gib: float
    usd: str | None
    speed: float
    since: int  # year of its first submissions
    disk: tuple[str, int, float]
    cpu_models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cloud:
    provider: str
    regions: tuple[tuple[str | None, Decimal], ...]  # with the factor on the price
    noise: float  # coefficient of variation between trials
    clients: tuple[str, ...]
    machines: tuple[Machine, ...]


@dataclass(frozen=True, slots=True)
class Software:
    """A database; `ops_per_vcpu` are operations a second that one slow vCPU gives at RF 1."""

    name: str
    share: int  # weight among the submissions
    versions: tuple[tuple[int, str], ...]  # (year of its first submissions, version)
    tools: tuple[str, ...]
    ops_per_vcpu: float
    is_on_jvm: bool
    has_consistency_levels: bool
    node_counts: tuple[int, ...]


_BROADWELL = "Intel Xeon E5-2686 v4"
_SKYLAKE = "Intel Xeon Platinum 8175M"
_CASCADE = "Intel Xeon Platinum 8259CL"
_ICE = "Intel Xeon Platinum 8375C"
_MILAN = "AMD EPYC 7R13"
_GRAVITON2 = "AWS Graviton2"
_GRAVITON3 = "AWS Graviton3"

CLOUDS = (
    Cloud(
        "aws",
        (
            ("us-east-1", Decimal("1")),
            ("us-west-2", Decimal("1")),
            ("eu-west-1", Decimal("1.11")),
            ("eu-central-1", Decimal("1.16")),
            ("ap-southeast-1", Decimal("1.2")),
        ),
        0.035,
        ("c5.4xlarge", "c6i.4xlarge"),
        (
            Machine("i3.xlarge", 4, 30.5, "0.312", 1.0, 2017, ("local-ssd", 1, 885), (_BROADWELL,)),
            Machine("i3.2xlarge", 8, 61, "0.624", 1.0, 2017, ("local-ssd", 1, 1770), (_BROADWELL,)),
            Machine("i3.4xlarge", 16, 122, "1.248", 1.0, 2017, ("local-ssd", 2, 1770), (_BROADWELL,)),
            Machine("m5.2xlarge", 8, 32, "0.384", 1.1, 2018, ("gp3", 1, 1000), (_SKYLAKE, _CASCADE)),
            Machine("m5.4xlarge", 16, 64, "0.768", 1.1, 2018, ("gp3", 2, 1000), (_SKYLAKE, _CASCADE)),
            Machine("r5d.2xlarge", 8, 64, "0.576", 1.12, 2019, ("local-ssd", 1, 279), (_SKYLAKE, _CASCADE)),
            Machine("i3en.2xlarge", 8, 64, "0.904", 1.1, 2019, ("local-ssd", 2, 2328), (_SKYLAKE, _CASCADE)),
            Machine("m6g.2xlarge", 8, 32, "0.308", 1.2, 2020, ("gp3", 1, 1000), (_GRAVITON2,)),
            Machine("i4i.2xlarge", 8, 64, "0.686", 1.35, 2022, ("local-ssd", 1, 1746), (_ICE,)),
            Machine("i4i.4xlarge", 16, 128, "1.373", 1.35, 2022, ("local-ssd", 1, 3492), (_ICE,)),
            Machine("m6a.4xlarge", 16, 64, "0.6912", 1.3, 2022, ("gp3", 2, 1000), (_MILAN,)),
            Machine("im4gn.2xlarge", 8, 32, "0.72767", 1.2, 2022, ("local-ssd", 1, 3492), (_GRAVITON2,)),
            Machine("m7g.2xlarge", 8, 32, "0.3264", 1.5, 2023, ("gp3", 1, 1000), (_GRAVITON3,)),
        ),
    ),
    Cloud(
        "gce",
        (
            ("us-central1", Decimal("1")),
            ("us-east1", Decimal("1")),
            ("europe-west1", Decimal("1.1")),
            ("asia-southeast1", Decimal("1.23")),
        ),
        0.025,
        ("n2-highcpu-16", "c2-standard-16"),
        (
            Machine("n1-standard-8", 8, 30, "0.379998", 0.95, 2016, ("pd-ssd", 1, 500), ("Intel Xeon 2.30GHz",)),
            Machine("n1-highmem-16", 16, 104, "0.946", 0.95, 2016, ("local-ssd", 2, 375), ("Intel Xeon 2.30GHz",)),
            Machine("n2-standard-8", 8, 32, "0.388472", 1.15, 2020, ("pd-ssd", 1, 1000), ("Intel Xeon 2.80GHz",)),
            Machine("n2-highmem-16", 16, 128, "1.048128", 1.15, 2020, ("local-ssd", 4, 375), ("Intel Xeon 2.80GHz",)),
            Machine("n2d-standard-16", 16, 64, "0.675936", 1.2, 2020, ("local-ssd", 2, 375), ("AMD EPYC 7B12",)),
            Machine("c2-standard-8", 8, 32, "0.4176", 1.3, 2020, ("pd-ssd", 1, 500), ("Intel Xeon 3.10GHz",)),
            Machine("t2d-standard-8", 8, 32, "0.337968", 1.45, 2022, ("pd-balanced", 1, 500), ("AMD EPYC 7B13",)),
        ),
    ),
    Cloud(
        "azure",
        (
            ("eastus", Decimal("1")),
            ("westeurope", Decimal("1.18")),
            ("southeastasia", Decimal("1.2")),
        ),
        0.05,
        ("standard-f16s-v2",),
        (
            Machine("Standard_L8s_v2", 8, 64, "0.624", 1.05, 2019, ("local-ssd", 1, 1787), ("AMD EPYC 7551",)),
            Machine("Standard_L16s_v3", 16, 128, "1.248", 1.3, 2022, ("local-ssd", 2, 1787), ("Intel Xeon 8370C",)),
            Machine("Standard_D8s_v5", 8, 32, "0.384", 1.25, 2021, ("premium-ssd", 1, 1024), ("Intel Xeon 8370C",)),
            Machine("Standard_E16ds_v5", 16, 128, "1.152", 1.25, 2021, ("local-ssd", 1, 600), ("Intel Xeon 8370C",)),
        ),
    ),
    Cloud(
        "hetzner",
        (("fsn1", Decimal("1")), ("hel1", Decimal("1"))),
        0.02,
        ("ccx33",),
        (
            Machine("ax41-nvme", 12, 64, "0.0649", 1.5, 2019, ("nvme", 2, 477), ("AMD Ryzen 5 3600",)),
            Machine("ccx33", 8, 32, "0.0987", 1.25, 2022, ("local-ssd", 1, 240), ("AMD EPYC 7763",)),
            Machine("ax102", 32, 128, "0.1667", 1.8, 2023, ("nvme", 2, 1788), ("AMD Ryzen 9 7950X3D",)),
        ),
    ),
    Cloud(
        "on-premises",
        ((None, Decimal("1")),),
        0.015,
        ("own-client",),
        (
            Machine("own-2x-xeon-6230", 40, 192, None, 1.15, 2019, ("nvme", 2, 1490), ("Intel Xeon Gold 6230",)),
            Machine("own-epyc-7543p", 64, 256, "0.92", 1.35, 2021, ("nvme", 4, 1788), ("AMD EPYC 7543P",)),
        ),
    ),
)
CLOUD_WEIGHTS = (50, 26, 12, 8, 4)

SOFTWARE = (
    Software(
        "cassandra",
        50,
        (
            (2016, "2.2.8"),
            (2016, "3.0.9"),
            (2017, "3.11.0"),
            (2019, "3.11.5"),
            (2021, "4.0.1"),
            (2023, "4.1.3"),
            (2024, "5.0.2"),
        ),
        ("cassandra-stress", "cassandra-stress", "ycsb", "latte"),
        3400.0,
        True,
        True,
        (3, 3, 3, 6, 6, 9, 12, 24, 48),
    ),
    Software(
        "scylladb",
        22,
        ((2018, "2.0.1"), (2020, "4.2.0"), (2022, "5.0.1"), (2024, "6.0.1")),
        ("cassandra-stress", "latte", "scylla-bench"),
        9200.0,
        False,
        True,
        (3, 3, 3, 6, 9, 18),
    ),
    Software(
        "postgresql",
        16,
        ((2016, "9.6"), (2018, "11.1"), (2020, "13.0"), (2022, "15.1"), (2024, "17.0")),
        ("pgbench", "go-ycsb"),
        1300.0,
        False,
        False,
        (1, 1, 1, 2, 3),
    ),
    Software(
        "mongodb",
        12,
        ((2017, "3.4.2"), (2019, "4.2.1"), (2021, "5.0.3"), (2023, "7.0.2")),
        ("ycsb", "go-ycsb"),
        2300.0,
        False,
        False,
        (1, 3, 3, 6, 9),
    ),
)

# vendor, version, speed, first year; the share of each falls with its age
JDKS = (
    ("oracle", "8u51", 1.0, 2016),
    ("openjdk", "8u252", 0.98, 2016),
    ("zulu", "8u282", 0.99, 2018),
    ("openjdk", "11.0.9", 1.03, 2020),
    ("corretto", "11.0.15", 1.04, 2021),
    ("temurin", "17.0.4", 1.08, 2023),
    ("temurin", "21.0.2", 1.1, 2024),
)

# operation mix, and what an operation costs compared with a write
WRITE: tuple[dict[str, float], float] = ({"write": 1.0}, 1.0)
READ: tuple[dict[str, float], float] = ({"read": 1.0}, 1.35)
HALF: tuple[dict[str, float], float] = ({"read": 0.5, "write": 0.5}, 1.2)
MOSTLY_READ: tuple[dict[str, float], float] = ({"read": 0.95, "write": 0.05}, 1.3)
# columns, bytes of one column, what it costs compared with the smallest
SMALL, MIDDLE, LARGE = (5, 34, 1.0), (10, 100, 1.4), (1, 1024, 1.5)


@dataclass(frozen=True, slots=True)
class Profile:
    """What is asked of a system; few, so that many submissions are of one workload."""

    mix: tuple[dict[str, float], float]
    size: tuple[int, int, float]
    key_count: int
    key_distribution: str
    duration_s: float


PROFILES = (
    Profile(WRITE, SMALL, 10_000_000, "sequential", 600.0),
    Profile(WRITE, SMALL, 1_000_000, "sequential", 120.0),
    Profile(WRITE, MIDDLE, 100_000_000, "uniform", 1800.0),
    Profile(READ, SMALL, 10_000_000, "uniform", 600.0),
    Profile(HALF, SMALL, 10_000_000, "zipfian", 600.0),
    Profile(HALF, LARGE, 100_000_000, "uniform", 7200.0),
    Profile(MOSTLY_READ, MIDDLE, 10_000_000, "zipfian", 1800.0),
)
PROFILE_WEIGHTS = (30, 10, 12, 16, 16, 6, 10)
CONSISTENCY_LEVELS = ("ONE", "QUORUM", "LOCAL_QUORUM")
CONSISTENCY_WEIGHTS = (30, 25, 45)
THREADS = (16, 50, 100, 200, 400)
