"""The place of the runs: provisions clusters, runs the load tool, hands in the results."""

from django.apps import AppConfig


class RunnersConfig(AppConfig):
    name = "runners"

    def ready(self) -> None:
        from benchsite.ops.figures import register
        from runners import checks, closed_accounts, departures, operations  # noqa: F401  connects receivers

        register("Runs", operations.figures)
