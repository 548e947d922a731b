"""The runs' pages: who sees what, what the form says, what the live page shows."""

import base64
import re

import pytest
from django.urls import reverse

from runners.choices import RunStatus
from runners.models import Run
from submissions.formatting.numbers import exact
from tests.factories import UserFactory
from tests.runners.fake_runs import PLAN

pytestmark = pytest.mark.django_db


def form_data(**changes):
    plan = {
        "provider": "fake",
        "region": "us-east-1",
        "zones": "us-east-1a, us-east-1b, us-east-1c",
        "pricing_model": "on_demand",
        "service": "cassandra",
        "service_version": "5.0.9",
        "database_type": "m5.xlarge",
        "database_count": "3",
        "client_type": "m5.large",
        "client_count": "1",
        "tool": "cassandra-stress",
        "operation": "write",
        "consistency_level": "QUORUM",
        "replication_factor": "3",
        "threads": "16",
        "operations": "20000",
        "trials": "2",
        "max_duration_minutes": "60",
        "max_usd": "10",
    }
    return {**plan, **changes}


@pytest.fixture
def site(make_run, settings):
    """The fake cloud offered to everybody who is signed in."""
    settings.RUNS_NEED_PERMISSION = False
    return make_run


@pytest.fixture
def signed_in(client):
    user = UserFactory()
    client.force_login(user)
    return user


def text(response):
    return " ".join(response.content.decode().split())


def test_a_plan_is_placed_shown_with_its_worst_case_and_confirmed(site, client, signed_in):
    placed = client.post(reverse("runners:new"), form_data())

    run = Run.objects.get()
    assert placed.headers["Location"] == reverse("runners:confirm", args=[run.pk])
    assert (run.status, run.owner) == ("planned", signed_in)
    page = client.get(placed.headers["Location"])
    # 75 minutes until the machines are gone at worst: (3 x 0.192 + 0.096) x 1.25, and the traffic between zones
    assert run.estimate["items"][0]["worst_case_usd"] is not None
    assert "The run costs at most" in text(page)
    assert Run.objects.get().status == "planned"

    client.post(placed.headers["Location"])
    assert Run.objects.get().status == "queued"


def test_a_plan_that_costs_nothing_is_called_free(site, client, signed_in):
    address = client.post(reverse("runners:new"), form_data()).headers["Location"]
    Run.objects.update(worst_case_usd=0, max_usd=0)
    page = text(client.get(address))

    minutes = Run.objects.get().plan["max_duration_minutes"]
    assert f"Free. Stops after {minutes} minutes at the latest. Nothing has been started yet." in page
    assert "budget of" not in page


def test_a_plan_that_does_not_fit_says_so_at_the_field(site, client, signed_in):
    response = client.post(reverse("runners:new"), form_data(region="", client_type="m5.huge"))

    assert response.status_code == 400
    assert not Run.objects.exists()
    assert "is required" in text(response)


def test_more_replicas_than_nodes_are_refused(site, client, signed_in):
    response = client.post(reverse("runners:new"), form_data(database_count="2", zones="us-east-1a"))

    assert response.status_code == 400
    assert "replication factor 3 needs as many database nodes; the plan has 2" in text(response)


def test_an_unknown_price_keeps_a_run_from_being_confirmed(site, client, signed_in):
    from submissions.models import Price

    Price.objects.filter(sku="m5.large").update(valid_from="2100-01-01", last_seen="2100-01-01")
    placed = client.post(reverse("runners:new"), form_data())
    refused = client.post(placed.headers["Location"])

    assert refused.status_code == 400
    assert "its worst-case cost is unknown" in text(refused)
    assert Run.objects.get().status == "planned"


def test_the_live_estimate_answers_with_a_fragment(site, client, signed_in):
    response = client.post(reverse("runners:estimate"), form_data())

    assert text(response).startswith('<div id="estimate"')
    assert "Worst case" in text(response)
    assert not Run.objects.exists()


def test_who_is_not_signed_in_starts_nothing(site, client):
    assert client.post(reverse("runners:new"), form_data())["Location"] == "/account/login/?next=/runs/new/"
    assert client.post(reverse("runners:estimate"), form_data()).status_code == 302
    assert not Run.objects.exists()


def test_a_site_that_needs_the_permission_asks_for_it(site, client, signed_in, settings):
    settings.RUNS_NEED_PERMISSION = True

    assert client.post(reverse("runners:new"), form_data()).status_code == 403
    assert not Run.objects.exists()


def test_another_account_sees_neither_log_nor_machines(site, drive, cloud, client, signed_in):
    from runners.providers.fake import FakeJob

    cloud.plan["install"] = FakeJob(b"private words\n", exit_status=1)
    run = drive(site())

    for name in ("detail", "live"):
        page = text(client.get(reverse(f"runners:{name}", args=[run.pk])))
        assert "private words" not in page
        assert "fake-1" not in page
        assert "Cancel the run" not in page
    client.force_login(run.owner)
    page = text(client.get(reverse("runners:detail", args=[run.pk])))
    assert "private words" in page
    assert "fake-1" in page


def test_results_so_far_are_drawn(site, drive, client):
    from runners.models import RunOutput

    run = drive(site())
    RunOutput.objects.create(
        run=run,
        node=run.nodes.first(),
        trial=0,
        kind="log",
        path="/drawn.log",
        series=[[1.0, 790.0, 3.5], [2.0, 810.0, None]],
    )

    page = client.get(reverse("runners:detail", args=[run.pk])).content.decode()

    assert 'id="live-chart" data-label="Throughput and p99 latency over time' in page
    assert '<title id="live-chart-wide-title">Throughput and p99 latency over time' in page
    assert 'id="live-figure" type="application/json"' in page


def test_another_account_cancels_nothing(site, client, signed_in):
    run = site()

    assert client.post(reverse("runners:cancel", args=[run.pk])).status_code == 403

    run.refresh_from_db()
    assert run.cancel_requested_at is None


def test_another_account_confirms_nothing(site, client, signed_in):
    client.post(reverse("runners:new"), form_data())
    run = Run.objects.get()
    client.force_login(UserFactory())

    assert client.post(reverse("runners:confirm", args=[run.pk])).status_code == 404
    assert Run.objects.get().status == "planned"


def test_the_owner_cancels_and_the_machines_go(site, drive, cloud, client):
    run = drive(site(), RunStatus.STRESSING)
    client.force_login(run.owner)

    client.post(reverse("runners:cancel", args=[run.pk]))
    run = drive(run)

    assert (run.status, cloud.alive(run.tag)) == ("cancelled", [])


def test_the_owner_submits_the_outputs_of_a_run_without_a_result_again(site, drive, client):
    run = drive(site(), RunStatus.TEARING_DOWN)
    Run.objects.filter(pk=run.pk).update(end_reason="internal_error")
    drive(run)
    page, button = reverse("runners:detail", args=[run.pk]), reverse("runners:submit_again", args=[run.pk])
    client.force_login(UserFactory())
    assert button not in text(client.get(page))
    assert client.post(button).status_code == 403
    client.force_login(run.owner)
    assert button in text(client.get(page))

    client.post(button)

    assert drive(run).submission is not None
    assert button not in text(client.get(page))
    assert "Nothing was submitted" in text(client.post(button, follow=True))


@pytest.mark.parametrize("status", ["queued", "launching", "bootstrapping", "stressing", "collecting", "tearing_down"])
def test_the_page_of_a_run_at_every_status(site, drive, client, status):
    run = drive(site(), status)
    client.force_login(run.owner)

    page = client.get(reverse("runners:detail", args=[run.pk]))

    assert page.status_code == 200
    assert "hx-get" in text(page)


def test_the_receipt_stands_on_the_page_of_an_ended_run(site, drive, client):
    run = drive(site())
    client.force_login(run.owner)

    page = text(client.get(reverse("runners:detail", args=[run.pk])))

    assert "0 machines left running, verified with the provider" in page
    assert f'href="/submissions/{run.submission_id}/"' in page
    assert "hx-get" not in page


def test_the_headline_of_an_ended_run_is_what_it_measured(site, drive, client):
    run = drive(site())
    client.force_login(run.owner)

    page = text(client.get(reverse("runners:detail", args=[run.pk])))

    result = run.submission
    assert result.latency_p99_ms is not None
    for label, value in (
        ("Throughput, ops/s", result.throughput_ops_s),
        ("Mean latency, ms", result.latency_mean_ms),
        ("p99 latency, ms", result.latency_p99_ms),
    ):
        assert re.search(rf'{label}</dt>\s*<dd>(<span title="{exact(value)}">|{exact(value)}[ <])', page), label
    assert re.search(r"Machines left</dt>\s*<dd>0</dd>", page)
    assert f'href="/runs/new/?again={run.pk}#plan"' in page


def test_trials_are_counted_from_1_in_logs_and_files(site, drive, client):
    run = drive(site())
    client.force_login(run.owner)

    page = text(client.get(reverse("runners:detail", args=[run.pk])))

    assert "Trial 1, client-0" in page
    assert "Trial 2, client-0" in page
    assert "rial 0" not in page


def test_a_submission_of_a_run_is_reproduced_with_its_plan(site, drive, client, signed_in):
    run = drive(site())

    page = client.get(reverse("runners:new"), {"like": run.submission_id})

    assert page.context["form"].initial["operations"] == PLAN["workload"]["operations"]
    assert page.context["form"].initial["zones"] == "us-east-1a, us-east-1b, us-east-1c"


def test_an_uploaded_submission_is_reproduced_from_its_document(site, client, signed_in):
    from submissions.ingest.pipeline import prepare_document
    from submissions.ingest.store.store import store
    from tests.documents import document

    stored = store(prepare_document(document()), submitted_by=None).submission

    initial = client.get(reverse("runners:new"), {"like": stored.pk}).context["form"].initial

    assert (initial["database_type"], initial["database_count"], initial["operation"]) == ("m3.2xlarge", 3, "write")


def test_cancelling_before_the_start_ends_the_run(site, drive, client, signed_in):
    client.post(reverse("runners:new"), form_data())
    run = Run.objects.get()

    client.post(reverse("runners:cancel", args=[run.pk]))

    run.refresh_from_db()
    assert (run.status, run.end_reason) == ("cancelled", "cancelled_by_user")


def test_the_logs_of_a_failed_run_are_for_its_owner_with_their_size_and_a_download(
    site, client, drive, cloud, signed_in
):
    run = drive(site(owner=signed_in), RunStatus.STRESSING)
    cloud.plan["trial-0"].exit_status = 1
    log = b"<b>ERROR</b> No space left on device\n"
    cloud.printed["db-1"] = b"part 300000 log/system.log\n" + base64.encodebytes(log)
    run = drive(run)

    page = text(client.get(run.get_absolute_url()))
    row = run.outputs.get(name="db-1-system.log")
    address = reverse("runs_api:log", args=[run.pk, row.pk])

    assert "A disk of db-1 is full." in page
    assert "&lt;b&gt;ERROR&lt;/b&gt; No space left on device" in page
    assert "of 293.0 KB were kept" in page
    assert address in page
    answer = client.get(address)
    assert answer.getvalue() == b"[the last 37 of 300000 bytes]\n" + log
    assert answer["Content-Disposition"] == 'attachment; filename="db-1-system.log"'
    assert answer["Cache-Control"] == "private, no-store"
    client.force_login(UserFactory())
    assert client.get(address).status_code == 403
    assert "No space left" not in text(client.get(run.get_absolute_url()))
    other = run.outputs.exclude(kind="diagnosis").first()
    client.force_login(signed_in)
    assert client.get(reverse("runs_api:log", args=[run.pk, other.pk])).status_code == 404


def test_the_logs_of_a_great_many_hosts_are_shown_of_those_that_failed(site, client, drive, cloud, signed_in):
    run = drive(site(owner=signed_in, database={"instance_type": "m5.xlarge", "count": 40}), RunStatus.STRESSING)
    cloud.plan["trial-0"].exit_status = 1
    for index in range(30):
        cloud.printed[f"db-{index}"] = b"part 9 log/stdout\n" + base64.encodebytes(b"ENOSPC\n.\n")
    run = drive(run)

    page = text(client.get(run.get_absolute_url()))

    assert page.count("is full.") == 10
    assert "20 more hosts failed." in page
    assert page.count(": 1 log</summary>") == 5
    assert "The logs of 36 more hosts are in <a" in page


def test_a_cancel_is_announced_only_while_it_lasts(site, client, signed_in):
    client.post(reverse("runners:new"), form_data())
    run = Run.objects.get()
    client.post(reverse("runners:confirm", args=[run.pk]))
    cancelled = text(client.post(reverse("runners:cancel", args=[run.pk]), follow=True))
    Run.objects.update(status="cancelled", end_reason="cancelled_by_user")
    over = text(client.get(reverse("runners:live", args=[run.pk])))

    announced = "The run is being cancelled. Its machines are deleted first."
    assert cancelled.count(announced) == 1
    assert cancelled.index('id="live"') < cancelled.index(announced)  # htmx replaces it
    assert announced not in over


def test_prices_of_an_estimate_say_since_when_they_are_unchanged(site, client, signed_in):
    client.post(reverse("runners:new"), form_data())
    page = text(client.get(reverse("runners:confirm", args=[Run.objects.get().pk])))

    assert "Price date" not in page
    assert "of 2026-01-01" in page or "unchanged since 2026-01-01" in page
