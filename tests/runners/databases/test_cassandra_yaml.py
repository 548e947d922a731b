"""Which settings of cassandra.yaml a plan may change, and what is said of the others."""

import pytest

from runners.databases.cassandra_yaml import refusal

ALLOWED = [
    *({"concurrent_reads": 128}, {"concurrent_writes": 128}, {"concurrent_compactors": 4}, {"num_tokens": 256}),
    *({"memtable_heap_space": "2048MiB"}, {"memtable_heap_space_in_mb": 2048}, {"memtable_cleanup_threshold": 0.11}),
    *(
        {"memtable_allocation_type": "offheap_objects"},
        {"memtable_flush_writers": 2},
        {"memtable_offheap_space": "1GiB"},
    ),
    *({"compaction_throughput": "64MiB/s"}, {"compaction_throughput_mb_per_sec": 0}, {"key_cache_size": "100MiB"}),
    *({"commitlog_sync": "batch"}, {"commitlog_sync_period": "10000ms"}, {"commitlog_sync_period_in_ms": 10000}),
    *({"commitlog_segment_size": "32MiB"}, {"commitlog_disk_access_mode": "direct"}, {"row_cache_size_in_mb": 0}),
    *({"commitlog_compression": [{"class_name": "LZ4Compressor"}]}, {"file_cache_size": "512MiB"}),
    *({"disk_optimization_strategy": "ssd"}, {"disk_access_mode": "mmap_index_only"}, {"trickle_fsync": True}),
    *(
        {"native_transport_max_threads": 256},
        {"internode_compression": "none"},
        {"dynamic_snitch_badness_threshold": 0.2},
    ),
    *({"read_request_timeout": "5000ms"}, {"write_request_timeout_in_ms": 2000}, {"cas_contention_timeout": "1000ms"}),
    *({"hinted_handoff_enabled": False}, {"column_index_size": "64KiB"}, {"stream_entire_sstables": True}),
    *(
        {"otc_coalescing_strategy": "DISABLED"},
        {"sstable": {"selected_format": "bti"}},
        {"storage_compatibility_mode": "NONE"},
    ),
    {"memtable": {"configurations": {"trie": {"class_name": "TrieMemtable"}, "default": {"inherits": "trie"}}}},
    {
        "default_compaction": {
            "class_name": "UnifiedCompactionStrategy",
            "parameters": {"scaling_parameters": "T4, L8, N", "target_sstable_size": "1GiB"},
        }
    },
    {},
]

# Each would run code, open a door, or read or write a file of the user's choice
DANGEROUS = [
    {"audit_logging_options": {"enabled": True, "archive_command": "/bin/sh -c id"}},
    {"full_query_logging_options": {"log_dir": "/tmp", "archive_command": "/bin/sh -c id"}},
    *({name: True} for name in ("user_defined_functions_enabled", "scripted_user_defined_functions_enabled")),
    *({name: True} for name in ("enable_user_defined_functions", "enable_scripted_user_defined_functions")),
    *(
        {"allow_insecure_udfs": True},
        {"allow_extra_insecure_udfs": True},
        {"user_defined_functions_threads_enabled": False},
    ),
    *(
        {"authenticator": "evil.Class"},
        {"authorizer": "AllowAllAuthorizer"},
        {"role_manager": "x"},
        {"partitioner": "x"},
    ),
    *({"internode_authenticator": "x"}, {"network_authorizer": "x"}, {"crypto_provider": [{"class_name": "x"}]}),
    *({"row_cache_class_name": "x"}, {"back_pressure_strategy": [{"class_name": "x"}]}, {"failure_detector": "x"}),
    *({"endpoint_snitch": "x"}, {"seed_provider": [{"class_name": "x"}]}, {"diagnostic_events_enabled": True}),
    *({"listen_address": "0.0.0.0"}, {"rpc_address": "0.0.0.0"}, {"broadcast_rpc_address": "1.2.3.4"}),
    *({"listen_interface": "eth0"}, {"rpc_interface": "eth0"}, {"native_transport_port": 80}, {"storage_port": 80}),
    *({"ssl_storage_port": 80}, {"native_transport_port_ssl": 80}, {"listen_on_broadcast_address": True}),
    *({"start_native_transport": False}, {"start_rpc": True}, {"rpc_port": 80}, {"jmx_server_options": {"port": 80}}),
    *({"data_file_directories": ["/etc"]}, {"commitlog_directory": "/etc"}, {"saved_caches_directory": "/etc"}),
    *({"hints_directory": "/etc"}, {"cdc_raw_directory": "/etc"}, {"local_system_data_file_directory": "/etc"}),
    *({"heap_dump_path": "/etc"}, {"dump_heap_on_uncaught_exception": True}, {"startup_checks": {}}),
    *({"server_encryption_options": {"keystore": "/etc/x"}}, {"client_encryption_options": {"enabled": True}}),
    *(
        {"transparent_data_encryption_options": {}},
        {"cluster_name": "x"},
        {"initial_token": "1"},
        {"auto_bootstrap": True},
    ),
    *(
        {"sai_options": {}},
        {"auto_repair": {}},
        {"a: b\nc": 1},
        {"CONCURRENT_READS": 1},
        {"concurrent_readsé": 1},
        {"": 1},
    ),
    # allowed names with a value of another kind
    *(
        {"memtable_heap_space": "/etc/passwd"},
        {"commitlog_sync": "x y"},
        {"concurrent_reads": [1]},
        {"trickle_fsync": {}},
    ),
    *({"num_tokens": 0}, {"num_tokens": True}, {"num_tokens": 257}, {"otc_coalescing_strategy": "evil.Class"}),
    {"commitlog_compression": [{"class_name": "evil.Compressor"}]},
    {"commitlog_compression": [{"class_name": "LZ4Compressor", "parameters": [{"path": "/etc/passwd"}]}]},
    {"memtable": {"configurations": {"x": {"class_name": "evil.Memtable"}}}},
    {"default_compaction": {"class_name": "evil.Strategy"}},
    {"sstable": {"format": {"big": {"class_name": "evil.Format"}}}},
    {"sstable": "bti"},
]


@pytest.mark.parametrize("stated", ALLOWED, ids=str)
def test_what_performance_engineers_tune_is_allowed(stated):
    assert refusal({"cassandra.yaml": stated}) is None


@pytest.mark.parametrize("stated", DANGEROUS, ids=str)
def test_what_runs_opens_or_reads_something_is_refused_by_its_name(stated):
    reason = refusal({"cassandra.yaml": {"concurrent_reads": 128, **stated}})

    assert reason is not None
    assert reason.startswith("settings: cassandra.yaml: ")
    [name] = stated
    assert name in reason or repr(name) in reason


@pytest.mark.parametrize("stated", [None, "concurrent_reads: 1", ["concurrent_reads"], 1])
def test_settings_that_are_no_object_are_refused(stated):
    assert refusal({"cassandra.yaml": stated}) == "settings: cassandra.yaml must be an object of settings by name"
