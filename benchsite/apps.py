"""The site's wiring as an app: its signals, and its figures for operators."""

from django.apps import AppConfig
from django.db.models.signals import pre_migrate


class BenchsiteConfig(AppConfig):
    name = "benchsite"

    def ready(self) -> None:
        from benchsite.http import request_ids  # noqa: F401  a worker's log has the id of the request
        from benchsite.ops import counts, figures, servers, site  # noqa: F401  tasks are counted
        from benchsite.postgresql.batched_migrations import batch_plan

        figures.register("Servers", servers.figures)
        figures.register("Site", site.figures)
        pre_migrate.connect(batch_plan)
