"""Clearing a host of the run before: the real script in folders of its own, with real processes."""

import os
import subprocess
import time
from pathlib import Path

import pytest

SCRIPT = Path("runners/load_tools/scripts/reset.sh").absolute()


@pytest.fixture
def folders(tmp_path):
    """(of the run before, with what it left; of the next run)."""
    old, new = tmp_path / "benchsite", tmp_path / "benchsite-7"
    for path, content in {
        "data/0/cassandra/data/ks/t/nb-1-big-Data.db": "rows",
        "dist/apache-cassandra-5.0.4-bin.tar.gz": "verified",
        "dist/HdrHistogram-2.1.12.jar": "verified",
        "dist/jdk.tar.gz": "whose vendor its name does not say",
        "dist/apache-cassandra-5.0.4/conf/cassandra.yaml": "concurrent_writes: 128",
        "jobs/prepare/exit": "0",
        "host.env": "JAVA_HOME=/old",
        "cassandra.env": "MAX_HEAP_SIZE=8G",
    }.items():
        (old / path).parent.mkdir(parents=True, exist_ok=True)
        (old / path).write_text(content)
    new.mkdir()
    return old, new


def reset(folders, tmp_path, **more):
    old, new = folders
    (tmp_path / "shm").mkdir(exist_ok=True)
    caches = tmp_path / "drop_caches"
    caches.touch()
    variables = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "CACHES": str(caches), "SHARED_MEMORY": str(tmp_path / "shm")}
    done = subprocess.run(
        ["sh", str(SCRIPT), str(old)], cwd=new, env=variables, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return caches.read_text()


def test_nothing_is_left_but_releases_that_were_verified(folders, tmp_path):
    _, new = folders
    (tmp_path / "shm").mkdir()
    (tmp_path / "shm" / "PostgreSQL.1").touch()

    assert reset(folders, tmp_path) == "3\n"
    left = sorted(str(path.relative_to(new)) for path in new.rglob("*") if path.is_file())
    assert left == ["disks.taken", "dist/HdrHistogram-2.1.12.jar", "dist/apache-cassandra-5.0.4-bin.tar.gz"]
    assert not list((tmp_path / "shm").iterdir())
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("benchsite")) == [
        "benchsite",
        "benchsite-7",
    ]


def test_no_late_command_of_the_run_before_can_work_there(folders, tmp_path):
    old, _ = folders
    reset(folders, tmp_path)

    command = f"mkdir -p {old} && cd {old} && exec sh -c 'mkdir -p jobs'"  # as hosts/sessions.py begins each
    assert old.is_file()
    assert subprocess.run(["sh", "-c", command], capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize("command", ["exec sleep 300", "trap '' TERM; while :; do sleep 1; done"])
def test_every_process_of_the_run_before_ends(folders, tmp_path, monkeypatch, command):
    process = subprocess.Popen(["sh", "-c", command], cwd=folders[0] / "data" / "0" / "cassandra")
    other = subprocess.Popen(["sleep", "300"], cwd=tmp_path)
    try:
        script = tmp_path / "reset.sh"
        script.write_text(SCRIPT.read_text().replace("STOP_SECONDS=20", "STOP_SECONDS=2"))
        monkeypatch.setattr(f"{__name__}.SCRIPT", script)
        reset(folders, tmp_path)
        assert process.wait(10) != 0
        assert other.poll() is None
    finally:
        for each in (process, other):
            each.kill()
            each.wait()


def test_it_may_be_repeated_and_a_new_machine_has_nothing_to_clear(folders, tmp_path):
    reset(folders, tmp_path)
    (folders[1] / "data").mkdir()
    started = time.monotonic()
    reset(folders, tmp_path)

    assert (folders[1] / "dist" / "apache-cassandra-5.0.4-bin.tar.gz").exists()
    assert time.monotonic() - started < 10
    fresh = tmp_path / "benchsite-new", folders[1]
    reset(fresh, tmp_path)
    assert fresh[0].is_file()


@pytest.fixture
def disk(folders, tmp_path):
    """A file system of its own at data/1 of the run before, with a row on it."""
    if os.getuid() != 0:
        pytest.skip("only root can mount")
    image, place = tmp_path / "disk", folders[0] / "data" / "1"
    with image.open("wb") as sparse:
        sparse.truncate(64 << 20)
    subprocess.run(["/usr/sbin/mkfs.ext4", "-q", "-F", str(image)], check=True)
    loop = subprocess.run(["losetup", "-f", "--show", str(image)], capture_output=True, text=True, check=False)
    if loop.returncode:
        pytest.skip("this machine has no loop devices")
    device = loop.stdout.strip()
    place.mkdir()
    subprocess.run(["mount", device, str(place)], check=True)
    (place / "cassandra").mkdir()
    (place / "cassandra" / "row").write_text("of the run before")
    yield device
    for path in (place, folders[1] / "data" / "1"):
        subprocess.run(["umount", str(path)], capture_output=True, check=False)
    subprocess.run(["losetup", "-d", device], check=True)


def test_a_disk_is_taken_over_empty_even_if_a_worker_died_between_its_two_places(folders, tmp_path, disk):
    old, new = folders
    (new / "disks.taken").write_text(f"{disk} {old}/data/1\n")
    subprocess.run(["umount", str(old / "data" / "1")], check=True)
    for _ in range(2):
        reset(folders, tmp_path)
        mounts = [line.split()[:2] for line in Path("/proc/mounts").read_text().splitlines()]
        assert [place for device, place in mounts if device == disk] == [str(new / "data" / "1")]
        assert [path.name for path in (new / "data" / "1").iterdir()] == ["lost+found"]
        (new / "data" / "1" / "half").touch()


def test_a_disk_moves_to_the_folder_of_the_next_run(folders, tmp_path, disk):
    _, new = folders
    reset(folders, tmp_path)

    mounts = [line.split()[:2] for line in Path("/proc/mounts").read_text().splitlines()]
    assert [place for device, place in mounts if device == disk] == [str(new / "data" / "1")]
    assert [path.name for path in (new / "data" / "1").iterdir()] == ["lost+found"]
