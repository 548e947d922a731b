"""Which static files of the installed apps are published."""

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig


class StaticFiles(StaticFilesConfig):
    """Leaves out what no page loads: compressing it costs half a minute at the first start."""

    ignore_patterns = [
        *StaticFilesConfig.ignore_patterns,
        "django_htmx",  # we have htmx from its maker
        "redoc",
        "rest_framework",
        "swagger-ui-es-bundle*",
        # of the admin's pages, which load the minified ones
        *([] if settings.DEBUG else ["jquery.js", "select2.full.js", "xregexp.js"]),
    ]
