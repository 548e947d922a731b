"""What a result of Spare Cores says of its machine and its test."""

from datetime import UTC, datetime

import pytest

from submissions.choices import Architecture, ClientPlacement, NodeKind, Role
from submissions.models import Price
from submissions.packs.sparecores.pack import SPARECORES
from tests.factories import PriceFactory

pytestmark = pytest.mark.django_db


def prepared(key):
    [(_, result)] = SPARECORES.prepared({key})
    return result


def test_redis_has_its_machine_its_load_and_its_cpu_seconds():
    document = prepared("redis/aws/m7g.xlarge/16").document
    [machine] = document.nodes

    assert (document.service.name, document.service.version) == ("redis", "7.4.0")
    assert document.measured_at == datetime(2024, 8, 30, 12, 37, 19, tzinfo=UTC)
    assert (machine.role, machine.count, machine.instance_type, machine.vcpus) == (Role.DATABASE, 1, "m7g.xlarge", 4)
    assert (machine.architecture, machine.cpu_model) == (Architecture.ARM64, "Neoverse-V1")
    workload = document.workload
    assert (workload.tool, workload.operations, workload.threads) == ("memtier-benchmark", {"set": 1.0}, 200)
    assert (workload.pipeline, workload.columns, workload.value_bytes) == (16, 1, 32)
    assert document.client_placement == ClientPlacement.ON_DATABASE
    assert document.settings == {
        "l3_cache": "33554432 (1 instance)",
        "sockets": "1",
        "threads_per_core": "1",
    }
    assert "servers 13.06 user and 5.04 system, clients 14.66 user and 7.14 system" in document.notes
    assert document.source == "Spare Cores inspector, measured 2024-08-30"
    assert document.source_url.endswith("/sc-inspector-data/blob/main/data/aws/m7g.xlarge/redis/stdout")


@pytest.mark.parametrize(
    ("key", "provider", "region", "words"),
    [
        ("redis/aws/m7g.xlarge/1", "aws", "us-east-1", "AWS us-east-1 is assumed, whose prices are used."),
        ("redis/gcp/n2-standard-8/1", "gce", "us-central1", "Google Cloud us-central1 is assumed"),
        ("redis/hcloud/cx22/1", "hcloud", None, "The source does not state the region, and there are no prices of"),
    ],
)
def test_the_region_is_assumed_where_there_are_prices_and_said(key, provider, region, words):
    document = prepared(key).document

    assert (document.provider, document.region) == (provider, region)
    assert words in document.notes


def test_a_cloud_without_prices_has_none_of_another_region():
    assert prepared("redis/hcloud/cx22/1").priced.cost.missing == "No price of cx22: the region is not stated."


def test_postgresql_has_its_disk_its_settings_and_its_client():
    result = prepared("pgbench/gcp/c4a-highmem-1")
    database, client = result.document.nodes
    [disk] = database.disks

    assert (disk.kind, disk.size_gib, disk.iops, disk.throughput_mibps) == ("hyperdisk-balanced", 64.0, 1000, 50)
    assert (database.vcpus, database.architecture) == (1, Architecture.ARM64)
    assert database.memory_gib == 7.73
    assert (client.role, client.vcpus, client.instance_type) == (Role.CLIENT, 1, "not stated")
    assert result.document.client_placement == ClientPlacement.SEPARATE
    assert (result.document.settings["shared_buffers"], result.document.settings["kernel"]) == (
        "1792MB",
        "6.17.0-1021-gcp",
    )
    assert "It is not pgbench's select-only." in result.document.notes


def test_cloud_sql_is_not_priced_as_a_machine():
    for sku in ("c4a-highmem-4", "c4a-vcpu", "c4a-memory-gib"):
        PriceFactory(provider="gce", region="us-central1", sku=sku, unit=Price.Unit.HOUR)

    result = prepared("pgbench/gcp/db-c4a-highmem-4")

    assert result.document.nodes[0].kind == NodeKind.MANAGED
    assert result.priced.cost.hourly_usd is None
    assert result.priced.cost.missing == (
        "No price of db-c4a-highmem-4 (on demand) in Google Cloud us-central1 is known."
    )
    assert "Cloud SQL, a managed service" in result.document.notes
