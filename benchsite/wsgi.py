"""Django's WSGI application: `asgi.py` puts the gateway in front of it."""

import os

from django.apps import apps
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

from benchsite.processes import embedded

embedded.use_configured()
# a fork of `serve` is set up: to do it again would write to memory that it shares
application = WSGIHandler() if apps.ready else get_wsgi_application()
