"""Open vocabularies: slugs with their known spellings; a new word is accepted as it is."""

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

SLUG = re.compile(r"[a-z0-9]+(?:[._+-][a-z0-9]+)*")

_SPELLINGS = {
    "apache-cassandra": "cassandra",
    "scylla": "scylladb",
    "postgres": "postgresql",
    "amazon-aurora": "aurora",
    "mongo": "mongodb",
    "pg": "postgresql",
    "amazon": "aws",
    "ec2": "aws",
    "amazon-ec2": "aws",
    "amazon-web-services": "aws",
    "gcp": "gce",
    "google": "gce",
    "google-cloud": "gce",
    "google-compute-engine": "gce",
    "microsoft-azure": "azure",
    "on-prem": "on-premises",
    "onprem": "on-premises",
    "on-premise": "on-premises",
    "bare-metal": "on-premises",
    "localhost": "local",
    "oracle-jdk": "oracle",
    "oraclejdk": "oracle",
    "adoptium": "temurin",
    "eclipse-temurin": "temurin",
    "adoptopenjdk": "temurin",
    "azul": "zulu",
    "azul-zulu": "zulu",
    "amazon-corretto": "corretto",
    "localssd": "local-ssd",
    "instance-store": "local-ssd",
    "ephemeral-ssd": "local-ssd",
    "ephemeral": "local-hdd",
    "magnetic": "standard",
    "ebs-gp2": "gp2",
    "ebs-gp3": "gp3",
    "ebs-io1": "io1",
    "ebs-io2": "io2",
    "cstress": "cassandra-stress",
    "cassandra-stress-tool": "cassandra-stress",
    "easy-cass-stress": "cassandra-easy-stress",  # its names before
    "tlp-stress": "cassandra-easy-stress",
    "memtier": "memtier-benchmark",
    "valkey-benchmark": "redis-benchmark",  # the same program under another name, with the same output
    "oltpbench": "benchbase",
    "nb": "nosqlbench",
    "nb5": "nosqlbench",
}

# Each database and the protocols that it speaks, by the database that they come from; its main one is the first.
DATABASES: Mapping[str, tuple[str, ...]] = {
    "aerospike": ("aerospike",),
    "alloydb": ("postgresql",),
    "aurora": ("postgresql", "mysql"),
    "aurora-mysql": ("mysql",),
    "aurora-postgresql": ("postgresql",),
    "bigtable": ("bigtable", "hbase"),
    "cassandra": ("cassandra",),
    "citus": ("postgresql",),
    "clickhouse": ("clickhouse", "mysql", "postgresql"),
    "cockroachdb": ("postgresql",),
    "cosmosdb": ("cosmosdb", "cassandra", "mongodb", "postgresql"),
    "couchbase": ("couchbase", "memcached"),
    "db2": ("db2",),
    "documentdb": ("mongodb",),
    "dragonfly": ("redis", "memcached"),
    "dse": ("cassandra",),
    "dynamodb": ("dynamodb",),
    "elasticache": ("redis", "memcached"),
    "elasticsearch": ("elasticsearch",),
    "etcd": ("etcd",),
    "ferretdb": ("mongodb",),
    "garnet": ("redis",),
    "greenplum": ("postgresql",),
    "hbase": ("hbase",),
    "keydb": ("redis",),
    "keyspaces": ("cassandra",),
    "kvrocks": ("redis",),
    "mariadb": ("mysql",),
    "memcached": ("memcached",),
    "memorydb": ("redis",),
    "mongodb": ("mongodb",),
    "mysql": ("mysql",),
    "neon": ("postgresql",),
    "oceanbase": ("mysql",),
    "opensearch": ("elasticsearch",),
    "oracle": ("oracle", "mongodb"),
    "percona-server": ("mysql",),
    "planetscale": ("mysql", "postgresql"),
    "polardb": ("mysql", "postgresql"),
    "postgresql": ("postgresql",),
    "redis": ("redis",),
    "redshift": ("postgresql",),
    "rocksdb": ("rocksdb",),
    "scylladb": ("cassandra", "dynamodb"),
    "singlestore": ("mysql",),
    "spanner": ("spanner", "cassandra", "postgresql"),
    "sql-server": ("sql-server",),
    "sqlite": ("sqlite",),
    "tidb": ("mysql",),
    "tikv": ("tikv", "redis"),
    "timescaledb": ("postgresql",),
    "valkey": ("redis",),
    "vitess": ("mysql",),
    "yugabytedb": ("postgresql", "cassandra", "redis"),
}


# Of these a cluster needs memory for its data, not disks.
IN_MEMORY = frozenset(("dragonfly", "garnet", "keydb", "memcached", "redis", "valkey"))


def speaks_protocol_of(database: str, other: str) -> bool:
    """Whether `database` answers the clients of `other`. One that is not listed may speak any protocol."""
    return database not in DATABASES or DATABASES[other][0] in DATABASES[database]


def slug(value: str) -> str:
    """The vocabulary's word for `value`; ValueError when it cannot be a slug."""
    word = re.sub(r"[\s_/]+", "-", value.strip().lower())
    word = _SPELLINGS.get(word, word)
    if not SLUG.fullmatch(word):
        raise ValueError("use letters, digits, '.', '-' or '+', starting with a letter or digit")
    return word


Slug = Annotated[str, StringConstraints(min_length=1, max_length=50, strict=True), AfterValidator(slug)]
