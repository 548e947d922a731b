"""A kind of figures for tests: how many published results there are, and their rates."""

from submissions.aggregates.kinds import Kind
from submissions.models import Submission


class Counting(Kind):
    name = "counting"
    code = "1"

    def rows(self, submissions):
        published = Submission.objects.using(submissions.db).published() & submissions
        return published.order_by().values_list("provider", "throughput_ops_s")

    def add(self, state, row):
        provider, _ = row
        state[provider] = state.get(provider, 0) + 1

    def columns(self, state):
        return {"published": sum(state.values())}

    def site_counts(self, state):
        return {f"provider={provider}": n for provider, n in state.items()}


COUNTING = Counting()
