"""disk_test.py SIZE SECONDS: fio on every folder under data/: 64 KiB sequential writes, then 4 KiB random reads.

Leaves fio's output in disk-test/<folder>-<test>.json, and the main figures in disk-test/summary.json.
"""

from __future__ import annotations

import glob
import json
import os
import subprocess
import sys
from typing import Any

TESTS = {
    "sequential_write": ["--rw=write", "--bs=64k", "--iodepth=16"],
    "random_read": ["--rw=randread", "--bs=4k", "--iodepth=32"],
}


def main(size: str, seconds: str) -> int:
    os.makedirs("disk-test", exist_ok=True)
    for folder in sorted(glob.glob("data/*")):
        for test, options in TESTS.items():
            file = os.path.join(folder, "disk-test")
            output = f"disk-test/{os.path.basename(folder)}-{test}.json"
            command = ["fio", "--name=" + test, "--filename=" + file, "--size=" + size, "--runtime=" + seconds]
            command += ["--direct=1", "--ioengine=libaio", "--output-format=json", "--output=" + output, *options]
            if subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
                return 1
        os.unlink(file)
    write_summary()
    return 0


def write_summary() -> None:
    """The main figures become part of the host's facts; fio's complete output is collected as files."""
    summary = {}
    for path in sorted(glob.glob("disk-test/*-*.json")):
        with open(path) as file:
            summary[os.path.basename(path)[: -len(".json")]] = figures(file.read())
    with open("disk-test/summary.json", "w") as file:
        json.dump(summary, file)


def figures(text: str) -> dict[str, Any]:
    """The main figures of fio's JSON: MB/s are 10**6 bytes; latency is from submission to completion."""
    job = json.loads(text[text.index("{") :])["jobs"][0]  # fio may warn before its JSON
    if job["error"]:
        raise ValueError(f"fio ended with error {job['error']}")
    side = job["write" if job["jobname"] == "sequential_write" else "read"]
    return {
        "test": job["jobname"],
        "mb_s": round(side["bw_bytes"] / 1e6, 1),
        "iops": round(side["iops"], 1),
        "latency_mean_ms": round(side["lat_ns"]["mean"] / 1e6, 3),
        "latency_p99_ms": round(side["clat_ns"]["percentile"]["99.000000"] / 1e6, 3),
    }


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
