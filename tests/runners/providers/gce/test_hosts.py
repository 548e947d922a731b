"""The provider's machines as real hosts: they boot, take commands with the run's keys only, and are gone afterwards."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from runners.choices import NodeState
from runners.hosts.hosts import Finished
from runners.hosts.keys import make_keys, public_key, user_data
from runners.hosts.remote import SshHosts
from runners.load_tools.job_parts import scripts
from runners.providers.base import DiskOrder
from runners.providers.gce import TRAITS
from tests.lab.waiting import wait_for
from tests.runners.providers.contract import order_for
from tests.runners.providers.gce_cloud import GceCloud


@pytest.fixture
def keys():
    return make_keys()


@pytest.fixture
def order(gce, keys):
    expires_at = datetime.now(UTC) + timedelta(hours=1)
    order = order_for(GceCloud(gce), databases=2, clients=1)
    disks = (DiskOrder("local-ssd", 1, None), DiskOrder("pd-ssd", 1, 1))
    return replace(
        order,
        nodes=tuple(replace(node, disks=disks if node.role == "database" else ()) for node in order.nodes),
        expires_at=expires_at,
        ssh_public_key=public_key(keys.private),
        user_data=user_data(keys.host_private, public_key(keys.private), expires_at=expires_at),
        worker_cidr=f"{gce.network.gateway}/32",
    )


def hosts_of(machines, keys):
    return SshHosts(
        {machine.name: machine.address for machine in machines},
        private_key=keys.private,
        host_key=public_key(keys.host_private),
    )


def all_running(provider, order):
    machines = provider.machines(order.tag, order.region)
    return machines if {machine.state for machine in machines} == {NodeState.RUNNING} else None


def test_a_launched_cluster_takes_commands_and_leaves_nothing(gce, order, keys):
    provider = GceCloud(gce).provider()

    provider.launch(order)
    machines = wait_for(lambda: all_running(provider, order), "all machines run")
    hosts = hosts_of(machines, keys)
    wait_for(lambda: all(hosts.check([machine.name for machine in machines]).values()), "all hosts take commands")
    peer = next(machine.private_address for machine in machines if machine.name == "client-0")
    reach = f"timeout 60 bash -c '</dev/tcp/{peer}/22' && echo reached; id -un; hostname"
    said = hosts.run({"db-0": reach}, timeout_seconds=90)
    volume = next(machine.volume_links[0] for machine in machines if machine.name == "db-0")
    hosts.put({"db-0": scripts(["disks.py"])})
    links = f"{volume} {TRAITS.local_disk_link(0)}"
    chosen = hosts.run({"db-0": f"DISKS='{links}' python3 bin/disks.py"}, timeout_seconds=90)
    wait_for(lambda: provider.terminate(order.tag, order.region), "nothing is left")

    assert chosen["db-0"] == Finished(0, "/dev/sdb\n/dev/nvme0n1\n")
    assert said["db-0"] == Finished(0, "reached\nroot\nrun-1-site-a-db-0\n")
    assert (gce.alive, gce.hosts) == ([], {})
    assert provider.leftovers(order.region) == []
    assert (gce.invalid_requests, gce.invalid_answers) == ([], [])


def test_another_address_than_the_workers_does_not_reach_ssh(gce, order, keys):
    provider = GceCloud(gce).provider()
    provider.launch(replace(order, nodes=order.nodes[:1], worker_cidr="192.0.2.7/32"))
    machines = wait_for(lambda: all_running(provider, order), "it runs")

    assert hosts_of(machines, keys).check(["db-0"]) == {"db-0": False}
    wait_for(lambda: provider.terminate(order.tag, order.region), "nothing is left")
