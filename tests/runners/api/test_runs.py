"""The runs' API: plans in, runs out, and who may."""

import pytest

from runners.models import Run
from tests.factories import UserFactory, bearer
from tests.queries import queries_of
from tests.runners.fake_runs import PLAN

pytestmark = pytest.mark.django_db
URL = "/api/v1/runs/"


@pytest.fixture
def site(make_run, settings):
    settings.RUNS_NEED_PERMISSION = False
    return make_run


def post(client, url, body, **headers):
    return client.post(url, body, content_type="application/json", **headers)


def test_an_estimate_stores_nothing(site, client):
    answer = post(client, f"{URL}estimate/", PLAN)

    assert answer.status_code == 200
    body = answer.json()
    assert body["worst_case_seconds"] == 75 * 60
    # (3 x 0.192 + 1 x 0.096) USD/h for an hour and a quarter
    assert [item["worst_case_usd"] for item in body["items"][:2]] == ["0.72", "0.12"]
    assert body["price_date"] == "2026-01-01"
    assert not Run.objects.exists()


def test_the_estimate_of_a_search_knows_its_steps_and_whether_they_fit_in(site, client):
    workload = {name: value for name, value in PLAN["workload"].items() if name != "operations"}
    plan = {**PLAN, "workload": {**workload, "duration_seconds": 200}, "load": {"slo": {"max_ms": 10}}}

    whole = post(client, f"{URL}estimate/", plan).json()
    short = post(client, f"{URL}estimate/", {**plan, "max_duration_minutes": 30}).json()

    assert 12 * 200 < whole["expected_seconds"] < 12 * 200 + 3600
    assert whole["warnings"] == []
    assert "12 steps may not fit in" in short["warnings"][0]


def test_a_token_with_the_scope_run_starts_a_run(site, client):
    answer = post(client, URL, PLAN, **bearer(scopes=["run"]))

    assert answer.status_code == 201
    assert (answer.json()["status"], answer.json()["submission"]) == ("queued", None)
    assert Run.objects.get().status == "queued"


def test_a_token_with_the_scope_submit_starts_nothing(site, client):
    answer = post(client, URL, PLAN, **bearer(scopes=["submit"]))

    assert (answer.status_code, answer.json()["errors"][0]["detail"]) == (403, "this token lacks the scope `run`")
    assert not Run.objects.exists()


def test_nobody_starts_without_a_token(site, client):
    assert post(client, URL, PLAN).status_code == 401
    assert not Run.objects.exists()


def test_an_account_without_the_permission_starts_nothing(site, client, settings):
    settings.RUNS_NEED_PERMISSION = True

    assert post(client, URL, PLAN, **bearer(scopes=["run"])).status_code == 403
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"trials": 21}, "#/trials"),
        ({"clowd": 1}, "#/clowd"),
        ({"provider": "azure"}, "#/provider"),
        ({"max_usd": "-1"}, "#/max_usd"),
        ({"max_usd": "NaN"}, "#/max_usd"),
        ({"zones": ["eu-west-1a"]}, "#/zones/0"),
        ({"zones": ["us-east-1a", "us-east-1a"]}, "#"),
        ({"database": {"instance_type": "m5.nano", "count": 3}}, "#/database/instance_type"),
        ({"database": {"instance_type": "m5.xlarge", "count": 2}}, "#"),
        ({"client": None}, "#/client"),
        ({"workload": {**PLAN["workload"], "tool": "sysbench"}}, "#/workload/tool"),
        ({"workload": {**PLAN["workload"], "duration_seconds": 5}}, "#/workload"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_with_its_place(site, client, changes, pointer):
    answer = post(client, URL, {**PLAN, **changes}, **bearer(scopes=["run"]))

    assert answer.status_code == 400
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
    assert not Run.objects.exists()


def test_a_run_over_its_own_cap_is_refused_and_not_kept(site, client):
    answer = post(client, URL, {**PLAN, "max_usd": "0.5"}, **bearer(scopes=["run"]))

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == "#/max_usd"
    assert not Run.objects.exists()


def test_machines_and_history_are_the_owners(site, drive, client):
    run = drive(site())

    stranger = client.get(f"{URL}{run.pk}/").json()
    owner = client.get(f"{URL}{run.pk}/", **bearer(run.owner, scopes=["run"])).json()

    assert (stranger["nodes"], stranger["events"], stranger["end_detail"]) == (None, None, None)
    assert [node["name"] for node in owner["nodes"]] == ["client-0", "db-0", "db-1", "db-2"]
    assert owner["receipt"]["left"] == 0
    assert owner["submission"] == run.submission_id


def test_only_the_owner_cancels(site, client):
    run = site()

    assert post(client, f"{URL}{run.pk}/cancel/", {}, **bearer(UserFactory(), scopes=["run"])).status_code == 403
    assert post(client, f"{URL}{run.pk}/cancel/", {}, **bearer(run.owner, scopes=["submit"])).status_code == 403
    assert post(client, f"{URL}{run.pk}/cancel/", {}, **bearer(run.owner, scopes=["run"])).status_code == 202
    run.refresh_from_db()
    assert run.cancel_requested_at is not None


def test_only_the_owner_submits_the_outputs_again_and_only_where_there_are_any(site, drive, client):
    run = drive(site(), "tearing_down")
    Run.objects.filter(pk=run.pk).update(end_reason="internal_error")
    address, owner = f"{URL}{run.pk}/submit/", bearer(run.owner, scopes=["run"])
    early = post(client, address, {}, **owner)
    drive(run)

    assert post(client, address, {}, **bearer(UserFactory(), scopes=["run"])).status_code == 403
    assert post(client, address, {}, **bearer(run.owner, scopes=["submit"])).status_code == 403
    answer = post(client, address, {}, **owner)
    assert (answer.status_code, answer.json()["status"]) == (202, "submitting")
    assert drive(run).submission is not None
    for refused in (early, post(client, address, {}, **owner)):
        assert refused.status_code == 400
        assert "has a result already" in refused.json()["errors"][0]["detail"]


def test_no_key_is_in_any_answer(site, drive, client):
    run = drive(site(), "stressing")

    text = client.get(f"{URL}{run.pk}/", **bearer(run.owner, scopes=["run"])).content.decode()

    assert "PRIVATE KEY" not in text
    assert "ssh_key" not in text
    assert "host_key" not in text


def test_the_list_takes_no_more_queries_for_more_runs(site, client):
    def queries(count):
        for _ in range(count):
            site()
        return queries_of(lambda: client.get(URL))

    assert queries(1) == queries(30)
    assert len(client.get(URL).json()["results"]) == 31


def test_the_logs_of_a_failed_run_are_listed_for_its_owner_only(site, client, cloud, drive):
    owner = UserFactory()
    run = drive(site(owner=owner), "stressing")
    cloud.plan["trial-0"].exit_status = 1
    cloud.printed["db-1"] = b"part 3 log/stdout\nb2sK\n"
    run = drive(run)

    client.force_login(owner)
    body = client.get(f"{URL}{run.pk}/logs/").json()

    assert [(row["host"], row["name"], row["path"], row["size_bytes"], row["tail"]) for row in body["results"]] == [
        ("client-0", "client-0-state.txt", "state.txt", 3, "ok\n"),
        ("db-0", "db-0-state.txt", "state.txt", 3, "ok\n"),
        ("db-1", "db-1-stdout", "log/stdout", 3, "ok\n"),
        ("db-2", "db-2-state.txt", "state.txt", 3, "ok\n"),
    ]
    assert client.get(body["results"][2]["url"]).getvalue() == b"ok\n"
    assert client.get(f"{URL}{run.pk}/").json()["diagnosis"]["hosts"] == ["client-0", "db-0", "db-1", "db-2"]
    client.force_login(UserFactory())
    assert client.get(f"{URL}{run.pk}/").json()["diagnosis"] is None
    for address in (f"{URL}{run.pk}/logs/", body["results"][2]["url"]):
        refused = client.get(address)
        assert (refused.status_code, refused["Content-Type"]) == (403, "application/problem+json")


def test_a_plan_says_whether_logs_are_always_kept(site, client):
    answer = post(client, URL, {**PLAN, "diagnosis": "always"}, **bearer(scopes=["run"]))
    refused = post(client, URL, {**PLAN, "diagnosis": "sometimes"}, **bearer(scopes=["run"]))

    assert answer.json()["plan"]["diagnosis"] == "always"
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["pointer"] == "#/diagnosis"
