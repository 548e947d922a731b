"""Machines in a few words."""

import pytest

from benchsite_cli.errors import Failure
from benchsite_cli.metadata.clusters import Cluster, parse


@pytest.mark.parametrize(
    ("provider", "text", "count", "instance_type", "region", "zone"),
    [
        ("aws", "3x m5.xlarge us-east-1", 3, "m5.xlarge", "us-east-1", None),
        ("aws", "3 x m5.xlarge us-east-1a", 3, "m5.xlarge", "us-east-1", "us-east-1a"),
        ("aws", "m5.xlarge x3 us-gov-west-1", 3, "m5.xlarge", "us-gov-west-1", None),
        ("aws", "3×x1.32xlarge", 3, "x1.32xlarge", None, None),
        ("aws", "m5.xlarge", None, "m5.xlarge", None, None),
        ("gce", "2x n2-standard-8 us-central1-a", 2, "n2-standard-8", "us-central1", "us-central1-a"),
        ("hetzner", "3x ccx33 fsn1", 3, "ccx33", "fsn1", None),
        ("on-premises", "2x Xeon Gold 6230, 64 GiB", 2, "Xeon Gold 6230, 64 GiB", None, None),
    ],
)
def test_a_cluster_is_read_as_it_is_spoken(provider, text, count, instance_type, region, zone):
    assert parse(text, provider) == Cluster(provider, count, instance_type, region, zone)


@pytest.mark.parametrize("text", ["", "3x", "0x m5.xlarge", "3x m5.xlarge somewhere", "3x m5.xlarge us-east-1 now"])
def test_what_cannot_be_read_is_refused_with_an_example(text):
    with pytest.raises(Failure, match=r"us-east-1|0 machines"):
        parse(text, "aws")
