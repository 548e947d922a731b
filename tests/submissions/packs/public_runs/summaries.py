"""What the logs of the pack state, read without anything of the site: the archives, YCSB's summary, its histograms.

Times are in milliseconds, as the site keeps them; YCSB has microseconds.
"""

import re
import struct
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

ROW = re.compile(rb"\[(READ|UPDATE|INSERT|DELETE|OVERALL)\], ([^,]+), (\S+)")
NAMES = {"mean": "AverageLatency(us)", "max": "MaxLatency(us)"} | {
    "p50": "50thPercentileLatency(us)",
    "p95": "95thPercentileLatency(us)",
    "p99": "99thPercentileLatency(us)",
    "p999": "99.9PercentileLatency(us)",
}
PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
HALF = 1024  # of the buckets of three significant digits


@dataclass
class Counts:
    """A histogram: how many requests took each number of microseconds."""

    numbers: np.ndarray = field(default_factory=lambda: np.zeros(64 * HALF, dtype=np.int64))

    def add(self, content: bytes) -> None:
        """The counts of a row: version 1 of HdrHistogram's encoding, in words of eight bytes."""
        cookie, size, offset, digits, lowest = struct.unpack_from(">IIIIq", content)
        assert (cookie, offset, digits, lowest) == (0x1C849381, 0, 3, 1)
        numbers = np.frombuffer(content, dtype=">i8", count=size // 8, offset=40)
        self.numbers[: len(numbers)] += numbers

    def latency(self) -> dict[str, float]:
        """By the value up to which a share of the requests took."""
        index = np.arange(len(self.numbers), dtype=np.int64)
        shift = np.maximum(index // HALF - 1, 0)
        lowest = np.where(index < HALF, index, index % HALF + HALF) << shift
        highest = lowest + (1 << shift) - 1
        total = self.numbers.sum()
        reached = np.cumsum(self.numbers)
        known = {
            name: highest[np.searchsorted(reached, round(share * total))] / 1000 for name, share in PERCENTILES.items()
        }
        mean = (self.numbers * (lowest + highest) / 2).sum() / total
        return {**known, "mean": mean / 1000, "max": highest[np.flatnonzero(self.numbers)[-1]] / 1000}


@dataclass
class Client:
    """One log: what its summary states of each operation."""

    seconds: float
    types: dict[str, dict[str, float]]

    def done(self, name: str) -> float:
        return self.types.get(name, {}).get("Return=OK", 0)

    def failed(self, name: str) -> float:
        returned = self.types.get(name, {}).items()
        return sum(count for key, count in returned if key.startswith("Return=") and key != "Return=OK")

    def stated(self, name: str) -> dict[str, float | None]:
        metrics = self.types[name]
        return {short: metrics[long] / 1000 if long in metrics else None for short, long in NAMES.items()}


@dataclass
class Run:
    """One trial: its clients by number, and the histogram of each type over all clients."""

    clients: dict[str, Client] = field(default_factory=dict)
    histograms: dict[str, Counts] = field(default_factory=dict)


def runs(folder: Path) -> dict[str, Run]:
    """By the folder of each."""
    found: dict[str, Run] = {}
    for archive in sorted(folder.rglob("*.tar.xz")):
        with tarfile.open(archive, "r|xz") as members:
            for member in members:
                file = members.extractfile(member)
                if file is not None:
                    path = PurePosixPath(member.name)
                    _add(found.setdefault(str(path.parent), Run()), path, file.read())
    return found


def _add(run: Run, path: PurePosixPath, content: bytes) -> None:
    if path.suffix == ".txt":
        run.clients[path.name] = _client(content)
    elif path.suffix == ".hdr":
        counts = run.histograms.setdefault(path.stem.partition("_")[2], Counts())
        for row in _rows(content):
            counts.add(row)


def _client(log: bytes) -> Client:
    types: dict[str, dict[str, float]] = {}
    for line in log[log.index(b"\n[OVERALL], ") :].splitlines():
        if row := ROW.fullmatch(line):
            types.setdefault(row[1].decode(), {})[row[2].decode()] = float(row[3])
    return Client(types.pop("OVERALL")["RunTime(ms)"] / 1000, types)


def _rows(content: bytes) -> Iterator[bytes]:
    """The archive has the counts of each row behind it, not compressed: `start,length,max,header,bytes`."""
    at = 0
    while at < len(content):
        end = content.index(b"\n", at) + 1
        line, at = content[at:end], end
        if line[:1].isdigit():
            size = int(line.rsplit(b",", 1)[1])
            yield content[at : at + size]
            at += size
