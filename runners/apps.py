"""The place of the runs: provisions clusters, runs the load tool, hands in the results."""

from django.apps import AppConfig


class RunnersConfig(AppConfig):
    name = "runners"

    def ready(self) -> None:
        from benchsite.ops.figures import register
        from runners import account_closing, operations  # noqa: F401  connects receivers
        from runners.endings.signed import files_of_runs
        from runners.plans.cell_plans import runs_of_site
        from runners.providers import checks  # noqa: F401  registers them
        from runners.views.first_run import offer
        from submissions.bundles.sources import register as register_in_bundles
        from submissions.home.sections import register as register_on_first_page
        from submissions.questions.coverage.runs import register as register_runs

        register("Runs", operations.figures)
        register_in_bundles(files_of_runs)
        register_on_first_page(offer)
        register_runs(runs_of_site)
