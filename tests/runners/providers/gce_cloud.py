"""GCE for the contract suite: the lab's API without its hosts, so that it needs no root and no network."""

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runners.providers.base import Machine, Provider
from runners.providers.gce.provider import GceProvider
from runners.providers.gce.traits import Site
from tests.lab.gce import PROJECT, Gce
from tests.lab.gce_discovery import Method
from tests.lab.gce_errors import GceError
from tests.lab.waiting import wait_for
from tests.runners.providers.clouds import Cloud, Fault

REGION = "us-central1"
HOURS = 3600.0
_TRANSITIONAL = {"PROVISIONING", "STAGING", "STOPPING"}
_IS_DONE = "DONE"


class Addresses:
    """The part of the lab's network that machines without hosts need."""

    def parts(self) -> list[ipaddress.IPv4Network]:
        return list(ipaddress.ip_network("10.98.0.0/20").subnets(prefixlen_diff=2))


class Api(Gce):
    """A project whose changes take an instant; its rights can be taken away, and it remembers every machine."""

    def __init__(self) -> None:
        self.made: list[tuple[str, str]] = []  # (run, zone/name)
        self.refusal: GceError | None = None
        super().__init__(Addresses())  # type: ignore[arg-type]
        add = self.machines.add

        def remember(project: str, zone: str, body: dict[str, Any]) -> Any:
            self.made.append((body.get("labels", {}).get("benchsite_run", ""), f"{zone}/{body['name']}"))
            return add(project, zone, body)

        self.machines.add = remember  # type: ignore[method-assign]

    def reset(self) -> None:
        super().reset()
        self.machines.boots = False
        self.machines.operations.seconds = 0.05
        self.made.clear()
        self.refusal = None

    def act(self, method: Method, path: dict[str, str], query: dict[str, str], content: bytes) -> dict[str, Any]:
        if self.refusal:
            self.calls[method.id] += 1
            raise self.refusal
        return super().act(method, path, query, content)

    def settle(self) -> None:
        """Every change that was begun is over."""
        wait_for(self._is_still, "the changes are over", seconds=5, every=0.01)

    def _is_still(self) -> bool:
        with self.machines.lock:
            self.machines.advance()
            states = {one.body["status"] for one in self.machines.machines.values()}
            return not states & _TRANSITIONAL and all(
                one["status"] == _IS_DONE for one in self.machines.operations.all()
            )


class GceCloud(Cloud):
    region = REGION
    zones = ("us-central1-a", "us-central1-b", "us-central1-c")
    instance_type = "n2-standard-4"

    def __init__(self, api: Api) -> None:
        self.api = api

    def site(self, id: str = "site-a", **changes: Any) -> Site:
        return Site(id, PROJECT, endpoint=self.api.endpoint, **changes)

    def provider(self) -> Provider:
        return GceProvider(self.site())

    def provider_of_other_site(self) -> Provider:
        return GceProvider(self.site("site-b"))

    def created(self, tag: str) -> list[str]:
        return [id_ for run, id_ in self.api.made if run == tag]

    def settle(self) -> None:
        self.api.settle()

    @contextmanager
    def fail(self, fault: Fault, *, zone: str | None = None) -> Iterator[None]:
        faults = self.api.faults
        if fault is Fault.NO_CAPACITY:
            faults.no_capacity(*([zone] if zone else []))
        elif fault is Fault.QUOTA:
            faults.quota()
        elif fault is Fault.THROTTLED:
            faults.throttle()
        else:
            text = "Required 'compute.instances.list' permission for 'projects/lab'"
            self.api.refusal = GceError(403, "forbidden", text)
        yield
        self.api.refusal = None
        for name in ("capacity", "quota", "throttle"):
            faults.end(name)

    @contextmanager
    def lose_answers(self) -> Iterator[None]:
        self.api.faults.lose_answers("instances.bulkInsert", calls=1000)
        yield
        self.api.faults.end("lost:instances.bulkInsert")

    @contextmanager
    def refuse_terminate(self) -> Iterator[None]:
        self.api.faults.refuse_terminate()
        yield
        self.api.faults.end("terminate")

    @contextmanager
    def hide_new(self) -> Iterator[None]:
        self.api.faults.unknown(HOURS)
        yield
        self.api.faults.unknown(0)

    def interrupt(self, machine: Machine) -> None:
        zone, _, name = machine.provider_id.partition("/")
        self.api.preempt(zone, name)


def sent(api: Api, method: str) -> list[Any]:
    """The bodies of every call of a method."""
    return [body for name, _, body in api.requests if name == method]
