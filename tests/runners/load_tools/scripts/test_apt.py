"""Packages are installed whatever the machine's own updates hold. A script stands in for apt-get."""

import os
import subprocess

import pytest

from tests.runners.load_tools.scripts.running import FOLDER

LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 811 (apt-get)"


@pytest.fixture
def host(tmp_path):
    """A folder whose apt-get answers what the file `answers` says, line by line; the last line for ever."""
    (tmp_path / "apt-get").write_text(
        """#!/bin/sh
echo "$@" >>calls
answer=$(head -n 1 answers)
[ "$(wc -l <answers)" -le 1 ] || sed -i 1d answers
[ "$answer" = ok ] || { echo "$answer"; exit 100; }
"""
    )
    (tmp_path / "apt-get").chmod(0o755)

    def install(*answers, seconds=300):
        (tmp_path / "answers").write_text("".join(f"{answer}\n" for answer in answers))
        path = f"{tmp_path}:{os.environ['PATH']}"
        env = {**os.environ, "PATH": path, "APT_PAUSE": "0", "APT_SECONDS": str(seconds)}
        script = f"set -eu; . {FOLDER}/apt.sh; install xfsprogs"
        done = subprocess.run(["sh", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)
        calls = [line.split() for line in (tmp_path / "calls").read_text().splitlines()]
        return (
            done.returncode,
            done.stdout,
            [next(word for word in call if word in ("update", "install")) for call in calls],
        )

    return install


def test_a_lock_of_the_lists_is_waited_for(host):
    status, _, calls = host("E: Unable to locate package xfsprogs", LOCKED, LOCKED, "ok")

    assert (status, calls) == (0, ["install", "update", "update", "update", "install"])


def test_a_lock_that_is_never_released_ends_the_job_with_its_reason(host):
    status, output, _ = host(LOCKED, seconds=0)

    assert status == 1
    assert output.endswith(f"{LOCKED}\ncannot install xfsprogs\n")


def test_another_failure_is_not_waited_for(host):
    status, output, calls = host("E: Unable to locate package xfsprogs", "ok", "E: Unable to locate package xfsprogs")

    assert (status, calls) == (1, ["install", "update", "install"])
    assert output.endswith("cannot install xfsprogs\n")
