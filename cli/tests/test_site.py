"""The API by HTTP: what is repeated, how long is waited, and what an error says."""

import httpx
import pytest

from benchsite_cli.config import Login
from benchsite_cli.errors import Refused, Unreachable
from benchsite_cli.site import ATTEMPTS, Site

PROBLEM = {"errors": [{"pointer": "#/nodes/0/count", "detail": "must be greater than 0"}], "request_id": "r1"}


def site_of(*answers):
    """A site with these answers, the last one again and again; the waits and the requests so far."""
    waits, requests, left = [], [], list(answers)

    def answer(request):
        request.read()
        requests.append(request)
        given = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(given, Exception):
            raise given
        return given

    login = Login("https://bench.example.org", "secret")
    return Site(login, sleep=waits.append, transport=httpx.MockTransport(answer)), waits, requests


def test_a_busy_site_is_asked_again_when_it_says(tmp_path):
    busy = httpx.Response(429, headers={"Retry-After": "7"})
    site, waits, requests = site_of(busy, httpx.Response(502), httpx.ConnectError("gone"), httpx.Response(200, json={}))

    status, _ = site.post_files("submissions/import/", lambda: {"files": [("log", ("a.log", b"whole"))]})

    assert (status, waits) == (200, [7.0, 2.0, 4.0])
    assert all(b"whole" in request.content for request in requests)
    assert requests[0].headers["Authorization"] == "Bearer secret"


def test_a_run_is_never_started_twice():
    for answer, error in ((httpx.Response(502), Refused), (httpx.ReadTimeout("slow"), Unreachable)):
        site, waits, requests = site_of(answer)
        with pytest.raises(error):
            site.post("runs/", {}, is_repeatable=False)
        assert (len(requests), waits) == (1, [])
    site, waits, requests = site_of(httpx.Response(503, headers={"Retry-After": "1"}), httpx.Response(201, json={}))
    site.post("runs/", {}, is_repeatable=False)
    assert (len(requests), waits) == (2, [1.0])


def test_it_gives_up_in_the_end_and_an_error_names_the_place():
    site, waits, requests = site_of(httpx.Response(503))
    with pytest.raises(Refused, match="503") as refused:
        site.get("value/")
    assert (len(requests), refused.value.exit_code) == (ATTEMPTS, 4)

    site, waits, _ = site_of(httpx.Response(400, json=PROBLEM))
    with pytest.raises(Refused, match="nodes/0/count: must be greater than 0") as refused:
        site.get("value/")
    assert (waits, refused.value.request_id, refused.value.exit_code) == ([], "r1", 1)


def test_what_is_no_benchsite_is_recognised():
    site, _, _ = site_of(httpx.Response(200, text="<html>"))

    with pytest.raises(Unreachable, match="is the address right"):
        site.get("")
