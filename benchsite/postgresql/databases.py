"""The databases of the site: the primary and its streaming replicas, what their connections have, and their limits."""

from typing import Any

import dj_database_url
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from benchsite.env import env, flag, url, words

PRIMARY = "default"
_ENGINE = "benchsite.postgresql"
_ADDRESS = url("postgres", "postgresql")
# A machine that is switched off refuses nothing: without these a request waits for minutes.
_CONNECT_SECONDS = 5
_UNANSWERED_MS = 10_000


def configured(address: str) -> dict[str, dict[str, Any]]:
    """DATABASES: the primary at `address`, and a replica for each of DATABASE_REPLICA_URLS."""
    is_pooled = env("DATABASE_POOLED", flag, default=False)
    replicas = env("DATABASE_REPLICA_URLS", _addresses, default=[])
    databases = {PRIMARY: _database(address, is_pooled=is_pooled)}
    for number, replica in enumerate(replicas, 1):
        # a test has one database
        databases[f"replica{number}"] = {**_database(replica, is_pooled=is_pooled), "TEST": {"MIRROR": PRIMARY}}
    return databases


def routers(databases: dict[str, dict[str, Any]]) -> list[str]:
    return ["benchsite.replicas.router.ReplicaRouter"] if replicas_of(databases) else []


def replicas_of(databases: dict[str, dict[str, Any]]) -> list[str]:
    return [alias for alias in databases if alias != PRIMARY]


def _addresses(text: str) -> list[str]:
    return [_ADDRESS(address) for address in words(text)]


def _database(address: str, *, is_pooled: bool) -> dict[str, Any]:
    try:
        database: dict[str, Any] = {
            **dj_database_url.parse(address, engine=_ENGINE, conn_max_age=60, conn_health_checks=True)
        }
    except ValueError:
        raise ImproperlyConfigured("an address of a database is wrong: see .env.example") from None
    options = database.setdefault("OPTIONS", {})
    options["application_name"] = "benchsite"
    options.setdefault("connect_timeout", _CONNECT_SECONDS)
    options.setdefault("tcp_user_timeout", _UNANSWERED_MS)
    # A pooler in transaction mode: the cursor of a stream lives in a transaction (benchsite/http/streams.py), no other
    # is on the server, and nothing is prepared (benchsite/postgresql/base.py).
    database["DISABLE_SERVER_SIDE_CURSORS"] = is_pooled
    return database


def limit_statements(seconds: int, *, idle_seconds: int = 0) -> None:
    """How long a statement may take, for every connection that this process opens from now on; 0: without limit.

    After `idle_seconds` outside of a transaction PostgreSQL ends a connection and its process: only for who looks
    before use whether it is there still, as each request does. A thread that gets no request ends none itself.
    A pooler takes no options with a connection: there its own configuration has the limits (docs/scaling.md).
    """
    limits = f"-c statement_timeout={seconds * 1000}"
    if idle_seconds:
        limits += f" -c idle_session_timeout={idle_seconds * 1000}"
    for database in settings.DATABASES.values():
        if database.get("DISABLE_SERVER_SIDE_CURSORS"):
            continue
        options = database.setdefault("OPTIONS", {})
        given = options.get("options", "")
        options["options"] = f"{given} {limits}".strip()
