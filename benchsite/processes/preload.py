"""Loads in one process what all processes of a site use: its forks start at once and share the memory.

What computes is loaded here, too, though a web worker needs it only for its first interval: each would load it for
itself. pyarrow is not: it starts threads, which do not survive a fork.
"""

import gc
import os
from importlib import import_module
from pathlib import Path

from django.conf import settings
from django.db import connections
from django.template import engines
from django.template.loader import get_template
from django.urls import get_resolver, reverse
from django.utils.module_loading import import_string

from benchsite.processes import malloc
from benchsite.processes.code_version import code_version

MODULES = (
    "benchsite.web.gateway",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.worker.consumer",
    "django.core.handlers.wsgi",
    "django.contrib.messages.storage.fallback",
    "granian.cli",
    "kombu.transport.redis",
    "whitenoise.storage",
)
OF_PAGES = ("numpy", "otava.analysis", "scipy.optimize", "scipy.stats")


def preload(*, with_pages: bool = True) -> None:
    """Connects to nothing and starts no thread: neither must be shared. `with_pages`: numpy and templates, too."""
    from benchsite.celery import app

    malloc.give_memory_back()
    # without it numpy starts a thread for each processor; a request thread computes little at a time
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    get_resolver().url_patterns  # noqa: B018  loads all views
    app.loader.import_default_modules()
    app.finalize()
    engines.all()
    for name in (*MODULES, settings.SESSION_ENGINE):
        import_module(name)
    for name in settings.MIDDLEWARE:
        import_string(name)
    _make_what_all_make()
    if with_pages:
        _load_pages()
    gc.collect()
    malloc.give_back_now()
    malloc.give_back_libraries()
    gc.freeze()  # the collector writes to each object that it looks at, and what is written to is no longer shared


def _make_what_all_make() -> None:
    """Once for all processes what each makes for its first request or task, and keeps."""
    reverse(settings.LOGIN_URL)  # by a table of all addresses
    code_version()
    for connection in connections.all():
        connection.get_connection_params()  # which types there are, and how each is read


def _load_pages() -> None:
    for name in OF_PAGES:
        import_module(name)
    _compile_templates()


def _compile_templates() -> None:
    """Those of our pages, once for all processes."""
    folder = Path(settings.BASE_DIR) / "templates"
    for path in folder.rglob("*.html"):
        get_template(path.relative_to(folder).as_posix())
