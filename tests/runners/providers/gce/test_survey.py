"""What a project is asked before a run is confirmed."""

from dataclasses import replace

import pytest

from runners.providers.base import DiskOrder, Hardware, NodeRequest, Remark
from tests.runners.providers.gce_cloud import GceCloud

DB = NodeRequest("db-0", "database", "n2-standard-4", None)
OPEN_SSH = {
    "name": "default-allow-ssh",
    "network": "global/networks/default",
    "direction": "INGRESS",
    "sourceRanges": ["0.0.0.0/0"],
    "allowed": [{"IPProtocol": "tcp", "ports": ["22"]}],
}


@pytest.fixture
def survey(api):
    def survey(*nodes, spot=False):
        return GceCloud(api).provider().survey(nodes or [DB], region="us-central1", spot=spot)

    yield survey
    assert api.made == []


def test_a_plan_that_the_project_can_launch_has_no_remark(survey):
    found = survey(DB, NodeRequest("client-0", "client", "c3-standard-8", "us-central1-a"))

    assert found.remarks == ()
    assert found.types == {"n2-standard-4": Hardware(4, 16, 0), "c3-standard-8": Hardware(8, 32, 0)}


def test_a_type_that_does_not_exist_is_a_fault_of_its_group(survey):
    assert survey(replace(DB, instance_type="n2-standard-5")).remarks == (
        Remark.fault("#/database/instance_type", "GCE has no machine type n2-standard-5 in us-central1"),
    )


def test_disks_that_the_type_cannot_have_are_a_fault(survey):
    node = replace(DB, instance_type="e2-standard-4", disks=(DiskOrder("local-ssd", 1, None),))

    assert survey(node).remarks == (
        Remark.fault("#/database/disks", "e2-standard-4 supports no local SSDs; the plan needs 1"),
    )


def test_each_quota_that_is_too_small_is_a_fault_with_the_number_to_ask_for(survey, api):
    api.api.quotas |= {"N2_CPUS": 24, "IN_USE_ADDRESSES": 8}

    many = [replace(DB, name=f"db-{number}") for number in range(9)]

    assert survey(*many).remarks == (
        Remark.fault(
            "#",
            "the project may use 8 IN_USE_ADDRESSES in us-central1; 0 are in use and the plan needs 9: "
            "ask Google Cloud (Quotas) for at least 9",
        ),
        Remark.fault(
            "#",
            "the project may use 24 N2_CPUS in us-central1; 0 are in use and the plan needs 36: "
            "ask Google Cloud (Quotas) for at least 36",
        ),
    )


def test_spot_machines_have_a_quota_of_their_own_where_the_project_has_one(survey, api):
    api.api.quotas |= {"N2_CPUS": 0, "PREEMPTIBLE_CPUS": 4}

    assert survey(spot=True).remarks == ()
    assert "4 PREEMPTIBLE_CPUS" in survey(DB, replace(DB, name="db-1"), spot=True).remarks[0].text


def test_local_ssds_and_disks_count_against_their_quotas(survey, api):
    api.api.quotas |= {"LOCAL_SSD_TOTAL_GB": 500, "SSD_TOTAL_GB": 100}
    node = replace(DB, disks=(DiskOrder("local-ssd", 2, None), DiskOrder("pd-ssd", 1, 200)))

    texts = [remark.text for remark in survey(node).remarks]

    assert [text.split(";")[0] for text in texts] == [
        "the project may use 500 LOCAL_SSD_TOTAL_GB in us-central1",
        "the project may use 100 SSD_TOTAL_GB in us-central1",
    ]
    assert texts[0].endswith("at least 750")
    assert texts[1].endswith("at least 240")  # with the boot disk


def test_a_series_whose_quota_is_not_listed_is_a_note(survey):
    [remark] = survey(replace(DB, instance_type="n2d-standard-4")).remarks

    assert remark == Remark.note("#", "the quota N2D_CPUS of us-central1 is not listed: it was not checked")


@pytest.mark.parametrize("instance_type", ["c4-standard-8", "n4-highmem-4"])
def test_newer_series_boot_from_hyperdisk_and_say_which_quota_was_not_checked(survey, api, instance_type):
    node = replace(DB, instance_type=instance_type, disks=(DiskOrder("hyperdisk-balanced", 1, 100),))
    series = instance_type[:2].upper()

    assert survey(node).remarks == (
        Remark.note("#", f"the quota {series}_CPUS of us-central1 is not listed: it was not checked"),
    )


def test_a_network_that_is_open_to_everyone_is_said_to_be(survey, api):
    api.machines.firewalls["default-allow-ssh"] = OPEN_SSH
    api.machines.firewalls["tagged"] = {**OPEN_SSH, "name": "tagged", "targetTags": ["web"]}

    assert survey().remarks == (
        Remark.note(
            "#", "the network default lets anyone reach SSH on the machines (default-allow-ssh); keys are required"
        ),
    )
