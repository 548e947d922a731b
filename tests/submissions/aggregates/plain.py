"""Figures of a workload, counted by the ORM from its rows."""

from django.db.models import Max

from submissions.choices import PROVEN, Trust
from submissions.models import Submission


def plain_columns(workload):
    """Those of WorkloadFigures."""
    published = Submission.objects.published().filter(workload=workload).order_by()
    ranked = Submission.objects.rankable().filter(workload=workload).order_by()
    valued = ranked.priced().trust_filtered(None)
    return {
        "published": published.count(),
        "providers": published.values("provider").distinct().count(),
        "instance_types": published.values("instance_type").distinct().count(),
        "newest": published.aggregate(newest=Max("measured_at"))["newest"],
        "proven": ranked.filter(trust__in=PROVEN).count(),
        "valued": valued.count(),
        "machine_types": valued.values("provider", "instance_type").distinct().count(),
        **{f"priced_{trust}": ranked.priced().filter(trust=trust).count() for trust in Trust},
    }
