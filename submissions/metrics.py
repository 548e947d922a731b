"""The measured quantities; a metric owns its unit, its direction and the submission column that holds it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    key: str  # the submission's column and the API's name
    label: str
    unit: str
    higher_is_better: bool
    limited_by: str = ""  # the column that limits, orders and ranks go by, where it is another one

    @property
    def column(self) -> str:
        return self.limited_by or self.key


THROUGHPUT = Metric("throughput_ops_s", "Throughput", "ops/s", higher_is_better=True)
# where a source gives only ratios: compared within one base, never ranked
RELATIVE_THROUGHPUT = Metric("relative_throughput", "Throughput", "relative", higher_is_better=True)
LATENCY_MEAN = Metric("latency_mean_ms", "Mean latency", "ms", higher_is_better=False)
LATENCY_P50 = Metric("latency_p50_ms", "p50", "ms", higher_is_better=False)
LATENCY_P95 = Metric("latency_p95_ms", "p95", "ms", higher_is_better=False)
LATENCY_P99 = Metric("latency_p99_ms", "p99", "ms", higher_is_better=False, limited_by="latency_p99_at_most_ms")
LATENCY_P999 = Metric("latency_p999_ms", "p99.9", "ms", higher_is_better=False)
LATENCY_MAX = Metric("latency_max_ms", "Max latency", "ms", higher_is_better=False)
HOURLY_USD = Metric("hourly_usd", "Cluster cost", "USD/h", higher_is_better=False)
OPS_PER_USD = Metric("ops_per_usd", "Operations per dollar", "ops/USD", higher_is_better=True)
USD_PER_MILLION_OPS = Metric("usd_per_million_ops", "Cost per million operations", "USD", higher_is_better=False)

LATENCIES = (LATENCY_MEAN, LATENCY_P50, LATENCY_P95, LATENCY_P99, LATENCY_P999, LATENCY_MAX)
METRICS = {metric.key: metric for metric in (THROUGHPUT, *LATENCIES, HOURLY_USD, OPS_PER_USD, USD_PER_MILLION_OPS)}

ERROR_SHARE = 0.001  # with more, the time that failed operations take is in the latencies, or missing in them


def has_many_errors(operations: int | None, errors: int | None) -> bool:
    """`operations` are the successful ones."""
    if not errors:
        return False
    return operations is None or errors > ERROR_SHARE * (errors + operations)
