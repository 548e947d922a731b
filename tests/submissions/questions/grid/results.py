"""Results that a grid can compare, and its answers."""

from submissions.ingest.document.fingerprint import fingerprint_of
from tests.factories import SubmissionFactory, TrialFactory, WorkloadFactory

URL = "/compare/grid/"
API = "/api/v1/grid/"
JDKS = {"vary": "jdk", "rows": "instance_type", "subrows": "none", "columns": "replication_factor"}


def workload(**facts):
    form = {
        "service": "cassandra", "tool": "cassandra-stress", "operations": {"write": 1.0}, "command": None,
        "consistency_level": "ONE", "replication_factor": 3, "columns": 5, "value_bytes": 34,
        "key_distribution": None, "key_count": None, "load_mode": "threads", "duration": None, **facts,
    }  # fmt: skip
    return WorkloadFactory(fingerprint=fingerprint_of(form), canonical=form, title=str(facts))


def submission(rate, jdk="oracle", *, trials=(), relative=None, **facts):
    """With `trials`, the rate of each; `facts` of the workload are those of its canonical form."""
    asked = {name: facts.pop(name) for name in ("replication_factor", "key_count", "operations") if name in facts}
    made = SubmissionFactory(
        throughput_ops_s=None if relative else rate,
        relative_throughput=rate if relative else None,
        relative_base=relative or "",
        jdk_vendor=jdk,
        jdk_version=jdk and "8",
        workload=workload(**asked),
        trials_count=0 if trials else 1,
        **facts,
    )
    for index, figure in enumerate(trials):
        TrialFactory(submission=made, index=index, throughput_ops_s=figure)
    if trials:
        type(made).objects.filter(pk=made.pk).update(trials_count=len(trials))
    return made


def answer(client, **query):
    return client.get(API, query).json()


def percents(body):
    return {(*(cell[name] for name in body["rows"]), cell[body["columns"]]): cell["percent"] for cell in body["cells"]}
