"""After anything that happens, at any time and in any order, figures are those of the rows.

WALK_STEPS=20000 walks longer than the suite does, WALK_SEED another way.
"""

import os
from collections import Counter
from random import Random

import pytest
from django.utils import timezone

from submissions.aggregates.boards import BOARDS, profiles_in
from submissions.aggregates.check import differences, site_differences
from submissions.aggregates.read import site_counts, states_of
from submissions.choices import NO_CAPACITY_FLAGS, PROVEN, UNSOUND_FLAGS
from submissions.models import Submission, WorkloadFigures
from submissions.questions.coverage.aggregate import COVERAGE
from submissions.questions.grid.aggregate import GRID
from submissions.questions.history.aggregate import HISTORY
from submissions.questions.recommend.aggregate import RECOMMEND
from submissions.questions.scaling.aggregate import SCALING
from submissions.questions.sizing.aggregate import SIZING
from submissions.records.aggregate import FACETS
from tests.submissions.aggregates.plain import plain_columns
from tests.submissions.aggregates.walk import Walk, lock_timeout

STEPS = int(os.environ.get("WALK_STEPS", "40"))
SEEDS = [int(os.environ["WALK_SEED"])] if "WALK_SEED" in os.environ else [1, 2, 3]
BETWEEN_CHECKS = 20
KINDS = (BOARDS, FACETS, SCALING, HISTORY, SIZING, RECOMMEND, GRID, COVERAGE)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.django_db(transaction=True)
def test_figures_are_those_of_the_rows_whatever_happens(seed):
    with lock_timeout():
        walk = Walk(Random(seed))
        for number in range(1, STEPS + 1):
            walk.step()
            if number % BETWEEN_CHECKS == 0 or number == STEPS:
                check(walk)

    assert sum(map(bool, walk.happened.values())) > len(walk.steps) / 2


def check(walk):
    for workload in walk.workloads:
        states_of(workload.pk, *KINDS)
        assert differences(workload.pk) == []
        check_against_plain_counts(workload)
    assert list(site_differences()) == []
    check_site_against_plain_counts(walk)


def check_site_against_plain_counts(walk):
    rows = [row for workload in walk.workloads for row in plain_published(workload) if row.throughput_ops_s is not None]
    for name in ("service", "provider", "instance_type", "region", "trust", "node_count", "workload"):
        prefix = f"{name}="
        counted = {key.removeprefix(prefix): n for key, n in site_counts(FACETS, prefix).items()}
        assert counted == Counter(facet_value(name, row) for row in rows), name


def facet_value(name, row):
    value = row.workload_id if name == "workload" else getattr(row, name)
    return "unknown" if value is None else str(value)


def check_against_plain_counts(workload):
    boards, facets, scaling, history, sizing, recommend, grid, coverage = states_of(workload.pk, *KINDS)
    columns = plain_columns(workload)
    assert WorkloadFigures.objects.values(*columns).get(pk=workload.pk) == columns
    published = plain_published(workload)
    with_rate = [row for row in published if row.throughput_ops_s is not None]
    ranked = [row for row in with_rate if is_ranked(row)]
    plain = [row for row in ranked if not is_mixed(row)]
    proven = sum(row.trust in PROVEN for row in ranked)

    assert columns["published"] == sum(grid.get("results", {}).values()) == len(published)
    assert columns["proven"] == sum(n for profile, n in profiles_in(boards) if profile.is_proven) == proven
    assert sum(n for n, *_ in facets.get("services", {}).values()) == len(with_rate)
    assert [state.get("proven", 0) for state in (scaling, history, sizing)] == [proven] * 3
    of_cells = [by_trust for by_trust in coverage.get("cells", {}).values() if by_trust]
    assert sum(n for by_trust in of_cells for n, _ in by_trust.values()) == len(ranked)
    dates = [row.measured_at.isoformat() for row in ranked if row.measured_at]
    assert max((at for by_trust in of_cells for _, at in by_trust.values()), default="") == max(dates, default="")
    sizes = scaling.get("sizes", {}).values()
    assert sum(size[0] for size in sizes) == sum(not row.cache_node_count for row in plain)
    dated = [row.measured_at for row in ranked if row.measured_at]
    assert sum(n for n, _ in history.get("lines", {}).values()) == len(dated)
    no_price_off = Counter(row.trust for row in plain if "stated_price_off" not in row.flags)
    assert {trust: n for trust, n in sizing.get("n", {}).items() if n} == no_price_off
    sound = [row for row in with_rate if is_in_turn(row) and not set(row.flags) & set(UNSOUND_FLAGS)]
    assert {trust: n for trust, n in recommend.get("n", {}).items() if n} == Counter(row.trust for row in sound)


def plain_published(workload):
    """By no condition of the site's own."""
    rows = list(Submission.objects.prefetch_related("node_groups"))
    open_rows = [row for row in rows if is_open(row)]
    superseded = {row.supersedes_id for row in open_rows}
    return [row for row in open_rows if row.pk not in superseded and row.workload_id == workload.pk]


def is_open(row):
    """The end of an embargo publishes, whatever the visibility."""
    is_public = row.visibility == "public" if row.embargo_until is None else row.embargo_until <= timezone.now()
    return is_public and not (row.retracted_at or row.hidden_at)


def is_in_turn(row):
    return not row.unranked_at and not (row.unranked_until and row.unranked_until > timezone.now())


def is_ranked(row):
    return is_in_turn(row) and not set(row.flags) & set(NO_CAPACITY_FLAGS)


def is_mixed(row):
    databases = [group for group in row.node_groups.all() if group.role == "database"]
    return any(group.instance_type != row.instance_type for group in databases)
