"""The siege: what it prints, and that its slow clients come back when the site closes them."""

import socket
import threading

from bench import siege
from bench.siege import SLOW_BODIES, Seen, Target, slow_clients


def test_durations_and_statuses_are_one_line():
    seen = Seen()
    for number, status in enumerate(["200"] * 19 + ["503"], start=1):
        seen.times_ms.append(float(number))
        seen.statuses[status] += 1

    assert str(seen) == "median 10 ms, p95 19 ms, slowest 20 ms; 19 x 200, 1 x 503"
    assert str(Seen()) == "none"


def test_a_slow_client_that_is_refused_comes_again(monkeypatch):
    monkeypatch.setattr(siege, "SECONDS_A_BYTE", 0.01)
    arrived = threading.Semaphore(0)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def refuse():
            for _ in range(3):
                client, _ = server.accept()
                client.close()
                arrived.release()

        threading.Thread(target=refuse, daemon=True).start()
        with slow_clients(Target(server.getsockname()[1]), SLOW_BODIES, 1):
            assert all(arrived.acquire(timeout=60) for _ in range(3))
