"""Uploads are not queued behind readers, readers beyond a limit are refused, and few threads work where few do."""

import subprocess
import sys
import threading
import time
from concurrent.futures import wait

import pytest

from benchsite.web.lanes import MOST_COSTLY_WAITING, Crowded, Lanes, LastFirst
from tests.benchsite.commands import ROOT

SECONDS = 20


@pytest.fixture
def gate():
    """What holds a request in its thread until the test lets it go."""
    gate = threading.Event()
    yield gate
    gate.set()


def hold(lanes, method, gate, begun=None):
    def work():
        if begun is not None:
            begun.release()
        assert gate.wait(SECONDS)

    return lanes.submit(method, work)


def begins(begun):
    return begun.acquire(timeout=SECONDS)


def test_a_write_begins_while_every_reading_thread_is_busy_and_others_wait(gate):
    lanes = Lanes(2)
    waiting = [hold(lanes, "GET", gate) for _ in range(50)]

    assert lanes.submit("POST", lambda: "written").result(SECONDS) == "written"
    assert not any(each.done() for each in waiting)


def test_beside_a_write_two_readers_at_a_time_begin(gate):
    lanes, begun, written = Lanes(4), threading.Semaphore(0), threading.Event()
    writing = threading.Semaphore(0)
    write = hold(lanes, "PATCH", written, writing)
    assert begins(writing)

    readers = [hold(lanes, "GET", gate, begun) for _ in range(4)]

    assert begins(begun)
    assert begins(begun)
    assert not begun.acquire(timeout=0.05)
    written.set()
    write.result(SECONDS)
    assert begins(begun)
    assert begins(begun)
    gate.set()
    for reader in readers:
        reader.result(SECONDS)


def test_readers_go_on_beside_a_write_that_never_ends(gate):
    lanes, writing = Lanes(4), threading.Semaphore(0)
    hold(lanes, "POST", gate, writing)
    assert begins(writing)

    pages = [lanes.submit("GET", lambda number=number: number) for number in range(20)]

    assert [page.result(SECONDS) for page in pages] == list(range(20))


def test_readers_over_the_limit_are_refused_and_their_places_come_back(gate):
    lanes = Lanes(1, most_waiting=2)
    held = [hold(lanes, "GET", gate) for _ in range(3)]

    with pytest.raises(Crowded):
        lanes.submit("GET", lambda: None)
    assert lanes.submit("POST", lambda: "written").result(SECONDS) == "written"
    assert held[2].cancel()  # its client has gone
    gate.set()
    assert lanes.submit("GET", lambda: "read").result(SECONDS) == "read"


def test_a_failure_gives_its_place_back():
    lanes = Lanes(1, most_waiting=0)

    for method in ("GET", "POST", "GET"):
        with pytest.raises(ZeroDivisionError):
            lanes.submit(method, lambda: 1 / 0).result(SECONDS)

    assert wait_until_free(lanes) == "read"


def wait_until_free(lanes):
    """The place is given back just after the answer."""
    for _ in range(1000):
        try:
            return lanes.submit("GET", lambda: "read").result(SECONDS)
        except Crowded:
            threading.Event().wait(0.01)
    return None


def test_two_costly_pages_at_a_time_are_made_and_others_are_read_meanwhile(gate):
    lanes, begun = Lanes(4), threading.Semaphore(0)

    def hold_costly():
        def work():
            begun.release()
            assert gate.wait(SECONDS)

        return lanes.submit("GET", work, is_costly=True)

    costly = [hold_costly() for _ in range(6)]

    assert begins(begun)
    assert begins(begun)
    assert not begun.acquire(timeout=0.05)
    assert lanes.submit("GET", lambda: "read").result(SECONDS) == "read"
    gate.set()
    for each in costly:
        each.result(SECONDS)


def test_costly_pages_beyond_a_limit_are_refused_at_once(gate):
    lanes = Lanes(4)
    waiting = [lanes.submit("GET", gate.wait, SECONDS, is_costly=True) for _ in range(2 + MOST_COSTLY_WAITING)]

    with pytest.raises(Crowded):
        lanes.submit("GET", gate.wait, SECONDS, is_costly=True)

    assert lanes.submit("GET", lambda: "read").result(SECONDS) == "read"
    gate.set()
    for each in waiting:
        each.result(SECONDS)
    assert lanes.submit("GET", lambda: "again", is_costly=True).result(SECONDS) == "again"


def busy(executor, threads):
    """So many threads have worked at the same time."""
    together = threading.Barrier(threads)
    wait([executor.submit(together.wait, SECONDS) for _ in range(threads)], SECONDS)


def all_wait(executor, threads):
    deadline = time.monotonic() + SECONDS
    while executor.idle < threads:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_after_a_crowd_what_comes_bit_by_bit_has_the_same_thread_again_and_again():
    with LastFirst(4, "thread") as executor:
        busy(executor, 4)
        seen = set()
        for _ in range(20):
            all_wait(executor, 4)
            seen.add(executor.submit(threading.get_ident).result(SECONDS))

    assert len(seen) == 1


def test_work_is_begun_in_the_order_in_which_it_comes():
    gate, begun = threading.Event(), []
    with LastFirst(1, "thread") as executor:
        executor.submit(gate.wait, SECONDS)
        for number in range(50):
            executor.submit(begun.append, number)
        gate.set()

    assert begun == list(range(50))


def test_an_executor_that_is_shut_down_does_what_waits_and_its_threads_end():
    gate, before = threading.Event(), set(threading.enumerate())
    executor = LastFirst(3, "thread")
    busy(executor, 3)
    held = [executor.submit(gate.wait, SECONDS) for _ in range(3)]
    last = executor.submit(lambda: "done")
    gate.set()

    executor.shutdown(wait=True)

    assert last.result(0) == "done"
    assert all(each.result(0) for each in held)
    assert set(threading.enumerate()) <= before


def test_threads_that_wait_end_with_the_interpreter():
    """As those of the standard library do: a web server that ends waits for what is in work."""
    code = "from benchsite.web.lanes import LastFirst; e = LastFirst(2, 'x'); print(e.submit(int, '7').result())"

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=SECONDS, check=True
    )

    assert done.stdout == "7\n"
