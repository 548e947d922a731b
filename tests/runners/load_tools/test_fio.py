"""fio's own output, of version 3.33 on a virtual disk."""

import json

import pytest

from runners.load_tools import fio
from submissions.analysis.host_metrics.hosts import DiskFigures
from tests.files import DATA


def read(name):
    return (DATA / "fio" / name).read_text()


def test_sequential_writes():
    # 67,108,864 bytes in 36 ms, 1,024 writes
    assert fio.parse(read("sequential_write.json")) == DiskFigures(
        test="sequential_write", mb_s=1864.1, iops=28444.4, latency_mean_ms=0.549, latency_p99_ms=1.581
    )


def test_random_reads():
    # 67,108,864 bytes in 385 ms, 16,384 reads
    assert fio.parse(read("random_read.json")) == DiskFigures(
        test="random_read", mb_s=174.3, iops=42555.8, latency_mean_ms=0.75, latency_p99_ms=6.586
    )


def test_what_fio_says_before_its_json_is_skipped():
    text = read("random_read.json")

    assert fio.parse("fio: this platform does not support process shared mutexes\n" + text) == fio.parse(text)


@pytest.mark.parametrize("text", ["", "no JSON", "{", '{"jobs": []}', '{"jobs": [{"jobname": "x"}]}'])
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError, match="not a result of fio"):
        fio.parse(text)


def test_a_failed_test_is_no_result():
    content = json.loads(read("random_read.json"))
    content["jobs"][0]["error"] = 28

    with pytest.raises(ValueError, match="error 28"):
        fio.parse(json.dumps(content))


def test_an_output_names_its_folder():
    assert fio.folder_of("disk-test/1-random_read.json") == "1"
