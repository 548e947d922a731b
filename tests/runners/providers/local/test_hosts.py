"""Commands and detached jobs on the hosts of this machine, as a step uses them."""

import time

import pytest

from runners.hosts.hosts import Finished, HostLost, Progress, output_of
from tests.runners.providers.contract import order_for


@pytest.fixture
def hosts(open_folder):
    from runners.providers.local.hosts import LocalHosts
    from runners.providers.local.provider import LocalProvider

    class Where:
        region, zones, instance_type = None, (None,), "this-machine"

    provider = LocalProvider(open_folder / "runs")
    provider.launch(order_for(Where, databases=2, clients=0))
    yield LocalHosts(open_folder / "runs" / "run-1")
    while not provider.terminate("run-1", None):
        pass


def wait_for(hosts, job, name="db-0"):
    deadline = time.monotonic() + 20
    while (seen := hosts.look([name], job=job, path=output_of(job), offsets={})[name]).is_running:
        assert time.monotonic() < deadline, f"{job} does not end"
        time.sleep(0.02)
    return seen


def test_hosts_with_a_folder_take_commands(hosts):
    assert hosts.check(["db-0", "db-1", "db-2"]) == {"db-0": True, "db-1": True, "db-2": False}


def test_commands_give_their_status_and_both_outputs(hosts):
    done = hosts.run({"db-0": "echo out; echo err >&2", "db-1": "exit 3"}, timeout_seconds=10)

    assert done == {"db-0": Finished(0, "out\nerr\n"), "db-1": Finished(3, "")}


def test_a_command_killed_by_a_signal_is_no_lost_host(hosts):
    assert hosts.run({"db-0": "kill -9 $$"}, timeout_seconds=10) == {"db-0": Finished(128, "")}


def test_only_the_end_of_a_long_output_is_kept(hosts):
    done = hosts.run({"db-0": "yes 0123456789 | head -n 100000; echo end"}, timeout_seconds=20)["db-0"]

    assert len(done.output) == 64 * 1024
    assert done.output.endswith("\nend\n")


def test_what_hosts_print_within_the_time_is_read_and_those_that_print_nothing_are_left_out(hosts):
    read = hosts.read({"db-0": "echo first; sleep 60; echo second", "db-1": "true"}, seconds=2, most=100)

    assert read == {"db-0": b"first\n"}
    assert hosts.read({"db-1": "yes"}, seconds=1, most=5) == {"db-1": b"y\ny\ny"}


def test_a_command_that_takes_too_long_loses_its_host_only(hosts):
    with pytest.raises(HostLost, match=r"db-0: no answer in 0\.2 seconds") as lost:
        hosts.run({"db-0": "sleep 60 | cat", "db-1": "touch done"}, timeout_seconds=0.2)

    assert lost.value.names == ("db-0",)
    assert hosts.run({"db-1": "ls done"}, timeout_seconds=5)["db-1"].output == "done\n"


def test_a_missing_host_is_lost_by_name(hosts):
    for call in (
        lambda: hosts.run({"db-0": "true", "db-7": "true"}, timeout_seconds=5),
        lambda: hosts.start({"db-7": "true"}, job="x"),
        lambda: hosts.put({"db-7": {"a": b""}}),
        lambda: hosts.look(["db-7"], job="x", path="x", offsets={}),
        lambda: hosts.fetch("db-7", "a", "b"),
    ):
        with pytest.raises(HostLost, match="db-7: its folder no longer exists"):
            call()


def test_a_job_started_twice_runs_once(hosts):
    for _ in range(2):
        hosts.start({"db-0": "echo once >>count; echo hello"}, job="work")

    assert wait_for(hosts, "work") == Progress(False, 0, b"hello\n", 6)
    assert hosts.run({"db-0": "cat count"}, timeout_seconds=5)["db-0"].output == "once\n"


def test_a_job_is_tailed_while_it_runs(hosts):
    hosts.start({"db-0": "printf abcdef; exec sleep 3600"}, job="work")
    deadline = time.monotonic() + 20
    while not hosts.look(["db-0"], job="work", path=output_of("work"), offsets={})["db-0"].new_output:
        assert time.monotonic() < deadline

    seen = hosts.look(["db-0"], job="work", path=output_of("work"), offsets={"db-0": 2})["db-0"]

    assert seen == Progress(True, None, b"cdef", 6)


def test_exit_status_of_a_job_and_of_one_that_was_killed(hosts):
    hosts.start({"db-0": "exit 7"}, job="bad")
    hosts.start({"db-0": "kill -9 $PPID; sleep 60"}, job="killed")

    assert wait_for(hosts, "bad").exit_status == 7
    assert wait_for(hosts, "killed").exit_status == 255


def test_a_job_that_was_never_started_has_no_status(hosts):
    seen = hosts.look(["db-1"], job="work", path=output_of("work"), offsets={})

    assert seen == {"db-1": Progress(False, None, b"", 0)}


def test_files_are_put_where_commands_find_them_and_may_write_beside(hosts):
    hosts.put({"db-0": {"bin/hello.sh": b"echo hello\n", "conf/a b.txt": b"\x00\xff"}})

    done = hosts.run({"db-0": "bin/hello.sh && wc -c <'conf/a b.txt' && touch conf/mine"}, timeout_seconds=5)["db-0"]

    assert (done.exit_status, done.output.split()) == (0, ["hello", "2"])


def test_a_job_finds_the_files_that_come_with_it(hosts):
    hosts.start({"db-0": "bin/hello.sh"}, job="work", files={"db-0": {"bin/hello.sh": b"echo hello\n"}})

    assert wait_for(hosts, "work") == Progress(False, 0, b"hello\n", 6)


def test_fetch_copies_a_whole_file_or_says_that_there_is_none(hosts, tmp_path):
    content = bytes(range(256)) * 1000
    hosts.put({"db-0": {"raw.bin": content}})
    to = tmp_path / "copy"

    assert hosts.fetch("db-0", "raw.bin", str(to)) is True
    assert to.read_bytes() == content
    assert hosts.fetch("db-0", "other", str(tmp_path / "none")) is False
    assert not (tmp_path / "none").exists()


def test_a_run_ends_before_it_fills_the_disk_of_the_site(hosts, settings):
    settings.MIN_FREE_BYTES = 2**60

    with pytest.raises(HostLost, match="the disk of this machine is nearly full"):
        hosts.look(["db-0"], job="fill", path=output_of("fill"), offsets={})
