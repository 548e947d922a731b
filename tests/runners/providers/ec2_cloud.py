"""EC2 for the contract suite: the lab's API without its hosts, so that it needs no root and no network."""

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runners.providers.aws.provider import AwsProvider, Site
from runners.providers.base import Machine, Provider
from tests.lab.ec2 import REGION, Ec2
from tests.lab.ec2_wire import Refused
from tests.runners.providers.clouds import Cloud, Fault

SITE = Site("site-a")
HOURS = 3600.0


class Addresses:
    """The part of the lab's network that machines without hosts need."""

    def parts(self) -> list[ipaddress.IPv4Network]:
        return list(ipaddress.ip_network("10.99.0.0/20").subnets(prefixlen_diff=2))


class Api(Ec2):
    """Instances that run, and go, at the next look; an account whose rights can be taken away."""

    def __init__(self) -> None:
        super().__init__(Addresses())  # type: ignore[arg-type]

    def reset(self) -> None:
        super().reset()
        self.instances.boots = False
        self.instances.pending_seconds = self.instances.shutdown_seconds = 0
        self.refusal: Refused | None = None

    def note(self, fields: dict[str, str]) -> None:
        super().note(fields)
        if self.refusal:
            raise self.refusal


class Ec2Cloud(Cloud):
    region = REGION
    instance_type = "m5.large"

    def __init__(self, api: Api) -> None:
        self.api = api
        self.zones = api.zones

    def provider(self) -> Provider:
        return AwsProvider(SITE)

    def provider_of_other_site(self) -> Provider:
        return AwsProvider(Site("site-b"))

    def created(self, tag: str) -> list[str]:
        lives = self.api.instances.lives.values()
        tags = {life.instance.id: {one["key"]: one["value"] for one in life.instance.get_tags()} for life in lives}
        return [id_ for id_, its in tags.items() if its.get("benchsite:run") == tag]

    def settle(self) -> None:
        self.api.instances.advance()

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
            text = "You are not authorized. Encoded authorization failure message: 8gFf9sLongBlob"
            self.api.refusal = Refused("UnauthorizedOperation", text, 403)
        yield
        self.api.refusal = None
        for name in ("capacity", "quota", "throttle"):
            faults.end(name)

    @contextmanager
    def lose_answers(self) -> Iterator[None]:
        self.api.faults.lose_answers("RunInstances", calls=1000)
        yield
        self.api.faults.end("lost:RunInstances")

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
        self.api.instances.interrupt(machine.provider_id)


def sent(api: Api, action: str) -> list[dict[str, Any]]:
    """The parameters of every call of an action."""
    return [given for name, given in api.requests if name == action]
