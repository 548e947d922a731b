"""`make run`: one command starts everything, Ctrl-C leaves nothing."""

import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from benchsite.management.commands.serve import STARTED_SECONDS
from tests.benchsite.commands import manage, start
from tests.benchsite.test_embedded import servers

START_SECONDS = 120


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def site(data_dir, port):
    """A running `serve`; killed with all of its processes if a test leaves it."""
    process = start("serve", DATA_DIR=data_dir, PORT=port, STATIC_MANIFEST=0)
    yield process
    for left in [*processes_of(data_dir), process]:
        left.kill()
    process.wait()
    process.stdout.close()
    manage("migrate", "--check", DATA_DIR=data_dir)  # uses the services, hence stops them


def processes_of(data_dir):
    """Everything that runs for this folder: its servers, and what has it in its environment."""
    found = list(servers(data_dir).values())
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and process.environ().get("DATA_DIR") == str(data_dir):
                found.append(process)
        except psutil.Error:
            continue
    return found


def wait_until_ready(site, port):
    """The answer of /readyz, once there is one."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert site.poll() is None, site.stdout.read()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as response:
                return response.read().decode()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    raise AssertionError("not ready in time")


def wait_for_worker(data_dir):
    """Celery's worker, once it is there: the oldest of its processes."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        found = [process for process in processes_of(data_dir) if {"celery", "worker"} <= set(process.cmdline())]
        if found:
            return min(found, key=psutil.Process.create_time)
        time.sleep(0.2)
    raise AssertionError("no worker in time")


def stop(site, number):
    """What was printed until the end; the exit status is 0."""
    site.send_signal(number)
    output, _ = site.communicate(timeout=60)
    assert site.returncode == 0, output
    return output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_starts_answers_and_leaves_no_process(site, data_dir, port, number):
    answer = wait_until_ready(site, port)

    output = stop(site, number)

    assert '"status": "ok"' in answer
    assert f"http://127.0.0.1:{port}/" in output
    assert processes_of(data_dir) == []


def test_the_first_start_alone_prints_a_password(site, data_dir, port):
    wait_until_ready(site, port)
    first = stop(site, signal.SIGINT)

    second_site = start("serve", DATA_DIR=data_dir, PORT=port, STATIC_MANIFEST=0)
    wait_until_ready(second_site, port)
    second = stop(second_site, signal.SIGINT)

    assert "sign in as admin, password" in first
    assert "password" not in second


def test_a_second_site_on_the_same_data_is_refused(site, data_dir, port):
    wait_until_ready(site, port)

    result = manage("serve", DATA_DIR=data_dir, PORT=port + 1)

    assert result.returncode == 1
    assert "a site runs already on" in result.stdout


def test_after_a_killed_site_the_next_one_takes_over(site, data_dir, port):
    wait_until_ready(site, port)
    site.kill()
    site.wait()

    next_site = start("serve", DATA_DIR=data_dir, PORT=port, STATIC_MANIFEST=0)
    printed = ""
    while "Benchsite starts" not in printed:  # the old web server would answer still
        line = next_site.stdout.readline()
        printed += line
        assert line, printed
    wait_until_ready(next_site, port)
    stop(next_site, signal.SIGINT)

    assert processes_of(data_dir) == []


def test_a_taken_port_is_named_before_anything_is_changed(data_dir):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]

        result = manage("serve", DATA_DIR=data_dir, PORT=number)

    assert result.returncode == 1
    assert f"cannot listen on 127.0.0.1 port {number} (Address already in use)" in result.stdout
    assert processes_of(data_dir) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_while_it_prepares_it_leaves_no_process(data_dir, port, number):
    site = start("serve", DATA_DIR=data_dir, PORT=port, STATIC_MANIFEST=0)
    while "migrating" not in site.stdout.readline():
        assert site.poll() is None

    site.send_signal(number)
    try:
        printed, _ = site.communicate(timeout=60)
    except subprocess.TimeoutExpired as error:
        site.kill()
        pytest.fail(f"it went on: {error.stdout}")

    assert "stopped" in printed
    assert processes_of(data_dir) == []


def test_a_worker_that_dies_is_started_again(site, data_dir, port):
    wait_until_ready(site, port)
    worker = wait_for_worker(data_dir)
    time.sleep(STARTED_SECONDS + 1)  # later than a faulty start

    worker.kill()

    line = ""
    while "all start again" not in line:
        line = site.stdout.readline()
        assert line
    wait_until_ready(site, port)
    assert wait_for_worker(data_dir).pid != worker.pid
    stop(site, signal.SIGINT)
    assert processes_of(data_dir) == []


def test_what_its_workers_have_started_to_outlive_them_ends_with_it(site, data_dir, port):
    wait_until_ready(site, port)
    outlives = subprocess.Popen(["sleep", "3600"], env={"BENCHSITE_SERVED_FROM": str(data_dir)}, start_new_session=True)
    # it is our child: nobody else takes its status, and a dead one whose status nobody took is still there
    with ThreadPoolExecutor(1) as pool:
        end = pool.submit(outlives.wait, timeout=120)

        stop(site, signal.SIGINT)

        assert end.result() == -signal.SIGTERM
