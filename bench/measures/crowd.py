"""Two hundred readers of the list, with uploads and a load balancer's probe among them."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from bench.client import Requests, Seen, ask_until
from bench.measures.setting import Setting

READERS, SECONDS = 200, 20.0
UPLOAD_EVERY, PROBE_EVERY = 1.0, 0.5


def measure(setting: Setting, say: Callable[[str], None]) -> dict[str, Any]:
    readers, uploads, probes = asyncio.run(_everybody(setting))
    found = {"readers": _figures(readers), "uploads": _figures(uploads), "healthz": _figures(probes)}
    say("; ".join(f"{name}: {one['n']} answers, p99 {one['p99_ms']:,.0f} ms" for name, one in found.items()))
    return {"crowd": found}


async def _everybody(setting: Setting) -> tuple[Seen, Seen, Seen]:
    port, until = setting.site.port, time.perf_counter() + SECONDS
    readers, uploads, probes = Seen(), Seen(), Seen()
    headers = {"Authorization": f"Bearer {setting.key}", "Content-Type": "application/json"}
    bodies = (("POST /api/v1/submissions/", setting.new_body()) for _ in range(int(SECONDS / UPLOAD_EVERY)))
    clients = [ask_until(port, Requests(("GET /submissions/", b"")), until, readers) for _ in range(READERS)]
    clients.append(ask_until(port, Requests(*bodies, headers=headers), until, uploads, pause=UPLOAD_EVERY))
    clients.append(ask_until(port, Requests(("GET /healthz", b"")), until, probes, pause=PROBE_EVERY))
    await asyncio.gather(*clients)
    return readers, uploads, probes


def _figures(seen: Seen) -> dict[str, Any]:
    timing = seen.timing
    return {
        "n": len(seen.times_ms),
        "ms": timing.median_ms if timing else None,
        "p99_ms": timing.p99_ms if timing else None,
        "most_ms": max(seen.times_ms, default=None),
        "errors": seen.errors,
        "statuses": dict(seen.statuses),
    }
