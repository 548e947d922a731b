"""How likely an answer is to be reached again."""

import pytest

from submissions.choices import Flag, Trust
from tests.submissions.questions.recommend.results import cluster, workload
from tests.submissions.questions.recommend.test_api import ask

pytestmark = pytest.mark.django_db

BEST = {"usd": "0.50", "latency_p99_ms": 4.0, "service_version": "5.0.1"}
OTHERS = (100_000.0, 101_000.0, 102_000.0, 103_000.0, 104_000.0)


def likelihood_of_best(client, best):
    answers = ask(client, workload=best.workload.fingerprint)["answers"]
    return next(each["likelihood"] for each in answers if each["submission"] == best.pk)


def test_a_likelihood_knows_that_its_result_is_the_best_of_many_on_the_same_machines(client):
    """The others have other versions, and all but the same throughput."""
    best = cluster(109_500.0, 110_500.0, **BEST)
    alone = likelihood_of_best(client, best)
    for number, rate in enumerate(OTHERS):
        cluster(rate, rate * 1.01, **{**BEST, "service_version": f"4.1.{number}"})

    assert likelihood_of_best(client, best) < alone - 0.1


@pytest.mark.parametrize(
    "other",
    [
        {"nodes": 6},
        {"instance_type": "other.large"},
        {"trust": Trust.UPLOADED},
        {"flags": [Flag.THROTTLED]},
        {"workload": ("elsewhere", {"read": 0.4, "update": 0.6})},
    ],
)
def test_what_ran_on_other_machines_or_does_not_count_does_not_change_a_likelihood(client, other):
    best = cluster(109_500.0, 110_500.0, **BEST)
    more = {**BEST, "usd": "2.00", **other}
    if "workload" in more:
        more["workload"] = workload(*more["workload"])
    alone = likelihood_of_best(client, best)
    for number, rate in enumerate(OTHERS):
        cluster(rate, rate * 1.01, **{**more, "service_version": f"4.1.{number}"})

    assert likelihood_of_best(client, best) >= alone - 0.05


def test_the_best_p99_of_many_on_the_same_machines_is_less_likely_to_be_kept(client):
    best = cluster(400_000.0, 400_500.0, **{**BEST, "latency_p99_ms": 8.5})
    alone = likelihood_of_best(client, best)
    for number in range(5):
        version = {"service_version": f"4.1.{number}", "latency_p99_ms": 10.0 + number / 10}
        cluster(399_000.0, 399_500.0, **{**BEST, **version})

    assert likelihood_of_best(client, best) < alone - 0.1
