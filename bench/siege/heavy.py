"""Three results of 150,000 intervals each, uploaded as logs, and some light ones beside them."""

import gzip
import json
import random
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.measures.log import METADATA, MULTIPART, form, write
from bench.siege.target import Answer, Target
from tools.synthetic.documents import document

HEAVY, LIGHT = 3, 240
INTERVALS = 150_000
WAIT_SECONDS = 600
_LINES = "application/x-ndjson"
_OEMBED = re.compile(rb'/oembed/\?url=([^"&]+)"')
_CHART = re.compile(rb"/embed/([\w-]+)/submissions/")


@dataclass(frozen=True, slots=True)
class Results:
    heavy: list[int]
    light: list[int]
    chart: str  # key of one that the page of a heavy result draws
    workload: str  # of a light one
    oembed: str  # the address of /value/ as the site writes it, encoded


def stored(target: Target, say: Callable[[str], None]) -> Results:
    """What the costly addresses are asked about."""
    seed = time.time_ns()
    lines = b"\n".join(json.dumps(document(number, seed=seed)).encode() for number in range(LIGHT))
    _must(target, "/api/v1/submissions/bulk/", lines, _LINES, 200, 201)
    light = json.loads(target.read(f"/api/v1/submissions/?page_size={HEAVY}").plain)["results"]
    heavy = [_imported(target, seed + number, say) for number in range(HEAVY)]
    chart = _CHART.search(target.read(f"/submissions/{heavy[0]}/").plain)
    if chart is None:
        raise SystemExit(f"siege: the page of result {heavy[0]} draws no chart")
    oembed = _OEMBED.search(target.read("/value/").plain)
    if oembed is None:
        raise SystemExit("siege: /value/ names no oEmbed address")
    ids, workload = [result["id"] for result in light], light[0]["workload"]
    return Results(heavy, ids, chart[1].decode(), workload, oembed[1].decode())


def _imported(target: Target, seed: int, say: Callable[[str], None]) -> int:
    began = time.monotonic()
    log = _log(seed)
    body = form({**METADATA, "settings": {"siege": str(seed)}}, gzip.compress(log, 6))
    answer = _must(target, "/api/v1/submissions/import/", body, MULTIPART, 201, 202)
    content = json.loads(answer.plain)
    if answer.status == 202:
        content = _done(target, urlsplit(content["status_url"]).path)
    say(f"a log of {len(log) / 1e6:.0f} MB is stored after {time.monotonic() - began:.0f} s")
    return int(content["submissions"][0]["id"])


def _log(seed: int) -> bytes:
    """With latencies of chance, so that a chart has something to draw everywhere."""
    chance = random.Random(seed)

    def latencies(second: int) -> str:
        most = chance.lognormvariate(3, 1)
        return "".join(f"{most * share:>8.1f}," for share in (0.05, 0.04, 0.1, 0.2, 0.6)) + f"{most:>8.1f}"

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stress.log"
        write(path, INTERVALS, latencies)
        return path.read_bytes()


def _done(target: Target, status_path: str) -> dict[str, Any]:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        state: dict[str, Any] = json.loads(target.answer("GET", status_path, None, target.identity).plain)
        if state["status"] not in ("queued", "running"):
            if state["status"] != "done":
                raise SystemExit(f"siege: the log was not stored: {state}")
            return state
        time.sleep(0.5)
    raise SystemExit(f"siege: the log was not stored within {WAIT_SECONDS} s")


def _must(target: Target, path: str, body: bytes, kind: str, *expected: int) -> Answer:
    answer = target.answer("POST", path, body, {**target.identity, "Content-Type": kind})
    if answer.status not in expected:
        raise SystemExit(f"siege: POST {path} answered {answer.shown}: {answer.plain[:500]!r}")
    return answer
