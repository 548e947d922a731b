"""The site: wiring only, no benchmark knowledge."""

from benchsite.celery import app as celery_app

__version__ = "0.2.0"  # the first heading of CHANGELOG.md

__all__ = ["celery_app"]
