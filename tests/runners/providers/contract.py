"""What every provider must do: subclass ProviderContract in test_<provider>.py and give it a fixture `cloud`."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from runners.choices import NodeState
from runners.providers.base import Machine, NodeOrder, NodeRequest, NotAllowed, Provider, ProviderError, TryAgain
from tests.runners.providers.clouds import Cloud, Fault

EXPIRES_AT = datetime(2031, 5, 1, 12, 30, tzinfo=UTC)
PAST = datetime(2020, 5, 1, 12, 30, tzinfo=UTC)
# Made for these tests; the private half was thrown away.
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEIvA1VZ6Tg7SU71+mfkBxqchOURNt1+PUcxjmTTQaIW benchsite"
USER_DATA = "#cloud-config\nruncmd:\n - [shutdown, -P, '+60']\n"


def order_for(cloud: Cloud, tag: str = "run-1", *, databases: int = 3, clients: int = 1) -> NodeOrder:
    """Database nodes go round the zones, clients stand in the first, as a plan puts them."""
    names = [(f"db-{n}", "database", cloud.zones[n % len(cloud.zones)]) for n in range(databases)]
    names += [(f"client-{n}", "client", cloud.zones[0]) for n in range(clients)]
    return NodeOrder(
        tag=tag,
        owner="jane",
        expires_at=EXPIRES_AT,
        region=cloud.region,
        nodes=tuple(
            NodeRequest(name=name, role=role, instance_type=cloud.instance_type, zone=zone)
            for name, role, zone in names
        ),
        spot=False,
        ssh_public_key=PUBLIC_KEY,
        user_data=USER_DATA,
        worker_cidr="192.0.2.7/32",
    )


def names(machines: Sequence[Machine]) -> list[str]:
    return sorted(machine.name for machine in machines)


def ids(machines: Sequence[Machine]) -> dict[str, str]:
    return {machine.name: machine.provider_id for machine in machines}


def clear(cloud: Cloud, provider: Provider, tag: str) -> None:
    """Terminate as the teardown does: again and again until the provider has seen that nothing is left."""
    for _ in range(20):
        if provider.terminate(tag, cloud.region):
            return
        cloud.settle()
    raise AssertionError(f"{tag} is not gone after 20 calls")


class ProviderContract:
    @pytest.fixture
    def provider(self, cloud: Cloud) -> Provider:
        return cloud.provider()

    @pytest.fixture
    def order(self, cloud: Cloud) -> NodeOrder:
        return order_for(cloud)

    # launch

    def test_launch_makes_each_node_where_it_was_ordered(self, cloud, provider, order):
        machines = provider.launch(order)

        assert {m.name: m.zone for m in machines} == {node.name: node.zone for node in order.nodes}
        assert sorted(cloud.created(order.tag)) == sorted(m.provider_id for m in machines)

    def test_a_launched_machine_runs_some_time_later_and_can_be_reached(self, cloud, provider, order):
        launched = provider.launch(order)
        cloud.settle()

        running = provider.machines(order.tag, cloud.region)

        assert ids(running) == ids(launched)
        assert {m.state for m in running} == {NodeState.RUNNING}
        assert all(m.address and m.private_address and m.launched_at.utcoffset() is not None for m in running)
        assert len({m.private_address for m in running}) == len(order.nodes)
        assert not any(m.is_interrupted for m in running)

    def test_launch_twice_makes_no_second_set(self, cloud, provider, order):
        first = provider.launch(order)
        second = provider.launch(order)

        assert ids(second) == ids(first)
        assert len(cloud.created(order.tag)) == len(order.nodes)

    def test_a_lost_answer_makes_no_second_set(self, cloud, provider, order):
        with cloud.lose_answers(), pytest.raises(TryAgain):
            provider.launch(order)
        made = cloud.created(order.tag)
        assert made

        machines = cloud.provider().launch(order)  # the worker died, another goes on

        assert names(machines) == names(order.nodes)
        assert set(made) <= set(ids(machines).values())
        assert len(cloud.created(order.tag)) == len(order.nodes)

    def test_machines_that_are_not_listed_yet_are_not_made_again(self, cloud, provider, order):
        with cloud.hide_new():
            first = provider.launch(order)
            assert provider.machines(order.tag, cloud.region) == []

            second = cloud.provider().launch(order)

        assert ids(second) == ids(first)
        assert ids(provider.machines(order.tag, cloud.region)) == ids(first)
        assert len(cloud.created(order.tag)) == len(order.nodes)

    def test_two_workers_at_once_make_one_set(self, cloud, order):
        def launch(worker: Provider) -> dict[str, str] | None:
            for _ in range(5):
                try:
                    return ids(worker.launch(order))
                except TryAgain:
                    continue
            return None

        with ThreadPoolExecutor(2) as pool:
            first, second = pool.map(launch, [cloud.provider(), cloud.provider()])

        assert first == second == ids(cloud.provider().machines(order.tag, cloud.region))
        assert len(cloud.created(order.tag)) == len(order.nodes)

    def test_a_large_order_is_made_whole_and_goes_whole(self, cloud, provider):
        order = order_for(cloud, databases=48, clients=12)

        machines = provider.launch(order)

        assert names(machines) == names(order.nodes)
        assert len(set(ids(machines).values())) == 60
        cloud.settle()
        assert ids(provider.machines(order.tag, cloud.region)) == ids(machines)
        clear(cloud, provider, order.tag)
        assert provider.machines(order.tag, cloud.region) == []

    def test_what_one_zone_could_not_give_is_made_later_and_only_that(self, cloud, provider, order):
        if len(cloud.zones) < 2:
            pytest.skip("has one zone")
        with cloud.fail(Fault.NO_CAPACITY, zone=cloud.zones[1]), pytest.raises(Fault.NO_CAPACITY.error):
            provider.launch(order)

        machines = provider.launch(order)

        assert names(machines) == names(order.nodes)
        assert len(cloud.created(order.tag)) == len(order.nodes)

    def test_a_launch_of_a_run_that_was_torn_down_meanwhile_makes_nothing(self, cloud, provider, order):
        with pytest.raises(TryAgain, match="torn down"):
            provider.launch(replace(order, is_wanted=lambda: False))

        assert cloud.created(order.tag) == []

    # machines

    def test_machines_are_those_of_the_run(self, cloud, provider, order):
        provider.launch(order)
        other = provider.launch(order_for(cloud, "run-12", databases=1, clients=0))

        assert ids(provider.machines("run-12", cloud.region)) == ids(other)
        assert names(provider.machines(order.tag, cloud.region)) == names(order.nodes)
        assert provider.machines("run-unknown", cloud.region) == []

    def test_a_machine_that_the_cloud_takes_back_says_so(self, cloud, provider, order):
        if not provider.abilities.spot:
            pytest.skip("has no spot machines")
        launched = provider.launch(replace(order, spot=True))
        cloud.settle()
        victim = launched[0]

        cloud.interrupt(victim)

        machines = provider.machines(order.tag, cloud.region)
        assert [m.name for m in machines if m.is_interrupted] == [victim.name]
        assert names(provider.launch(replace(order, spot=True))) == names(order.nodes)
        assert len(cloud.created(order.tag)) == len(order.nodes)

    def test_the_history_names_every_machine_with_its_end(self, cloud, provider, order):
        launched = provider.launch(order)
        cloud.settle()
        assert ids(provider.history(order.tag, cloud.region)) == ids(launched)

        clear(cloud, provider, order.tag)

        if provider.abilities.lists_at_once:
            pytest.skip("what is deleted there was seen before")
        gone = provider.history(order.tag, cloud.region)
        assert ids(gone) == ids(launched)
        assert all(m.terminated_at - m.launched_at < timedelta(minutes=2) for m in gone)

    # terminate

    def test_terminate_leaves_nothing_and_can_be_repeated(self, cloud, provider, order):
        provider.launch(order)

        clear(cloud, provider, order.tag)

        assert provider.machines(order.tag, cloud.region) == []
        assert provider.leftovers(cloud.region) == []
        assert provider.terminate(order.tag, cloud.region) is True

    def test_terminate_touches_no_other_run(self, cloud, provider, order):
        provider.launch(order)
        other = provider.launch(order_for(cloud, "run-12"))

        clear(cloud, provider, order.tag)

        assert ids(provider.machines("run-12", cloud.region)) == ids(other)
        assert {left.tag for left in provider.leftovers(cloud.region)} == {"run-12"}

    def test_one_machine_is_removed_and_another_made_in_its_place(self, cloud, provider, order):
        self._replaces(provider)
        launched = ids(provider.launch(order))
        cloud.settle()
        node = order.nodes[0]
        new = replace(order, nodes=(replace(node, name=f"{node.name}b"),))

        for _ in range(20):
            if cloud.provider().remove(order.tag, cloud.region, [node.name]):
                break
            cloud.settle()
        made = [ids(cloud.provider().launch(new)) for _ in range(2)]  # the first worker died after the call
        cloud.settle()

        assert made[0] == made[1]
        assert made[0][f"{node.name}b"] not in launched.values()
        alive = [m for m in provider.machines(order.tag, cloud.region) if m.state == NodeState.RUNNING]
        kept = {name: id_ for name, id_ in launched.items() if name != node.name}
        assert ids(alive) == kept | made[0]
        assert len(cloud.created(order.tag)) == len(order.nodes) + 1
        ends = {m.name: m.terminated_at for m in provider.history(order.tag, cloud.region)}
        assert {name for name, end in ends.items() if end} == {node.name}
        clear(cloud, provider, order.tag)
        assert provider.leftovers(cloud.region) == []

    def test_a_machine_that_was_removed_is_not_made_again_by_a_late_worker(self, cloud, provider, order):
        self._replaces(provider)
        provider.launch(order)
        cloud.settle()
        name = order.nodes[0].name
        while not provider.remove(order.tag, cloud.region, [name]):
            cloud.settle()
        cloud.settle()

        with suppress(ProviderError):
            cloud.provider().launch(order)

        alive = [m.name for m in provider.machines(order.tag, cloud.region) if m.state != NodeState.LOST]
        assert name not in alive
        assert len(cloud.created(order.tag)) == len(order.nodes)

    def _replaces(self, provider):
        if not provider.abilities.replaces:
            pytest.skip("it replaces no machine")

    def test_an_unknown_tag_is_gone_already(self, cloud, provider):
        assert provider.terminate("run-never-launched", cloud.region) is True

    def test_terminate_is_not_true_before_the_machines_are_gone(self, cloud, provider, order):
        launched = provider.launch(order)
        with cloud.refuse_terminate():
            with suppress(ProviderError):  # as good as False: the caller asks again whatever it was
                assert provider.terminate(order.tag, cloud.region) is False
            assert ids(provider.machines(order.tag, cloud.region)) == ids(launched)

        clear(cloud, provider, order.tag)

        assert provider.leftovers(cloud.region) == []

    def test_terminate_is_not_true_while_a_machine_is_not_listed_yet(self, cloud, provider, order):
        with cloud.hide_new():
            provider.launch(order)

            assert provider.terminate(order.tag, cloud.region) is False

        clear(cloud, provider, order.tag)
        assert provider.leftovers(cloud.region) == []

    def test_a_lost_launch_can_be_torn_down_by_a_worker_that_knows_the_tag_only(self, cloud, order):
        with cloud.lose_answers(), pytest.raises(TryAgain):
            cloud.provider().launch(order)

        clear(cloud, cloud.provider(), order.tag)

        assert cloud.provider().leftovers(cloud.region) == []

    # leftovers

    def test_leftovers_name_everything_with_its_run_and_when_it_expires(self, cloud, provider, order):
        launched = provider.launch(order)

        found = provider.leftovers(cloud.region)

        assert {left.provider_id for left in found if left.kind == "instance"} == set(ids(launched).values())
        assert {(left.tag, left.expires_at, left.region) for left in found} == {(order.tag, EXPIRES_AT, cloud.region)}
        assert len({(left.kind, left.provider_id) for left in found}) == len(found)

    def test_expired_leftovers_can_be_removed_by_their_tag(self, cloud, provider, order):
        provider.launch(order)
        provider.launch(replace(order_for(cloud, "run-old"), expires_at=PAST))
        now = datetime(2026, 1, 1, tzinfo=UTC)

        expired = {left.tag for left in provider.leftovers(cloud.region) if left.expires_at < now}
        for tag in expired:
            clear(cloud, provider, tag)

        assert expired == {"run-old"}
        assert {left.tag for left in provider.leftovers(cloud.region)} == {order.tag}

    def test_two_sites_on_one_account_do_not_see_each_other(self, cloud, provider, order):
        other_site = cloud.provider_of_other_site()
        theirs = other_site.launch(order)

        assert provider.leftovers(cloud.region) == []
        assert provider.machines(order.tag, cloud.region) == []
        assert provider.terminate(order.tag, cloud.region) is True
        assert ids(other_site.machines(order.tag, cloud.region)) == ids(theirs)

    # errors

    @pytest.mark.parametrize("fault", Fault)
    def test_a_refusal_is_named_and_the_launch_can_be_repeated(self, cloud, provider, order, fault):
        with cloud.fail(fault), pytest.raises(ProviderError) as caught:
            provider.launch(order)

        assert type(caught.value) is fault.error
        assert str(caught.value)
        assert cloud.created(order.tag) == []
        assert names(provider.launch(order)) == names(order.nodes)

    @pytest.mark.parametrize("fault", [Fault.THROTTLED, Fault.NOT_ALLOWED])
    @pytest.mark.parametrize("call", ["machines", "terminate", "leftovers"])
    def test_no_call_takes_a_refusal_for_an_empty_list(self, cloud, provider, order, call, fault):
        launched = provider.launch(order)
        tag = () if call == "leftovers" else (order.tag,)

        with cloud.fail(fault), pytest.raises(fault.error):
            getattr(provider, call)(*tag, cloud.region)

        assert ids(provider.machines(order.tag, cloud.region)) == ids(launched)

    def test_only_what_may_pass_by_waiting_is_worth_another_try(self):
        assert {fault: fault.error.is_final for fault in Fault} == {
            Fault.NO_CAPACITY: True,
            Fault.QUOTA: True,
            Fault.NOT_ALLOWED: True,
            Fault.THROTTLED: False,
        }
        assert issubclass(NotAllowed, ProviderError)
