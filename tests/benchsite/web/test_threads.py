"""Few threads work where few are enough: the connection of each other one is idle, and ends."""

import subprocess
import sys
import threading
import time
from concurrent.futures import wait

from benchsite.web.threads import LastFirst
from tests.benchsite.commands import ROOT

SECONDS = 20


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
    code = "from benchsite.web.threads import LastFirst; e = LastFirst(2, 'x'); print(e.submit(int, '7').result())"

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=SECONDS, check=True
    )

    assert done.stdout == "7\n"
