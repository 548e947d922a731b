"""Which static files of the installed apps are published."""

from django.contrib.staticfiles.apps import StaticFilesConfig


class StaticFiles(StaticFilesConfig):
    """Leaves out what no page loads: compressing it costs half a minute at the first start."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "redoc", "rest_framework", "swagger-ui-es-bundle*"]
