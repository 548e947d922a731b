"""The provider's machines as real hosts: they boot, take commands with the run's keys only, and are gone afterwards."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from runners.choices import NodeState
from runners.hosts.hosts import Finished
from runners.hosts.keys import make_keys, public_key, user_data
from runners.hosts.remote import SshHosts
from runners.load_tools.job_parts import scripts
from runners.providers.aws import disks
from runners.providers.aws.provider import AwsProvider
from runners.providers.base import DiskOrder
from tests.lab.waiting import wait_for
from tests.runners.providers.contract import order_for
from tests.runners.providers.ec2_cloud import SITE, Ec2Cloud


@pytest.fixture
def keys():
    return make_keys()


@pytest.fixture
def order(ec2, keys):
    expires_at = datetime.now(UTC) + timedelta(hours=1)
    order = order_for(Ec2Cloud(ec2), databases=2, clients=1)
    volumes = (DiskOrder("gp3", 1, 1),)
    return replace(
        order,
        nodes=tuple(
            # with an instance store, which the kernel numbers first
            replace(node, disks=volumes, instance_type="m5d.large")
            for node in order.nodes
            if node.role == "database"
        )
        + tuple(node for node in order.nodes if node.role == "client"),
        expires_at=expires_at,
        ssh_public_key=public_key(keys.private),
        user_data=user_data(keys.host_private, public_key(keys.private), expires_at=expires_at),
        worker_cidr=f"{ec2.network.gateway}/32",
    )


@pytest.fixture
def hosts_of(keys):
    def hosts_of(machines):
        return SshHosts(
            {machine.name: machine.address for machine in machines},
            private_key=keys.private,
            host_key=public_key(keys.host_private),
        )

    return hosts_of


def all_running(provider, order):
    machines = provider.machines(order.tag, order.region)
    return machines if {machine.state for machine in machines} == {NodeState.RUNNING} else None


def reach(address, seconds=60):
    """A shell command that says whether the ssh port of a host is open to this one; a busy machine takes its time."""
    return f"timeout {seconds} bash -c '</dev/tcp/{address}/22' 2>/dev/null && echo reached || echo not reached"


def test_a_launched_cluster_takes_commands_and_leaves_nothing(ec2, order, hosts_of):
    provider = AwsProvider(SITE)

    provider.launch(order)
    machines = wait_for(lambda: all_running(provider, order), "all machines run")
    hosts = hosts_of(machines)
    names = [machine.name for machine in machines]
    wait_for(lambda: all(hosts.check(names).values()), "all hosts take commands")
    boots = [host.run("cat /run/cloud-init/result.json") for host in ec2.hosts.values()]
    peer = {machine.name: machine.private_address for machine in machines}
    said = hosts.run({"db-0": f"{reach(peer['client-0'])}; id -un"}, timeout_seconds=90)
    volume = next(machine.volume_links[0] for machine in machines if machine.name == "db-0")
    hosts.put({"db-0": scripts(["disks.py"])})
    chosen = hosts.run({"db-0": f"DISKS='{volume} {disks.local_link(0)}' python3 bin/disks.py"}, timeout_seconds=90)
    wait_for(lambda: provider.terminate(order.tag, order.region), "nothing is left")

    assert said["db-0"] == Finished(0, "reached\nroot\n")
    assert chosen["db-0"] == Finished(0, "/dev/nvme2n1\n/dev/nvme1n1\n")
    assert len(boots) == len(names)  # no host takes commands before its boot is over
    assert ec2.alive == []
    assert ec2.hosts == {}
    assert provider.leftovers(order.region) == []
    assert ec2.invalid_requests == []


def test_machines_of_different_runs_do_not_reach_each_other(ec2, order, hosts_of):
    provider = AwsProvider(SITE)
    orders = [replace(order, tag=tag, nodes=order.nodes[:1]) for tag in ("run-1", "run-2")]

    for one in orders:
        provider.launch(one)
    ours, theirs = (wait_for(lambda one=one: all_running(provider, one), "it runs") for one in orders)
    for machines in (ours, theirs):
        wait_for(lambda machines=machines: hosts_of(machines).check(["db-0"])["db-0"], "it takes commands")
    said = hosts_of(ours).run({"db-0": reach(theirs[0].private_address, seconds=5)}, timeout_seconds=90)

    assert said["db-0"] == Finished(0, "not reached\n")
    for one in orders:
        wait_for(lambda one=one: provider.terminate(one.tag, one.region), "nothing is left")
    assert ec2.alive == []
