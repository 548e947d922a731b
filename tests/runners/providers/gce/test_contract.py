"""GCE keeps the contract of the providers."""

from tests.runners.providers.contract import ProviderContract


class TestGce(ProviderContract):
    """`cloud` is in conftest.py."""
