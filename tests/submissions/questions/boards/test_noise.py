"""Which results are compared round by round."""

from datetime import UTC, datetime, timedelta

from submissions.models import Submission, Trial
from submissions.questions.boards.noise import series_of


def trials(starts=3, unknown=0):
    begin = datetime(2026, 11, 23, tzinfo=UTC)
    return [Trial(started_at=begin + timedelta(minutes=place) if place >= unknown else None) for place in range(starts)]


def test_what_was_measured_in_turns_on_the_same_systems_is():
    assert series_of(Submission(series="jdks on two hosts", submitted_by_id=1), trials()).key == "1 jdks on two hosts"


def test_without_the_start_of_every_trial_nothing_is():
    assert series_of(Submission(series="jdks", submitted_by_id=1), trials(unknown=1)) is None
    assert series_of(Submission(series="", submitted_by_id=1), trials()) is None


def test_runs_of_the_sites_own_series_are_launches_of_their_own():
    assert series_of(Submission(series="series-7", submitted_by_id=1), trials()) is None
