"""The place of the runs: provisions clusters, runs the load tool, hands in the results."""

from django.apps import AppConfig


class RunnersConfig(AppConfig):
    name = "runners"

    def ready(self) -> None:
        from benchsite.ops.figures import register
        from runners import checks, closed_accounts, departures, operations  # noqa: F401  connects receivers
        from runners.endings.signed import files_of_runs
        from submissions.bundles.parts import register as register_in_bundles

        register("Runs", operations.figures)
        register_in_bundles(files_of_runs)
