"""What a host tells about itself and its logs after a failure."""

import os
import subprocess
from pathlib import Path

from runners.diagnosis.file_ends import parts_of
from tests.runners.load_tools.scripts.running import FOLDER, SECONDS


def diagnosed(folder, **variables):
    settings = {"AGE": "60", "LIMIT": "1000", "KERNEL": "yes", "UNIT": "", "PROCESS": "", "FILES": "", **variables}
    done = subprocess.run(
        ["sh", FOLDER / "diagnose.sh"], cwd=folder, capture_output=True, timeout=SECONDS, env={**os.environ, **settings}
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return {part.path: part for part in parts_of(done.stdout)}


def program(folder, name, script):
    """A folder for the front of PATH, with a program of this name in it."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / name).write_text(f"#!/bin/sh\n{script}")
    (programs / name).chmod(0o755)
    return programs


def test_a_host_prints_the_end_of_its_logs_and_how_it_is(tmp_path):
    (tmp_path / "log").mkdir()
    (tmp_path / "log/system.log").write_bytes(b"\0first\n" + b"x" * 2000 + b"\nlast\n")
    for number in range(5):
        log = tmp_path / f"log/gc.log.{number}"
        log.write_text(f"gc {number}\n")
        os.utime(log, (number, number))

    parts = diagnosed(tmp_path, FILES="log/system.log\nlog/gc.log*\nlog/none*\nlog")

    system = parts.pop("log/system.log")
    assert (system.size, len(system.content), system.content[-6:]) == (2013, 1000, b"\nlast\n")
    assert sorted(path for path in parts if path.startswith("log/")) == [f"log/gc.log.{number}" for number in (2, 3, 4)]
    assert b"Filesystem" in parts["state.txt"].content
    assert b"database:" not in parts["state.txt"].content


def test_a_host_with_many_mounts_keeps_the_beginning_and_the_end_of_its_state(tmp_path):
    mounts = "\n".join(f"/dev/sd{number} 100 1 99 1% /mnt/{number}" for number in range(500))
    df = program(
        tmp_path, "df", f'case "$*" in *" .") echo "of the folder" ;; *) cat ;; esac <<\'END\'\n{mounts}\nEND\n'
    )

    state = diagnosed(tmp_path, PATH=f"{df}:{os.environ['PATH']}", PROCESS="no-such-[p]rocess")["state.txt"]

    assert state.content.splitlines()[0].endswith(b" UTC")
    assert b"database: not running\nof the folder\nof the folder\n" in state.content
    assert b"\n[...]\n" in state.content
    assert state.content.endswith(b"/dev/sd499 100 1 99 1% /mnt/499\n")
    assert (state.is_cut, state.size <= 1000) == (False, True)


def test_a_host_knows_whether_its_own_database_runs(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir(), other.mkdir()
    word = f"light-database-{os.getpid()}"
    with subprocess.Popen(["sh", "-c", f"sleep 60; : {word}"], cwd=one) as database:
        here, there = (diagnosed(place, PROCESS=f"[l]{word[1:]}", KERNEL="no") for place in (one, other))
        database.kill()

    assert here["state.txt"].content == f"database: running as process {database.pid}\n".encode()
    assert there["state.txt"].content == b"database: not running\n"


def test_lines_of_the_kernel_from_before_the_machine_was_ordered_are_left_out(tmp_path):
    up = float(Path("/proc/uptime").read_text().split()[0])
    lines = (
        f"[{up - 7000:12.6f}] Out of memory: Killed process 1\n[{up - 30:12.6f}] I/O error, dev nvme1n1\n continued\n"
    )
    programs = program(tmp_path, "dmesg", f"cat <<'END'\n{lines}END\n")

    parts = diagnosed(tmp_path, AGE="60", PATH=f"{programs}:{os.environ['PATH']}")

    assert b"Out of memory" not in parts["kernel.log"].content
    assert parts["kernel.log"].content.endswith(b"I/O error, dev nvme1n1\n continued\n")
