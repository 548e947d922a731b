"""What the measures have in common: the site, its floor, who asks, new documents."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from bench.client import Client
from bench.cpu import Cpu, Processes
from bench.site import Site
from tools.synthetic.documents import document

KEPT_SECONDS = 2.2  # what may still be answered after an upload as it was before it


@dataclass
class Setting:
    site: Site
    floor_port: int
    floor_processes: Processes
    key: str
    session: str
    repeat: int = 3
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))
    seed: int = field(default_factory=time.time_ns)  # of no other run, nor of the dataset

    def __post_init__(self) -> None:
        self.anybody = Client(self.site.port)
        self.reader = Client(self.site.port, {"Cookie": self.session})
        self.uploader = Client(self.site.port, {"Authorization": f"Bearer {self.key}"})
        self.of_floor = Client(self.floor_port)

    def new_document(self) -> dict[str, Any]:
        return document(next(self.numbers), seed=self.seed)

    def new_body(self) -> bytes:
        return json.dumps(self.new_document()).encode()

    def upload(self) -> int:
        """The id of one submission more, after the time in which readers may still see what was before it."""
        answer = self.uploader.must_post("/api/v1/submissions/", self.new_body())
        time.sleep(KEPT_SECONDS)
        return int(json.loads(answer.plain)["id"])

    def retract(self, submission: int) -> None:
        """Changes a stored row; then the same time."""
        reason = json.dumps({"reason": "to measure what is counted again"}).encode()
        self.uploader.must_post(f"/api/v1/submissions/{submission}/retract/", reason, expected=200)
        time.sleep(KEPT_SECONDS)


def cpu_of(processes: Processes, call: Callable[[], object], times: int = 1, seconds: float | None = None) -> Cpu:
    """Of each of `times` calls, or of as many as fit into `seconds`."""
    before, began, done = processes.cpu(), time.perf_counter(), 0
    while done < times and not (seconds and done and time.perf_counter() - began > seconds):
        call()
        done += 1
    return (processes.cpu() - before).per(done)


def middle(all_cpu: list[Cpu]) -> Cpu:
    """The median of each part."""
    parts = zip(*((cpu.python, cpu.postgres, cpu.redis) for cpu in all_cpu), strict=True)
    return Cpu(*(median(part) for part in parts))


def figures(cpu: Cpu) -> dict[str, float]:
    return {"python": round(cpu.python, 3), "postgres": round(cpu.postgres, 3), "redis": round(cpu.redis, 3)}
