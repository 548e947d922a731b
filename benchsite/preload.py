"""Loads in one process what all processes of a site use: its forks start at once and share the memory."""

import ctypes
import gc
from contextlib import suppress
from importlib import import_module

from django.conf import settings
from django.template import engines
from django.urls import get_resolver
from django.utils.module_loading import import_string

MODULES = (
    "benchsite.web.gateway",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.worker.consumer",
    "django.core.handlers.wsgi",
    "granian.cli",
    "kombu.transport.redis",
)
_M_ARENA_MAX, _ARENAS = -8, 2  # of malloc: glibc gives every thread an area of its own, which it hardly returns


def preload() -> None:
    """Connects to nothing: a connection must not be shared."""
    from benchsite.celery import app

    with suppress(AttributeError, OSError):  # a C library without it
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)
    get_resolver().url_patterns  # noqa: B018  loads all views
    app.loader.import_default_modules()
    app.finalize()
    engines.all()
    for name in (*MODULES, settings.SESSION_ENGINE):
        import_module(name)
    for name in settings.MIDDLEWARE:
        import_string(name)
    gc.collect()
    gc.freeze()  # the collector writes to each object that it looks at, and what is written to is no longer shared
