"""YCSB as PerfKitBenchmarker runs it: `read AverageLatency` is the line `[READ], AverageLatency(us)` of its summary."""

from collections.abc import Iterator, Sequence

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number
from submissions.ingest.parsers.perfkit.machines import with_machines
from submissions.ingest.parsers.perfkit.samples import Sample
from submissions.ingest.parsers.runs import RunReading
from submissions.ingest.parsers.ycsb import properties
from submissions.ingest.parsers.ycsb.summary import Summary

TOOL = "ycsb"

_THROUGHPUT = "overall Throughput"
_PERCENTILES = {"p50": "50th", "p95": "95th", "p99": "99th", "p99.9": "99.9th"}
# One run after another: of a workload, its load phase, and each number of threads and target.
_OF_RUN = ("stage", "workload_name", "workload_index", "clients", "threads_per_client_vm", "target", "sustained")
_INDIVIDUAL = "individual"  # of each client machine: the combined ones follow


def is_of_ycsb(sample: Sample) -> bool:
    """Whether it is a figure of YCSB's summary."""
    return ("operation" in sample.labels and "ycsb_version" in sample.labels) or sample.metric == _THROUGHPUT


def readings(samples: Sequence[Sample]) -> Iterator[RunReading]:
    """Of each run, in order."""
    run: list[Sample] = []
    for sample in samples:
        if sample.labels.get("result_type") == _INDIVIDUAL:
            continue
        if run and (_key(sample) != _key(run[0]) or any(sample.metric == other.metric for other in run)):
            yield _reading(run)
            run = []
        run.append(sample)
    if run:
        yield _reading(run)


def _key(sample: Sample) -> tuple[str | None, ...]:
    return (sample.run, *(sample.labels.get(name) for name in _OF_RUN))


def _reading(run: Sequence[Sample]) -> RunReading:
    labels, summary = run[0].labels, Summary()
    for sample in run:
        for line in _lines(sample):
            summary.add(line)
    operations = summary.operations()
    if not operations or not summary.run_s:
        raise ParseError("a run of YCSB has no RunTime or no operation that succeeded")
    known = {**labels, "threadcount": labels.get("clients", "")}
    if labels.get("stage") == "load":
        known["dotransactions"] = "false"
    is_intended = summary.has_intended or labels.get("measurement.interval") == "intended"
    is_response = is_intended and (number(labels.get("target")) or 0) > 0
    facts = properties.facts(
        known,
        properties.attempts(summary.attempts()),
        is_complete="readproportion" in labels,
        is_response_time=is_response,
        tool_version=labels.get("ycsb_version"),
        command=labels.get("command_line"),
    )
    trial = TrialReading(
        throughput_ops_s=operations / summary.run_s,
        operations=operations,
        errors=summary.errors(),
        not_found=summary.not_found(),
        duration_s=summary.run_s,
        printed_ops_s=summary.printed_ops_s,
        threads=facts.threads,
        started_at=run[0].started_at(summary.run_s),
        latency_kind=LatencyKind.RESPONSE_TIME if is_response else LatencyKind.SERVICE_TIME,
        latency=summary.latency(),
        by_operation=summary.by_operation(),
    )
    return RunReading(with_machines(facts, run[0], trial.started_at), trial)


def _lines(sample: Sample) -> Iterator[str]:
    """The line of the summary that the sample was made of."""
    name, _, statistic = sample.metric.partition(" ")
    name = name.upper().replace("INTENDED-", "Intended-")
    percentile, _, is_latency = statistic.partition(" ")
    if is_latency == "latency" and percentile in _PERCENTILES and sample.unit == "ms":
        yield f"[{name}], {_PERCENTILES[percentile]}PercentileLatency(us), {sample.value * 1000:.6f}"
    elif " " not in statistic:
        yield f"[{name}], {statistic}{f'({sample.unit})' if sample.unit else ''}, {sample.value!r}"
