"""The results database: submissions, their prices, the pages and the API that compare them."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class SubmissionsConfig(AppConfig):
    name = "submissions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:

        from benchsite.http.from_data import read_versions_by
        from benchsite.ops.figures import register
        from submissions import operations
        from submissions.aggregates import kinds, store
        from submissions.models import versions_of_request
        from submissions.moderation import bans  # noqa: F401  its receiver ends the access of closed accounts
        from submissions.questions.aggregates import KINDS

        kinds.register(KINDS)
        post_migrate.connect(store.after_migrations, sender=self)
        register("Results", operations.figures)
        read_versions_by(versions_of_request)
