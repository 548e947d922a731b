"""The upload form: nothing saved before it is asked for, each fault at its field, nothing lost."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from submissions.choices import Trust
from submissions.models import Submission, Upload
from tests.factories import PriceFactory, UserFactory
from tests.files import DATA, stress_log, uploaded

pytestmark = pytest.mark.django_db

NEW = "/submissions/new/"

FORM = {
    "service": "cassandra",
    "service_version": "5.0.9",
    "provider": "aws",
    "region": "us-east-1",
    "measured_at": "2026-11-20T05:32",
    "nodes-TOTAL_FORMS": "2",
    "nodes-INITIAL_FORMS": "0",
    "nodes-0-role": "database",
    "nodes-0-count": "",
    "nodes-0-instance_type": "m5.xlarge",
    "nodes-0-pricing_model": "on_demand",
    "nodes-0-hourly_usd": "0.192",
    "nodes-1-role": "client",
    "nodes-1-count": "1",
    "nodes-1-pricing_model": "on_demand",
}


def text(response):
    return " ".join(response.content.decode().split())


def log_file(start):
    path = stress_log(start)
    return SimpleUploadedFile(path.name, path.read_bytes())


@pytest.fixture
def uploader(client):
    user = UserFactory()
    client.force_login(user)
    return user


@pytest.fixture
def staged(client, uploader):
    """The address of the second step for a log of three nodes."""
    return client.post(NEW, {"log": [log_file("cs50-10-3node")]}).url


def field_errors(response):
    """Of the facts and, by number and name, of the machines."""
    found = dict(response.context["facts"].errors)
    for number, group in enumerate(response.context["groups"]):
        found |= {f"{number}.{name}": errors for name, errors in group.errors.items()}
    return {name: list(errors) for name, errors in found.items()}


def test_who_is_not_signed_in_sees_what_it_does_and_where_to_sign_in(client):
    response = client.get(NEW)

    assert response.status_code == 200
    assert "Upload your benchmark log." in text(response)
    assert 'href="/account/login/?next=/submissions/new/"' in text(response)
    assert 'type="file"' not in text(response)


def test_files_of_who_is_not_signed_in_are_not_taken(client):
    response = client.post(NEW, {"log": [log_file("cs50-10-3node")]})

    assert response.status_code == 302
    assert response.url == "/account/login/?next=/submissions/new/"
    assert not Upload.objects.exists()


def test_the_first_look_shows_what_the_log_says_and_blames_nobody(client, staged):
    response = client.get(staged)

    assert response.status_code == 200
    lines = {line.label: (line.value, line.source) for line in response.context["lines"]}
    assert lines["Consistency level"] == ("QUORUM", "log")
    assert lines["Replication factor"] == ("3", "log")
    assert lines["Threads per client"] == ("24", "log")
    assert lines["Database nodes: node count"] == ("3", "log")
    [row] = response.context["results"]
    assert row["result"].operations == 30000
    assert row["result"].latency.p99 == 194.6
    assert field_errors(response) == {}
    assert "The log was read. Complete the details below, then check again." in text(response)


def test_only_what_the_log_leaves_open_is_asked(client, staged):
    names = [field.name for field in client.get(staged).context["facts"].workload_fields]

    assert "threads" not in names
    assert "consistency_level" not in names
    assert "tool_version" in names


def test_a_complete_form_shows_each_fact_with_its_source_and_the_cost(client, staged):
    response = client.post(staged, {**FORM, "action": "check"})

    assert response.status_code == 200
    lines = {line.label: (line.value, line.source) for line in response.context["lines"]}
    assert lines["Provider"] == ("AWS", "uploader")
    assert lines["Database nodes: node count"] == ("3", "log")
    assert lines["Database nodes: pricing model"] == ("on demand", "uploader")
    assert lines["Database nodes: price per node (USD/h)"] == ("0.192", "uploader")
    assert "at <span" not in text(response)
    assert "$0.58/h" in text(response)
    # 30,000 operations in 28.1 s; x 3600 / 0.576
    assert float(response.context["value"]) == pytest.approx(30000 / 28.1 * 3600 / 0.576, rel=0.01)
    assert "under 60 s" in text(response)
    assert not Submission.objects.exists()


def test_a_price_of_the_book_is_named_with_its_source(client, staged):
    PriceFactory(sku="m5.xlarge", usd="0.192", valid_from="2026-01-01", source="AWS list")

    response = client.post(staged, {**FORM, "nodes-0-hourly_usd": "", "action": "check"})

    line = {line.label: line for line in response.context["lines"]}["Database nodes: price per node (USD/h)"]
    assert (line.value, line.source, line.note) == ("0.192", "price book", "AWS list, 2026-01-01")


def test_saving_stores_it_and_shows_what_was_published(client, uploader, staged):
    response = client.post(staged, {**FORM, "action": "save"})

    submission = Submission.objects.get()
    assert (response.status_code, response.url) == (302, f"{staged}published/")
    assert submission.submitted_by == uploader
    assert submission.trust == Trust.LOG_VERIFIED
    assert submission.latency_p99_ms == 194.6
    assert str(submission.hourly_usd) == "0.57600000"
    assert [artifact.name for artifact in submission.artifacts.filter(kind="load_log")] == [
        "cs50-10-3node-write-rf3-quorum.log"
    ]


def test_coming_back_after_saving_leads_to_what_was_published(client, staged):
    client.post(staged, {**FORM, "action": "save"})

    assert client.get(staged).url == f"{staged}published/"
    assert f'href="/submissions/{Submission.objects.get().pk}/"' in text(client.get(staged, follow=True))
    assert client.post(staged, {**FORM, "action": "save"}).status_code == 302
    assert Submission.objects.count() == 1


def test_the_same_log_again_leads_to_the_first(client, staged):
    client.post(staged, {**FORM, "action": "save"})
    again = client.post(NEW, {"log": [log_file("cs50-10-3node")]}).url

    response = client.post(again, {**FORM, "action": "save"}, follow=True)

    assert Submission.objects.count() == 1
    assert "It was uploaded before: the first upload counts." in text(response)


def test_saving_without_the_facts_says_at_each_field_what_is_missing(client, staged):
    empty = {name: value for name, value in FORM.items() if name.startswith("nodes-")}
    empty |= {"nodes-0-instance_type": "", "nodes-0-hourly_usd": ""}

    response = client.post(staged, {**empty, "action": "save"})

    assert response.status_code == 400
    assert field_errors(response) == {
        "service": ["is required"],
        "provider": ["is required"],
        "0.instance_type": ["is required"],
    }
    assert not Submission.objects.exists()


def test_a_contradiction_stands_at_its_field_with_both_values(client, staged):
    response = client.post(staged, {**FORM, "nodes-0-count": "1", "action": "save"})

    assert field_errors(response) == {
        "0.count": ["the log names 3 nodes, the upload says 1"],
    }


def test_a_workload_fact_that_contradicts_the_log_gets_its_field_back(client, staged):
    response = client.post(staged, {**FORM, "consistency_level": "ONE", "action": "check"})

    assert field_errors(response) == {"consistency_level": ["the log says QUORUM, the upload says ONE"]}
    names = [field.name for field in response.context["facts"].workload_fields]
    assert "consistency_level" in names


def test_nothing_typed_is_lost_on_an_error_nor_on_coming_back(client, staged):
    given = {
        **FORM,
        "provider": "",
        "notes": "Quiet <b>night</b>",
        "zones": "us-east-1a, us-east-1b",
    }

    refused = client.post(staged, {**given, "action": "save"})
    later = client.get(staged)

    for response in (refused, later):
        assert response.context["facts"]["notes"].value() == "Quiet <b>night</b>"
        assert response.context["facts"]["zones"].value() == "us-east-1a, us-east-1b"
        assert response.context["groups"][0]["instance_type"].value() == "m5.xlarge"
        assert "<b>night</b>" not in text(response)


def test_what_is_no_number_is_refused_at_its_field_and_kept(client, staged):
    response = client.post(staged, {**FORM, "nodes-0-count": "three", "nodes-0-hourly_usd": "NaN", "action": "save"})

    assert response.status_code == 400
    assert set(field_errors(response)) == {"0.count", "0.hourly_usd"}
    assert 'value="three"' in text(response)


def test_disks_and_more_machines_reach_the_document(client, staged):
    more = {
        **FORM,
        "nodes-TOTAL_FORMS": "3",
        "nodes-0-disk_kind": "gp3",
        "nodes-0-disk_count": "2",
        "nodes-0-disk_size_gib": "80",
        "nodes-0-disk_raid": "raid0",
        "nodes-1-instance_type": "c5.2xlarge",
        "nodes-2-role": "cache",
        "nodes-2-count": "2",
        "nodes-2-instance_type": "r5.large",
        "nodes-2-hourly_usd": "0.126",
    }

    client.post(staged, {**more, "action": "save"})

    submission = Submission.objects.get()
    assert submission.disk_kind == "gp3"
    assert [(g.role, g.count, g.instance_type) for g in submission.node_groups.all()] == [
        ("database", 3, "m5.xlarge"),
        ("client", 1, "c5.2xlarge"),
        ("cache", 2, "r5.large"),
    ]
    assert str(submission.hourly_usd) == "0.82800000"  # 3 x 0.192 + 2 x 0.126


def test_a_fault_of_a_later_group_is_shown_there_although_an_earlier_form_is_blank(client, staged):
    more = {
        **FORM,
        "nodes-TOTAL_FORMS": "3",
        "nodes-2-role": "cache",
        "nodes-2-count": "2",
    }

    response = client.post(staged, {**more, "action": "save"})

    assert field_errors(response) == {"2.instance_type": ["is required"]}


def test_machines_can_be_added_without_script(client, staged):
    response = client.post(staged, {**FORM, "action": "add"})

    assert len(response.context["groups"].forms) == 3
    assert response.context["groups"][0]["instance_type"].value() == "m5.xlarge"


def test_more_machines_than_a_document_holds_are_refused(client, staged):
    response = client.post(staged, {**FORM, "nodes-TOTAL_FORMS": "5000", "action": "add"})

    assert response.status_code == 400
    assert len(response.context["groups"].forms) <= 21


def test_a_log_with_several_thread_counts_becomes_one_load_curve(client, uploader):
    staged = client.post(NEW, {"log": [log_file("cs50-09-auto")]}).url

    first = client.get(staged)
    saved = client.post(staged, {**FORM, "nodes-0-count": "1", "action": "save"}, follow=True)

    assert "The logs are a load curve of 4 loads: the result shows its peak with 8 threads." in text(first)
    assert Submission.objects.get().load_points.count() == 4
    assert "Published 1 result from 1 file." in text(saved)


def test_the_form_takes_loads_that_the_logs_do_not_state(client, uploader):
    staged = client.post(NEW, {"log": [log_file("cs50-10-3node"), log_file("cs50-10-3node")]}).url
    loads = {"offered_ops_s-0": "1000", "offered_ops_s-1": "2000", "threads-0": "", "threads-1": ""}

    checked = client.post(staged, {**FORM, **loads, "action": "check"})
    refused = client.post(staged, {**FORM, **loads, "threads-1": "x", "action": "save"})

    assert "load curve of 2 loads" in text(checked)
    assert [row["result"].offered_ops_s for row in checked.context["results"]] == [1000, 2000]
    assert refused.status_code == 400
    assert "Enter a number such as 80000, 80,000, 80k or 1.5M" in text(refused)
    assert not Submission.objects.exists()


def test_files_of_one_trial_are_clients_that_ran_together(client, uploader):
    staged = client.post(NEW, {"log": [log_file("cs50-10-3node"), log_file("cs50-10-3node")]}).url

    response = client.post(staged, {**FORM, "trial-0": "1", "trial-1": "1", "action": "check"})

    [row] = response.context["results"]
    assert row["result"].client_count == 2


def test_a_log_without_a_result_is_refused_with_the_reason(client, uploader):
    response = client.post(NEW, {"log": [log_file("cs50-12-all")]})

    assert response.status_code == 400
    assert "all 200 of 200 operations failed" in text(response)
    assert not Upload.objects.exists()


def test_a_log_of_no_known_tool_is_told_what_is_recognised(client, uploader):
    stranger = SimpleUploadedFile("<img src=x>.log", b"hello\n" * 30)

    response = client.post(NEW, {"log": [stranger]})

    assert response.status_code == 400
    assert "not a benchmark log that we can read. The supported formats are listed at" in text(response)
    assert b"<img src=x>" not in response.content


def test_no_file_and_an_empty_file_are_refused(client, uploader):
    nothing = client.post(NEW, {})
    empty = client.post(NEW, {"log": [SimpleUploadedFile("a.log", b"")]})

    assert (nothing.status_code, empty.status_code) == (400, 400)
    assert "no file was sent" in text(nothing)
    assert "is empty" in text(empty)


@pytest.mark.parametrize(
    ("modified", "said"),
    [
        ("2024-05-04T12:00:00.000Z", "The file was written on 2024-05-04: its prices are used."),
        ("1601-01-01T00:00:00.000Z", "It was received on "),
        ("x", "It was received on "),
    ],
)
def test_the_browsers_date_of_a_file_counts_where_no_other_is_stated(client, uploader, modified, said):
    staged = client.post(NEW, {"log": [log_file("cs50-10-3node")], "modified": [modified]}).url

    response = client.post(staged, {**FORM, "measured_at": "", "action": "check"})

    assert said in text(response)
    assert "Not stated" in text(response)


def test_the_upload_of_another_is_not_found(client, staged):
    client.force_login(UserFactory())

    assert client.get(staged).status_code == 404
    assert client.post(staged, {**FORM, "action": "save"}).status_code == 404
    assert not Submission.objects.exists()


def test_the_second_step_needs_an_account(client, staged):
    client.logout()

    assert client.get(staged).url.startswith("/account/login/?next=/submissions/new/")


@pytest.mark.parametrize("broken", ["", "x"])
def test_a_broken_management_form_is_refused_not_a_crash(client, staged, broken):
    response = client.post(staged, {**FORM, "nodes-TOTAL_FORMS": broken, "action": "add"})

    assert response.status_code == 400


def test_the_form_takes_the_histogram_files_of_ycsb_beside_their_log(client, uploader):
    folder = DATA / "ycsb" / "public" / "scylladb-four-clients"
    names = ("0_run.txt", "0_READ.hdr", "0_UPDATE.hdr")

    second = client.post(NEW, {"log": [uploaded(folder / name) for name in names]}, follow=True)

    results = text(second).partition('id="results"')[2]
    assert "247,259,039" in results
    assert "7.6" in results  # the p99 of reads (14.4 ms) and updates (5.86 ms) together
