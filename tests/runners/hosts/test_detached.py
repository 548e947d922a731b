"""Jobs that outlive the connection that started them, on a real sshd."""

import getpass
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from runners.hosts.hosts import Progress, output_of
from runners.hosts.keys import public_key
from runners.hosts.remote import SshHosts
from tests.runners.sshd import wait_until


def look(hosts, job="work", offset=0, path=None):
    return hosts.look(["db-0"], job=job, path=path or output_of(job), offsets={"db-0": offset})["db-0"]


def ended(hosts, job="work"):
    return wait_until(lambda: seen if not (seen := look(hosts, job)).is_running else None)


def test_a_job_leaves_its_output_and_status(hosts):
    hosts.start({"db-0": "echo 'a \"quoted\" line'; echo err >&2; exit 7"}, job="work")

    assert ended(hosts) == Progress(False, 7, b'a "quoted" line\nerr\n', 20)


def test_a_job_finds_the_files_that_come_with_it(hosts):
    hosts.start({"db-0": "bin/hello.sh"}, job="work", files={"db-0": {"bin/hello.sh": b"echo hello\n"}})

    assert ended(hosts) == Progress(False, 0, b"hello\n", 6)


def test_a_job_that_was_never_started_is_neither_running_nor_over(hosts):
    assert look(hosts) == Progress(False, None, b"", 0)


def test_a_job_that_was_set_aside_is_started_again(hosts, sshd):
    hosts.start({"db-0": "echo first; exit 7"}, job="work")
    assert ended(hosts).exit_status == 7

    assert list(hosts.set_aside(["db-0"], job="work")) == ["db-0"]
    assert look(hosts) == Progress(False, None, b"", 0)
    hosts.start({"db-0": "echo second"}, job="work")

    assert ended(hosts) == Progress(False, 0, b"second\n", 7)
    assert (sshd.folder / "host/jobs/work.ended/output").read_text() == "first\n"


def test_a_job_that_is_killed_has_died(hosts, sshd):
    hosts.start({"db-0": "echo begun; sleep 60"}, job="work")
    wait_until(lambda: look(hosts).new_output)
    assert look(hosts).is_running

    os.kill(int((sshd.folder / "host/jobs/work/pid").read_text()), signal.SIGKILL)

    assert ended(hosts) == Progress(False, 255, b"begun\n", 6)


def test_what_a_job_leaves_running_is_no_part_of_it(hosts, sshd):
    hosts.start({"db-0": "setsid sleep 300 >/dev/null 2>&1 & echo $!"}, job="work")

    seen = ended(hosts)

    os.kill(int(seen.new_output), signal.SIGKILL)  # it still ran
    assert seen.exit_status == 0


def test_a_job_started_twice_at_the_same_moment_runs_once(sshd):
    workers = [sshd.hosts() for _ in range(8)]
    barrier = threading.Barrier(8)

    def start(worker: SshHosts) -> None:
        barrier.wait()
        worker.start({"db-0": "echo once >>count"}, job="work")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(start, workers))
    assert ended(sshd.hosts()).exit_status == 0
    sshd.hosts().start({"db-0": "echo once >>count"}, job="work")

    assert (sshd.folder / "host/count").read_text() == "once\n"


WORKER = """
import sys
from pathlib import Path
from runners.hosts.remote import SshHosts
folder, port, user, host_key = sys.argv[1:]
key = sys.stdin.buffer.read()
hosts = SshHosts({"db-0": "127.0.0.1"}, private_key=key, host_key=host_key, user=user, port=int(port), folder=folder)
hosts.start({"db-0": "echo begun; while [ ! -e go ]; do sleep 0.05; done; echo ended"}, job="work")
hosts.run({"db-0": "touch waiting; sleep 60"}, timeout_seconds=60)
"""


def test_a_job_survives_the_worker_that_started_it(sshd, hosts):
    host = sshd.folder / "host"
    arguments = [str(host), str(sshd.port), getpass.getuser(), public_key(sshd.keys.host_private)]
    worker = subprocess.Popen([sys.executable, "-c", WORKER, *arguments], stdin=subprocess.PIPE)
    worker.stdin.write(sshd.keys.private)
    worker.stdin.close()
    wait_until((host / "waiting").exists)
    worker.send_signal(signal.SIGKILL)
    worker.wait()

    seen = wait_until(lambda: progress if (progress := look(hosts)).new_output else None)
    assert seen == Progress(True, None, b"begun\n", 6)
    (host / "go").touch()
    wait_until(lambda: not look(hosts).is_running)

    assert look(hosts, offset=6) == Progress(False, 0, b"ended\n", 12)


def test_output_is_tailed_by_offset_a_mebibyte_at_a_time(hosts, sshd):
    size = 2_500_000
    hosts.start({"db-0": f"head -c {size} /dev/zero | tr '\\0' a"}, job="work")
    wait_until(lambda: not look(hosts, offset=size).is_running)

    lengths, offset = [], 0
    while new := (seen := look(hosts, offset=offset)).new_output:
        assert set(new) == {ord("a")}
        lengths.append(len(new))
        offset = seen.offset

    assert lengths == [1_048_576, 1_048_576, 402_848]
    assert offset == size


def test_any_file_of_the_job_can_be_tailed(hosts):
    hosts.start({"db-0": "echo to a file >'log file'"}, job="work")
    wait_until(lambda: not look(hosts).is_running)

    assert look(hosts, path="log file", offset=3) == Progress(False, 0, b"a file\n", 10)
    assert look(hosts, path="missing", offset=3) == Progress(False, 0, b"", 3)


def test_a_job_name_cannot_leave_its_folder(hosts):
    with pytest.raises(ValueError, match="not a valid job name"):
        hosts.start({"db-0": "true"}, job="../x")
