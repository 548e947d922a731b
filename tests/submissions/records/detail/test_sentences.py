"""The sentences about one submission: what was measured, where, at which cost."""

from decimal import Decimal

import pytest

from submissions.models import Submission
from submissions.records.detail.sentences import description, finding, over_time_label, percentile_label


def submission(**facts):
    return Submission(
        **{
            "pk": 4,
            "service": "postgresql",
            "provider": "gce",
            "node_count": 3,
            "instance_type": "n2-standard-8",
            "throughput_ops_s": 90_748.0,
            "trials_count": 1,
            **facts,
        }
    )


PRICED = {"hourly_usd": Decimal("1.596"), "ops_per_usd": Decimal(204_694_736)}


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (
            {},
            "PostgreSQL on 3× n2-standard-8 · Google Cloud reached 90.7 k ops/s; the cluster cost is unknown. "
            "Single trial.",
        ),
        (
            {
                **PRICED,
                "latency_p99_at_most_ms": 4.0,
                "service_version": "16.2",
                "region": "europe-west1",
                "trials_count": 3,
            },
            "PostgreSQL 16.2 on 3× n2-standard-8 · Google Cloud europe-west1 reached 90.7 k ops/s at a p99 of 4.0 ms "
            "for $1.60/h: 205 M ops/$. 3 trials.",
        ),
        (
            {"cache_node_count": 1, "throughput_ops_s": None, "relative_throughput": 80.0, "relative_base": "1 = x"},
            "PostgreSQL on 3× n2-standard-8 with 1 cache node · Google Cloud is known only relative to a baseline: 80 "
            "(baseline: 1 = x). Relative results are never ranked.",
        ),
    ],
)
def test_the_finding_states_what_is_known_and_what_is_not(facts, sentence):
    assert finding(submission(**facts)) == sentence


def test_charts_and_previews_name_the_system_and_the_result():
    for words in (percentile_label(submission()), over_time_label(submission())):
        assert words.endswith("of result #4: PostgreSQL on 3× n2-standard-8 · Google Cloud.")
    assert description(submission()) == (
        "PostgreSQL on 3× n2-standard-8 · Google Cloud: throughput, latency and cost, benchmark result 4."
    )
