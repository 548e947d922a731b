"""The API of series and schedules: orders in, cells out, and who may."""

import pytest

from runners.models import Run, Schedule, Series
from runners.series import progress
from tests.factories import UserFactory, bearer
from tests.runners.fake_runs import PLAN
from tests.runners.series.orders import body, drive_series, finish, stored

pytestmark = pytest.mark.django_db
URL = "/api/v1/series/"
SCHEDULES = "/api/v1/schedules/"


@pytest.fixture(autouse=True)
def site(make_run, settings):
    settings.RUNS_NEED_PERMISSION = False
    return make_run


def post(client, url, content=None, **headers):
    return client.post(url, content or {}, content_type="application/json", **headers)


def test_an_order_starts_a_series(client):
    answer = post(client, URL, body(), **bearer(scopes=["run"]))
    content = answer.json()

    assert answer.status_code == 201, content
    assert answer.headers["Location"] == content["url"]
    assert (content["status"], content["order"]) == ("queued", "interleaved")
    assert [(cell["values"], cell["run"], cell["status"]) for cell in content["cells"][:2]] == [
        ({"workload.threads": 8}, None, "queued"),
        ({"workload.threads": 16}, None, "queued"),
    ]


def test_a_refusal_names_the_value_and_stores_nothing(client):
    order = body(vary=[{"field": "workload.threads", "values": [8, 0]}])
    answer = post(client, URL, order, **bearer(scopes=["run"]))

    assert answer.status_code == 400
    assert [fault["pointer"] for fault in answer.json()["errors"]] == ["#/vary/0/values/1"]
    assert not Series.objects.exists()


def test_an_estimate_stores_nothing(client):
    answer = post(client, f"{URL}estimate/", body(), **bearer(scopes=["run"]))

    assert (answer.status_code, len(answer.json()["cells"]), answer.json()["runs"]) == (200, 2, 4)
    assert not Series.objects.exists()


def test_only_who_may_start_runs_starts_a_series(client, settings):
    assert post(client, URL, body()).status_code == 401
    assert post(client, URL, body(), **bearer(scopes=["submit"])).status_code == 403
    settings.RUNS_NEED_PERMISSION = True
    assert post(client, URL, body(), **bearer(scopes=["run"])).status_code == 403
    assert not Series.objects.exists()


def test_only_its_owner_cancels_it_and_runs_cells_again(client):
    series = stored()
    progress.advance(series.pk)
    own, other = bearer(series.owner, scopes=["run"]), bearer(UserFactory(), scopes=["run"])

    for what in ("cancel", "again"):
        assert post(client, f"{URL}{series.pk}/{what}/", **other).status_code == 403
    assert post(client, f"{URL}{series.pk}/again/", **own).status_code == 400  # it is still open
    assert post(client, f"{URL}{series.pk}/cancel/", **own).status_code == 202
    finish(Run.objects.get())
    drive_series(series)
    assert client.get(f"{URL}{series.pk}/").json()["status"] == "cancelled"

    assert post(client, f"{URL}{series.pk}/again/", {"whole_rounds": "yes"}, **own).status_code == 400
    answer = post(client, f"{URL}{series.pk}/again/", **own)
    assert (answer.status_code, answer.json()["status"]) == (202, "queued")


def test_a_private_series_and_its_runs_are_its_owners(client):
    series = drive_series(stored(visibility="private", repetitions=1))
    own = bearer(series.owner, scopes=["run"])

    assert client.get(f"{URL}{series.pk}/").status_code == 404
    assert client.get(URL).json()["results"] == []
    answer = client.get(f"{URL}{series.pk}/", **own)
    assert "no-store" in answer.headers["Cache-Control"]
    assert {run.visibility for run in Run.objects.all()} == {"private"}
    assert {run.submission.visibility for run in Run.objects.all()} == {"private"}


def test_a_result_that_was_hidden_is_in_no_answer_of_its_series(client):
    series = drive_series(stored(repetitions=1))
    result = Run.objects.first().submission
    result.hidden_at = series.created_at
    result.save()

    assert result.pk not in [cell["submission"] for cell in client.get(f"{URL}{series.pk}/").json()["cells"]]


def test_the_receipt_is_the_sum_of_all_runs(client):
    series = drive_series(stored(repetitions=1))
    Run.objects.update(receipt={"total_usd": "0.25", "missing": "", "left": 0})
    receipt = client.get(f"{URL}{series.pk}/").json()["receipt"]
    assert (receipt["total_usd"], receipt["runs"]) == ("0.5", 2)

    Run.objects.filter(pk=Run.objects.first().pk).update(
        receipt={"total_usd": None, "missing": "the price of m5.large", "left": 0}
    )
    receipt = client.get(f"{URL}{series.pk}/").json()["receipt"]
    assert (receipt["total_usd"], receipt["missing"]) == (None, "the price of m5.large")


def test_a_schedule_is_its_owners_alone(client):
    order = {"plan": {**PLAN, "max_usd": "2"}, "every": "week", "weekday": 2, "hour": 3, "max_usd_month": "50"}
    own, other = bearer(UserFactory(), scopes=["run"]), bearer(UserFactory(), scopes=["run"])
    answer = post(client, SCHEDULES, order, **own)
    assert (answer.status_code, answer.json()["weekday"]) == (201, 2), answer.json()
    address = f"{SCHEDULES}{answer.json()['id']}/"

    assert client.get(SCHEDULES).status_code == 401
    assert client.get(SCHEDULES, **other).json()["results"] == []
    assert client.get(address, **other).status_code == 404
    assert client.delete(address, **other).status_code == 404
    assert post(client, f"{address}pause/", **other).status_code == 404

    assert post(client, f"{address}pause/", **own).json()["paused_at"]
    assert post(client, f"{address}resume/", **own).json()["paused_at"] is None
    assert len(client.get(SCHEDULES, **own).json()["results"]) == 1
    assert client.delete(address, **own).status_code == 204
    assert not Schedule.objects.exists()
