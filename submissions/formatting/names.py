"""Display names: the slug of an open vocabulary is for addresses and data, its name is for readers."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from submissions.formatting.text import plural

if TYPE_CHECKING:
    from submissions.models import Submission

NOT_STATED = "not stated"  # how a source without an instance type is published

_PROVIDERS = {
    "alibaba": "Alibaba Cloud",
    "alicloud": "Alibaba Cloud",
    "aws": "AWS",
    "azure": "Azure",
    "digitalocean": "DigitalOcean",
    "equinix": "Equinix Metal",
    "gce": "Google Cloud",
    "hcloud": "Hetzner Cloud",
    "hetzner": "Hetzner",
    "ibm": "IBM Cloud",
    "local": "This machine",
    "mongodb-atlas": "MongoDB Atlas",
    "on-premises": "On-premises",
    "oracle": "Oracle Cloud",
    "ovh": "OVHcloud",
    "scaleway": "Scaleway",
    "scylladb-cloud": "ScyllaDB Cloud",
    "upcloud": "UpCloud",
    "vultr": "Vultr",
}
_SERVICES = {
    "aerospike": "Aerospike",
    "alloydb": "AlloyDB",
    "aurora": "Amazon Aurora",
    "bigtable": "Bigtable",
    "cassandra": "Apache Cassandra",
    "clickhouse": "ClickHouse",
    "cockroachdb": "CockroachDB",
    "couchbase": "Couchbase",
    "dragonfly": "Dragonfly",
    "dse": "DataStax Enterprise",
    "dynamodb": "DynamoDB",
    "elasticsearch": "Elasticsearch",
    "etcd": "etcd",
    "hbase": "Apache HBase",
    "keydb": "KeyDB",
    "mariadb": "MariaDB",
    "memcached": "Memcached",
    "mongodb": "MongoDB",
    "mysql": "MySQL",
    "opensearch": "OpenSearch",
    "oracle": "Oracle Database",
    "postgresql": "PostgreSQL",
    "redis": "Redis",
    "rocksdb": "RocksDB",
    "scylladb": "ScyllaDB",
    "sql-server": "SQL Server",
    "tidb": "TiDB",
    "tikv": "TiKV",
    "valkey": "Valkey",
    "yugabytedb": "YugabyteDB",
}
# cassandra-stress, go-ycsb, pgbench, latte, sysbench, ... are written by their own projects as their slugs
_TOOLS = {
    "benchbase": "BenchBase",
    "cockroach-workload": "CockroachDB workload",
    "db-bench": "db_bench",
    "hammerdb": "HammerDB",
    "jmeter": "JMeter",
    "memtier": "memtier_benchmark",
    "memtier-benchmark": "memtier_benchmark",
    "nosqlbench": "NoSQLBench",
    "ycsb": "YCSB",
    "ycsb-cpp": "YCSB-cpp",
    "yugabytedb-tpcc": "YugabyteDB TPC-C",
}

# What comes with the site: submissions/data/packs/
PACKS = {
    "public_runs": "Published benchmark runs",
    "sparecores": "Spare Cores",
}


def pack_name(slug: str) -> str:
    """ "sparecores" -> "Spare Cores"; an unknown slug is shown as it is."""
    return PACKS.get(slug, slug)


def provider_name(slug: str) -> str:
    """ "gce" -> "Google Cloud"; an unknown slug is shown as it is."""
    return _PROVIDERS.get(slug, slug)


def service_name(slug: str) -> str:
    """ "cassandra" -> "Apache Cassandra"; an unknown slug is shown as it is."""
    return _SERVICES.get(slug, slug)


def tool_name(slug: str) -> str:
    """ "ycsb" -> "YCSB"; an unknown slug is shown as it is."""
    return _TOOLS.get(slug, slug)


def display_names() -> Iterator[tuple[str, str]]:
    """Every slug that has a display name, and the name."""
    for names in (_SERVICES, _PROVIDERS, _TOOLS):
        yield from names.items()


def service_names() -> Mapping[str, str]:
    """The databases that have a display name, by slug."""
    return _SERVICES


def provider_names() -> Mapping[str, str]:
    """The clouds and vendors that have a display name, by slug."""
    return _PROVIDERS


def place_name(provider: str, region: str | None = None) -> str:
    """ "AWS us-east-1"; the provider alone where the region is unknown."""
    return f"{provider_name(provider)} {region}" if region else provider_name(provider)


def cluster_name(count: int, instance_type: str) -> str:
    """ "3× m5.xlarge"; "3 nodes" where the source does not state the type."""
    return plural(count, "node") if instance_type == NOT_STATED else f"{count:,}× {instance_type}"


def system_name(submission: "Submission") -> str:
    """Where a result was measured: "3× m5.xlarge · AWS us-east-1"."""
    cluster = cluster_name(submission.node_count, submission.instance_type)
    return f"{cluster} · {place_name(submission.provider, submission.region)}"


def generated_title(*, system: str, cluster: str, where: str, load: str) -> str:
    """ "Apache Cassandra 2.1.8 on 3× m5.xlarge · AWS us-east-1: cassandra-stress write"."""
    return f"{system} on {cluster} · {where}: {load}"[:300]


def public_title(submission: "Submission") -> str:
    """For pages that show what is new: no words of an account whose results still wait for a moderator."""
    if submission.title and not submission.is_waiting:
        return submission.title
    version = f" {submission.service_version}" if submission.service_version else ""
    return generated_title(
        system=f"{service_name(submission.service)}{version}",
        cluster=cluster_name(submission.node_count, submission.instance_type),
        where=place_name(submission.provider, submission.region),
        load=f"{tool_name(submission.tool)} {submission.operation}",
    )
