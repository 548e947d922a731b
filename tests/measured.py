"""Submissions made from the throughputs of their trials."""

from typing import Any

from submissions.models import Submission
from tests.factories import SubmissionFactory, TrialFactory


def measured(*rates: float, **fields: Any) -> Submission:
    """A submission with these trials."""
    mean = sum(rates) / len(rates)
    row = SubmissionFactory(throughput_ops_s=mean, trials_count=0, **fields)
    for index, rate in enumerate(rates):
        TrialFactory(submission=row, index=index, throughput_ops_s=rate)
    row.trials_count = len(rates)
    row.save(update_fields=["trials_count"])
    return row
