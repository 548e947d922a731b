"""Slow clients of the siege: they come back when the site closes them."""

import socket
import threading

from bench.siege import slow
from bench.siege.slow import SLOW_BODIES, slow_clients
from bench.siege.target import Target


def test_a_slow_client_that_is_refused_comes_again(monkeypatch):
    monkeypatch.setattr(slow, "SECONDS_A_BYTE", 0.01)
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
