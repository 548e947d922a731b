"""Workloads that had another fingerprint: their old addresses still lead there."""

import html

import pytest

from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address", ["/workloads/{}/", "/value/?workload={}", "/scaling/?workload={}", "/submissions/?workload={}"]
)
def test_questions_and_lists_take_a_fingerprint_that_the_workload_had_before(client, address):
    row = SubmissionFactory(workload=WorkloadFactory(former_fingerprints=["0123456789abcdef"]))

    response = client.get(address.format("0123456789abcdef"), follow=True)

    assert response.status_code == 200
    assert row.workload.title in html.unescape(response.content.decode())
