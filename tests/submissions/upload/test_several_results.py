"""A file with several results on the upload page."""

import pytest

from submissions.models import Submission
from tests.files import DATA, uploaded
from tests.submissions.upload.test_page import FORM, NEW, text, uploader

__all__ = ["uploader"]  # a fixture

pytestmark = pytest.mark.django_db


def test_each_pipeline_of_a_file_becomes_a_result_of_its_own(client, uploader):
    staged = client.post(NEW, {"log": [uploaded(DATA / "sparecores-redis" / "aws-m7g.xlarge.csv")]}).url
    machine = {
        "nodes-TOTAL_FORMS": "1",
        "nodes-0-count": "1",
        "nodes-0-instance_type": "m7g.xlarge",
        "nodes-0-vcpus": "4",
    }
    stated = {**FORM, **machine, "service": "redis", "service_version": "7.4.0"}

    first = client.get(staged)
    saved = client.post(staged, {**stated, "action": "save"}, follow=True)

    assert "This file contains 6 results with different settings: it becomes 6 submissions, one for each." in text(
        first
    )
    assert [row["pipeline"] for row in first.context["results"]] == [1, 4, 16, 64, 256, 512]
    assert '<td class="num" data-label="Pipeline">512</td>' in text(first)
    assert "Published 6 results from 1 file." in text(saved)
    stored = Submission.objects.order_by("pk")
    assert [row.document["workload"]["pipeline"] for row in stored] == [1, 4, 16, 64, 256, 512]
    assert len({row.workload_id for row in stored}) == 6
    assert {row.threads for row in stored} == {200}
    assert {tuple(row.flags) for row in stored} == {("short",)}
    assert stored[2].title == "Redis 7.4.0 on 1× m7g.xlarge · AWS us-east-1: memtier_benchmark set, pipeline 16"
