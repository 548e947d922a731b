"""What makes two clusters of different size one configuration."""

import pytest

from submissions.analysis.cluster_size.sizing import DiskSet, Size
from submissions.questions.sizing.shapes import Row, shape_key, shapes_of

SSD = {"kind": "local-ssd", "count": 2, "size_gib": 80.0, "raid": "raid0", "filesystem": "xfs", "iops": None}


def database(count, instance_type="m3.2xlarge", disks=(SSD,)):
    return {"role": "database", "instance_type": instance_type, "count": count, "disks": list(disks)}


def cache(count, instance_type="m2.xlarge"):
    return {"role": "cache", "instance_type": instance_type, "count": count, "disks": []}


def key(*groups, provider="aws", region="us-east-1"):
    return shape_key(provider, region, groups)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(key(database(6)), id="the number of nodes"),
        pytest.param(key(database(1), database(2)), id="in how many groups they are told"),
        pytest.param(key(database(3, disks=[{**SSD, "filesystem": "ext4"}])), id="the file system"),
        pytest.param(key(database(3), {**cache(4), "role": "client"}), id="the clients"),
    ],
)
def test_what_changes_no_shape(other):
    assert other == key(database(3))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(key(database(3), provider="gce"), id="provider"),
        pytest.param(key(database(3), region="eu-west-1"), id="region"),
        pytest.param(key(database(3, "m3.xlarge")), id="machine"),
        pytest.param(key(database(3, disks=[{**SSD, "count": 4}])), id="disks"),
        pytest.param(key(database(3), cache(3)), id="a cache"),
    ],
)
def test_what_makes_another_shape(other):
    assert other != key(database(3))


def test_caches_belong_to_the_shape_by_their_proportion():
    assert key(database(48), cache(36)) == key(database(4), cache(3))
    assert key(database(48), cache(36)) != key(database(48), cache(24))


def test_database_nodes_that_differ_have_no_shape():
    assert key(database(3), database(1, "m3.large")) is None
    assert key(database(3), database(1, disks=[])) is None


def test_sizes_are_means_weighted_by_their_submissions():
    rows = [
        Row("aws", None, 3, [database(3)], 90.0, 1, 7),
        Row("aws", None, 3, [database(1), database(2)], 120.0, 2, 9),
        Row("aws", None, 6, [database(6)], 200.0, 1, 8),
        Row("aws", None, 3, [database(3, "other")], 1.0, 1, 10),
        Row("aws", None, 3, [database(2), database(1, "mixed")], 1.0, 5, 11),
    ]

    shapes, shapeless = shapes_of(rows)

    assert [(shape.sizes, shape.newest, shape.submissions) for shape in shapes] == [
        ((Size(3, 110.0), Size(6, 200.0)), {3: 9, 6: 8}, 4),
        ((Size(3, 1.0),), {3: 10}, 1),
    ]
    assert shapeless == 5
    assert shapes[0].key.disk_sets == (DiskSet(2, 80.0, "raid0"),)
