"""All results as CSV, and the nightly dump: how soon they begin, how fast they go on, what memory they take."""

import http.client
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import psutil

from bench.cpu import pss_mb
from bench.measures.setting import Setting
from bench.site import ROOT

CSV = "/api/v1/submissions/?format=csv"
SECONDS = 10.0
DUMP_SECONDS = 60.0
# pyarrow loads pandas where it is there, 40 MB: a site has none, it comes with the tools of the tests
_DUMP = """
import sys

class WithoutPandas:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            raise ImportError(name)

sys.meta_path.insert(0, WithoutPandas())
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "dump_dataset"])
"""


def measure(setting: Setting, say: Callable[[str], None]) -> dict[str, Any]:
    found = {"csv": _csv(setting), "dump": _dump()}
    first, rows = found["csv"]["first_byte_ms"], found["csv"]["rows_per_second"]
    say(f"CSV: first byte {first:,.0f} ms, {rows:,.0f} rows a second; dump {found['dump']['peak_mb']:.0f} MB")
    return {"export": found}


def _csv(setting: Setting) -> dict[str, Any]:
    """For some seconds: the rest is as fast."""
    web = setting.site.groups()["web"]
    connection = http.client.HTTPConnection("127.0.0.1", setting.site.port, timeout=120)
    before, began = pss_mb(web), time.perf_counter()
    connection.request("GET", CSV)
    response = connection.getresponse()
    response.read(1)
    first = time.perf_counter()
    lines, most = 0, before
    while time.perf_counter() - first < SECONDS and (part := response.read(2**20)):
        lines += part.count(b"\n")
        most = max(most, pss_mb(web))
    seconds = time.perf_counter() - first
    connection.close()
    return {
        "status": response.status,
        "first_byte_ms": (first - began) * 1000,
        "rows_per_second": lines / seconds,
        "grown_mb": most - before,
    }


def _dump() -> dict[str, Any]:
    """Of the command's process; stopped when it takes long: its memory is that of a batch, and of the libraries."""
    process = psutil.Popen([sys.executable, "-c", _DUMP], cwd=ROOT, stdout=subprocess.DEVNULL)
    began, peak = time.monotonic(), 0.0
    while process.poll() is None and time.monotonic() - began < DUMP_SECONDS:
        peak = max(peak, process.memory_info().rss / 2**20 if process.is_running() else 0.0)
        time.sleep(0.1)
    is_whole = process.poll() is not None
    if not is_whole:
        process.terminate()
        process.wait(30)
    return {"peak_mb": peak, "is_whole": is_whole, "seconds": time.monotonic() - began}
