"""The results database: submissions, their prices, the pages and the API that compare them."""

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "submissions"
    default_auto_field = "django.db.models.BigAutoField"
