"""API clients of Compute Engine, with the SDK's credentials or those of a service account; no key is stored."""

from functools import cache, cached_property
from typing import Any, TypeVar

import google.auth
from google.auth import impersonated_credentials
from google.auth.credentials import AnonymousCredentials, Credentials
from google.cloud import compute_v1

C = TypeVar("C")
ALL_APIS = "https://www.googleapis.com/auth/cloud-platform"
COMPUTE = "https://www.googleapis.com/auth/compute"
TOKEN_SECONDS = 3600


class Clients:
    """One client per part of the API, created when first needed. With `endpoint` (a lab), requests are not signed."""

    def __init__(self, impersonate: str | None = None, endpoint: str | None = None) -> None:
        self._impersonate = impersonate
        self._endpoint = endpoint

    def check_credentials(self) -> None:
        """Raises DefaultCredentialsError where the SDK's chain has none."""
        _ = self._credentials

    @cached_property
    def instances(self) -> compute_v1.InstancesClient:
        return self._make(compute_v1.InstancesClient)

    @cached_property
    def disks(self) -> compute_v1.DisksClient:
        return self._make(compute_v1.DisksClient)

    @cached_property
    def firewalls(self) -> compute_v1.FirewallsClient:
        return self._make(compute_v1.FirewallsClient)

    @cached_property
    def images(self) -> compute_v1.ImagesClient:
        return self._make(compute_v1.ImagesClient)

    @cached_property
    def machine_types(self) -> compute_v1.MachineTypesClient:
        return self._make(compute_v1.MachineTypesClient)

    @cached_property
    def regions(self) -> compute_v1.RegionsClient:
        return self._make(compute_v1.RegionsClient)

    @cached_property
    def zone_operations(self) -> compute_v1.ZoneOperationsClient:
        return self._make(compute_v1.ZoneOperationsClient)

    @cached_property
    def global_operations(self) -> compute_v1.GlobalOperationsClient:
        return self._make(compute_v1.GlobalOperationsClient)

    @cached_property
    def _credentials(self) -> Credentials:
        return AnonymousCredentials() if self._endpoint else credentials(self._impersonate)  # type: ignore[no-untyped-call]

    def _make(self, kind: type[C]) -> C:
        options = {"api_endpoint": self._endpoint} if self._endpoint else None
        make: Any = kind
        client: C = make(credentials=self._credentials, client_options=options)
        return client


@cache
def clients(impersonate: str | None, endpoint: str | None) -> Clients:
    """Shared in a process: a token is valid for an hour, and every step makes its provider anew."""
    return Clients(impersonate, endpoint)


def credentials(impersonate: str | None) -> Credentials:
    """The SDK's credentials (environment, file, metadata server), or a token of the service account `impersonate`.

    The site's own identity then needs the role Service Account Token Creator on that account. Raises
    google.auth.exceptions.DefaultCredentialsError without credentials; tokens are fetched at the first call.
    """
    source, _ = google.auth.default(scopes=[ALL_APIS])
    if impersonate is None:
        return source
    return impersonated_credentials.Credentials(  # type: ignore[no-untyped-call]
        source_credentials=source, target_principal=impersonate, target_scopes=[COMPUTE], lifetime=TOKEN_SECONDS
    )
