"""The place of the runs: provisions clusters, runs the load tool, hands in the results."""

from django.apps import AppConfig


class RunnersConfig(AppConfig):
    name = "runners"

    def ready(self) -> None:
        from benchsite.ops.figures import register
        from runners import (  # noqa: F401  connects receivers
            account_closing,  # noqa: F401  connects receivers
            departures,
            operations,
        )
        from runners.endings.signed import files_of_runs
        from runners.providers import checks  # noqa: F401  connects receivers
        from runners.views.first_run import offer
        from submissions.bundles.sources import register as register_in_bundles
        from submissions.home.sections import register as register_on_first_page

        register("Runs", operations.figures)
        register_in_bundles(files_of_runs)
        register_on_first_page(offer)
