"""Django's WSGI application: `asgi.py` puts the gateway in front of it."""

import os

import scipy.stats  # noqa: F401  a second: not while the first reader of a worker waits
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

from benchsite import embedded

embedded.use_configured()
application = get_wsgi_application()
