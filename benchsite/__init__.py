"""The site: wiring only, no benchmark knowledge."""

from benchsite.celery import app as celery_app
from benchsite.version import __version__

__all__ = ["__version__", "celery_app"]
