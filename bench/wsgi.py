"""The WSGI application of the measured server."""

import os

import scipy.stats  # noqa: F401  as benchsite.wsgi does
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.settings")

from benchsite import embedded

embedded.use_configured()
application = get_wsgi_application()
