"""The results database: submissions, their prices, the pages and the API that compare them."""

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "submissions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.db.models.signals import post_migrate

        from benchsite.http.from_data import read_versions_by
        from benchsite.ops.figures import register
        from benchsite.replicas.notes import run_every_second
        from submissions import operations
        from submissions.aggregates import kinds
        from submissions.models import versions_of_request
        from submissions.moderation import bans  # noqa: F401  its receiver ends the access of closed accounts
        from submissions.questions.aggregates import KINDS, queue_outdated_code

        kinds.register(KINDS)
        post_migrate.connect(queue_outdated_code, sender=self)
        register("Results", operations.figures)
        read_versions_by(versions_of_request)
        run_every_second("SELECT submissions_note_reached()")  # for replicas
