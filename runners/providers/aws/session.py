"""Clients of AWS with the credentials of the SDK, or with a user's role that these may assume."""

from functools import cache
from typing import Any

import boto3  # type: ignore[import-untyped]
import botocore.session  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.credentials import (  # type: ignore[import-untyped]
    AssumeRoleCredentialFetcher,
    CredentialProvider,
    CredentialResolver,
    DeferredRefreshableCredentials,
)
from botocore.exceptions import NoCredentialsError  # type: ignore[import-untyped]

# One retry for a broken connection; after that, the driver retries, so that no worker sleeps.
CONFIG = Config(
    connect_timeout=5,
    read_timeout=30,
    retries={"mode": "standard", "total_max_attempts": 2},
    user_agent_extra="benchsite",
)
SESSION_NAME = "benchsite"


class Clients:
    """Clients by service and region. Credentials and AWS_ENDPOINT_URL come from the SDK's chain.

    With `role_arn`, the credentials are those of the role: fetched from STS when first needed, renewed before
    they expire, held only in memory.
    """

    def __init__(self, role_arn: str | None = None, external_id: str | None = None) -> None:
        session = _session()
        if role_arn:
            provider = _RoleProvider(session, role_arn, external_id)
            session = _session()
            session.register_component("credential_provider", CredentialResolver([provider]))
        self._session = boto3.Session(botocore_session=session)
        self._clients: dict[tuple[str, str], Any] = {}

    @property
    def default_region(self) -> str | None:
        region: str | None = self._session.region_name
        return region

    @property
    def known_regions(self) -> list[str]:
        """Those that this version of the SDK knows; an account may not use all of them."""
        return sorted(self._session.get_available_regions("ec2"))

    def check_credentials(self) -> None:
        """Raises NoCredentialsError where the SDK's chain has none."""
        if self._session.get_credentials() is None:
            raise NoCredentialsError

    def get(self, service: str, region: str) -> Any:
        key = service, region
        if key not in self._clients:
            self._clients[key] = self._session.client(service, region_name=region, config=CONFIG)
        return self._clients[key]


class _RoleProvider(CredentialProvider):
    METHOD = "assume-role"

    def __init__(self, source: Any, role_arn: str, external_id: str | None) -> None:
        super().__init__()
        self._source = source
        self._role_arn = role_arn
        self._extra = {"RoleSessionName": SESSION_NAME, **({"ExternalId": external_id} if external_id else {})}

    def load(self) -> Any:
        """The credentials of the role, fetched on first use; None if the SDK has no credentials."""
        own = self._source.get_credentials()
        if own is None:
            return None
        fetcher = AssumeRoleCredentialFetcher(
            self._create_client, own, self._role_arn, extra_args=self._extra, cache={}
        )
        return DeferredRefreshableCredentials(fetcher.fetch_credentials, self.METHOD)

    def _create_client(self, service: str, **credentials: Any) -> Any:
        region = self._source.get_config_variable("region") or "us-east-1"
        return self._source.create_client(service, region_name=region, config=CONFIG, **credentials)


def _session() -> Any:
    """A separate session: a shared one would cache credentials."""
    session = botocore.session.Session()
    session.register_component("data_loader", _api_models())
    return session


@cache
def _api_models() -> Any:
    """EC2's model is loaded once per process: it takes a third of a second."""
    return botocore.session.Session().get_component("data_loader")
