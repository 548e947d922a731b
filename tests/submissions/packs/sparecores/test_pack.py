"""The pack of Spare Cores: which results it has, and what it makes of odd files."""

import gzip
import json

import pytest

from benchsite.http.refusals import Refusal
from submissions.packs.sparecores.lines import lines
from submissions.packs.sparecores.pack import SPARECORES, SpareCores

pytestmark = pytest.mark.django_db

REDIS = next(line for line in lines() if line.key == "redis/aws/m7g.xlarge").content()


def prepared(*keys):
    return {entry.key: outcome for entry, outcome in SPARECORES.prepared(keys)}


@pytest.fixture
def pack_of(tmp_path):
    def make(**changes):
        for task, content in (("redis", [{**REDIS, **changes}]), ("pgbench", [])):
            with gzip.open(tmp_path / f"{task}.ndjson.gz", "wt") as file:
                file.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in content)
        return SpareCores(tmp_path)

    return make


def test_two_pipelines_of_each_type_and_the_ladders_are_results_and_name_the_licence():
    entries = SPARECORES.entries()

    assert len(entries) == len({entry.key for entry in entries}) == 161 + 2 * 3592
    assert {(entry.license, entry.attribution) for entry in entries} == {
        ("CC-BY-SA-4.0", "Spare Cores (sparecores.com), CC BY-SA 4.0")
    }


def test_only_what_is_wanted_is_prepared_in_the_order_of_the_pack():
    keys = ["redis/hcloud/cx22/16", "redis/aws/m7g.xlarge/1", "pgbench/gcp/c2-standard-30"]

    assert list(prepared(*keys)) == keys[::-1]


def test_of_several_thread_counts_one_counts():
    result = prepared("redis/aws/c6g.16xlarge/16")["redis/aws/c6g.16xlarge/16"]

    assert result.document.workload.threads == 50 * 64
    assert [trial.throughput_ops_s for trial in result.trials] == [19083848.0]


@pytest.mark.parametrize(
    ("stdout", "reason"),
    [
        (REDIS["stdout"][:-30], "row 6 has 4 of 9 columns: the file is cut short"),
        (REDIS["stdout"].replace('"rps",', ""), "the file has no column rps"),
        (REDIS["stdout"].replace("1806291", "0"), "the row SET, threads 1, pipeline 16 has no completed request"),
        ("", "redis-aws-m7g.xlarge.csv is empty"),
    ],
)
def test_an_odd_file_is_refused_with_its_reason_for_each_of_its_results(pack_of, stdout, reason):
    pack = pack_of(stdout=stdout)

    outcomes = list(pack.prepared({entry.key for entry in pack.entries()}))

    assert [entry.key for entry, _ in outcomes] == ["redis/aws/m7g.xlarge/1", "redis/aws/m7g.xlarge/16"]
    for _, outcome in outcomes:
        assert isinstance(outcome, Refusal)
        assert reason in str(outcome)


def test_a_pipeline_that_was_not_measured_is_refused_alone(pack_of):
    head, row, *_ = REDIS["stdout"].splitlines(keepends=True)
    pack = pack_of(stdout=head + row)

    measured, missing = (outcome for _, outcome in pack.prepared({entry.key for entry in pack.entries()}))

    assert measured.document.workload.pipeline == 1
    assert "the file has no row of this pipeline with one thread" in str(missing)


def test_odd_facts_of_one_machine_are_refused_and_stop_no_other(pack_of):
    pack = pack_of(vcpus=-4)

    outcomes = [outcome for _, outcome in pack.prepared({entry.key for entry in pack.entries()})]

    assert all(isinstance(outcome, Refusal) and "vcpus" in str(outcome) for outcome in outcomes)
