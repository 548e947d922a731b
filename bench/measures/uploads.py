"""One submission a request, by one and by eight at a time, and many in one; beside a bare POST and a COPY."""

import json
import time
from collections.abc import Callable
from typing import Any

from bench.client import Requests, crowd
from bench.cpu import Cpu
from bench.measures import copied
from bench.measures.setting import Setting, cpu_of, figures

ONE_BY_ONE = 40
CROWD, CROWD_SECONDS, BODIES = 8, 3.0, 200  # bodies of each: none is sent twice
BULK = 2_000

_SUBMIT, _BULK = "/api/v1/submissions/", "/api/v1/submissions/bulk/"


def measure(setting: Setting, say: Callable[[str], None]) -> dict[str, Any]:
    copied.make_floor_table()
    found = {"post": _post(setting), "post c8": _crowd(setting), "bulk": _bulk(setting)}
    for name, one in found.items():
        say(f"{name}: {one['site']['per_second']:,.0f} a second, floor {one['floor']['per_second']:,.0f}")
    return {"uploads": found}


def _post(setting: Setting) -> dict[str, Any]:
    bodies = [setting.new_body() for _ in range(ONE_BY_ONE + 1)]
    setting.uploader.must_post(_SUBMIT, bodies[-1])
    setting.of_floor.must_post("/post/", bodies[-1])
    waiting, again = iter(bodies), iter(bodies)
    site = _timed(setting.site.processes().cpu, lambda: setting.uploader.must_post(_SUBMIT, next(waiting)), ONE_BY_ONE)
    floor = _timed(setting.floor_processes.cpu, lambda: setting.of_floor.must_post("/post/", next(again)), ONE_BY_ONE)
    return {"site": site, "floor": floor}


def _timed(cpu: Callable[[], Cpu], call: Callable[[], object], times: int) -> dict[str, Any]:
    before, began = cpu(), time.perf_counter()
    for _ in range(times):
        call()
    seconds = time.perf_counter() - began
    return {"per_second": times / seconds, "cpu": figures((cpu() - before).per(times))}


def _crowd(setting: Setting) -> dict[str, Any]:
    bodies = [[setting.new_body() for _ in range(BODIES)] for _ in range(CROWD)]
    kind = {"Content-Type": "application/json"}
    headers = {**kind, "Authorization": f"Bearer {setting.key}"}
    site = _seen(setting.site.processes().cpu, setting.site.port, _SUBMIT, bodies, headers)
    floor = _seen(setting.floor_processes.cpu, setting.floor_port, "/post/", bodies, kind)
    return {"site": site, "floor": floor}


def _seen(
    cpu: Callable[[], Cpu], port: int, address: str, bodies: list[list[bytes]], headers: dict[str, str]
) -> dict[str, Any]:
    requests = [Requests(*((f"POST {address}", body) for body in each), headers=headers) for each in bodies]
    before = cpu()
    seen = crowd(port, requests, CROWD_SECONDS)
    done = seen.statuses["201"]
    timing = seen.timing
    return {
        "per_second": done / CROWD_SECONDS,
        "ms": timing and timing.median_ms,
        "p99_ms": timing and timing.p99_ms,
        "others": {status: count for status, count in seen.statuses.items() if status != "201"},
        "cpu": figures((cpu() - before).per(max(done, 1))),
    }


def _bulk(setting: Setting) -> dict[str, Any]:
    documents = [setting.new_document() for _ in range(2 * BULK)]
    lines = "\n".join(json.dumps(document) for document in documents[:BULK]).encode()

    def post() -> None:
        answer = setting.uploader.must_post(_BULK, lines, kind="application/x-ndjson", expected=200)
        refused = [line for line in answer.plain.splitlines() if json.loads(line)["status"] != 201]
        if refused:
            raise SystemExit(f"bench: a line of the bulk was not stored: {refused[0]!r}")

    before = setting.site.processes()
    began = time.perf_counter()
    cpu = cpu_of(before, post)
    site = {"per_second": BULK / (time.perf_counter() - began), "cpu": figures(cpu.per(BULK))}
    return {"site": site, "floor": copied.copy(documents[BULK:], setting.site.processes())}
