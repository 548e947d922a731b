"""Readings of real summaries of BenchBase."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, TrialReading
from submissions.ingest.parsers.benchbase import PARSER
from submissions.ingest.parsers.errors import ParseError

DATA = Path(__file__).resolve().parents[3] / "data" / "benchbase"


def parse(name, **changes):
    summary = json.loads((DATA / name).read_text())
    for key, value in changes.items():
        summary[key.replace("_", " ")] = value
    return PARSER.parse(
        json.dumps({key: value for key, value in summary.items() if value is not ...}, indent=1).split("\n")
    )


def test_the_rate_is_of_the_requests_that_committed():
    started_at = datetime(2024, 4, 5, 13, 33, 47, 635000, tzinfo=UTC)

    assert parse("tpcc-postgres.summary.json") == LogReading(
        tool="benchbase",
        facts=Facts(
            databases=("postgresql",),
            service_version="12.18",
            operations={"tpcc": 1.0},
            threads=1,
            measured_at=started_at,
        ),
        trial_sets=(
            (
                TrialReading(
                    throughput_ops_s=143.016654724776,
                    operations=8581,  # 143.0167 a second for 60.000005 s
                    duration_s=60.00000501,
                    printed_ops_s=143.666654670501,
                    threads=1,
                    started_at=started_at,
                    latency_kind=LatencyKind.SERVICE_TIME,
                    latency=Latency(mean=6.943, p50=5.98, p95=12.075, p99=15.158, max=234.208),
                ),
            ),
        ),
        warnings=(
            "39 of 8,620 requests did not commit and are not counted; the summary does not tell errors from those that"
            " the benchmark itself takes back (one new order in a hundred of TPC-C)",
            "scale factor 1, isolation TRANSACTION_SERIALIZABLE: not part of what is compared",
        ),
    )


@pytest.mark.parametrize(
    ("file", "service", "version"),
    [
        ("tpcc-cockroach.summary.json", "cockroachdb", "23.2.3"),
        ("tpcc-oracle.summary.json", "oracle", None),
        ("tpcc-postgres.summary.json", None, "12.18"),  # a protocol: Aurora and YugabyteDB have it too
    ],
)
def test_the_database_is_stated_where_its_type_is_one_product(file, service, version):
    assert (parse(file).facts.service, parse(file).facts.service_version) == (service, version)


def test_a_summary_of_before_the_goodput_says_what_is_counted():
    reading = parse("tpcc-postgres.summary.json", **{"Goodput (requests/second)": ...})

    assert reading.trial_sets[0][0].throughput_ops_s == 143.666654670501
    assert reading.warnings[0].startswith("the summary has no goodput")


def test_what_is_no_result_is_refused_with_the_reason():
    with pytest.raises(ParseError, match="none of 0 requests committed"):
        parse("tpcc-postgres.summary.json", Measured_Requests=0)
    with pytest.raises(ParseError, match=r"no Throughput \(requests/second\)"):
        parse("tpcc-postgres.summary.json", **{"Throughput (requests/second)": None})
    with pytest.raises(ParseError, match="cut short or damaged"):
        PARSER.parse((DATA / "tpcc-postgres.summary.json").read_text().splitlines()[:9])
