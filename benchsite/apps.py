"""The site's wiring as an app: its signals, and its figures for operators."""

from django.apps import AppConfig


class BenchsiteConfig(AppConfig):
    name = "benchsite"

    def ready(self) -> None:
        from benchsite import request_ids  # noqa: F401  a worker's log has the id of the request
        from benchsite.ops import counts, figures, site  # noqa: F401  tasks are counted

        figures.register("Site", site.figures)
