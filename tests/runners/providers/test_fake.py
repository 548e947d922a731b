"""The fake provider keeps the contract too: what is tested above it would otherwise prove nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from runners.providers.base import Machine, Provider
from tests.runners.providers.clouds import Cloud, Fault
from tests.runners.providers.contract import ProviderContract

CALLS = ("launch", "machines", "terminate", "leftovers")


class FakeCloudUnderTest(Cloud):
    region = "fake-1"
    zones = ("fake-1a", "fake-1b", "fake-1c")
    instance_type = "small"

    def __init__(self) -> None:
        from runners.providers import fake

        self.fake = fake
        self.cloud = fake.reset()

    def provider(self) -> Provider:
        return self.fake.FakeProvider()

    def created(self, tag: str) -> list[str]:
        return [key for key, (its_tag, _) in self.cloud.tags.items() if its_tag == tag]

    def settle(self) -> None:
        """Its machines run, and go, at once."""

    @contextmanager
    def fail(self, fault: Fault, *, zone: str | None = None) -> Iterator[None]:
        if zone:
            pytest.skip("the fake cloud has room in all zones or in none")
        everything = fault in (Fault.THROTTLED, Fault.NOT_ALLOWED)
        for call in CALLS if everything else ("launch",):
            self.cloud.fail(call, *[fault.error("the fake cloud says no")] * 10)
        yield
        self.cloud.faults.clear()

    @contextmanager
    def lose_answers(self) -> Iterator[None]:
        self.cloud.lose_answer = True
        yield
        self.cloud.lose_answer = False

    @contextmanager
    def refuse_terminate(self) -> Iterator[None]:
        self.cloud.refuse_terminate = 10
        yield
        self.cloud.refuse_terminate = 0

    def interrupt(self, machine: Machine) -> None:
        self.cloud.machines[machine.provider_id] = replace(
            self.cloud.machines[machine.provider_id], is_interrupted=True
        )


class TestFake(ProviderContract):
    @pytest.fixture
    def cloud(self) -> Iterator[FakeCloudUnderTest]:
        cloud = FakeCloudUnderTest()
        yield cloud
        cloud.fake.reset()
