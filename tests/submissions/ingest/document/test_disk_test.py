"""Disk tests of a submission: what the document accepts, and how it names what it refuses."""

import pytest
from pydantic import ValidationError

from submissions.choices import DiskPattern, Trust
from submissions.ingest.document.faults import faults_of
from submissions.ingest.document.submission import SubmissionDocument
from submissions.ingest.pipeline import checked
from tests.documents import document

# "High performance I/O with SSD": iozone, 60 threads, writes of 64 KiB in files of 2 GiB.
IOZONE = {
    "tool": "iozone",
    "pattern": "sequential_write",
    "block_bytes": 65536,
    "jobs": 60,
    "file_bytes": 2 * 1024**3,
    "mb_s": 1099,
    "latency_ms": {"mean": 0.06},
}


def test_the_disk_test_of_the_ssd_article_can_be_stated():
    (test,) = SubmissionDocument.model_validate(document({"disk_tests": [IOZONE]})).disk_tests

    assert (test.tool, test.pattern, test.jobs) == ("iozone", DiskPattern.SEQUENTIAL_WRITE, 60)
    assert (test.mb_s, test.iops, test.latency_ms.mean, test.host) == (1099, None, 0.06, None)


@pytest.mark.parametrize(
    ("change", "pointer", "detail"),
    [
        ({"mb_s": None}, "#/disk_tests/0", "needs mb_s or iops"),
        ({"pattern": "backwards"}, "#/disk_tests/0/pattern", "must be one of"),
        ({"mb_s": 0}, "#/disk_tests/0/mb_s", "must be greater than 0"),
        ({"read_share": 1.2}, "#/disk_tests/0/read_share", "must be at most 1"),
        ({"bandwidth": 3}, "#/disk_tests/0/bandwidth", "unknown key"),
        ({"latency_ms": {"p50": 2, "p99": 1}}, "#/disk_tests/0/latency_ms", "p50 2 ms is above p99 1 ms"),
    ],
)
def test_what_is_wrong_is_refused_at_its_place(change, pointer, detail):
    with pytest.raises(ValidationError) as caught:
        SubmissionDocument.model_validate(document({"disk_tests": [{**IOZONE, **change}]}))

    (fault,) = faults_of(caught.value)
    assert fault.pointer == pointer
    assert detail in fault.detail


def test_a_document_without_disk_tests_has_the_content_of_one_from_before_they_existed():
    assert "disk_tests" not in checked(document(), Trust.UPLOADED).content()
    assert "disk_tests" not in checked(document({"disk_tests": []}), Trust.UPLOADED).content()
    assert len(checked(document({"disk_tests": [IOZONE]}), Trust.UPLOADED).content()["disk_tests"]) == 1
