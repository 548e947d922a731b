"""What a plan may set in postgresql.conf, and how it is written."""

import pytest

from runners.databases.postgresql_conf import refusal, text


def test_values_are_written_quoted_after_our_own():
    wanted = {"shared_buffers": "512MB", "fsync": False, "random_page_cost": 1.1, "max_wal_size": "it's\n'\\"}

    assert text({"postgresql.conf": wanted}, clients=200) == (
        "listen_addresses = ''\n"
        "unix_socket_directories = '.'\n"
        "unix_socket_permissions = '0700'\n"
        "max_connections = '220'\n"
        "shared_buffers = '512MB'\n"
        "fsync = 'off'\n"
        "random_page_cost = '1.1'\n"
        "max_wal_size = 'it''s\\n''\\\\'\n"
    )


def test_few_clients_get_the_servers_own_number_of_connections():
    assert "max_connections = '100'\n" in text({}, clients=8)


@pytest.mark.parametrize(
    "name",
    [
        *("archive_command", "restore_command", "shared_preload_libraries", "session_preload_libraries"),
        *("local_preload_libraries", "dynamic_library_path", "listen_addresses", "unix_socket_directories", "port"),
        *("data_directory", "hba_file", "include", "include_dir", "ssl_passphrase_command", "log_directory"),
        *("archive_library", "jit_provider", "external_pid_file", "primary_conninfo", "FSYNC", "fsync = on\nport"),
    ],
)
def test_what_runs_a_program_or_opens_a_door_is_refused(name):
    assert (
        refusal({"postgresql.conf": {name: "x"}}) == f"{name} is not a parameter of postgresql.conf that a run may set"
    )


@pytest.mark.parametrize("name", ["fsync", "wal_level", "checkpoint_timeout", "autovacuum_naptime", "shared_buffers"])
def test_what_changes_speed_is_allowed(name):
    assert refusal({"postgresql.conf": {name: "x"}}) is None


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (
            {"cassandra.yaml": {}, "postgresql.conf": {}},
            "pgbench runs support only the settings of 'postgresql.conf', not cassandra.yaml",
        ),
        ({"postgresql.conf": "fsync = off"}, "settings of 'postgresql.conf' must be an object of parameters"),
        (
            {"postgresql.conf": {"work_mem": ["1MB"]}},
            "work_mem in postgresql.conf must be a string, a number or a boolean",
        ),
        (
            {"postgresql.conf": {"work_mem": None}},
            "work_mem in postgresql.conf must be a string, a number or a boolean",
        ),
    ],
)
def test_settings_of_another_shape_are_refused(wanted, reason):
    assert refusal(wanted) == reason


def test_no_settings_are_fine():
    assert refusal({}) is None
