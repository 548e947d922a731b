"""Cassandra 4 on hosts of a Debian that has its Java: LAB_SUITE=bullseye, for the others have no Java 11."""

import pytest

from tests.lab import image
from tests.lab.test_runs import nudged, price, said, site, started

__all__ = ["site"]  # a fixture

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(image.JAVA[image.SUITE] != 11, reason="Cassandra 4 needs Java 11: LAB_SUITE=bullseye"),
]
SMALL = {
    "database_count": "1",
    "client_count": "1",
    "operation": "write",
    "threads": "8",
    "replication_factor": "1",
    "consistency_level": "ONE",
    "operations": "3000",
    "trials": "1",
}


@pytest.mark.parametrize("version", ["4.0.17", "4.1.8"])
def test_on_ec2(site, ec2, mirror, client, celery_worker, version):
    mirror.add_cassandra(version)
    site.RUN_PROVIDERS = ["aws"]
    price("aws", "us-east-1", m5__large="0.096", gp3="0.08", cross_zone="0.01")

    place = {"provider": "aws", "region": "us-east-1", "zones": "us-east-1a"}
    types = {"database_type": "m5.large", "client_type": "m5.large"}
    assert_measured(nudged(started(client, service_version=version, **place, **types, **SMALL)), version)


@pytest.mark.parametrize("version", ["4.0.17", "4.1.8"])
def test_on_compute_engine(site, gce, mirror, client, celery_worker, version):
    mirror.add_cassandra(version)
    site.RUN_PROVIDERS = ["gce"]
    site.GCE_PROJECT, site.GCE_ENDPOINT = "lab", gce.endpoint
    price("gce", "us-central1", n1_standard_2="0.095", pd_balanced="0.1", cross_zone="0.01")

    place = {"provider": "gce", "region": "us-central1", "zones": "us-central1-a"}
    types = {"database_type": "n1-standard-2", "client_type": "n1-standard-2"}
    assert_measured(nudged(started(client, service_version=version, **place, **types, **SMALL)), version)


def assert_measured(run, version):
    assert (run.status, run.end_reason) == ("succeeded", "completed"), f"{run.end_detail}\n{said(run)}"
    assert run.submission.document["service"]["version"] == version
    assert run.submission.document["jdk"]["version"].startswith("11.")
    assert run.submission.throughput_ops_s > 0
    assert run.receipt["left"] == 0
