"""The place of the runs: provisions clusters, runs the load tool, hands in the results."""

from django.apps import AppConfig


class RunnersConfig(AppConfig):
    name = "runners"
