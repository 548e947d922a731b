"""What the contract suite needs to know and to do to a provider's cloud, behind the provider's back."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from enum import Enum

import pytest

from runners.providers.base import Machine, NoCapacity, NotAllowed, Provider, ProviderError, QuotaExceeded, TryAgain


class Fault(Enum):
    """What a cloud answers for a while, and what the provider must make of it."""

    NO_CAPACITY = NoCapacity
    QUOTA = QuotaExceeded
    NOT_ALLOWED = NotAllowed
    THROTTLED = TryAgain

    @property
    def error(self) -> type[ProviderError]:
        return self.value


class Cloud(ABC):
    """A cloud under test. What one cannot do skips the test with a reason."""

    region: str | None
    zones: Sequence[str | None]  # at least one; several for a provider with the ability multi_zone
    instance_type: str

    @abstractmethod
    def provider(self) -> Provider:
        """A provider made anew, as another worker would make it."""

    @abstractmethod
    def created(self, tag: str) -> Sequence[str]:
        """The ids of all machines ever made with the tag, terminated ones too."""

    @abstractmethod
    def fail(self, fault: Fault, *, zone: str | None = None) -> AbstractContextManager[None]:
        """Creating machines (in one zone, or in all) fails; THROTTLED and NOT_ALLOWED fail every call."""

    @abstractmethod
    def lose_answers(self) -> AbstractContextManager[None]:
        """Machines are made, and the answer never arrives."""

    @abstractmethod
    def refuse_terminate(self) -> AbstractContextManager[None]:
        """No machine can be deleted."""

    @abstractmethod
    def settle(self) -> None:
        """What takes a cloud seconds happens: pending machines run, deleted ones are gone."""

    def hide_new(self) -> AbstractContextManager[None]:
        """Machines made meanwhile are not listed yet."""
        pytest.skip(f"{type(self).__name__} lists a machine as soon as it is made")

    def interrupt(self, machine: Machine) -> None:
        """The cloud takes a spot machine back."""
        pytest.skip(f"{type(self).__name__} takes no machine back")

    def provider_of_other_site(self) -> Provider:
        """Another Benchsite on the same account."""
        pytest.skip(f"{type(self).__name__} belongs to one site")
