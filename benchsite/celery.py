"""The Celery application; its settings are the CELERY_* names of settings.py."""

import os

from celery import Celery
from celery.signals import beat_init, celeryd_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

app = Celery("benchsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@celeryd_init.connect
@beat_init.connect
def use_services(**_):
    """A worker started by hand (`celery -A benchsite worker`) finds its services running."""
    from benchsite import embedded

    embedded.use_configured()
