"""The WSGI application of the measured server."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.settings")

from benchsite import embedded

embedded.use_configured()
application = get_wsgi_application()
