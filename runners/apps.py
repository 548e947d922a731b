"""The place of the runs: provisions clusters, runs the load tool, hands in the results."""

from django.apps import AppConfig


class RunnersConfig(AppConfig):
    name = "runners"

    def ready(self) -> None:
        from runners import closed_accounts  # noqa: F401  its receiver cancels the runs of closed accounts
