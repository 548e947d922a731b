"""A log of hundreds of megabytes, sent packed: what its reading costs beside reading its lines."""

import gzip
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.measures.setting import Setting, figures
from bench.site import ROOT

SAMPLE = ROOT / "tests/data/cassandra-stress/cs50-01-write-n20000-t4.log"
MEGABYTES = 273
OPS_S = 3_711  # of the sample, in each interval
LATENCIES = "     0.9,     0.4,     2.3,     8.4,    91.8,   112.6"  # mean, median, 95, 99, 99.9 %, most
WAIT_SECONDS = 300
METADATA = {
    "service": {"name": "cassandra", "version": "5.0.2"},
    "provider": "aws",
    "region": "us-east-1",
    "measured_at": "2026-05-04T12:00:00Z",
    "nodes": [{"role": "database", "count": 3, "instance_type": "m5.xlarge"}],
    "workload": {"tool": "cassandra-stress"},
}


def measure(setting: Setting, say: Callable[[str], None]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "stress.log"
        write(log, MEGABYTES * 1_000_000 // len(_interval(1_000_000, LATENCIES)))
        packed = gzip.compress(log.read_bytes())
        log.write_bytes(packed)
        reading = _reading_seconds(log)
    found = _uploaded(setting, packed) | {"reading_seconds": reading, "megabytes": MEGABYTES}
    say(f"{MEGABYTES} MB log: {found['seconds']:.1f} s, {found['status']}; reading its lines {reading:.2f} s CPU")
    return {"log": found}


def write(path: Path, intervals: int, latencies: Callable[[int], str] = lambda second: LATENCIES) -> None:
    """The sample with as many intervals; each is a second, with the same operations."""
    lines = SAMPLE.read_text().splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith("total,"))
    after = next(number for number, line in enumerate(lines) if number > first and not line.startswith("total,"))
    with path.open("w") as log:
        log.writelines(lines[:first])
        log.writelines(_interval(second, latencies(second)) for second in range(1, intervals + 1))
        log.writelines(_ending(lines[after:], intervals))


def _interval(second: int, latencies: str) -> str:
    rates = f"{OPS_S * second:>12},{OPS_S:>8},{OPS_S:>8},{OPS_S:>8}"
    return f"total, {rates},{latencies},{second:>9}.0,  0.01893,      0,      0,       0,       0,       0,       0\n"


def _ending(lines: list[str], seconds: int) -> Iterator[str]:
    hours, rest = divmod(seconds, 3600)
    for line in lines:
        if line.startswith("Total partitions"):
            line = line.replace("20,000", f"{OPS_S * seconds:,}")
        elif line.startswith("Total operation time"):
            line = f"Total operation time      : {hours:02}:{rest // 60:02}:{rest % 60:02}\n"
        yield line


def _reading_seconds(packed: Path) -> float:
    """CPU of unpacking it as it was sent, line by line."""
    began = time.process_time()
    with gzip.open(packed, "rt") as lines:
        for _ in lines:
            pass
    return time.process_time() - began


def _uploaded(setting: Setting, packed: bytes) -> dict[str, Any]:
    site = setting.site
    everything, web = site.processes(), site.web()
    before, of_web, began = everything.cpu(), web.cpu(), time.perf_counter()
    metadata = {**METADATA, "settings": {"bench": str(setting.seed)}}
    answer = setting.uploader.post("/api/v1/submissions/import/", form(metadata, packed), kind=MULTIPART)
    found: dict[str, Any] = {"answered": answer.status, "first_seconds": time.perf_counter() - began}
    found["status"], most = _until_done(setting, json.loads(answer.plain), found["answered"])
    found["is_done"] = found["status"] == "done"
    found["seconds"] = time.perf_counter() - began
    found["memory_mb"] = most
    spent = everything.cpu() - before
    return found | {"cpu": figures(spent), "web": figures(web.cpu() - of_web)}


def _until_done(setting: Setting, content: dict[str, Any], answered: int) -> tuple[str, float]:
    """How it ended, and the most memory of the whole site meanwhile."""
    most, deadline = 0.0, time.monotonic() + WAIT_SECONDS
    if answered != 202:
        return f"answered {answered}: {str(content)[:300]}", most
    while time.monotonic() < deadline:
        most = max(most, sum(setting.site.memory_mb().values()))
        state = json.loads(setting.uploader.get(urlsplit(content["status_url"]).path).plain)
        if state["status"] not in ("queued", "running"):
            return (state["status"], most) if not state["errors"] else (str(state["errors"]), most)
        time.sleep(0.5)
    return "not done in time", most


_MARK = "bench-of-a-log"
MULTIPART = f"multipart/form-data; boundary={_MARK}"


def form(metadata: dict[str, Any], log: bytes, filename: str = "stress.log.gz") -> bytes:
    return (
        (
            f'--{_MARK}\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{json.dumps(metadata)}\r\n'
            f'--{_MARK}\r\nContent-Disposition: form-data; name="log"; filename="{filename}"\r\n\r\n'
        ).encode()
        + log
        + f"\r\n--{_MARK}--\r\n".encode()
    )
