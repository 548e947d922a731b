"""Whether the lock of a sign-in outlives thousands of pages with queries of chance, which the site may keep."""

import re
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any
from urllib.parse import urlencode

from bench.siege.target import STRANGER, Seen, Target

WRONG_PASSWORDS = 6
LOCKED_SECONDS = 300  # by the failed attempts of an account
LOOK_SECONDS = 240  # the right password is tried before the lock ends by itself
READERS = 4
SIGN_IN = "/account/login/"
PAGES = ("/submissions/?x={}", "{result}?x={}", "/?x={}", "/submissions/?q={}", "{result}?x={}", "/data/?x={}")
_TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="(\w+)"')
_FORM = "application/x-www-form-urlencoded"


def survives(target: Target, user: str, pages: int, result: str, say: Callable[[str], None]) -> dict[str, Any]:
    """`user` is `name:password`. More pages than one lock lasts are asked under several, one after the other."""
    seen, numbers, checks = Seen(), count(), 0
    name, _, password = user.partition(":")
    is_locked = True
    while is_locked and len(seen.times_ms) < pages:
        began = _lock(target, name, password)
        read_pages(target, seen, numbers, pages, result, began + LOOK_SECONDS)
        is_locked, checks = not _signs_in(target, name, password), checks + 1
        say(f"after {len(seen.times_ms):,} pages the right password is {'refused' if is_locked else 'taken'}")
        if is_locked and len(seen.times_ms) < pages:
            time.sleep(max(0.0, began + LOCKED_SECONDS + 5 - time.monotonic()))
    return {"is_locked": is_locked, "locks": checks, "pages": seen.figures()}


def _lock(target: Target, name: str, password: str) -> float:
    """When the first wrong password was sent."""
    began = time.monotonic()
    for _ in range(WRONG_PASSWORDS):
        _signs_in(target, name, secrets.token_urlsafe(8))
    if _signs_in(target, name, password):
        raise SystemExit(f"siege: {WRONG_PASSWORDS} wrong passwords do not lock the sign-in of {name}")
    return began


def _signs_in(target: Target, name: str, password: str) -> bool:
    """By the form, as a browser that has never been here."""
    form = target.answer("GET", SIGN_IN, None, {})
    token = _TOKEN.search(form.plain)
    if token is None:
        raise SystemExit(f"siege: {SIGN_IN} answered {form.shown} without a form")
    cookies = "; ".join(cookie.partition(";")[0] for cookie in form.cookies)
    fields = {"login": name, "password": password, "csrfmiddlewaretoken": token[1].decode()}
    headers = {"Content-Type": _FORM, "Cookie": cookies}
    answer = target.answer("POST", SIGN_IN, urlencode(fields).encode(), headers)
    return any(cookie.startswith("sessionid=") for cookie in answer.cookies)


def read_pages(target: Target, seen: Seen, numbers: "count[int]", pages: int, result: str, until: float) -> None:
    def read(reader: int) -> None:
        while time.monotonic() < until and (number := next(numbers)) < pages:
            path = PAGES[number % len(PAGES)].replace("{result}", result).format(secrets.token_hex(8))
            headers = {"Accept-Encoding": ("identity", "gzip")[number // len(PAGES) % 2]}
            seen.add(target.read(path, headers, sender=STRANGER))

    with ThreadPoolExecutor(READERS) as pool:
        list(pool.map(read, range(READERS)))


def fill(address: str) -> str:
    """Keys of a MiB in the memory of the cache until it pushes out others; what it did, in words."""
    import redis

    client = redis.Redis.from_url(address)
    most = int(client.info("memory")["maxmemory"])
    if not most:
        return "has no ceiling: not filled"
    before = client.info("stats")["evicted_keys"]
    for number in range(most // 2**20 * 2):
        try:
            client.set(f"siege:{number}", secrets.token_bytes(2**20), ex=600)
        except redis.ResponseError:  # noeviction: what is full refuses
            return f"refused after {number} MiB of {most / 2**20:.0f}"
        if client.info("stats")["evicted_keys"] > before:
            return f"full after {number} MiB of {most / 2**20:.0f}"
    return "did not become full"
