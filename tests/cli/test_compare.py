"""benchsite compare: the site's sentence, and an exit code by its verdict; benchsite export: the list as a file."""

import csv
import json

import pytest

from tests.files import stress_log

CODES = {"better": 0, "within_noise": 0, "worse": 1, "inconclusive": 3}
WHERE = ("--aws", "3x m5.xlarge us-east-1", "--service", "cassandra")


@pytest.fixture
def uploaded(benchsite, tmp_path):
    """A result, and a log of the same workload that is 1 ms slower at p99."""
    from submissions.models import Submission

    log = stress_log("cs50-10-3node")
    assert benchsite("upload", log, *WHERE).code == 0
    other = tmp_path / "nightly.log"
    other.write_bytes(log.read_bytes().replace(b"194.6", b"195.6"))
    return Submission.objects.get(), other


def test_a_log_is_compared_with_a_result_under_the_same_facts(benchsite, uploaded, client):
    from submissions.models import Submission

    first, log = uploaded

    ended = benchsite("compare", first.pk, log)

    private = Submission.objects.exclude(pk=first.pk).get()
    facts = ("service", "provider", "region", "instance_type", "node_count", "visibility")
    assert [getattr(private, name) for name in facts] == [*(getattr(first, name) for name in facts[:-1]), "private"]
    assert ended.code == 0, ended.err
    marked = benchsite("compare", first.pk, private.pk, "--markdown").out
    answer = benchsite("compare", first.pk, private.pk, "--json").json
    for metric in ("throughput", "latency_p99"):
        gated = benchsite("compare", f"#{first.pk}", private.pk, "--fail-if-worse", "0%", "--metric", metric)
        assert gated.code == CODES[answer[metric]["verdict"]]
    assert answer["sentence"] in ended.out
    assert answer["latency_p99"]["ratio"] == pytest.approx(195.6 / 194.6)
    assert marked.startswith(f"**[#{private.pk}](")
    assert "| p99 latency | 1.005 |" in marked
    assert client.get("/api/v1/compare/", {"a": first.pk, "b": private.pk}).status_code in (400, 404)
    missing = benchsite("compare", first.pk, "no such file.log")
    assert (missing.code, "neither the number of a result nor a file" in missing.err) == (2, True)


def test_a_filtered_list_is_written_in_each_format(benchsite, ada, tmp_path):
    import pyarrow.parquet as pq

    from tests.factories import SubmissionFactory

    fast = [SubmissionFactory(title='a "quoted"\ntitle', throughput_ops_s=1000.0 + n) for n in range(3)]
    SubmissionFactory(throughput_ops_s=5.0)
    files = {kind: tmp_path / f"results.{kind}" for kind in ("csv", "json", "parquet")}

    ended = {kind: benchsite("export", "min_throughput=100", "-o", path) for kind, path in files.items()}

    assert [each.code for each in ended.values()] == [0, 0, 0]
    assert all("3 results" in each.err for each in ended.values())
    numbers = {row.pk for row in fast}
    with files["csv"].open(newline="") as file:
        assert {int(row["id"]) for row in csv.DictReader(file)} == numbers
    assert {row["id"] for row in json.loads(files["json"].read_text())} == numbers
    table = pq.read_table(files["parquet"])
    assert set(table["id"].to_pylist()) == numbers
    assert sorted(table["throughput_ops_s"].to_pylist()) == [1000.0, 1001.0, 1002.0]
    refused = benchsite("export", "colour=blue", "-o", tmp_path / "none.csv")
    assert (refused.code, "colour" in refused.err) == (1, True)
    assert not list(tmp_path.glob("none*"))
