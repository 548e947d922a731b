"""The parameters of postgresql.conf that a plan may set: those that change speed, and none that run programs.

A list of allowed parameters, since any signed-in user may set them: archive_command or shared_preload_libraries would
run a user's code on the machine of the site.
"""

import re
from collections.abc import Mapping
from typing import Any

from runners.load_tools.base import Traces

FILE = "postgresql.conf"
TRACES = Traces(
    process="[b]in/postgres",
    files=("postgresql.log", "initdb.log", "data/0/postgresql/postgresql*.conf", "data/0/postgresql/pg_hba.conf"),
)

_EXACT = (
    "backend_flush_after",
    "data_sync_retry",
    "deadlock_timeout",
    "default_statistics_target",
    "fsync",
    "full_page_writes",
    "hash_mem_multiplier",
    "huge_page_size",
    "huge_pages",
    "jit",
    "logical_decoding_work_mem",
    "maintenance_io_concurrency",
    "maintenance_work_mem",
    "max_connections",
    "max_worker_processes",
    "min_wal_size",
    "plan_cache_mode",
    "random_page_cost",
    "seq_page_cost",
    "shared_buffers",
    "synchronous_commit",
    "temp_buffers",
    "work_mem",
)
_FAMILIES = (
    *("autovacuum", "bgwriter_", "checkpoint_", "commit_", "cpu_", "effective_", "enable_", "io_", "jit_above_"),
    *("max_parallel_", "max_wal_", "parallel_", "track_", "vacuum_", "wal_"),
)
_NAME = re.compile(r"[a-z][a-z0-9_]{1,62}")
_RESERVED_CONNECTIONS = 20


def refusal(settings: Mapping[str, Any]) -> str | None:
    """Why the plan's settings cannot be used, in one sentence; None when they can."""
    if others := sorted(set(settings) - {FILE}):
        return f"pgbench runs support only the settings of {FILE!r}, not {', '.join(others)}"
    wanted = settings.get(FILE, {})
    if not isinstance(wanted, Mapping):
        return f"settings of {FILE!r} must be an object of parameters"
    for name, value in wanted.items():
        if not _is_allowed(str(name)):
            return f"{name} is not a parameter of {FILE} that a run may set"
        if not isinstance(value, str | int | float | bool):
            return f"{name} in {FILE} must be a string, a number or a boolean"
    return None


def text(settings: Mapping[str, Any], *, clients: int, listen: str = "") -> str:
    """Lines to append to the file from initdb: the last line for a parameter counts."""
    own = {
        "listen_addresses": listen,
        "unix_socket_directories": ".",
        "unix_socket_permissions": "0700",
        "max_connections": max(100, clients + _RESERVED_CONNECTIONS),
    }
    return "".join(f"{name} = {_quoted(value)}\n" for name, value in {**own, **settings.get(FILE, {})}.items())


def _is_allowed(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and (name in _EXACT or name.startswith(_FAMILIES))


def _quoted(value: object) -> str:
    shown = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
    escaped = shown.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"
