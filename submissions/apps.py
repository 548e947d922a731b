"""The results database: submissions, their prices, the pages and the API that compare them."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class SubmissionsConfig(AppConfig):
    name = "submissions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from benchsite.ops.figures import register
        from benchsite.replicas.notes import run_every_second
        from benchsite.unchanged import register as register_pages
        from submissions import operations, unchanged
        from submissions.aggregates import kinds, store
        from submissions.moderation import bans  # noqa: F401  its receiver ends the access of closed accounts
        from submissions.questions.aggregates import KINDS

        kinds.register(KINDS)
        post_migrate.connect(store.after_migrations, sender=self)
        register("Results", operations.figures)
        register_pages(unchanged.PARAMETERS, unchanged.state)
        run_every_second("SELECT submissions_note_reached()")  # for replicas
