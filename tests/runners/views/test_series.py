"""The pages of series and schedules: the form, the report, who sees which buttons."""

import csv
import io
import re
from decimal import Decimal

import pytest

from runners import lifecycle
from runners.models import Run, Schedule, Series
from runners.providers.fake import FakeJob
from runners.series import progress
from runners.series.form import SeriesForm
from runners.series.presets import READY
from submissions.models import Submission
from tests.files import stress_log
from tests.pages import links
from tests.queries import queries_of
from tests.runners.series.orders import body, finish, stored

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def site(make_run, settings):
    settings.RUNS_NEED_PERMISSION = False
    return make_run


@pytest.fixture
def measured(cloud):
    """A series whose runs measured something each: 8 threads do less than 16."""
    series = stored(repetitions=3)
    log = stress_log("cs40a2-03-netns").read_bytes()
    number = 0
    while not series.is_final:
        progress.advance(series.pk)
        for run in Run.objects.open().filter(series_cell__series=series):
            number += 1
            cloud.plan["trial-0"] = FakeJob(log.replace(b"236.8 ms", f"236.{number} ms".encode()))
            finish(run)
            rate = run.plan["workload"]["threads"] * 1000.0 * (1 + number / 200)
            Submission.objects.filter(runs=run).update(throughput_ops_s=rate, hourly_usd=Decimal("0.576"))
        series.refresh_from_db()
    return series


def text_of(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_the_report_says_who_leads_by_round(client, measured):
    response = client.get(measured.get_absolute_url())
    text = text_of(response)

    assert response.status_code == 200
    assert "Threads 16 is the fastest" in text
    assert "faster than threads 8, conclusive (compared round by round, 3 rounds)" in text
    assert "offers the best value" in text
    assert f"Benchsite, series {measured.pk}." in text
    assert "@misc{benchsite-series" in text
    assert "6 of 6 runs have ended" in text
    for run in Run.objects.all():
        assert run.get_absolute_url() in links(response)
        assert run.submission.get_absolute_url() in links(response)


def test_the_reference_can_be_another_cell(client, measured):
    text = text_of(client.get(measured.get_absolute_url() + "?against=2"))

    assert "Against threads 16" in text
    assert client.get(measured.get_absolute_url() + "?against=nonsense").status_code == 200


def test_the_csv_has_a_line_for_each_run(client, measured):
    response = client.get(f"/series/{measured.pk}/csv/")
    rows = list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))

    assert [row["status"] for row in rows] == ["succeeded"] * 6
    assert [row["cell"] for row in rows] == ["1", "2", "2", "1", "1", "2"]
    assert all(float(row["throughput_ops_s"]) > 0 for row in rows)


def test_a_report_takes_no_more_queries_for_more_runs(client, measured):
    def queries():
        return queries_of(lambda: client.get(measured.get_absolute_url()))

    queries()
    of_six = queries()
    measured.cells.filter(repetition=3).delete()

    assert queries() == of_six


def test_two_facts_make_a_matrix_and_nodes_a_scaling_chart(client):
    vary = [{"field": "database.count", "values": [3, 6]}, {"field": "workload.threads", "values": [8, 16]}]
    series = stored(repetitions=1, vary=vary)
    while not series.is_final:
        progress.advance(series.pk)
        for run in Run.objects.open().filter(series_cell__series=series):
            finish(run)
            rate = run.plan["database"]["count"] * 1000.0
            Submission.objects.filter(runs=run).update(throughput_ops_s=rate)
        series.refresh_from_db()
    text = text_of(client.get(series.get_absolute_url()))

    assert "Matrix" in text
    assert "Scaling" in text
    assert "scaling efficiency" in text


def test_a_series_without_a_result_says_so(client):
    series = stored()

    assert "The series is waiting for its first run." in text_of(client.get(series.get_absolute_url()))
    assert 'hx-trigger="every' in client.get(f"/series/{series.pk}/live/").content.decode()


def test_only_its_owner_has_the_buttons_and_they_work(client):
    series = stored()
    progress.advance(series.pk)
    address = series.get_absolute_url()
    assert "Cancel the series" not in client.get(address).content.decode()
    assert client.post(f"{address}cancel/").status_code == 302  # to sign in
    series.refresh_from_db()
    assert series.cancel_requested_at is None

    client.force_login(series.owner)
    assert "Cancel the series" in client.get(address).content.decode()
    client.post(f"{address}cancel/")
    finish(Run.objects.get())
    progress.advance(series.pk)
    assert "Run the missing ones again" in client.get(address).content.decode()
    client.post(f"{address}again/", {"whole_rounds": "1"})
    series.refresh_from_db()
    assert (series.status, series.cells.filter(is_current=True, round__gt=2).count()) == ("queued", 4)


def test_a_private_series_is_its_owners(client):
    series = stored(visibility="private")
    for address in ("", "live/", "csv/"):
        assert client.get(f"{series.get_absolute_url()}{address}").status_code == 404
    assert series.title not in client.get("/series/").content.decode()

    client.force_login(series.owner)
    response = client.get(series.get_absolute_url())
    assert "no-store" in response.headers["Cache-Control"]


def test_the_form_estimates_and_then_starts(admin_client):
    order = body()
    order["plan"]["title"] = "Threads & rounds"
    sent = {**SeriesForm.initial_of({**order, "order": "interleaved"}), "visibility": "public"}

    form = admin_client.get("/series/new/").content.decode()
    assert "Alternating (recommended): A B C, C B A" in form
    assert "Runs start one after another; a run that could exceed the budget does not start." in form
    estimate = admin_client.post("/series/new/", {**sent, "estimate": "1"})
    assert "threads 16" in estimate.content.decode()
    assert not Series.objects.exists()

    answer = admin_client.post("/series/new/", {**sent, "start": "1"})
    series = Series.objects.get()
    assert answer["Location"] == series.get_absolute_url()
    assert series.vary == [{"fields": ["workload.threads"], "values": [[8], [16]]}]
    assert series.title == "Threads & rounds"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"plan": "{"}, "This is not JSON"),
        ({"plan": "[]"}, "must be a JSON object"),
        ({"vary": "workload.threads"}, "is not a list of values"),
        ({"vary": "workload.threads: 8 | 0"}, "#/vary/0/values/1"),
        ({"max_minutes": "1"}, "#/max_minutes"),
    ],
)
def test_a_form_that_cannot_start_says_why(admin_client, changes, words):
    sent = {**SeriesForm.initial_of({**body(), "order": "interleaved"}), "visibility": "public", **changes}
    response = admin_client.post("/series/new/", {**sent, "start": "1"})

    assert response.status_code == 400
    assert words in response.content.decode()
    assert not Series.objects.exists()


def test_a_series_fills_in_the_form_again(client):
    series = stored(vary=[{"field": "provider+trials", "values": [["fake", 1], ["fake", 2]]}])

    content = client.get(f"/series/new/?like={series.pk}").content.decode()
    assert "provider + trials: [&quot;fake&quot;, 1] | [&quot;fake&quot;, 2]" in content


@pytest.mark.parametrize("ready", READY, ids=lambda ready: ready.slug)
def test_a_ready_series_survives_its_form_and_is_an_order(ready):
    from runners.series.order import combinations_of, order_from

    form = SeriesForm({**SeriesForm.initial_of(ready.order), "order": "interleaved"})

    assert form.is_valid(), form.errors
    cells = combinations_of(order_from(form.content()))
    assert [cell.content for cell in cells] == [cell.content for cell in combinations_of(order_from(ready.order))]


def test_a_schedule_of_a_run_is_set_paused_and_deleted(client):
    run = Run.objects.get(pk=stored_run().pk)
    client.force_login(run.owner)
    sent = {"kind": "run", "number": run.pk, "every": "week", "weekday": 2, "hour": 3, "max_usd_month": "50"}
    assert client.get(f"/series/schedules/?run={run.pk}").status_code == 200
    assert client.post("/series/schedules/", sent).status_code == 302
    schedule = Schedule.objects.get()
    assert (schedule.plan["workload"], schedule.weekday) == (run.plan["workload"], 2)
    assert "every Wednesday at 03:00 UTC" in text_of(client.get("/series/schedules/"))

    client.post(f"/series/schedules/{schedule.pk}/", {"what": "pause"})
    assert Schedule.objects.get().paused_at
    client.post(f"/series/schedules/{schedule.pk}/", {"what": "resume"})
    assert Schedule.objects.get().paused_at is None
    client.post(f"/series/schedules/{schedule.pk}/", {"what": "delete"})
    assert not Schedule.objects.exists()


def stored_run():
    series = stored()
    progress.advance(series.pk)
    run = Run.objects.get()
    lifecycle.request_cancel(run)
    return run


def test_what_is_not_there_cannot_be_scheduled(admin_client):
    sent = {"kind": "series", "number": 99, "every": "day", "weekday": 0, "hour": 3, "max_usd_month": "50"}
    response = admin_client.post("/series/schedules/", sent)

    assert (response.status_code, Schedule.objects.count()) == (400, 0)
    assert "There is no such series." in text_of(response)
