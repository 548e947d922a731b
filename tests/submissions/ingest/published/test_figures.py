"""The published results: every number against the sources' tables, written out here a second time."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from submissions.choices import Flag
from submissions.models import NodeGroup, Submission
from submissions.pricing.bill import bill_of

B_SOURCE = "Benchmarking Cassandra Scalability on AWS"
C_SOURCE = "Comparing Cassandra Write Performance on GCE and AWS"
D_SOURCE = "Benchmarking High Performance I/O with SSD for Cassandra on AWS"
E_SOURCE = "Cassandra performance on a virtual network"
GOOGLE_SOURCE = "Cassandra Hits One Million Writes Per Second"
LIST_SOURCE = "Ec2 Stress Results"

LATENCIES = ("mean", "p50", "p95", "p99", "p999", "max")


def of(source):
    return Submission.objects.filter(source__contains=source).order_by("id")


def column(source, *names):
    return list(of(source).values_list(*names))


def groups(source):
    """(node count of the submission, role, count, instance type, USD per node and hour) of every group."""
    rows = NodeGroup.objects.filter(submission__source__contains=source).order_by("submission_id", "position")
    return list(rows.values_list("submission__node_count", "role", "count", "instance_type", "node_hourly_usd"))


def latencies(row):
    return tuple(getattr(row, f"latency_{name}_ms") for name in LATENCIES)


def test_every_article_is_loaded_with_trust_historical_and_its_source(published):
    counts = {source: of(source).count() for source in (B_SOURCE, C_SOURCE, D_SOURCE, E_SOURCE, GOOGLE_SOURCE)}

    assert counts == {B_SOURCE: 4, C_SOURCE: 6, D_SOURCE: 3, E_SOURCE: 60, GOOGLE_SOURCE: 2}
    assert of(LIST_SOURCE).count() == 1
    assert set(Submission.objects.values_list("trust", "submitted_by", "retracted_at")) == {("historical", None, None)}
    assert Submission.objects.count() == 76


def test_the_netflix_clusters_of_2011_have_the_tables_figures(published):
    assert column(B_SOURCE, "node_count", "client_count", "throughput_ops_s", "hourly_usd", "price_date") == [
        (48, 10, 174373.0, Decimal("32.64"), date(2011, 11, 2)),
        (96, 20, 366828.0, Decimal("65.28"), date(2011, 11, 2)),
        (144, 30, 537172.0, Decimal("97.92"), date(2011, 11, 2)),
        (288, 60, 1099837.0, Decimal("195.84"), date(2011, 11, 2)),
    ]
    assert column(B_SOURCE, "ops_per_usd") == [
        (Decimal("19232316.1765"),),
        (Decimal("20229485.2941"),),
        (Decimal("19748970.5882"),),
        (Decimal("20217591.9118"),),
    ]


def stated(value):
    """Without what the document does not state."""
    if isinstance(value, dict):
        kept = {name: stated(part) for name, part in value.items()}
        return {name: part for name, part in kept.items() if part not in (None, "", [], {})}
    return [stated(part) for part in value] if isinstance(value, list) else value


def test_the_netflix_clusters_of_2011_have_the_articles_facts(published):
    largest = of(B_SOURCE).last()

    assert stated({key: value for key, value in largest.document.items() if key not in ("notes", "title", "bill")}) == {
        "service": {"name": "cassandra", "version": "0.8.6"},
        "measured_at": "2011-11-02T00:00:00Z",
        "source": 'Adrian Cockcroft and Denis Sheahan (Netflix), "Benchmarking Cassandra Scalability on AWS: over a '
        'million writes per second", 2 November 2011',
        "source_url": "https://medium.com/netflix-techblog/"
        "benchmarking-cassandra-scalability-on-aws-over-a-million-writes-per-second-39f45f066c9e",
        "provider": "aws",
        "region": "us-east-1",
        "zones": ["zone-1", "zone-2", "zone-3"],
        "nodes": [
            {
                "role": "database",
                "count": 288,
                "instance_type": "m1.xlarge",
                "vcpus": 4,
                "memory_gib": 15.0,
                "disks": [
                    {
                        "kind": "local-hdd",
                        "count": 4,
                        "size_gib": 372.5,
                        "raid": "raid0",
                        "filesystem": "xfs",
                    }
                ],
                "pricing_model": "on_demand",
            },
            {
                "role": "client",
                "count": 60,
                "instance_type": "m2.4xlarge",
                "pricing_model": "on_demand",
            },
        ],
        "workload": {
            "tool": "cassandra-stress",
            "tool_version": "0.8.6",
            "command": 'java -jar stress.jar -d "144 node ids" -e ONE -n 27000000 -l 3 -i 1 -t 200 -p 7102 '
            "-o INSERT -c 10 -r",
            "operations": {"write": 1.0},
            "consistency_level": "ONE",
            "replication_factor": 3,
            "columns": 10,
            "value_bytes": 10,
            "key_count": 27_000_000,
            "threads": 200,
        },
        "trials": [
            {
                "throughput_ops_s": 1099837.0,
                "client_count": 60,
                "latency_kind": "unknown",
                "latency_ms": {"mean": 11.0},
            }
        ],
        "hosts": stated(largest.document["hosts"]),
    }


def test_the_netflix_series_of_2011_has_its_latencies_and_clients_and_null_for_what_the_article_does_not_give(
    client, published
):
    for row, clients in zip(of(B_SOURCE), (10, 20, 30, 60), strict=True):
        servers, load = client.get(f"/api/v1/submissions/{row.pk}/hosts/").json()["hosts"]
        assert (servers["role"], servers["count"], servers["server_latency_ms"]["mean"]) == (
            "database", row.node_count, 1.0,
        )  # fmt: skip
        assert {servers[name] for name in servers if name.endswith(("_percent", "_bytes_s"))} == {None}
        assert (load["role"], load["count"], load["throughput_ops_s"]) == ("client", clients, 17500.0)
        assert latencies(row) == (11.0, None, None, None, None, None)
        assert "once for the whole series" in row.notes


def test_oracle_java_8_was_32_percent_faster_than_openjdk_7_on_aws(published):
    names = ("jdk_vendor", "jdk_version", "relative_throughput", "throughput_ops_s", "instance_type")
    pair = of(C_SOURCE).filter(throughput_ops_s=None)

    assert list(pair.values_list(*names)) == [
        ("openjdk", "7", 100.0, None, "m3.2xlarge"),
        ("oracle", "8u51", 132.0, None, "m3.2xlarge"),
    ]
    assert len(set(pair.values_list("relative_base", "workload"))) == 1


def test_the_disk_test_of_2012_is_a_record_of_the_ssd_nodes(client, published):
    existing, *on_ssd = of(D_SOURCE)

    assert client.get(f"/api/v1/submissions/{existing.pk}/hosts/").json()["disk_tests"] == []
    names = ("tool", "pattern", "block_bytes", "jobs", "mb_s", "iops")
    for row in on_ssd:
        tests = client.get(f"/api/v1/submissions/{row.pk}/hosts/").json()["disk_tests"]
        assert [tuple(test[name] for name in names) for test in tests] == [
            ("iozone", "sequential_write", 65536, 60, 1099.0, None),
            ("iozone", "random_read", 4096, None, 400.0, 100000.0),
        ]
        assert [test["latency_ms"]["mean"] for test in tests] == [0.06, None]


def test_the_netflix_bills_stand_in_the_notes_as_not_of_the_articles_text(published):
    bills = {row.node_count: row.notes.split("\n")[0] for row in of(B_SOURCE)}

    assert bills == {
        48: "Set-up and run took about 15 minutes †. Bill: 60.97 USD † = (48 x 0.68 + 10 x 2.00) USD/h x 1 h"
        " + 8.33 USD for 833 GB between zones.",
        96: "Set-up and run took 22 minutes †. Bill: 121.94 USD † = (96 x 0.68 + 20 x 2.00) USD/h x 1 h"
        " + 16.66 USD for 1,666 GB between zones.",
        144: "Neither the time of set-up and run nor the bill is stated.",
        288: "Set-up and run took 66 minutes. Bill: 561.86 USD † = 288 x 0.68 USD/h x 2 h + 60 x 2.00 USD/h x 1 h"
        " + 50.18 USD for 5,018 GB between zones.",
    }
    assert all("† from public slides or reports of the same test" in row.notes for row in of(B_SOURCE))


@pytest.mark.parametrize(("nodes", "usd"), [(48, "60.97"), (96, "121.94"), (144, None), (288, "561.86")])
def test_the_netflix_bills_come_out_of_their_line_items(published, nodes, usd):
    row = of(B_SOURCE).get(node_count=nodes)
    bill = bill_of(row.bill)

    assert bill.total_text == usd
    assert row.bill_usd == (usd and Decimal(usd))
    assert sum(item.quantity * item.unit_usd for item in bill.items) == Decimal(usd or 0)
    assert (bill.basis, bill.price_date) == (("on_demand", date(2011, 11, 2)) if usd else (None, None))


def test_the_client_machines_of_2011_cost_their_price_of_that_day(published):
    assert groups(B_SOURCE)[:2] == [
        (48, "database", 48, "m1.xlarge", Decimal("0.68")),
        (48, "client", 10, "m2.4xlarge", Decimal("2.00")),
    ]


def test_the_comparison_of_gce_and_aws_has_the_tables_figures(published):
    names = ("provider", "instance_type", "node_count", "client_count", "throughput_ops_s", "latency_p99_ms")

    absolute = of(C_SOURCE).exclude(throughput_ops_s=None)
    assert list(absolute.values_list(*names, "hourly_usd")) == [
        ("aws", "m3.2xlarge", 3, 1, 90748.0, 4.0, Decimal("1.596")),
        ("gce", "n1-standard-8", 3, 1, 111394.0, 3.0, Decimal("0.912")),
        ("gce", "n1-standard-8", 3, 1, 109583.0, None, Decimal("0.912")),
        ("gce", "n1-standard-8", 3, 1, 101886.0, None, Decimal("0.912")),
    ]
    assert [(role, count, kind, usd) for _, role, count, kind, usd in groups(C_SOURCE)[:4]] == [
        ("database", 3, "m3.2xlarge", Decimal("0.532")),
        ("client", 1, "c3.4xlarge", None),
        ("database", 3, "n1-standard-8", Decimal("0.304")),
        ("client", 1, "n1-highcpu-16", None),
    ]
    assert set(absolute.values_list("jdk_vendor", "jdk_version", "consistency_level", "service_version", "vcpus")) == {
        ("oracle", "8u51", "LOCAL_ONE", "2.1", 8)
    }


def test_gce_gives_22_8_percent_more_writes_and_2_15_times_the_writes_per_dollar(published):
    aws, gce = of(C_SOURCE)[:2]

    assert aws.workload == gce.workload
    assert round(gce.throughput_ops_s / aws.throughput_ops_s - 1, 3) == 0.228
    assert round(gce.ops_per_usd / aws.ops_per_usd, 2) == Decimal("2.15")


def test_the_ssd_test_is_relative_and_priced_with_its_cache(published):
    names = ("node_count", "cache_node_count", "relative_throughput", "throughput_ops_s", "ops_per_usd", "hourly_usd")

    assert column(D_SOURCE, *names) == [
        (48, 36, 1.0, None, None, Decimal("102.60")),
        (12, 0, 0.8, None, None, Decimal("37.20")),
        (15, 0, 1.0, None, None, Decimal("46.50")),
    ]
    assert [latencies(row) for row in of(D_SOURCE)] == [
        (10.0, None, None, 65.0, None, None),
        (None, None, None, None, None, None),
        (2.2, None, None, 10.0, None, None),
    ]
    assert [group[1:] for group in groups(D_SOURCE)] == [
        ("database", 48, "m2.4xlarge", Decimal("1.80")),
        ("cache", 36, "m2.xlarge", Decimal("0.45")),
        ("database", 12, "hi1.4xlarge", Decimal("3.10")),
        ("database", 15, "hi1.4xlarge", Decimal("3.10")),
    ]


def test_the_ssd_test_keeps_its_settings_and_its_disk_test(published):
    existing, *on_ssd = of(D_SOURCE)

    assert existing.document["settings"] == {}
    for row in on_ssd:
        assert row.document["settings"] == {
            "cassandra.yaml": {
                "concurrent_reads": 128,
                "concurrent_writes": 128,
                "rpc_server_type": "hsha",
                "rpc_max_threads": 1024,
                "dynamic_snitch_badness_threshold": 0.2,
            },
            "jvm_options": ["-XX:+UseCondCardMark"],
        }
        assert "iozone, 60 threads, 64 KB writes of 2 GB files: 1099 MB/s at 0.06 ms" in row.notes


def test_googles_million_writes_have_median_and_p95_of_unknown_kind_and_no_price(published):
    names = ("node_count", "client_count", "consistency_level", "throughput_ops_s", "latency_kind", "hourly_usd")

    assert column(GOOGLE_SOURCE, *names) == [
        (300, 30, "QUORUM", 1_000_000.0, "unknown", None),
        (300, 30, "ONE", 1_400_000.0, "unknown", None),
    ]
    assert [latencies(row) for row in of(GOOGLE_SOURCE)] == [
        (None, 10.3, 23.0, None, None, None),
        (None, 7.6, 21.0, None, None, None),
    ]
    assert set(column(GOOGLE_SOURCE, "disk_kind", "measured_at", "replication_factor")) == {
        ("pd-standard", datetime(2014, 3, 20, tzinfo=UTC), 3)
    }
    assert "170-byte records" in of(GOOGLE_SOURCE)[0].notes


def test_the_user_lists_cluster_has_its_figures(published):
    names = ("node_count", "client_count", "instance_type", "threads", "replication_factor", "throughput_ops_s")

    assert column(LIST_SOURCE, *names, "hourly_usd", "measured_at") == [
        (4, 3, "m2.4xlarge", 200, 3, 44644.0, None, datetime(2011, 5, 11, tzinfo=UTC))
    ]
    assert of(LIST_SOURCE)[0].document["workload"]["columns"] == 1000


def test_days_that_are_days_of_publication_say_so(published):
    for row in Submission.objects.exclude(source__contains=C_SOURCE):
        assert "measured_at is the date of publication" in row.notes
    assert all("states no day" in row.notes for row in of(C_SOURCE))


def test_nothing_of_the_relative_sources_can_be_ranked(published):
    ranked = {row.source for row in Submission.objects.rankable()}

    assert not [source for source in ranked if D_SOURCE in source or E_SOURCE in source]
    assert Submission.objects.rankable().count() == 4 + 4 + 2 + 1


def test_published_results_are_flagged_only_where_the_source_states_no_disks(published):
    flagged = Submission.objects.exclude(flags=[]).values_list("instance_type", "flags")
    assert {(machine, *flags) for machine, flags in flagged} == {("n1-standard-8", Flag.WITHOUT_STORAGE)}
