"""The block under "Results:", of every era since 2.1 and of cql-stress, and of a graph's stats."""

from dataclasses import dataclass, field

from submissions.ingest.document.readings import Latency
from submissions.ingest.parsers.cassandra_stress import figures

_MAX_TEXT = 4000  # of one line: fifty operation types of thirty characters
_LATENCY_LABELS = {
    "mean": "latency mean",
    "p50": "latency median",
    "p95": "latency 95th percentile",
    "p99": "latency 99th percentile",
    "p999": "latency 99.9th percentile",
    "max": "latency max",
}
_FIRST = "op rate"
_LABELS = frozenset(
    (
        *_LATENCY_LABELS.values(),
        "op rate",
        "partition rate",
        "row rate",
        "total partitions",
        "total operations",
        "total errors",
        "total operation time",
    )
)


@dataclass(slots=True)
class Summary:
    """Labels as printed, in lower case, with the text behind the colon."""

    texts: dict[str, str] = field(default_factory=dict)
    is_average: bool = False  # 1.2 and 2.0: averages over the middle rows, of which nothing is used

    def is_of_another_run(self, label: str, text: str) -> bool:
        """Whether there is another value under this label, or its first label again."""
        label = label.strip().lower()
        return label in self.texts and (label == _FIRST or self.texts[label] != text.strip()[:_MAX_TEXT])

    def read(self, label: str, text: str) -> bool:
        """Take "Op rate" and "1,069 op/s  [WRITE: 1,108 op/s]"; False for any other label."""
        label = label.strip().lower()
        if label not in _LABELS:
            return False
        self.texts.setdefault(label, text.strip()[:_MAX_TEXT])
        return True

    @property
    def is_result(self) -> bool:
        return "op rate" in self.texts and not self.is_average

    @property
    def is_cql_stress(self) -> bool:
        return "total operations" in self.texts

    @property
    def has_units(self) -> bool:
        """3.x and later; 2.1 and 2.2 print bare numbers."""
        return "op/s" in self.texts.get("op rate", "")

    @property
    def names(self) -> tuple[str, ...]:
        """The operation types in brackets, lower case."""
        return tuple(_by_type(self.texts.get("op rate", "")))

    @property
    def operations(self) -> int | None:
        """All operations, failed ones included; None where the block does not tell.

        Only partitions are printed. An operation may touch several, or none (a query that finds no
        row): the two are the same exactly when both are printed with the same rate.
        """
        if "total operations" in self.texts:
            return figures.integer(self.texts["total operations"])
        if self._head("op rate") != self._head("partition rate"):
            return None
        return figures.integer(self.texts.get("total partitions", ""))

    @property
    def errors(self) -> int | None:
        return figures.integer(self.texts.get("total errors", ""))

    @property
    def seconds(self) -> int | None:
        """Total operation time: whole seconds, cut off, not rounded."""
        parts = self.texts.get("total operation time", "").split(":")
        if len(parts) != 3 or not all(part.isdigit() and len(part) < 9 for part in parts):
            return None
        hours, minutes, seconds = (int(part) for part in parts)
        return hours * 3600 + minutes * 60 + seconds

    @property
    def latency(self) -> Latency:
        return Latency(**{name: figures.decimal(self._head(label)) for name, label in _LATENCY_LABELS.items()})

    def rate(self, expected: float | None) -> float | None:
        """The printed operation rate, failed operations included."""
        return figures.rate(self._head("op rate"), expected)

    def rate_of(self, name: str, expected: float | None) -> float | None:
        return figures.rate(_by_type(self.texts.get("op rate", "")).get(name, ""), expected)

    def latency_of(self, name: str) -> Latency:
        read = {
            metric: figures.decimal(_by_type(self.texts.get(label, "")).get(name, ""))
            for metric, label in _LATENCY_LABELS.items()
        }
        return Latency(**read)

    def errors_of(self, name: str) -> int | None:
        return figures.integer(_by_type(self.texts.get("total errors", "")).get(name, ""))

    def operations_of(self, name: str) -> int | None:
        """Operations of one type, failed ones included, under the same condition as `operations`."""
        rates, partition_rates, partitions = (
            _by_type(self.texts.get(label, "")).get(name, "")
            for label in ("op rate", "partition rate", "total partitions")
        )
        if figures.leading(rates) != figures.leading(partition_rates):
            return None
        return figures.integer(partitions)

    def _head(self, label: str) -> str:
        return figures.leading(self.texts.get(label, "").partition("[")[0])


def _by_type(text: str) -> dict[str, str]:
    """{"read": "4,253 op/s", "write": "1,385 op/s"} of "5,638 op/s  [READ: 4,253 op/s, WRITE: ...]".

    Values hold commas as thousands separators or decimal marks, names hold none: the last comma
    before a colon is the one between two entries.
    """
    _, bracket, inside = text.partition("[")
    pieces = inside.partition("]")[0].split(":")
    values: dict[str, str] = {}
    if not bracket or len(pieces) < 2:
        return values
    name = pieces[0]
    for piece in pieces[1:-1]:
        value, _, following = piece.rpartition(",")
        values[name.strip().lower()] = value.strip()
        name = following
    values[name.strip().lower()] = pieces[-1].strip()
    return values
