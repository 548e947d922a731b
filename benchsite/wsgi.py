"""Django's WSGI application: `asgi.py` puts the gateway in front of it."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

from benchsite import embedded

embedded.use_configured()
application = get_wsgi_application()
