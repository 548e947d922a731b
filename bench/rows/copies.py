"""The statements that write submissions, trials and node groups from `bench_draw`."""

from django.db import models

from bench.rows.chance import whole
from submissions.models import NodeGroup, Submission, Trial
from tools.synthetic.copying import written_fields

# d: the draw, b: its real row, s: a row of the same service, p: one of the same provider.
# The columns that are not named here are the real row's.

_LATENCIES = ("mean", "p50", "p95", "p99", "p999", "max")
_LATENCY_COLUMNS = {f"latency_{name}_ms": "{row}." + f"latency_{name}_ms / d.factor" for name in _LATENCIES}
_SCALED_LATENCIES = ", ".join(f"'{name}', t.latency_{name}_ms / d.factor" for name in _LATENCIES)

_TRIALS_OF_DOCUMENT = """(
SELECT jsonb_agg(t || jsonb_build_object(
    'throughput_ops_s', (t ->> 'throughput_ops_s')::float8 * d.factor,
    'operations', round((t ->> 'operations')::float8 * d.factor)::bigint,
    'started_at', to_jsonb((t ->> 'started_at')::timestamptz - d.earlier),
    'latency_ms', (SELECT jsonb_object_agg(key, CASE WHEN value = 'null' THEN value
                                                     ELSE to_jsonb(value::float8 / d.factor) END)
                   FROM jsonb_each(t -> 'latency_ms'))))
FROM jsonb_array_elements(b.document -> 'trials') AS t)"""

_TITLE = """concat('Synthetic: ', b.service, ' ', s.service_version, ' on ', b.node_count, ' x ', b.instance_type)"""
_DOCUMENT = f"""b.document || jsonb_build_object(
    'measured_at', to_jsonb(b.measured_at - d.earlier),
    'title', {_TITLE},
    'notes', 'Multiplied for a measurement: invented figures, nothing was measured.',
    'service', b.document -> 'service' || jsonb_build_object('version', s.service_version),
    'jdk', s.document -> 'jdk', 'region', p.region, 'zones', to_jsonb(p.zones),
    'workload', b.document -> 'workload' || jsonb_build_object('key_count', d.key_count,
                                                               'fixed_rate_ops_s', b.fixed_rate_ops_s * d.setup_factor),
    'trials', {_TRIALS_OF_DOCUMENT})"""


def _of_state(value: str, *states: str, otherwise: str) -> str:
    chosen = ", ".join(f"'{state}'" for state in states)
    return f"CASE WHEN d.state IN ({chosen}) THEN {value} ELSE {otherwise} END"


_STORED = "%(since)s::timestamptz + (%(now)s::timestamptz - %(since)s) * ((d.n - %(first)s + 1)::float8 / %(count)s)"
_FUTURE = "%(now)s::timestamptz + interval '30 days'"

_SUBMISSION = {
    "id": "d.id",
    "content_hash": "encode(sha256(convert_to(b.content_hash || ' ' || d.n, 'UTF8')), 'hex')",
    "document": _DOCUMENT,
    "title": _TITLE,
    "notes": "'Multiplied for a measurement: invented figures, nothing was measured.'",
    "workload_id": "d.workload_id",
    "submitted_by_id": f"(%(owners)s::bigint[])[1 + mod({whole('d.n', 31)}, cardinality(%(owners)s::bigint[]))]",
    "trust": "coalesce(d.trust, b.trust)",
    "measured_at": "b.measured_at - d.earlier",
    "created_at": _STORED,
    "published_at": _of_state(
        "NULL", "unlisted", "private", otherwise=_of_state(_FUTURE, "embargoed", otherwise=_STORED)
    ),
    "embargo_until": _of_state(_FUTURE, "embargoed", otherwise="NULL"),
    "visibility": _of_state(
        "'private'", "private", "embargoed", otherwise=_of_state("'unlisted'", "unlisted", otherwise="'public'")
    ),
    "link_key": _of_state("md5('link ' || d.n)", "unlisted", otherwise="NULL"),
    "retracted_at": _of_state(_STORED, "retracted", otherwise="NULL"),
    "retraction_reason": _of_state("'Retracted for a measurement.'", "retracted", otherwise="''"),
    "hidden_at": _of_state(_STORED, "hidden", otherwise="NULL"),
    "unranked_at": _of_state(_STORED, "unranked", otherwise="NULL"),
    "unranked_until": _of_state(_FUTURE, "new account", otherwise="NULL"),
    "changed_at": _of_state(_STORED, "retracted", "hidden", "unranked", otherwise="NULL"),
    "supersedes_id": "CASE WHEN d.state = 'successor' AND d.n > %(first)s THEN d.id - 1 END",
    "service_version": "s.service_version",
    "jdk_vendor": "s.jdk_vendor",
    "jdk_version": "s.jdk_version",
    "region": "p.region",
    "zones": "p.zones",
    "fixed_rate_ops_s": "b.fixed_rate_ops_s * d.setup_factor",
    "throttle_ops_s": _of_state("b.throughput_ops_s * d.factor", "throttled", otherwise="NULL"),
    "flags": _of_state("array_append(b.flags, 'throttled')", "throttled", otherwise="b.flags"),
    "throughput_ops_s": "b.throughput_ops_s * d.factor",
    "throughput_low_ops_s": "b.throughput_low_ops_s * d.factor",
    "throughput_high_ops_s": "b.throughput_high_ops_s * d.factor",
    "operations": "round(b.operations * d.factor)",
    "ops_per_usd": _of_state("NULL", "throttled", otherwise="b.ops_per_usd * d.factor::numeric"),
    "usd_per_million_ops": _of_state("NULL", "throttled", otherwise="b.usd_per_million_ops / d.factor::numeric"),
    **{name: sql.format(row="b") for name, sql in _LATENCY_COLUMNS.items()},
}

_TRIAL = {
    "submission_id": "d.id",
    "throughput_ops_s": "t.throughput_ops_s * d.factor",
    "operations": "round(t.operations * d.factor)",
    "started_at": "t.started_at - d.earlier",
    "offered_ops_s": "t.offered_ops_s * d.setup_factor",
    "latencies": "CASE WHEN t.latencies = '{}' THEN t.latencies"
    f" ELSE jsonb_build_object(t.latency_kind, jsonb_build_object({_SCALED_LATENCIES})) END",
    **{name: sql.format(row="t") for name, sql in _LATENCY_COLUMNS.items()},
}


SOURCES = {Submission: "bench_submission", Trial: "bench_trial", NodeGroup: "bench_nodegroup"}
_SLICE = "WHERE d.n >= %(from)s AND d.n < %(to)s"


def sources() -> list[str]:
    """Tables of the real rows alone: joined with them, the draws come in their order."""
    statements = []
    for table, source in SOURCES.items():
        key = "id" if table is Submission else "submission_id"
        rows = f"SELECT * FROM {table._meta.db_table} WHERE {key} IN (SELECT id FROM bench_base)"
        statements += [f"DROP TABLE IF EXISTS {source}", f"CREATE UNLOGGED TABLE {source} AS {rows}"]
        statements += [f"CREATE INDEX ON {source} ({key})", f"ANALYZE {source}"]
    return statements


def submissions() -> str:
    source = SOURCES[Submission]
    joined = f"""bench_draw AS d JOIN {source} AS b ON b.id = d.base_id
JOIN {source} AS s ON s.id = d.software_id JOIN {source} AS p ON p.id = d.place_id"""
    return _insert(Submission, _SUBMISSION, "b", f"{joined} {_SLICE}")


def trials() -> str:
    joined = f"bench_draw AS d JOIN {SOURCES[Trial]} AS t ON t.submission_id = d.base_id"
    return _insert(Trial, _TRIAL, "t", f"{joined} {_SLICE}")


def node_groups() -> str:
    joined = f"bench_draw AS d JOIN {SOURCES[NodeGroup]} AS g ON g.submission_id = d.base_id"
    return _insert(NodeGroup, {"submission_id": "d.id"}, "g", f"{joined} {_SLICE}")


def _insert(table: type[models.Model], changed: dict[str, str], row: str, sources: str) -> str:
    """Every column but those that the database fills in itself."""
    columns = {
        field.column: changed.get(field.column, f"{row}.{field.column}")
        for field in written_fields(table)
        if field.column in changed or not (field.primary_key or _has_database_default(field))
    }
    return (
        f"INSERT INTO {table._meta.db_table} ({', '.join(map(_quoted, columns))})\n"
        f"SELECT {', '.join(columns.values())}\nFROM {sources}"
    )


def _has_database_default(field: models.Field) -> bool:
    return field.db_default is not models.NOT_PROVIDED


def _quoted(name: str) -> str:
    return f'"{name}"'
