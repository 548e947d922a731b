"""The application that the web server loads: Django behind a gateway that buffers bodies and answers."""

import os
import resource
import sys
from typing import TYPE_CHECKING

from django.apps import apps
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application

from benchsite.postgresql import databases
from benchsite.processes import embedded, malloc

if TYPE_CHECKING:
    from benchsite.web.gateway import Gateway, WSGIApplication

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")


# How long a thread computes before it hands over when another wants to: the event loop, which has little to do each
# time and answers the probes, waits for one such turn of each busy thread. Python's default is 5 ms.
TURN_SECONDS = 0.001
IDLE_SECONDS = 20  # of a connection to PostgreSQL, whose process there has some 8 MB: a crowd leaves dozens behind
TRIM_SECONDS = 10
MOST_FILES = 16_384  # a connection is one; many systems begin with 1024


def gateway() -> "Gateway":
    _allow_many_connections()
    sys.setswitchinterval(TURN_SECONDS)
    malloc.give_back_every(TRIM_SECONDS)
    databases.limit_statements(settings.STATEMENT_SECONDS, idle_seconds=IDLE_SECONDS)
    embedded.use_configured()
    # a fork of `serve` is set up: to do it again would write to memory that it shares
    django_application: WSGIApplication = WSGIHandler() if apps.ready else get_wsgi_application()
    from benchsite.http.limits.costs import is_costly  # these need Django set up
    from benchsite.http.response_cache import answer_from_memory
    from benchsite.web.gateway import Gateway

    return Gateway(
        django_application,
        threads=settings.WEB_THREADS,
        most_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
        large_bodies=settings.LARGE_BODIES,
        answer_from_memory=answer_from_memory,
        is_costly=is_costly,
    )


def _allow_many_connections() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


application = gateway()
