"""While a request is answered the gateway looks whether its client has gone."""

import asyncio
import gc
import threading
import weakref

from tests.benchsite.web.test_gateway import Client, echo, gateway, run, sends


class FutureOfServer:
    """Keeps what it has to call, also when it is cancelled, as granian's futures do."""

    _asyncio_future_blocking = False

    def __init__(self):
        self.callbacks = []

    def add_done_callback(self, callback, *, context=None):
        self.callbacks.append(callback)

    def cancel(self, msg=None):
        return True


def test_who_waited_for_an_answer_leaves_nothing_behind():
    """The web server's futures are unknown to the garbage collector: what is in a circle with one stays for ever."""
    is_watched = threading.Event()
    watched = []

    def work(environ, start_response):
        assert is_watched.wait(10)
        return echo(environ, start_response)

    class Patient(Client):
        def receive(self):
            if self.left:
                return super().receive()
            future = FutureOfServer()
            watched.append(weakref.ref(future))
            is_watched.set()
            return future

    async def main():
        client = Patient(sends(b""), method="GET")
        await gateway(work)(client.scope, client.receive, client.send)
        await asyncio.sleep(0)
        return client.status

    gc.disable()
    try:
        assert run(main) == 200
        assert [future() for future in watched] == [None]
    finally:
        gc.enable()
