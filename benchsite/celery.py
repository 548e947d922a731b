"""The Celery application; its settings are the CELERY_* names of settings.py."""

import os
import warnings
from typing import Any

from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import beat_init, celeryd_init, setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
# Seconds without a task after which a process of an autoscaled worker ends: the next one is a fork of milliseconds
os.environ.setdefault("AUTOSCALE_KEEPALIVE", "2")

# Celery warns root because of pickled messages; ours are JSON only, and a container has no other user to lose.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("benchsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.worker_proc_alive_timeout = 30  # seconds until a new process is up: on a busy machine 4, the default, are few
app.autodiscover_tasks()


@setup_logging.connect
def leave_the_log_alone(**_: Any) -> None:
    """The log is Django's, with LOG_LEVEL. Celery, when nobody answers this signal, sets a level of its own for all."""


@celeryd_init.connect
@beat_init.connect
def use_services(**_: Any) -> None:
    """A worker started by hand (`celery -A benchsite worker`) finds its services running."""
    from benchsite.processes import embedded

    embedded.use_configured()


@celeryd_init.connect
def limit_statements(**_: Any) -> None:
    """Before the pool's processes are forked and connect."""
    from django.conf import settings

    from benchsite.postgresql import databases

    databases.limit_statements(settings.WORKER_STATEMENT_SECONDS)
