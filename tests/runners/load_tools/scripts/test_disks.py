"""Which device of a host is which disk of the plan. Files stand in for block devices."""

import pytest

from runners.load_tools.scripts import disks


@pytest.fixture
def host(tmp_path, monkeypatch):
    """A host with an instance store that the kernel has found first, two volumes, and the links that udev makes."""
    for folder in ("by-id", "block"):
        (tmp_path / folder).mkdir()
    links = {"store-A": "nvme1n1", "vol0a": "nvme3n1", "vol0a_1": "nvme3n1", "vol0b": "nvme2n1", "vol0root": "nvme0n1"}
    for device in set(links.values()):
        (tmp_path / device).touch()
        (tmp_path / "block" / device / "holders").mkdir(parents=True)
    for link, device in links.items():
        (tmp_path / "by-id" / link).symlink_to(tmp_path / device)
    (tmp_path / "block/nvme0n1/nvme0n1p1").mkdir()
    (tmp_path / "mounts").write_text("proc /proc proc rw 0 0\n")
    monkeypatch.setattr(disks, "BLOCKS", str(tmp_path / "block"))
    monkeypatch.setattr(disks, "MOUNTS", str(tmp_path / "mounts"))
    monkeypatch.setattr(disks, "is_disk", lambda device: device.startswith(str(tmp_path)))
    return tmp_path


@pytest.fixture
def chosen(host, capsys):
    def chosen(*links):
        status = disks.main([":".join(f"{host}/by-id/{one}" for one in link.split(":")) for link in links])
        return status, capsys.readouterr().out.replace(f"{host}/", "").split("\n")[:-1]

    return chosen


def test_disks_are_chosen_by_their_ids_whatever_the_kernel_calls_them(chosen):
    assert chosen("vol0a:xvdf", "vol0b:xvdg") == (0, ["nvme3n1", "nvme2n1"])


def test_a_local_disk_is_any_of_its_kind_and_each_is_taken_once(chosen, host):
    assert chosen("store-*", "vol0a") == (0, ["nvme1n1", "nvme3n1"])
    status, output = chosen("store-*", "store-*")
    assert status == 1
    assert "is not on this host" in output[0]


def test_an_older_type_has_its_disk_under_the_name_of_its_device(chosen, host):
    (host / "xvdf").touch()
    (host / "block/xvdf").mkdir()
    (host / "by-id/xvdf").symlink_to(host / "xvdf")

    assert chosen("vol0c:xvdf") == (0, ["xvdf"])


def test_without_the_ordered_disk_no_other_is_taken(chosen):
    assert chosen("vol0c:xvdf") == (1, ["the plan's disk by-id/vol0c or by-id/xvdf is not on this host"])


def test_a_disk_with_partitions_or_a_mount_is_never_taken(chosen, host):
    (host / "mounts").write_text(f"{host}/nvme2n1 /mnt ext4 rw 0 0\n")

    assert chosen("vol0root") == (1, ["the plan's disk by-id/vol0root is not on this host; nvme0n1 is in use"])
    assert chosen("vol0b") == (1, ["the plan's disk by-id/vol0b is not on this host; nvme2n1 is in use"])
