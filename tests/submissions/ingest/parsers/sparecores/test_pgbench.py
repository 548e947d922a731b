"""Readings of the JSON of the inspector's task pgbench."""

import json
from pathlib import Path

import pytest

from submissions.choices import ClientPlacement, LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.sparecores.pgbench import PARSER

TEXT = (Path(__file__).resolve().parents[4] / "data" / "sparecores-pgbench" / "gcp-c4a-highmem-1.json").read_text()


def changed(change) -> LogReading:
    content = json.loads(TEXT)
    change(content)
    return PARSER.parse(json.dumps(content).splitlines())


def rung(content):
    return content["sizes"][0]["profile"][1]


def test_each_number_of_clients_is_a_trial_with_a_mean_latency_only():
    def trial(clients, operations, seconds, mean_ms):
        return (
            TrialReading(
                throughput_ops_s=operations / seconds,
                operations=operations,
                errors=0,
                duration_s=seconds,
                threads=clients,
                latency_kind=LatencyKind.SERVICE_TIME,
                latency=Latency(mean=mean_ms),
            ),
        )

    assert PARSER.parse(TEXT.splitlines()) == LogReading(
        tool="pgbench",
        facts=Facts(
            service_version="18.4",
            operations={"own script pgbench-ro-cpu-v1": 1.0},
            client_placement=ClientPlacement.SEPARATE,
            requested_duration_s=300.0,
            settings={
                "warmup_seconds": 120,
                "settle_seconds": 60,
                "durability": "durable",
                "topology": "multi_vm",
                "schema_gib": 0.17,
                "max_connections": "3122",
                "shared_buffers": "1792MB",
                "effective_cache_size": "5376MB",
                "maintenance_work_mem": "448MB",
                "checkpoint_completion_target": "0.9",
                "wal_buffers": "16MB",
                "default_statistics_target": "100",
                "random_page_cost": "1.1",
                "effective_io_concurrency": "200",
                "work_mem": "64MB",  # of the database: it wins over the server's 9129kB
                "huge_pages": "off",
                "min_wal_size": "1GB",
                "max_wal_size": "4GB",
                "jit": "off",
                "wal_compression": "lz4",
                "io_method": "io_uring",
                "synchronous_commit": "on",
                "max_parallel_workers_per_gather": "0",
            },
        ),
        trial_sets=(trial(1, 895, 300.2, 335.398), trial(2, 841, 300.6, 714.534)),
    )


@pytest.mark.parametrize(
    ("topology", "placement"),
    [
        ("single_vm", ClientPlacement.ON_DATABASE),
        ("dbaas", ClientPlacement.SEPARATE),
        ("another", None),
    ],
)
def test_where_the_clients_ran_follows_from_the_topology(topology, placement):
    assert changed(lambda content: content.update(topology=topology)).facts.client_placement == placement


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: content.pop("sizes"), "no sizes in the JSON"),
        (lambda content: content["sizes"].append({}), "2 sizes of the data in the file"),
        (lambda content: content["sizes"][0].update(profile=[]), "no profile in the JSON"),
        (lambda content: content["sizes"][0].update(profile=[1] * 101), "more than 100 rungs"),
        (lambda content: rung(content).pop("concurrency"), "a rung of the profile has no concurrency"),
        (lambda content: rung(content).pop("tx_processed"), "the rung of 2 clients has no tx_processed"),
        (
            lambda content: rung(content).update(run_seconds=0),
            "the rung of 2 clients has no tx_processed or run_seconds",
        ),
        (lambda content: rung(content).update(tx_processed=0), "the rung of 2 clients: no transaction was processed"),
        (
            lambda content: rung(content).update(tx_processed=0, tx_failed=7),
            "the rung of 2 clients: all 7 transactions failed",
        ),
        (
            lambda content: (content["sizes"][0].pop("dataset"), content.pop("workload")),
            "neither a dataset nor a workload",
        ),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(change, reason):
    with pytest.raises(ParseError, match=reason):
        changed(change)


def test_a_document_that_is_cut_short_is_refused():
    with pytest.raises(ParseError, match="cut short or damaged"):
        PARSER.parse(TEXT[: len(TEXT) // 2].splitlines())


@pytest.mark.parametrize("odd", [None, 7, [None], [{"config": "x"}], [{"config": [7, "=", "a="]}]])
def test_odd_settings_of_a_database_are_left_out(odd):
    facts = changed(lambda content: content["postgres"].update(role_settings=odd)).facts

    assert facts.settings["work_mem"] == "9129kB"
