"""`make run`: one command starts everything, Ctrl-C leaves nothing."""

import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Timer

import psutil
import psycopg
import pytest
from django.core.management import CommandError, call_command

from benchsite.management.commands.serve import commands
from benchsite.processes import embedded
from benchsite.storage import disk
from tests.benchsite.commands import manage, start
from tests.benchsite.processes.test_embedded import broker, servers

WORKER = "[celeryd: celery@"  # as Celery names the first process of a worker, and then the others
START_SECONDS = STOP_SECONDS = 300  # on a machine with much else to do; a healthy site takes a few


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def first_site(data_dir, port):
    """A running `serve`, on an empty folder and as its users have it."""
    with running(data_dir, port) as process:
        yield process


@pytest.fixture
def site(prepared_site, port):
    """A running `serve` on a folder that is prepared; `data_dir` is its path."""
    with running(prepared_site.data_dir, port, WEB_WORKERS=1) as process:
        yield process


@contextmanager
def running(data_dir, port, **settings):
    """Killed with all of its processes if a test leaves it."""
    process = start("serve", **settings_of(data_dir, port), **settings)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()  # in order: a killed PostgreSQL leaves its shared memory
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=STOP_SECONDS)
        for left in [*processes_of(data_dir), process]:
            left.kill()
        process.wait()
        process.stdout.close()


def settings_of(data_dir, port):
    """What all starts here have in common: the files of the source, nothing that waits for the disk, no pack."""
    return {"DATA_DIR": data_dir, "PORT": port, "STATIC_MANIFEST": 0, "EMBEDDED_DURABLE": 0}


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
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30) as response:
                return response.read().decode()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise AssertionError("not ready in time")


def wait_for(data_dir, title):
    """The oldest process of the folder that begins its title with this, once it is there."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with suppress(psutil.NoSuchProcess):  # one that ends while we look
            found = [process for process in processes_of(data_dir) if " ".join(process.cmdline()).startswith(title)]
            if found:
                return min(found, key=psutil.Process.create_time)
        time.sleep(0.2)
    raise AssertionError(f"no {title} in time")


def read_until(site, words):
    """What the site prints up to the line with `words`; a site that never prints it is killed in the end."""
    printed, overdue = "", Timer(START_SECONDS, site.kill)
    overdue.start()
    try:
        while words not in printed:
            line = site.stdout.readline()
            printed += line
            assert line, f"no {words!r} in {printed}"
    finally:
        overdue.cancel()
    return printed


def stop(site, number):
    """What was printed until the end; the exit status is 0."""
    site.send_signal(number)
    output, _ = site.communicate(timeout=STOP_SECONDS)
    assert site.returncode == 0, output
    return output


def test_a_first_start_answers_prints_a_password_and_leaves_no_process(first_site, data_dir, port):
    answer = wait_until_ready(first_site, port)
    printed = read_until(first_site, "Ctrl-C stops it.")
    printed += stop(first_site, signal.SIGINT)

    assert '"status": "ok"' in answer
    box = printed[printed.index("Benchsite runs at") : printed.index("Ctrl-C stops it.")]
    assert f"http://127.0.0.1:{port}/" in box
    assert "sign in as admin, password" in box
    assert processes_of(data_dir) == []


def test_beside_a_running_site_a_second_is_refused_and_after_a_killed_one_the_next_takes_over(site, data_dir, port):
    wait_until_ready(site, port)

    refused = manage("serve", **settings_of(data_dir, port + 1))

    assert refused.returncode == 1
    assert "a site runs already on" in refused.stdout
    wait_until_ready(site, port)

    site.kill()
    site.wait()
    with running(data_dir, port, WEB_WORKERS=1) as next_site:
        printed = read_until(next_site, "Benchsite starts")  # the old web server would answer still
        answer = wait_until_ready(next_site, port)
        printed += read_until(next_site, "Ctrl-C stops it.")
        printed += stop(next_site, signal.SIGTERM)

    assert '"status": "ok"' in answer
    assert f"http://127.0.0.1:{port}/" in printed
    assert "password" not in printed
    assert processes_of(data_dir) == []


@pytest.mark.usefixtures("servers_made_before")
def test_a_taken_port_is_named_before_anything_is_changed(data_dir):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]

        result = manage("serve", **settings_of(data_dir, number))

    assert result.returncode == 1
    assert f"cannot listen on 127.0.0.1 port {number} (Address already in use)" in result.stdout
    assert processes_of(data_dir) == []


@pytest.mark.usefixtures("servers_made_before")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_while_it_prepares_it_leaves_no_process(data_dir, port, number):
    site = start("serve", **settings_of(data_dir, port))
    read_until(site, "migrating")

    site.send_signal(number)
    try:
        printed, _ = site.communicate(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired as error:
        site.kill()
        pytest.fail(f"it went on: {error.stdout}")

    assert "stopped" in printed
    assert processes_of(data_dir) == []


def test_what_dies_is_started_again_and_what_workers_left_running_ends_with_the_site(site, data_dir, port):
    wait_until_ready(site, port)
    outlives = subprocess.Popen(["sleep", "3600"], env={"BENCHSITE_SERVED_FROM": str(data_dir)}, start_new_session=True)
    web, worker = wait_for(data_dir, "granian"), wait_for(data_dir, WORKER)

    # the servers first: a process that has just started would start them too
    servers(data_dir)["postgres"].kill()
    read_until(site, "PostgreSQL had ended: it runs again")
    servers(data_dir)["cache"].kill()
    read_until(site, "Redis of the cache had ended: it runs again")
    servers(data_dir)["valkey"].kill()
    printed = read_until(site, "Redis had ended: it runs again")
    if "worker | ended with" not in printed:  # as a worker that was just starting does by itself when Redis goes
        with suppress(psutil.NoSuchProcess):
            worker.kill()
        read_until(site, "worker | ended with")
    web.children()[0].kill()
    read_until(site, "Respawning worker")

    assert '"status": "ok"' in wait_until_ready(site, port)
    assert wait_for(data_dir, WORKER).pid != worker.pid
    assert wait_for(data_dir, "granian") == web
    assert outlives.poll() is None

    # it is our child: nobody else takes its status, and a dead one whose status nobody took is still there
    with ThreadPoolExecutor(1) as pool:
        end = pool.submit(outlives.wait, timeout=STOP_SECONDS)

        stop(site, signal.SIGINT)

        assert end.result() == -signal.SIGTERM
    assert processes_of(data_dir) == []


@pytest.fixture
def small_disk(data_dir):
    """The disk of `data_dir`, of 700 MiB."""
    place = data_dir.parent
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700m,mode=755", "tmpfs", place], capture_output=True)
    if mounted.returncode:
        pytest.skip("only root may mount a disk")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_site_whose_disk_others_have_filled_can_be_read_and_takes_its_reserve_again(small_disk, request, port):
    data_dir = request.getfixturevalue("prepared_site").data_dir
    fill, place = small_disk / "fill", embedded.Place(data_dir)
    with running(data_dir, port, WEB_WORKERS=1, MIN_FREE_BYTES=1024**2, PAGE_CACHE_SECONDS=0) as site:
        wait_until_ready(site, port)
        with psycopg.connect(embedded.database_url(data_dir), autocommit=True) as connected:
            subprocess.run(["dd", "if=/dev/zero", f"of={fill}", "bs=1M"], capture_output=True)  # until it is full
            read_until(site, "the disk is full")

            # what PostgreSQL makes anew after changes of tables, and without which it takes no connection
            for made in place.postgres_data.rglob("pg_internal.init"):
                made.unlink()
            others = "datname IS NOT NULL AND pid <> pg_backend_pid()"
            connected.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
            page = urllib.request.urlopen(f"http://127.0.0.1:{port}/submissions/", timeout=60)
            ready = wait_until_ready(site, port)
            is_taken_by_redis = broker(data_dir).set("key", "x" * 100_000)

        fill.unlink()
        read_until(site, "the disk has space again")
        stop(site, signal.SIGTERM)

    assert page.status == 200
    assert '"status": "ok"' in ready
    assert is_taken_by_redis
    assert (data_dir / "reserve").stat().st_size == disk.RESERVE_BYTES


def test_a_local_site_does_not_listen_for_strangers_by_an_option():
    with pytest.raises(CommandError, match="set HOST and ALLOWED_HOSTS"):
        call_command("serve", host="0.0.0.0")


def test_runs_have_workers_of_their_own(settings):
    settings.TASK_WORKERS, settings.RUN_WORKERS = 3, 2
    serves = {}
    for name in ("worker", "runs"):
        words = commands("127.0.0.1", 8000)[name]
        processes = "--concurrency" if name == "runs" else "--autoscale"
        serves[name] = tuple(words[words.index(option) + 1] for option in ("--queues", processes, "--hostname"))

    assert serves == {"worker": ("celery", "3,0", "celery@%h"), "runs": ("runs", "2", "runs@%h")}
