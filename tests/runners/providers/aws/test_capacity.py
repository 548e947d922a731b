"""A zone without capacity, and machines that EC2 accepts and never starts."""

from dataclasses import replace

import pytest
from moto.ec2.models.instances import StateReason

from runners.providers.aws import ec2
from runners.providers.aws.provider import AwsProvider
from runners.providers.base import NoCapacity, NotAllowed, TryAgain
from tests.runners.providers.clouds import Fault
from tests.runners.providers.contract import clear, ids, order_for
from tests.runners.providers.ec2_cloud import SITE


def anywhere(order):
    return replace(order, nodes=tuple(replace(node, zone=None) for node in order.nodes))


def test_a_full_zone_is_named_when_the_order_leaves_the_zone_open_and_another_takes_all(ec2_api, ec2_cloud):
    order, provider = anywhere(order_for(ec2_cloud)), AwsProvider(SITE)
    ec2_api.faults.no_capacity("us-east-1a")

    with pytest.raises(NoCapacity) as full:
        provider.launch(order)
    moved = replace(order, full_zones=("us-east-1a",))
    with ec2_cloud.hide_new():  # the worker dies, and EC2 does not list the machines yet
        first = provider.launch(moved)
        again = AwsProvider(SITE).launch(moved)

    assert (full.value.zone, full.value.instance_type) == ("us-east-1a", order.nodes[0].instance_type)
    assert {machine.zone for machine in first} == {"us-east-1b"}
    assert ids(again) == ids(first)
    assert len(ec2_cloud.created(order.tag)) == len(order.nodes)


def test_a_type_that_cannot_be_had_is_named_and_another_takes_its_place(ec2_cloud):
    order = order_for(ec2_cloud)
    with ec2_cloud.fail(Fault.NO_CAPACITY), pytest.raises(NoCapacity) as full:
        AwsProvider(SITE).launch(order)
    other = tuple(replace(node, instance_type="m5a.large") for node in order.nodes)

    taken = replace(order, nodes=other, earlier_moves=1)
    made = [ids(AwsProvider(SITE).launch(taken)) for _ in range(2)]  # the first worker died after the call
    AwsProvider(SITE).launch(order)  # a late worker, that knows the old type only

    assert (full.value.zone, full.value.instance_type) == (None, order.nodes[0].instance_type)
    assert made[0] == made[1]
    assert set(ec2_cloud.created(order.tag)) == set(made[0].values())
    clear(ec2_cloud, AwsProvider(SITE), order.tag)
    assert ec2_cloud.provider().leftovers(ec2_cloud.region) == []


def test_a_worker_that_sleeps_in_a_zone_that_is_left_makes_nothing_there(ec2_api, ec2_cloud, monkeypatch):
    order, awake = anywhere(order_for(ec2_cloud)), ec2.run_instances
    moved = replace(order, full_zones=("us-east-1a",))

    def asleep_before_it(client, **request):
        monkeypatch.setattr(ec2, "run_instances", awake)
        with ec2_cloud.fail(Fault.NO_CAPACITY, zone="us-east-1a"), pytest.raises(NoCapacity):
            AwsProvider(SITE).launch(order)  # another worker
        AwsProvider(SITE).launch(moved)
        return awake(client, **request)

    monkeypatch.setattr(ec2, "run_instances", asleep_before_it)
    with pytest.raises(TryAgain):
        AwsProvider(SITE).launch(order)

    assert len(ec2_cloud.created(order.tag)) == len(order.nodes)
    clear(ec2_cloud, AwsProvider(SITE), order.tag)
    assert ec2_cloud.provider().leftovers(ec2_cloud.region) == []


def test_a_zone_is_not_left_once_a_delayed_worker_has_made_machines_there(ec2_api, ec2_cloud):
    order = anywhere(order_for(ec2_cloud))

    with ec2_cloud.hide_new():
        AwsProvider(SITE).launch(order)
        with pytest.raises(NoCapacity, match="has machines of this run now") as full:
            AwsProvider(SITE).launch(replace(order, full_zones=("us-east-1a",)))

    assert full.value.zone is None
    assert len(ec2_cloud.created(order.tag)) == len(order.nodes)


def test_no_other_zone_is_tried_once_there_are_machines_or_when_the_order_names_zones(ec2_api, ec2_cloud):
    order = order_for(ec2_cloud, clients=0)
    ec2_api.faults.no_capacity("us-east-1b")

    with pytest.raises(NoCapacity) as full:
        AwsProvider(SITE).launch(order)

    assert full.value.zone is None


def test_when_every_zone_is_full_nothing_is_left_to_try(ec2_api, ec2_cloud):
    order = replace(anywhere(order_for(ec2_cloud)), full_zones=tuple(ec2_api.zones))

    with pytest.raises(NoCapacity, match=r"no zone is left that has all of m5\.large") as full:
        AwsProvider(SITE).launch(order)

    assert full.value.zone is None


def test_a_machine_that_the_accounts_key_keeps_from_starting_ends_the_launch_at_once(ec2_api, ec2_cloud):
    order = order_for(ec2_cloud, databases=1, clients=0)
    [machine] = AwsProvider(SITE).launch(order)
    life = ec2_api.instances.lives[machine.provider_id]
    code = "Client.InternalError"
    ec2_api.instances.end([machine.provider_id], StateReason(f"{code}: Client error on launch", code))
    life.state = "terminated"

    with pytest.raises(NotAllowed, match=r"was never started: .*the account's default key for EBS"):
        AwsProvider(SITE).launch(order)
    assert life.state == "terminated"
