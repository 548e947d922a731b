"""A process that ends is started again, without the others; what is set up wrong ends the site."""

import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.benchsite.commands import ROOT, environment

SUPERVISE = """
import os
import sys
from pathlib import Path
from benchsite.processes.supervisor import Supervisor
commands = {name: ["sh", "-c", script] for name, script in zip(sys.argv[1::2], sys.argv[2::2])}
is_excused = os.environ["IS_EXCUSED"] == "True"
sys.exit(Supervisor(commands, cwd=Path.cwd(), stop_seconds=5, is_excused=lambda: is_excused).run())
"""


@pytest.fixture
def supervised():
    """A function: the running supervisor of the scripts given by name."""
    running = []

    def start(*, excused=False, **scripts):
        arguments = [word for pair in scripts.items() for word in pair]
        process = subprocess.Popen(
            [sys.executable, "-c", SUPERVISE, *arguments],
            cwd=ROOT,
            env={**environment(), "IS_EXCUSED": str(excused)},
            stdout=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        for left in psutil.Process(process.pid).children(recursive=True) if process.poll() is None else ():
            left.kill()
        process.kill()
        process.wait()
        process.stdout.close()


def read_until(process, text):
    line = ""
    while text not in line:
        line = process.stdout.readline()
        assert line, text
    return line


def test_one_that_is_killed_starts_again_and_the_other_goes_on(supervised):
    site = supervised(steady="echo at $$; exec sleep 600", mortal="echo at $$; exec sleep 600")
    lines = [site.stdout.readline(), site.stdout.readline()]
    pids = {line.split()[0]: int(line.split()[-1]) for line in lines}

    psutil.Process(pids["mortal"]).kill()

    assert "ended with -9: starts again" in read_until(site, "mortal")
    assert int(read_until(site, "mortal").split()[-1]) != pids["mortal"]
    assert psutil.pid_exists(pids["steady"])


def test_a_process_that_ends_right_after_the_start_ends_the_site_with_its_status(supervised):
    site = supervised(wrong="exit 3", right="exec sleep 600")

    assert site.wait(30) == 3


def test_what_ends_right_after_the_start_for_a_known_cause_starts_again(supervised):
    site = supervised(excused=True, broken="echo up; sleep 0.2; exit 3", right="exec sleep 600")

    read_until(site, "ended with 3: starts again")

    assert "up" in read_until(site, "up")
    assert site.poll() is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_all_in_order(supervised, number):
    site = supervised(one="trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done")
    read_until(site, "up")

    site.send_signal(number)

    assert "bye" in read_until(site, "bye")
    assert site.wait(30) == 0


def test_what_does_not_stop_is_killed(supervised):
    site = supervised(deaf="trap '' TERM; echo up $$; while :; do sleep 0.05; done")
    pid = int(read_until(site, "up").split()[-1])

    site.terminate()

    assert site.wait(30) == 0
    deadline = time.monotonic() + 10
    while psutil.pid_exists(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(pid)


def test_what_a_process_leaves_behind_when_all_stop_is_killed(supervised):
    deaf = "(trap '' TERM; while :; do sleep 0.05; done) &"
    site = supervised(parent=f"trap 'exit 0' TERM; {deaf} echo up $!; while :; do sleep 0.05; done")
    left = psutil.Process(int(read_until(site, "up").split()[-1]))

    site.terminate()

    assert site.wait(30) == 0
    psutil.wait_procs([left], timeout=10)
    assert not left.is_running()
