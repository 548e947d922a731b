"""Uploads are not queued behind readers, and readers beyond a limit are refused at once."""

import threading

import pytest

from benchsite.web.lanes import MOST_COSTLY_WAITING, Crowded, Lanes

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


def test_beside_a_write_one_reader_at_a_time_begins(gate):
    lanes, begun, written = Lanes(4), threading.Semaphore(0), threading.Event()
    writing = threading.Semaphore(0)
    write = hold(lanes, "PATCH", written, writing)
    assert begins(writing)

    readers = [hold(lanes, "GET", gate, begun) for _ in range(4)]

    assert begins(begun)
    assert not begun.acquire(timeout=0.05)
    written.set()
    write.result(SECONDS)
    assert all(begins(begun) for _ in range(3))
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
