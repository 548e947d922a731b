"""The hosts of a run over SSH, on a real sshd."""

import hashlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from runners.hosts.hosts import Finished, HostLost, HostNotReady, Progress, output_of
from runners.hosts.keys import make_keys, public_key
from runners.hosts.remote import SshHosts
from tests.runners.sshd import PATIENT, PROGRAM, QUICK, Sshd

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no sshd is installed: apt-get install openssh-server")
DEADLINE = 300.0  # seconds


@pytest.fixture
def sshd(tmp_path):
    server = Sshd(tmp_path)
    wait_until(lambda: server.hosts().check(["db-0"])["db-0"])
    yield server
    server.thaw()
    server.stop()


@pytest.fixture
def hosts(sshd):
    return sshd.hosts()


def wait_until(condition):
    deadline = time.monotonic() + DEADLINE
    while not (value := condition()):
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)
    return value


def look(hosts, job="work", offset=0, path=None):
    return hosts.look(["db-0"], job=job, path=path or output_of(job), offsets={"db-0": offset})["db-0"]


def ended(hosts, job="work"):
    return wait_until(lambda: seen if not (seen := look(hosts, job)).is_running else None)


def test_commands_answer_with_status_and_output(hosts):
    done = hosts.run({"db-0": "echo out; echo err >&2; exit 3"}, timeout_seconds=60)

    assert done == {"db-0": Finished(3, "out\nerr\n")}


def test_commands_start_in_the_folder_of_the_run(hosts, sshd):
    assert hosts.run({"db-0": "pwd"}, timeout_seconds=60) == {"db-0": Finished(0, f"{sshd.folder}/host\n")}


def test_only_the_end_of_a_long_output_is_kept(hosts):
    done = hosts.run({"db-0": "head -c 3000000 /dev/zero | tr '\\0' x; printf end"}, timeout_seconds=120)

    assert done == {"db-0": Finished(0, "x" * (64 * 1024 - 3) + "end")}


def test_a_command_killed_by_a_signal_has_a_status(hosts):
    assert hosts.run({"db-0": "sh -c 'kill -9 $$'; exit $?"}, timeout_seconds=60) == {"db-0": Finished(137, "Killed\n")}
    assert hosts.run({"db-0": "kill -9 $$"}, timeout_seconds=60) == {"db-0": Finished(128, "")}


def test_a_command_that_takes_too_long_is_a_lost_host(hosts):
    with pytest.raises(HostLost, match=r"^db-0: no answer in time$"):
        hosts.run({"db-0": "sleep 60"}, timeout_seconds=0.5)


def test_another_host_key_is_refused(sshd):
    impostor = sshd.hosts(host_key=public_key(make_keys().host_private))

    assert impostor.check(["db-0"]) == {"db-0": False}
    with pytest.raises(HostNotReady, match="its host key is not that of the run"):
        impostor.run({"db-0": "true"}, timeout_seconds=60)
    with pytest.raises(HostNotReady):
        impostor.put({"db-0": {"secret": b"for the right host only"}})
    assert not (sshd.folder / "host/secret").exists()


def test_another_client_key_is_refused(sshd):
    stranger = sshd.hosts(private_key=make_keys().private)

    with pytest.raises(HostNotReady, match="it does not accept the key of the run"):
        stranger.run({"db-0": "true"}, timeout_seconds=60)


def test_a_host_that_does_not_listen_yet_is_not_ready(sshd):
    sshd.stop()

    assert sshd.hosts().check(["db-0"]) == {"db-0": False}
    with pytest.raises(HostNotReady, match=r"^db-0 accepts no connection: connection refused$"):
        sshd.hosts().run({"db-0": "true"}, timeout_seconds=60)
    sshd.start()


def test_a_host_that_listens_and_says_nothing_is_not_ready(sshd):
    sshd.freeze()

    assert sshd.hosts(limits=QUICK).check(["db-0"]) == {"db-0": False}


def test_a_host_that_falls_silent_is_lost(sshd):
    hosts = sshd.hosts(limits=replace(PATIENT, keepalive_seconds=1, keepalive_misses=2))
    with ThreadPoolExecutor(1) as pool:
        command = pool.submit(hosts.run, {"db-0": "touch begun; sleep 60"}, timeout_seconds=60)
        wait_until((sshd.folder / "host/begun").exists)
        sshd.freeze()

        with pytest.raises(HostLost, match=r"^db-0: the connection broke$") as lost:
            command.result(DEADLINE)

    assert lost.value.names == ("db-0",)
    assert not isinstance(lost.value, HostNotReady)


def test_a_connection_that_breaks_under_a_command_is_a_lost_host(hosts, sshd):
    with ThreadPoolExecutor(1) as pool:
        command = pool.submit(hosts.run, {"db-0": "touch begun; sleep 60"}, timeout_seconds=60)
        wait_until((sshd.folder / "host/begun").exists)
        sshd.cut_connections()

        with pytest.raises(HostLost, match=r"^db-0: the connection broke$"):
            command.result(DEADLINE)


def test_all_lost_hosts_are_named_and_the_others_have_done_their_work(sshd):
    addresses = {"db-0": "127.0.0.1", "db-1": "127.0.0.1", "db-2": "127.0.0.1", "db-3": "127.0.0.1"}
    hosts = sshd.hosts(tuple(addresses))

    with pytest.raises(HostLost) as lost:
        hosts.run({name: f"touch {name}; sleep {60 if name > 'db-1' else 0}" for name in addresses}, timeout_seconds=3)

    assert lost.value.names == ("db-2", "db-3")
    assert str(lost.value) == "db-2: no answer in time; db-3: no answer in time"
    assert {"db-0", "db-1"} <= {path.name for path in (sshd.folder / "host").iterdir()}


def test_many_hosts_are_served_a_bounded_number_at_a_time(sshd):
    names = tuple(f"db-{index}" for index in range(40))
    hosts = sshd.hosts(names, limits=replace(PATIENT, parallel=8))
    command = "touch here.$$; sleep 0.1; set -- here.*; echo $#; rm here.$$"  # ls would miss what others remove

    done = hosts.run(dict.fromkeys(names, command), timeout_seconds=120)

    assert {finished.exit_status for finished in done.values()} == {0}
    # the last line: what else a shell of this machine says at its start is not ours
    at_once = [int(finished.output.splitlines()[-1]) for finished in done.values()]
    assert len(at_once) == 40
    assert 1 < max(at_once) <= 8


def test_files_are_written_whole_and_scripts_can_be_run(hosts, sshd):
    content = bytes(range(256)) * 1000

    hosts.put({"db-0": {"conf/a b.bin": content, "bin/hello.sh": b"#!/bin/sh\necho hello\n"}})

    host = sshd.folder / "host"
    assert (host / "conf/a b.bin").read_bytes() == content
    assert oct((host / "bin/hello.sh").stat().st_mode & 0o777) == "0o755"
    assert hosts.run({"db-0": "bin/hello.sh"}, timeout_seconds=60) == {"db-0": Finished(0, "hello\n")}
    assert [path.name for path in (host / "conf").iterdir()] == ["a b.bin"]


def test_putting_a_file_again_replaces_it(hosts, sshd):
    hosts.put({"db-0": {"file": b"one"}})
    hosts.put({"db-0": {"file": b"two"}})

    assert (sshd.folder / "host/file").read_bytes() == b"two"


def test_a_job_leaves_its_output_and_status(hosts):
    hosts.start({"db-0": "echo 'a \"quoted\" line'; echo err >&2; exit 7"}, job="work")

    assert ended(hosts) == Progress(False, 7, b'a "quoted" line\nerr\n', 20)


def test_a_job_finds_the_files_that_come_with_it(hosts):
    hosts.start({"db-0": "bin/hello.sh"}, job="work", files={"db-0": {"bin/hello.sh": b"echo hello\n"}})

    assert ended(hosts) == Progress(False, 0, b"hello\n", 6)


def test_a_job_that_was_never_started_is_neither_running_nor_over(hosts):
    assert look(hosts) == Progress(False, None, b"", 0)


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
    arguments = [str(host), str(sshd.port), hosts._options["username"], public_key(sshd.keys.host_private)]
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


def test_a_large_file_is_fetched_whole(hosts, sshd, tmp_path):
    hosts.run({"db-0": "head -c 20000000 /dev/urandom >big"}, timeout_seconds=120)

    assert hosts.fetch("db-0", "big", str(tmp_path / "copy")) is True

    assert digest(tmp_path / "copy") == digest(sshd.folder / "host/big")
    assert not (tmp_path / "copy.part").exists()


def test_a_fetch_goes_on_where_the_connection_broke(hosts, sshd, tmp_path):
    hosts.run({"db-0": "head -c 60000000 /dev/urandom >big"}, timeout_seconds=120)
    part = tmp_path / "copy.part"

    with ThreadPoolExecutor(1) as pool:
        copied = pool.submit(hosts.fetch, "db-0", "big", str(tmp_path / "copy"))
        wait_until(lambda: part.exists() and part.stat().st_size)
        sshd.cut_connections()
        kept = part.stat().st_size
        assert copied.result(DEADLINE) is True

    assert 0 < kept < 60_000_000
    assert digest(tmp_path / "copy") == digest(sshd.folder / "host/big")


def test_a_part_that_is_of_another_file_is_thrown_away(hosts, sshd, tmp_path):
    hosts.put({"db-0": {"file": b"the right content"}})
    (tmp_path / "copy.part").write_bytes(b"another")

    assert hosts.fetch("db-0", "file", str(tmp_path / "copy")) is True

    assert (tmp_path / "copy").read_bytes() == b"the right content"


def test_a_file_that_is_not_there_is_no_fault(hosts, tmp_path):
    assert hosts.fetch("db-0", "missing", str(tmp_path / "copy")) is False
    assert list(tmp_path.glob("copy*")) == []


def test_a_full_disk_on_this_side_is_not_a_lost_host(hosts, tmp_path):
    hosts.put({"db-0": {"file": b"content"}})

    with pytest.raises(OSError, match="No such file"):
        hosts.fetch("db-0", "file", str(tmp_path / "no folder" / "copy"))


def test_calls_work_in_a_thread_that_has_an_event_loop(hosts):
    import asyncio

    async def inside() -> object:
        return hosts.run({"db-0": "echo in"}, timeout_seconds=60)

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(asyncio.run, inside()).result() == {"db-0": Finished(0, "in\n")}


def test_no_private_key_in_logs_command_lines_or_errors(sshd, caplog):
    secrets = {line for key in (sshd.keys.private, sshd.keys.host_private) for line in key.decode().splitlines()[1:-1]}
    with caplog.at_level(logging.DEBUG, logger="asyncssh"):
        sshd.hosts().run({"db-0": "true"}, timeout_seconds=60)
        with pytest.raises(HostNotReady) as refused:
            sshd.hosts(private_key=make_keys().private).run({"db-0": "true"}, timeout_seconds=60)
        command_lines = sshd.hosts().run({"db-0": "cat /proc/*/cmdline | tr '\\0' ' '"}, timeout_seconds=60)

    said = caplog.text + str(refused.value) + repr(sshd.hosts()) + repr(sshd.keys) + command_lines["db-0"].output
    assert "127.0.0.1" in said
    assert not [secret for secret in secrets if secret in said]


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
