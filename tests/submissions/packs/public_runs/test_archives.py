"""The archives of published runs as they lie in the project."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from submissions.packs.public_runs.archives import FOLDER, SCENARIO, index, read
from submissions.packs.public_runs.histogram_text import packed, unpacked

DATA = Path(__file__).parents[3] / "data" / "ycsb" / "public"


def test_the_index_names_each_configuration_once_with_its_trials_and_all_logs():
    results = index().results

    assert len(results) == len({result.key for result in results}) == 60
    assert Counter(result.source.name for result in results) == {
        "mongodb-vs-cassandra-blog": 18,
        "aerospike-apache-cassandra-benchmark": 4,
        "mongodb-vs-scylladb": 38,
    }
    assert sum(len(result.trials) for result in results) == 100
    logs = [name for result in results for trial in result.trials for name in trial.files if name.endswith("_run.txt")]
    assert len(logs) == 181
    assert all(SCENARIO in trial.files for result in results for trial in result.trials)


def test_each_source_has_its_license_and_the_notice_names_its_commit():
    notice = (FOLDER / "NOTICE").read_text()

    for source in {result.source for result in index().results}:
        assert "Apache License" in (FOLDER / source.name / "LICENSE").read_text()
        assert source.license == "Apache-2.0"
        assert source.url in notice
        assert source.commit in notice
    assert "Apache License" in (FOLDER / "LICENSE").read_text()
    assert all((FOLDER / result.archive).stat().st_size > 100_000 for result in index().results)
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.xz")) < 17_000_000


def test_the_archive_gives_the_files_of_the_index_and_nothing_else():
    results = [each for each in index().results if each.archive == "mongodb-vs-cassandra-blog/runs.tar.xz"]

    contents = {result.key: files for result, files in read({result.key for result in results})}

    assert [*contents] == [result.key for result in results]
    for result in results:
        sums = {str(path): hashlib.sha256(content).hexdigest() for path, content in contents[result.key].items()}
        assert sums == {f"{trial.folder}/{name}": sha for trial in result.trials for name, sha in trial.files.items()}


def test_a_histogram_log_comes_back_byte_by_byte_from_its_smaller_form():
    log = (DATA / "scylladb-first-rows-READ.hdr").read_bytes()

    content = unpacked(log)

    assert packed(content) == log
    assert len(content) > 2 * len(log)  # the archive compresses it


def test_a_histogram_log_that_would_not_come_back_is_refused():
    log = (DATA / "scylladb-first-rows-READ.hdr").read_bytes()

    with pytest.raises(ValueError, match="compressed differently"):
        unpacked(log.replace(b",", b", ", 1) + b"9.0,1.0,2.0,HISTggAAAAN4AQMAAAAAAQ==\n")


def test_the_version_of_the_index_is_the_sum_of_what_the_command_that_makes_it_writes():
    content = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
    version = content.pop("version")

    assert version == hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
    curves = [result for result in content["results"] if "replaces" in result]
    assert [len(result["replaces"]) for result in curves] == [len(result["trials"]) for result in curves] == [3, 5]
