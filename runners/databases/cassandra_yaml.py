"""The settings of cassandra.yaml that a plan may change: those that change speed, and none that run or open anything.

A list of allowed settings, since any signed-in user may set them: an archive command of the audit log, user-defined
functions or a class of one's own would run a user's code on the machine.
"""

import re
from collections.abc import Mapping
from typing import Any

KEY = "cassandra.yaml"
TOKENS = "num_tokens"

# The unit was part of the name before 4.1
_UNITS = r"(?:_in_(?:ms|mb|kb|bytes|minutes)|_(?:seconds|mb_per_sec|megabits_per_sec))?"
_NAMES = re.compile(
    r"(?:"
    r"concurrent_(?:reads|writes|counter_writes|materialized_view_writes|materialized_view_builders|index_builders|"
    r"compactors|validations|merkle_tree_requests)|available_processors|"
    # memory
    r"memtable_(?:allocation_type|cleanup_threshold|flush_writers|flush_queue_size|heap_space|offheap_space|total_space)|"
    r"(?:key|row|counter|file|networking|prepared_statements|paxos|column_index)_cache_(?:size|save_period|keys_to_save)|"
    r"file_cache_(?:enabled|round_up)|key_cache_(?:migrate_during_compaction|invalidate_after_sstable_deletion)|"
    r"cache_load_timeout|buffer_pool_use_heap_if_exhausted|index_summary_(?:capacity|resize_interval)|"
    r"use_offheap_merkle_trees|max_value_size|max_mutation_size|"
    # disk
    r"commitlog_(?:sync|sync_period|sync_group_window|sync_batch_window|segment_size|total_space|disk_access_mode|"
    r"max_compression_buffers_in_pool)|periodic_commitlog_sync_lag_block|"
    r"compaction_throughput|sstable_preemptive_open_interval|min_free_space_per_drive|compressed_read_ahead_buffer_size|"
    r"max_space_usable_for_compactions_in_percentage|autocompaction_on_startup_enabled|snapshot_before_compaction|"
    r"column_index_size|flush_compression|uuid_sstable_identifiers_enabled|storage_compatibility_mode|"
    r"disk_access_mode|disk_optimization_(?:strategy|estimate_percentile|page_cross_chance)|"
    r"trickle_fsync|trickle_fsync_interval|auto_snapshot|cdc_(?:enabled|block_writes|total_space)|"
    r"sstable_read_rate_persistence_enabled|"
    # requests
    r"(?:read|range|write|counter_write|truncate|cas_contention)_?(?:request)?_timeout|request_timeout|"
    r"slow_query_log_timeout|internode_timeout|gc_(?:log|warn)_threshold|"
    r"batch_size_(?:warn|fail)_threshold|unlogged_batch_across_partitions_warn_threshold|"
    r"tombstone_(?:warn|failure)_threshold|dynamic_snitch|"
    r"dynamic_snitch_(?:badness_threshold|update_interval|reset_interval)|back_pressure_enabled|paxos_variant|"
    r"ideal_consistency_level|materialized_views_enabled|enable_materialized_views|sasi_indexes_enabled|"
    r"enable_sasi_indexes|"
    # network: how much, never where
    r"native_transport_(?:max_threads|max_frame_size|max_message_size|max_concurrent_connections|"
    r"max_concurrent_connections_per_ip|max_concurrent_requests|max_concurrent_requests_per_ip|max_request_data_in_flight|"
    r"max_request_data_in_flight_per_ip|flush_in_batches_legacy|rate_limiting_enabled|max_requests_per_second|"
    r"receive_queue_capacity|idle_timeout|throw_on_overload|timeout)|"
    r"rpc_(?:min|max)_threads|internode_compression|internode_max_message_size|inter_dc_tcp_nodelay|"
    r"internode_socket_(?:send|receive)_buffer_size|"
    r"internode_application_(?:send|receive)_queue_(?:capacity|reserve_endpoint_capacity|reserve_global_capacity)|"
    r"otc_(?:coalescing_window_us|coalescing_enough_coalesced_messages|backlog_expiration_interval)|"
    r"hinted_handoff_(?:enabled|throttle)|max_hint_window|max_hints_delivery_threads|hints_flush_period|"
    r"max_hints_file_size|batchlog_replay_throttle|phi_convict_threshold|"
    r"stream_throughput_outbound|inter_dc_stream_throughput_outbound|entire_sstable_stream_throughput_outbound|"
    r"stream_entire_sstables|streaming_connections_per_host"
    r")" + _UNITS
)
_VALUE = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,6})?(?:[A-Za-z]{1,4}(?:/s)?)?|[A-Za-z][A-Za-z0-9_]{0,30}")

# Settings whose value names classes: ours to choose from, by their name without a package
_COMPRESSORS = frozenset({"LZ4Compressor", "SnappyCompressor", "DeflateCompressor", "ZstdCompressor", "NoopCompressor"})
_COMPACTIONS = frozenset({f"{kind}CompactionStrategy" for kind in ("SizeTiered", "Leveled", "TimeWindow", "Unified")})
_MEMTABLES = frozenset({"SkipListMemtable", "ShardedSkipListMemtable", "TrieMemtable"})
_CLASSES: Mapping[str, frozenset[str]] = {
    "commitlog_compression": _COMPRESSORS,
    "hints_compression": _COMPRESSORS,
    "default_compaction": _COMPACTIONS,
    "memtable": _MEMTABLES,
    "sstable": frozenset(),
}
_CHOICES: Mapping[str, frozenset[str]] = {
    "otc_coalescing_strategy": frozenset({"DISABLED", "FIXED", "MOVINGAVERAGE", "TIMEHORIZON"}),
    "rpc_server_type": frozenset({"sync", "hsha"}),
}
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,60}")
_PARAMETER = re.compile(r"[A-Za-z0-9_., %-]{1,60}")  # "T4, T8, N, L3" of the unified compaction


def refusal(settings: Mapping[str, Any]) -> str | None:
    """Why the plan's settings cannot be used, in one sentence; None when they can."""
    stated = settings.get(KEY, {})
    if not isinstance(stated, Mapping):
        return f"settings: {KEY} must be an object of settings by name"
    for name, value in stated.items():
        if reason := _fault(str(name), value):
            return f"settings: {KEY}: {reason}"
    return None


def _fault(name: str, value: object) -> str | None:
    if name == TOKENS:
        return None if type(value) is int and 1 <= value <= 256 else f"{TOKENS} must be 1 to 256"
    if name in _CLASSES:
        return _fault_of_classes(name, value)
    if name in _CHOICES:
        chosen = ", ".join(sorted(_CHOICES[name]))
        return None if isinstance(value, str) and value in _CHOICES[name] else f"{name} must be one of {chosen}"
    if not _NAMES.fullmatch(name):
        return (
            f"{name[:80]!r} is not a setting that a run may change: the run itself sets addresses, files, classes, "
            "authentication, encryption, auditing and user-defined functions"
        )
    if isinstance(value, bool | int | float) or (isinstance(value, str) and _VALUE.fullmatch(value)):
        return None
    return f"{name} must be a number, a size such as 64MiB, a word or a boolean"


def _fault_of_classes(name: str, value: object) -> str | None:
    """Objects and lists of any depth, whose words are harmless and whose class names are known."""
    if isinstance(value, list):
        return next((fault for item in value if (fault := _fault_of_classes(name, item))), None)
    if not isinstance(value, Mapping):
        return f"{name} must be an object with class_name and parameters"
    for key, inner in value.items():
        if fault := _fault_of_part(name, str(key), inner):
            return fault
    return None


def _fault_of_part(name: str, key: str, value: object) -> str | None:
    if not _WORD.fullmatch(key):
        return f"{key[:80]!r} in {name} is not a word"
    if key == "class_name":
        known = _CLASSES[name]
        if isinstance(value, str) and value in known:
            return None
        return f"class_name in {name} must be one of: {', '.join(sorted(known)) or 'none'}"
    if isinstance(value, Mapping | list):
        return _fault_of_classes(name, value)
    if isinstance(value, bool | int | float) or (isinstance(value, str) and _PARAMETER.fullmatch(value)):
        return None
    return f"{key} in {name} must be a number, a word or a boolean"
