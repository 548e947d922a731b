"""Figures of boards, groups and noise against plain queries of the same rows."""

import random
from collections import Counter
from itertools import product
from math import log
from statistics import fmean, variance

import pytest
from django.db.models import Q
from django.utils import timezone

from submissions.aggregates.boards import BOARDS, profiles_in
from submissions.aggregates.check import differences
from submissions.aggregates.groups import COLUMNS, best_of_groups
from submissions.aggregates.profile import ProfileCount, profile_query
from submissions.aggregates.read import states_of
from submissions.aggregates.workloads import beside, levels_in, with_proven
from submissions.choices import PROVEN, LatencyKind, Role, Trust
from submissions.ingest.checks.noise import noise_books
from submissions.metrics import LATENCY_P99, OPS_PER_USD, THROUGHPUT
from submissions.models import NodeGroup, Submission, Trial, WorkloadFigures, has_mixed_machines
from tests.factories import NodeGroupFactory, SubmissionFactory, WorkloadFactory
from tests.submissions.aggregates.plain import plain_columns
from tests.submissions.aggregates.random_rows import random_row

pytestmark = pytest.mark.django_db

ROWS = 80
FILTERS = (None, *Trust)


@pytest.fixture
def workload():
    """With rows that were counted one after the other, and others that superseded some."""
    dice = random.Random(5)
    workloads = [WorkloadFactory(title=f"workload {number}") for number in range(2)]
    without_rate = {"throughput_ops_s": None, "relative_throughput": 1.5, "trust": Trust.HISTORICAL}
    SubmissionFactory(workload=workloads[0], **without_rate, cache_node_count=2, measured_at=None, latency_p99_ms=0.0)
    mixed = SubmissionFactory(workload=workloads[0], latency_p99_ms=None)
    NodeGroupFactory(submission=mixed, position=2, role=Role.DATABASE, instance_type="other")
    rows = []
    for number in range(ROWS):
        rows.append(random_row(dice, workloads))
        if number % 7 == 0:
            states_of(workloads[0].pk, BOARDS)
        if number % 20 == 19:
            Submission.objects.filter(pk=rows[-1].pk).update(supersedes=rows[0].pk)
            rows.pop(0)
    return workloads[0]


def test_columns_are_plain_counts(workload):
    states_of(workload.pk, BOARDS)

    plain = plain_columns(workload)
    assert WorkloadFigures.objects.values(*plain).get(pk=workload.pk) == plain
    assert plain["published"] > 10
    assert plain["valued"] > 0
    assert differences(workload.pk) == []


def test_a_profile_says_what_the_querysets_select(workload):
    """The conditions in SQL, which list and rank rows, and those of profiles are the same."""
    of_workload = Submission.objects.with_retracted().filter(workload=workload)
    selections = {
        "is_rankable": Submission.objects.rankable(),
        "is_valued": Submission.objects.rankable().priced(),
        "is_proven": Submission.objects.rankable().filter(trust__in=PROVEN),
        "is_relative": Submission.objects.filter(throughput_ops_s=None),
        "has_mixed_machines": Submission.objects.filter(has_mixed_machines()),
        "has_p99": Submission.objects.filter(latency_p99_at_most_ms__isnull=False),
        "has_positive_p99": Submission.objects.filter(latency_p99_at_most_ms__gt=0),
        "has_caches": Submission.objects.filter(cache_node_count__gt=0),
        "is_undated": Submission.objects.filter(measured_at=None),
    }
    for name, selected in selections.items():
        is_selected = Q(pk__in=selected.values("pk"))
        counts = [ProfileCount.of(row) for row in profile_query(of_workload, is_selected)]
        assert {getattr(count.profile, name) for count in counts} == {True, False}, name
        assert [count for count in counts if getattr(count.profile, name) != count.conditions[0]] == [], name


def test_boards_know_how_the_machines_were_bought(workload):
    (state,) = states_of(workload.pk, BOARDS)

    plain = Counter()
    for row in Submission.objects.with_retracted().filter(workload=workload):
        models = set(
            NodeGroup.objects.filter(submission=row, role__in=Role.SYSTEM_UNDER_TEST).values_list(
                "pricing_model", flat=True
            )
        )
        plain["mixed" if len(models) > 1 else models.pop()] += 1
    counted = Counter()
    for profile, n in profiles_in(state):
        counted[profile.bought] += n
    assert counted == plain
    assert len(plain) > 2


def test_groups_are_those_of_the_rows(workload):
    for by, metric in product(COLUMNS, (THROUGHPUT, OPS_PER_USD, LATENCY_P99)):
        check_groups(workload, by, metric)


def check_groups(workload, by, metric):
    for trust in FILTERS:
        for kind in (LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME) if metric == LATENCY_P99 else (None,):
            rows = Submission.objects.rankable().filter(workload=workload).trust_filtered(trust)
            if metric == OPS_PER_USD:
                rows = rows.priced()
            elif kind:
                rows = rows.filter(latency_kind=kind, latency_p99_at_most_ms__gt=0)
            groups = {}
            for row in rows:
                groups.setdefault(tuple(getattr(row, column) for column in COLUMNS[by]), []).append(row)
            sign = 1 if metric.higher_is_better else -1
            plain = []
            for own in groups.values():
                best = max(own, key=lambda row: (sign * getattr(row, metric.column), row.pk))
                plain.append((len(own), best.pk, sign * getattr(best, metric.column)))

            stored = best_of_groups(workload.pk, by, metric, trust, kind)

            assert [(group.n, group.best_id, group.figure) for group in stored] == sorted(
                plain, key=lambda group: (-group[2], group[1])
            )
            if metric == OPS_PER_USD:
                worst = {min(row.ops_per_usd for row in own) for own in groups.values()}
                assert {group.worst_value for group in stored} == worst


def test_groups_of_other_columns_are_not_counted(workload):
    assert best_of_groups(workload.pk, "cpu_model", THROUGHPUT, None) is None
    assert best_of_groups(workload.pk, "provider", LATENCY_P99, None, LatencyKind.UNKNOWN) is None


@pytest.fixture
def repeated():
    """A workload with runs of few configurations, counted one after the other."""
    dice = random.Random(3)
    workload = WorkloadFactory(title="repeated")
    for number in range(24):
        SubmissionFactory(
            workload=workload,
            instance_type=dice.choice(("m5.xlarge", "m5.large")),
            trust=dice.choice((Trust.HISTORICAL, Trust.UPLOADED, Trust.LOG_VERIFIED, Trust.REPRODUCED)),
            throughput_ops_s=dice.uniform(900, 1100),
            latency_kind=dice.choice(list(LatencyKind)),
            latency_p99_ms=dice.choice((None, 0.0, dice.uniform(1, 50), dice.uniform(1, 50))),
            trials_count=dice.choice((1, 3)),
            averaged_over=dice.choice((None, 5)),
            retracted_at=dice.choice((None,) * 9 + (timezone.now(),)),
        )
        if number % 5 == 0:
            noise_books([workload.pk], LatencyKind.UNKNOWN)
    for trial in Trial.objects.all():
        trial.throughput_ops_s, trial.latency_p99_ms = dice.uniform(900, 1100), dice.uniform(1, 50)
        trial.save()
    return workload


def test_noise_is_that_of_the_runs_and_of_their_trials(repeated):
    assert all(_has_noise(repeated, kind) for kind in LatencyKind)
    assert differences(repeated.pk) == []


def _has_noise(workload, kind):
    counted = {None: set(PROVEN), Trust.UPLOADED: {Trust.UPLOADED, *PROVEN}, Trust.HISTORICAL: {Trust.HISTORICAL}}
    book = noise_books([workload.pk], kind)[workload.pk]
    seen = 0
    for trust_filter, levels in counted.items():
        rows = list(Submission.objects.rankable().filter(workload=workload, trust__in=levels))
        noise = book.of_trust_filter(trust_filter)
        assert noise.throughput.configurations == len({row.configuration for row in rows})
        for metric, stored, of_row in (
            ("throughput_ops_s", noise.throughput, lambda row: row.throughput_ops_s),
            (
                "latency_p99_ms",
                noise.latency_p99,
                lambda row: row.latency_p99_at_most_ms if row.latency_kind == kind else None,
            ),
        ):
            runs = {}
            for row in rows:
                if of_row(row):
                    repetitions = row.averaged_over or max(row.trials_count, 1)
                    runs.setdefault(row.configuration, []).append((log(of_row(row)), 1 / repetitions))
            runs = [own for own in runs.values() if len(own) > 1]
            freedom = sum(len(own) - 1 for own in runs)
            square = sum((len(own) - 1) * variance(x for x, _ in own) for own in runs)
            seen += freedom
            if freedom:
                share = sum((len(own) - 1) * fmean(share for _, share in own) for own in runs)
                assert stored.of_runs.freedom == freedom
                assert stored.of_runs.sd == pytest.approx((square / freedom) ** 0.5)
                assert stored.trials == pytest.approx(freedom / share)
            else:
                assert stored.of_runs is None
            trials = {}
            repeated = [row.pk for row in rows if row.trials_count > 1 and not row.averaged_over]
            for trial in Trial.objects.repetitions().filter(submission__in=repeated):
                figure = getattr(trial, metric)
                if figure and (metric == "throughput_ops_s" or trial.latency_kind == kind):
                    trials.setdefault(trial.submission_id, []).append(log(figure))
            square = sum((len(own) - 1) * variance(own) for own in trials.values() if len(own) > 1)
            freedom = sum(len(own) - 1 for own in trials.values())
            if square > 1e-20:
                assert stored.of_trials.freedom == freedom
                assert stored.of_trials.sd == pytest.approx((square / freedom) ** 0.5)
            else:
                assert stored.of_trials is None
    return seen > 0


def test_a_run_is_taken_out_of_the_noise_of_its_configuration_when_it_is_retracted():
    first, second, third = (SubmissionFactory(throughput_ops_s=rate) for rate in (1000.0, 1100.0, 1500.0))
    workload = first.workload_id
    noise_books([workload], LatencyKind.UNKNOWN)
    SubmissionFactory(workload=first.workload, throughput_ops_s=900.0)

    Submission.objects.filter(pk__in=[second.pk, third.pk]).update(retracted_at=timezone.now())

    noise = noise_books([workload], LatencyKind.UNKNOWN)[workload].of_trust_filter(None).throughput
    assert noise.of_runs.freedom == 1
    assert noise.of_runs.sd == pytest.approx(variance([log(1000), log(900)]) ** 0.5)
    assert differences(workload) == []


def test_levels_and_order_of_workloads(workload):
    other = WorkloadFactory(title="articles alone")
    article = SubmissionFactory(workload=other, trust=Trust.HISTORICAL)
    ranked = Submission.objects.rankable().filter(workload=workload)

    assert with_proven([workload.pk, other.pk]) == {workload.pk}
    assert set(levels_in(workload.pk, None)) == set(PROVEN)
    assert set(levels_in(other.pk, None)) == {Trust.HISTORICAL, *PROVEN}
    assert levels_in(other.pk, Trust.HISTORICAL) == (Trust.HISTORICAL,)
    assert set(levels_in(workload.pk, Trust.UPLOADED)) == {Trust.UPLOADED, *PROVEN}
    assert beside(article).published == 0
    assert beside(ranked[0]).published == Submission.objects.published().filter(workload=workload).count() - 1
