"""The hosts of a run over SSH, on a real sshd."""

import logging
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import pytest

from runners.hosts.hosts import Finished, HostLost, HostNotReady
from runners.hosts.keys import make_keys, public_key
from runners.hosts.remote import SshHosts
from tests.runners.sshd import DEADLINE, PATIENT, QUICK, wait_until


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


def test_what_hosts_print_within_the_time_is_read_and_those_that_print_nothing_are_left_out(sshd):
    slow = "echo first; sleep 60; echo second"

    read = sshd.hosts(("db-0", "db-1", "db-2")).read(
        {"db-0": slow, "db-1": "true", "db-2": "yes"}, seconds=3, most=10_000
    )

    assert read == {"db-0": b"first\n", "db-2": b"y\n" * 5_000}


def test_a_host_that_does_not_answer_is_read_without_an_error(sshd, hosts):
    sshd.freeze()

    assert hosts.read({"db-0": "echo never"}, seconds=0.5, most=100) == {}


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


def test_a_silent_host_is_asked_once_and_one_that_refuses_several_times():
    names = tuple(f"db-{index}" for index in range(20))
    with socket.create_server(("127.0.0.1", 0), backlog=128) as silent:
        keys = make_keys()
        hosts = SshHosts(
            dict.fromkeys(names, "127.0.0.1"),
            private_key=keys.private,
            host_key=public_key(keys.host_private),
            port=silent.getsockname()[1],
            limits=replace(QUICK, attempts=3),
        )

        with pytest.raises(HostNotReady) as lost:
            hosts.look(names, job="work", path="x", offsets={})

        silent.setblocking(False)
        asked = 0
        with suppress(BlockingIOError):
            while True:
                silent.accept()[0].close()
                asked += 1
    assert lost.value.names == tuple(sorted(names))
    assert asked == 20


def test_what_is_not_reached_in_the_time_of_a_step_is_left_to_the_next(sshd):
    names = tuple(f"db-{index}" for index in range(5))
    limits = replace(PATIENT, parallel=2, budget_seconds=0.0)

    done = sshd.hosts(names, limits=limits).run(dict.fromkeys(names, "true"), timeout_seconds=60)
    seen = sshd.hosts(names, limits=limits).look(names[2:], job="work", path="x", offsets={})

    assert sorted(done) == ["db-0", "db-1"]
    assert sorted(seen) == ["db-2", "db-3"]


def test_what_does_not_end_in_the_time_of_a_step_says_nothing_about_the_host(sshd):
    limits = replace(PATIENT, budget_seconds=0.0, grace_seconds=0.5)

    assert sshd.hosts(limits=limits).run({"db-0": "sleep 60"}, timeout_seconds=60) == {}


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
