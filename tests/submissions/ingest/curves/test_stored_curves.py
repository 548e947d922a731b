"""Charts need no interval file: its curves are stored with it, those of older files in the background."""

import pytest
from django.core.files.storage import default_storage

from submissions.choices import ArtifactKind
from submissions.ingest.curves import interval_curves, stored_curves
from submissions.ingest.curves.stored_curves import fill_slice
from submissions.models import Artifact, IntervalCurves, Submission
from submissions.moderation.removal import remove_bytes
from tests.factories import ArtifactFactory, UserFactory
from tests.submissions.caller import Caller
from tests.submissions.logs import LOGS, QUORUM, form, log

pytestmark = pytest.mark.django_db

CURVE = LOGS / "cs50-09-auto-threads.log"


@pytest.fixture
def caller(client):
    return Caller(client, UserFactory())


def uploaded(caller, path=QUORUM):
    body = caller.upload(form(log(path))).json()["submissions"][0]
    return Submission.objects.get(pk=body["id"])


def file_of(submission):
    return submission.artifacts.get(kind=ArtifactKind.INTERVALS)


def lose_file(submission):
    default_storage.delete(file_of(submission).storage_name)


def figures(response):
    return [chart.figure for chart in response.context["charts"]]


def stored():
    return {row.artifact_id: (row.format, bytes(row.content)) for row in IntervalCurves.objects.all()}


def test_pages_draw_their_charts_without_the_file(caller, client):
    one, other = uploaded(caller), uploaded(caller, LOGS / "cs40a2-01-write-node41.log")
    addresses = [one.get_absolute_url() + "?from=5&to=20", f"/compare/?s={one.pk}&s={other.pk}"]
    IntervalCurves.objects.all().delete()
    of_files = [figures(client.get(address)) for address in addresses]
    fill_slice()
    for submission in (one, other):
        lose_file(submission)

    of_curves = [figures(client.get(f"{address}&x=1")) for address in addresses]

    assert of_curves == of_files
    assert all(figure["data"] for figure in of_curves[0])
    chart = client.get("/api/v1/chart/", {"page": addresses[0], "key": "intervals-chart", "figure": "true"})
    assert chart.status_code == 200


def test_what_is_uploaded_has_its_curves_at_once(caller, client):
    submission = uploaded(caller)
    lose_file(submission)

    response = client.get(submission.get_absolute_url())

    assert [trace["name"] for trace in figures(response)[-1]["data"]] == ["trial 1", "trial 1"]
    assert "MSER-5 needs 50 intervals" in response.content.decode()


def test_the_background_makes_what_storing_makes(caller):
    for path in (QUORUM, CURVE):
        uploaded(caller, path)
    at_once = stored()
    IntervalCurves.objects.all().delete()

    assert fill_slice() == max(at_once)
    assert stored() == at_once
    assert len(at_once) == 2


def test_it_can_be_repeated_and_cut_off(caller, monkeypatch):
    for path in (QUORUM, CURVE, LOGS / "cs40a2-01-write-node41.log"):
        uploaded(caller, path)
    everything = stored()
    IntervalCurves.objects.all().delete()
    monkeypatch.setattr(stored_curves, "SLICE_SECONDS", 0)

    after, counts = 0, []
    while after is not None:
        after = fill_slice(after)
        counts.append(IntervalCurves.objects.count())

    assert counts == [1, 2, 3, 3]
    assert fill_slice() is None
    assert stored() == everything


def test_a_lost_and_a_damaged_file_hold_up_no_other(caller):
    ArtifactFactory(kind=ArtifactKind.INTERVALS, name="intervals.json.gz", content=b"no gzip")
    lost = ArtifactFactory(kind=ArtifactKind.INTERVALS, name="intervals.json.gz", content=b"lost")
    default_storage.delete(lost.storage_name)
    whole = file_of(uploaded(caller))
    IntervalCurves.objects.all().delete()

    assert fill_slice() == whole.pk
    assert list(stored()) == [whole.pk]


def test_curves_of_another_version_of_the_site_are_made_again(caller, client):
    submission = uploaded(caller)
    right = stored()
    IntervalCurves.objects.update(format=0, content=b"of another version")

    assert client.get(submission.get_absolute_url()).status_code == 200
    fill_slice()

    assert stored() == right


def test_a_file_that_is_too_long_for_a_worker_is_not_tried_again(caller, client, monkeypatch):
    submission = uploaded(caller)
    IntervalCurves.objects.all().delete()
    monkeypatch.setattr(stored_curves, "MOST_BYTES", 100)

    assert fill_slice() is not None
    assert fill_slice() is None
    assert "cannot be drawn here" in client.get(submission.get_absolute_url()).content.decode()


def test_curves_of_what_a_moderator_took_away_do_not_come_back(caller, monkeypatch):
    submission = uploaded(caller)
    IntervalCurves.objects.all().delete()
    make = stored_curves.curves_of_file

    def taken_away_meanwhile(*args):
        curves = make(*args)
        remove_bytes(submission)
        return curves

    monkeypatch.setattr(stored_curves, "curves_of_file", taken_away_meanwhile)

    fill_slice()

    assert Artifact.objects.filter(removed_at__isnull=False).exists()
    assert stored() == {}


def test_of_a_load_curve_the_trials_of_its_peak_have_curves(caller):
    submission = uploaded(caller, CURVE)

    trials = interval_curves.unpacked(file_of(submission).curves.content).trials

    assert [trial.index for trial in trials] == [
        trial.index for trial in submission.trials.repetitions().order_by("index")
    ]
    assert submission.trials.count() > len(trials)
