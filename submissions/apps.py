"""The results database: submissions, their prices, the pages and the API that compare them."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class SubmissionsConfig(AppConfig):
    name = "submissions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from benchsite.ops.figures import register
        from benchsite.unchanged import register as register_pages
        from submissions import operations, unchanged
        from submissions.moderation import bans  # noqa: F401  its receiver ends the access of closed accounts
        from submissions.questions import aggregates

        aggregates.register_all()
        register("Results", operations.figures)
        register_pages(unchanged.PARAMETERS, unchanged.state)
        post_migrate.connect(aggregates.queue_outdated, sender=self)
