"""Readings written to a file come back as they were, or not at all."""

import gzip
import io
from dataclasses import replace

import pytest

from benchsite.http.refusals import Refusal
from submissions.ingest.curves.intervals import row_of
from submissions.ingest.logs.read import OfferedFile, read_logs
from submissions.ingest.logs.reading_file import load_readings, write_readings
from submissions.ingest.uploads import offered
from tests.files import DATA, stress_log, uploaded

SAMPLES = sorted(path for path in DATA.rglob("*") if path.is_file() and path.suffix not in (".cmd", ".md"))


def written(files):
    out = io.BytesIO()
    write_readings(files, out)
    return out.getvalue()


def loaded(data, files, with_intervals=True):
    return load_readings(io.BytesIO(data), files, with_intervals=with_intervals)


def readable_samples():
    for path in SAMPLES:
        try:
            files = offered([uploaded(path)])
            yield path, files, read_logs(files)
        except Refusal:
            continue  # a sample of what is refused


def test_every_sample_comes_back_equal_down_to_the_types_of_its_numbers():
    count = 0
    for path, files, read in readable_samples():
        again = loaded(written(read), files)

        assert [file.reading for file in again] == [file.reading for file in read], path.name
        assert [file.kind for file in again] == [file.kind for file in read]
        for before, after in zip(read, again, strict=True):
            for old_set, new_set in zip(before.reading.trial_sets, after.reading.trial_sets, strict=True):
                for old, new in zip(old_set, new_set, strict=True):
                    assert [repr(row_of(row)) for row in old.intervals] == [repr(row_of(row)) for row in new.intervals]
        count += 1
    assert count > 60


@pytest.fixture
def log():
    files = offered([uploaded(stress_log("cs50-10-3node"))])
    return files, read_logs(files)


def test_without_intervals_only_the_series_are_missing(log):
    files, read = log

    [file] = loaded(written(read), files, with_intervals=False)

    [[trial]], [[known]] = file.reading.trial_sets, read[0].reading.trial_sets
    assert trial == replace(known, intervals=())
    assert known.intervals


def test_the_trial_stated_now_counts_and_not_the_one_at_the_time_of_reading(log):
    files, read = log

    [file] = loaded(written(read), [OfferedFile(files[0].member, "second")])

    assert file.trial == "second"


def test_other_bytes_are_not_given_this_reading(log):
    _, read = log

    assert loaded(written(read), offered([uploaded(stress_log("cs50-09-auto"))])) is None


def test_a_reading_of_other_parsers_or_of_another_format_is_not_used(log):
    files, read = log
    head, rest = gzip.decompress(written(read)).split(b"\n", 1)

    assert loaded(gzip.compress(head + b"\n" + rest), files) == read
    for old, new in [(b'"format":1', b'"format":0'), (b'"parsers":"', b'"parsers":"x')]:
        changed = head.replace(old, new)
        assert changed != head
        assert loaded(gzip.compress(changed + b"\n" + rest), files) is None


def test_a_damaged_file_is_not_used(log):
    files, read = log
    data = written(read)
    head, rest = gzip.decompress(data).split(b"\n", 1)

    damaged = [
        b"",
        b"not gzip",
        data[: len(data) // 2],
        gzip.compress(b"{}\n"),
        gzip.compress(head + b"\n"),
        gzip.compress(head + b"\n[[1, 2]]\n"),
        gzip.compress(head + b"\n[7]\n"),
        gzip.compress(head.replace(b'"total"', b"[]", 1).replace(b'"tool"', b'"fool"', 1) + b"\n" + rest),
    ]

    assert [loaded(one, files) for one in damaged] == [None] * len(damaged)
