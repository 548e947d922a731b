"""`manage.py metrics`: answers Prometheus at METRICS_HOST:METRICS_PORT, a port that only the inner network reaches."""

import threading
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from prometheus_client import start_http_server

from benchsite.ops.metrics import registry


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.METRICS_PORT:
            raise CommandError("METRICS_PORT is not set: see .env.example")
        try:
            start_http_server(settings.METRICS_PORT, settings.METRICS_HOST, registry())
        except OSError as error:
            raise CommandError(f"cannot listen on port {settings.METRICS_PORT}: {error.strerror}") from None
        threading.Event().wait()
