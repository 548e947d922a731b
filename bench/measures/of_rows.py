"""All that is measured at one number of rows."""

import argparse
import time
from collections.abc import Callable
from typing import Any

from bench import site
from bench.cpu import Processes
from bench.measures import crowd, export, log, pages, uploads
from bench.measures.setting import Setting
from bench.site import Site

# What the pages' changes of stored rows leave to the workers, once a minute (`recount totals`), is no part of an upload
TURN_SECONDS = 60
REST_SECONDS = 30  # after 20 the web server closes what the crowd has left idle of its connections (benchsite/asgi.py)


def measure(
    running: Site, floor: tuple[int, Processes], options: argparse.Namespace, say: Callable[[str], None]
) -> dict[str, Any]:
    """In the order in which one part disturbs the next least."""
    setting = Setting(running, *floor, *site.account(), repeat=options.repeat)
    setting.anybody.get("/")
    found: dict[str, Any] = {"memory": {"fresh": running.memory_mb()}}
    running.wait_until_at_rest()
    if "pages" in options.only:
        found |= pages.measure(setting, options.pages, say)
        time.sleep(TURN_SECONDS)
        running.wait_until_at_rest()
    for name, part in (("uploads", uploads), ("log", log), ("export", export), ("crowd", crowd)):
        if name in options.only:
            found |= part.measure(setting, say)
    if "crowd" in options.only:
        found["memory"]["after the crowd"] = running.memory_mb()
        time.sleep(REST_SECONDS)
    running.wait_until_at_rest()
    found["memory"]["after"] = running.memory_mb()
    return found
