"""memtier_benchmark as PerfKitBenchmarker runs it: a rate of each client machine, and their total."""

from collections.abc import Iterator, Mapping, Sequence

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.memtier import memtier
from submissions.ingest.parsers.numbers import number, whole
from submissions.ingest.parsers.perfkit.machines import with_machines
from submissions.ingest.parsers.perfkit.samples import Sample
from submissions.ingest.parsers.runs import RunReading

TOOL = memtier.TOOL

_RATE, _TOTAL = "Ops Throughput", "Total Ops Throughput"
_LATENCIES = {"mean": "avg", "p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9"}
_OF_RUN = ("memtier_threads", "memtier_clients", "memtier_pipeline")


def is_of_memtier(sample: Sample) -> bool:
    """Whether it is a rate of memtier_benchmark."""
    return sample.metric in (_RATE, _TOTAL) and "memtier_version" in sample.labels


def readings(samples: Sequence[Sample]) -> Iterator[RunReading]:
    """Of each run, in order: its total comes last; older versions print none."""
    run: list[Sample] = []
    for sample in samples:
        if run and (run[-1].metric == _TOTAL or _key(sample) != _key(run[0])):
            yield _reading(run)
            run = []
        run.append(sample)
    if run:
        yield _reading(run)


def _key(sample: Sample) -> tuple[str | None, ...]:
    return (sample.run, *(sample.labels.get(name) for name in _OF_RUN))


def _reading(run: Sequence[Sample]) -> RunReading:
    totals = [sample.value for sample in run if sample.metric == _TOTAL]
    each = [sample for sample in run if sample.metric == _RATE]
    labels = run[0].labels
    rate = totals[0] if totals else sum(sample.value for sample in each)
    if rate <= 0:
        raise ParseError("a run of memtier_benchmark has no operation that succeeded")
    facts = _facts(labels, len(each) or 1)
    trial = TrialReading(
        throughput_ops_s=rate,
        threads=facts.threads,
        started_at=run[0].started_at(facts.requested_duration_s),
        latency_kind=LatencyKind.SERVICE_TIME,
        latency=_latency(labels) if len(each) == 1 else Latency(),
    )
    warnings = () if len(each) == 1 else ("the percentiles of several clients cannot be joined: none was read",)
    return RunReading(with_machines(facts, run[0], trial.started_at), trial, warnings)


def _latency(labels: Mapping[str, str]) -> Latency:
    return Latency(**{name: number(labels.get(f"{key}_latency")) for name, key in _LATENCIES.items()})


def _facts(labels: Mapping[str, str], clients: int) -> Facts:
    threads, connections = whole(labels.get("memtier_threads")), whole(labels.get("memtier_clients"))
    return Facts(
        tool_version=labels.get("memtier_version"),
        operations=_shares(labels.get("memtier_ratio", "")),
        threads=threads * connections * clients if threads and connections else None,
        pipeline=whole(labels.get("memtier_pipeline")) or None,
        value_bytes=whole(labels.get("memtier_data_size")) or None,
        key_count=whole(labels.get("memtier_key_maximum")) or None,
        requested_duration_s=number(labels.get("memtier_run_duration")) or None,
    )


def _shares(ratio: str) -> dict[str, float] | None:
    """Of sets and gets: 1:9."""
    sets, has_gets, gets = ratio.partition(":")
    weights = {"set": number(sets) or 0.0, "get": number(gets) or 0.0}
    total = sum(weights.values())
    if not has_gets or total <= 0 or min(weights.values()) < 0:
        return None
    return {name: weight / total for name, weight in weights.items() if weight}
