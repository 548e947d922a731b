import pytest

from submissions.formatting.facts import disk_text, field_label, field_text


@pytest.mark.parametrize(
    ("field", "label"),
    [
        ("provider", "Provider"),
        ("service.version", "Database version"),
        ("workload.tool_version", "Load tool version"),
        ("workload.value_bytes", "Column size (bytes)"),
        ("workload.operations.read", "Share of read operations"),
        ("workload.something_new", "Something new"),
        ("settings.cassandra.yaml.concurrent_writes", "Setting cassandra.yaml.concurrent_writes"),
        ("nodes.database.instance_type", "Database nodes: instance type"),
        ("nodes.database 2.count", "Database 2 nodes: node count"),
        ("nodes.client.memory_gib", "Client nodes: memory (GiB)"),
        ("nodes.database.hourly_usd", "Database nodes: price per node (USD/h)"),
        ("nodes.database.rack", "Database nodes: rack"),
    ],
)
def test_a_field_has_the_label_of_its_fact(field, label):
    assert field_label(field) == label


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("provider", "gce", "Google Cloud"),
        ("service.name", "cassandra", "Apache Cassandra"),
        ("workload.tool", "ycsb", "YCSB"),
        ("network.encryption", "node_and_client", "node and client"),
        ("nodes.database.pricing_model", "reserved_1y", "reserved, 1 year"),
        ("nodes.pricing_model", "on_demand", "on demand"),
        ("nodes.database.hourly_usd", "0.19200000", "0.192"),
        ("workload.operations.read", 0.5, "50 %"),
        ("workload.key_count", 1_000_000, "1,000,000"),
        ("settings.jvm.enabled", True, "yes"),
        ("zones", ["us-east-1a", "us-east-1b"], "us-east-1a, us-east-1b"),
        ("region", None, None),
    ],
)
def test_a_value_is_put_into_words(field, value, text):
    assert field_text(field, value) == text


def test_a_disk_is_described_by_what_is_known_of_it():
    assert disk_text({"kind": "gp2"}) == "1× gp2"
    assert (
        disk_text({"kind": "local-ssd", "count": 2, "size_gib": 80.0, "raid": "raid0", "iops": 3000})
        == "2× local-ssd, 80 GiB, raid0, 3,000 IOPS"
    )
