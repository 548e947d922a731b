"""What hosts did on the time axis of a trial: where it begins, what lies outside, what has no axis."""

from datetime import UTC, datetime

from submissions.analysis.curves.interval_curves import TrialCurve, client_curve
from submissions.analysis.curves.steady_state import Row
from submissions.analysis.host_metrics.host_activity import TrialActivity
from submissions.models import Trial
from submissions.records.curves.activity_series import ActivityPoint, activity_series


def printed(*ends_of_clients):
    rows = ([Row(end, None, None, None, None) for end in ends] for ends in ends_of_clients)
    return TrialCurve(0, tuple(map(client_curve, rows)))


PRINTED = printed((1.0, 4.0), (3.9,))
ACTIVITY = TrialActivity(0, 1000.0, 1, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (), (0.0, 0.0, 0.0, 1.0, 1.0, 1.0))


def test_a_load_tool_that_does_not_say_when_it_began_ended_with_its_samples():
    [found] = activity_series([ACTIVITY], [PRINTED], [Trial(index=0)])

    assert (found.name, found.number) == ("trial 1", 0)
    assert found.elapsed_seconds == [1.0, 2.0, 3.0, 4.0]
    assert found.client_cpu_percent == (3.0, 4.0, 5.0, 6.0)
    assert found.gc_ms_s == ()
    assert found.compactions == (0.0, 1.0, 1.0, 1.0)
    assert next(found.points) == ActivityPoint(1.0, 3.0, None, 0.0)


def test_a_load_tool_that_says_when_it_began_is_believed():
    began = datetime.fromtimestamp(1000.5, UTC)

    [found] = activity_series([ACTIVITY], [PRINTED], [Trial(index=0, started_at=began)])

    assert found.elapsed_seconds == [0.5, 1.5, 2.5, 3.5, 4.5]
    assert found.client_cpu_percent == (1.0, 2.0, 3.0, 4.0, 5.0)


def test_a_trial_without_intervals_has_no_axis():
    assert activity_series([ACTIVITY], [], [Trial(index=0)]) == ()
    assert activity_series([ACTIVITY], [printed(())], []) == ()
    assert activity_series([], [PRINTED], []) == ()
