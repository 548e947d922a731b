"""Many logs at once: a row for each, the facts once, one button; what is bad stops nothing that is good."""

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from submissions import tasks
from submissions.ingest import batches
from submissions.models import Submission, Upload
from tests.factories import UserFactory
from tests.files import DATA, stress_log, uploaded

pytestmark = pytest.mark.django_db

NEW = "/submissions/new/"

FACTS = {
    "service": "cassandra",
    "provider": "aws",
    "region": "us-east-1",
    "measured_at": "",
    "nodes-TOTAL_FORMS": "1",
    "nodes-INITIAL_FORMS": "0",
    "nodes-0-role": "database",
    "nodes-0-count": "3",
    "nodes-0-instance_type": "m5.xlarge",
    "nodes-0-pricing_model": "on_demand",
    "nodes-0-hourly_usd": "0.192",
}

# 17 logs of cassandra-stress that can be published, and 3 files that cannot: 20 real samples.
GOOD = (
    "cs50-01", "cs50-02", "cs50-03", "cs50-04", "cs50-10", "cs50-14", "cs50-19", "cs50-23", "cs50-24", "cs50-25",
    "cs50-27", "cs50-29", "cs50-33", "cs50-22-graph", "cs50-30-graph-run1", "cs50-06-log-file", "cs50-35",
)  # fmt: skip
BAD = ("cs50-12-all", "cs50-16-connection")
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(200)


def files_of(*starts):
    return [uploaded(stress_log(start)) for start in starts]


def text(response):
    return " ".join(response.content.decode().split())


def rows_by_name(response):
    return {row.part.name: row for row in response.context["rows"]}


def posted(response, **changes):
    """What the browser sends of the table: each row as the page shows it, with changes."""
    table = {}
    for row in response.context["rows"]:
        if row.is_editable:
            table[f"result-{row.upload.position}"] = str(row.upload.result)
            table[f"trial-{row.upload.position}"] = row.trial
            if row.upload.is_chosen:
                table[f"chosen-{row.upload.position}"] = "on"
    merged = {**FACTS, **table, **changes}
    return {name: value for name, value in merged.items() if value is not None}


@pytest.fixture
def uploader(client):
    user = UserFactory()
    client.force_login(user)
    return user


def test_twenty_mixed_files_are_reviewed_published_and_skipped_with_the_reason(client, uploader):
    picture = SimpleUploadedFile("cluster.png", PICTURE)

    staged = client.post(NEW, {"log": [*files_of(*GOOD[:9]), picture, *files_of(*BAD, *GOOD[9:])]}).url
    first = client.get(staged)

    rows = rows_by_name(first)
    assert len(rows) == 20
    assert rows["cluster.png"].reasons[0].startswith("cluster.png is ")
    assert "200 of 200 operations failed" in " ".join(rows[stress_log("cs50-12-all").name].reasons)
    one = rows[stress_log("cs50-10").name]
    assert (one.format, one.figures.latency_p99_ms) == ("cassandra-stress", 194.6)
    assert "Still needed for all results: database, provider and " in text(first)  # once, not in each row
    assert not one.reasons
    assert not Submission.objects.exists()

    checked = client.post(staged, posted(first, action="check"))

    ready = [row for row in checked.context["rows"] if row.is_ready]
    assert f"Publish {len(ready)}, skip {20 - len(ready)}" in text(checked)
    assert len(ready) >= 15, {row.part.name: row.reasons for row in checked.context["rows"] if not row.is_ready}
    results = [result for result in checked.context["results"] if not result.faults]

    published = client.post(staged, posted(checked, action="publish"), follow=True)

    count = sum(len(result.prepared) for result in results)
    assert Submission.objects.count() == count
    assert f"Published {count} results from {len(ready)} files. {20 - len(ready)} files were skipped" in text(published)
    for submission in Submission.objects.all():
        assert f'href="/submissions/{submission.pk}/"' in text(published)
    assert "cluster.png is " in text(published)
    assert {submission.submitted_by for submission in Submission.objects.all()} == {uploader}


def test_a_second_click_publishes_nothing_twice(client, uploader):
    staged = client.post(NEW, {"log": [*files_of("cs50-10", "cs50-02", "cs50-12-all")]}).url
    form = posted(client.get(staged), action="publish")

    client.post(staged, form)
    first = set(Submission.objects.values_list("pk", flat=True))
    again = client.post(staged, form, follow=True)

    assert len(first) == 2
    assert set(Submission.objects.values_list("pk", flat=True)) == first
    assert "Published 2 results from 2 files." in text(again)
    # the same files by another upload are found, too
    other = client.post(NEW, {"log": [*files_of("cs50-10", "cs50-02", "cs50-12-all")]}).url
    known = client.post(other, posted(client.get(other), action="publish"), follow=True)
    assert Submission.objects.count() == 2
    assert text(known).count(">uploaded before<") == 2


def test_a_result_that_fails_while_it_is_stored_leaves_the_others_published(client, uploader, monkeypatch):
    staged = client.post(NEW, {"log": files_of("cs50-10", "cs50-02")}).url
    shown = client.get(staged)
    # the second result contradicts its log by a fact of its own
    second = next(result for result in shown.context["results"] if result.number == 2)
    lead = second.parts[0].upload
    Upload.objects.filter(pk=lead.pk).update(metadata={"workload": {"threads": 77}})

    response = client.post(staged, posted(shown, action="publish"), follow=True)

    assert Submission.objects.count() == 1
    rows = rows_by_name(response)
    assert rows[stress_log("cs50-10").name].published
    assert any("77" in reason for reason in rows[stress_log("cs50-02").name].reasons)
    assert "Published 1 result from 1 file. 1 file was skipped" in text(response)

    # what was skipped can be corrected and published on the same page
    Upload.objects.filter(pk=lead.pk).update(metadata={})
    client.post(staged, posted(response, action="publish"))
    assert Submission.objects.count() == 2


def test_each_load_tool_of_a_folder_has_its_database(client, uploader):
    logs = [DATA / "pgbench" / "pg15-01-tpcb.log", DATA / "sysbench" / "sb10-02-histogram.log"]
    staged = client.post(NEW, {"log": [uploaded(log) for log in logs]}).url
    first = client.get(staged)
    assert "Database of pgbench" in text(first)
    assert "postgresql, from the log" in text(first)

    lacking = client.post(staged, posted(first, action="check"))
    assert rows_by_name(lacking)["pg15-01-tpcb.log"].is_ready
    assert rows_by_name(lacking)["sb10-02-histogram.log"].reasons == ("Database missing",)

    wrong = client.post(staged, posted(first, **{"service-pgbench": "cassandra", "action": "check"}))
    assert "a pgbench log is of PostgreSQL or a database that speaks its protocol, not of Apache Cassandra." in text(
        wrong
    )

    client.post(staged, posted(first, **{"service-sysbench": "mysql", "action": "publish"}))
    assert set(Submission.objects.values_list("tool", "service")) == {("pgbench", "postgresql"), ("sysbench", "mysql")}


def test_unchecked_files_are_left_out(client, uploader):
    staged = client.post(NEW, {"log": files_of("cs50-10", "cs50-02")}).url

    response = client.post(staged, posted(client.get(staged), **{"chosen-0": None, "action": "publish"}), follow=True)

    assert Submission.objects.count() == 1
    assert f"<strong>{stress_log('cs50-10').name}</strong>: left out" in text(response)


def test_results_are_split_and_merged_without_script(client, uploader):
    same = stress_log("cs50-10")
    other_trial = SimpleUploadedFile("again.log", same.read_bytes() + b"\n")
    staged = client.post(NEW, {"log": [uploaded(same), other_trial, *files_of("cs50-12-all")]}).url
    first = client.get(staged)
    assert [len(result.parts) for result in first.context["results"]] == [2]

    split = client.post(staged, posted(first, action="each"))
    assert [len(result.parts) for result in split.context["results"]] == [1, 1]

    merged = client.post(staged, posted(split, **{"result-1": "1", "action": "check"}))
    [result] = merged.context["results"]
    assert [len(prepared.trials) for prepared in result.prepared] == [2]

    clients = client.post(staged, posted(merged, **{"trial-0": "a", "trial-1": "a", "action": "check"}))
    [prepared] = clients.context["results"][0].prepared
    assert [trial.client_count for trial in prepared.trials] == [2]


def test_trials_of_one_result_are_reviewed_as_before_and_can_be_split(client, uploader):
    same = stress_log("cs50-10")
    files = [uploaded(same), SimpleUploadedFile("again.log", same.read_bytes() + b"\n")]

    staged = client.post(NEW, {"log": files}).url
    assert "/many/" not in staged
    split = client.post(staged, {**FACTS, "action": "split"}).url

    response = client.get(split)
    assert [len(result.parts) for result in response.context["results"]] == [1, 1]
    assert response.context["facts"]["provider"].value() == "aws"
    assert client.get(staged).status_code == 404


def test_one_result_may_have_facts_of_its_own(client, uploader):
    staged = client.post(NEW, {"log": files_of("cs50-10", "cs50-02")}).url
    number = rows_by_name(client.get(staged))[stress_log("cs50-02").name].result.number

    details = client.post(staged, posted(client.get(staged), action=f"edit-{number}")).url
    shown = client.get(details)
    assert shown.context["facts"]["provider"].value() == "aws"
    assert client.post(details, {**FACTS, "region": "eu-west-1", "action": "save"}).url == staged
    # facts of all that change later reach it, too
    client.post(staged, posted(client.get(staged), service_version="5.0.9", action="publish"))

    facts = {(each.region, each.service_version) for each in Submission.objects.all()}
    assert facts == {("us-east-1", "5.0.9"), ("eu-west-1", "5.0.9")}


def test_an_archive_with_one_bad_log_keeps_the_good_ones(client, uploader):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for start in ("cs50-10", "cs50-02"):
            archive.write(stress_log(start), f"run/{start}.log")
        archive.writestr("run/photo.png", PICTURE)

    staged = client.post(NEW, {"log": [SimpleUploadedFile("run.zip", packed.getvalue())]}).url
    response = client.post(staged, posted(client.get(staged), action="publish"), follow=True)

    assert Submission.objects.count() == 2
    assert list(rows_by_name(response)) == ["run/cs50-10.log", "run/cs50-02.log", "run/photo.png"]


def test_files_of_a_folder_keep_their_paths(client, uploader):
    files = files_of("cs50-10", "cs50-02")

    staged = client.post(NEW, {"log": files, "path": ["logs/a/x.log", "logs/b/x.log"]}).url

    assert list(rows_by_name(client.get(staged))) == ["logs/a/x.log", "logs/b/x.log"]


def test_the_limits_are_shown_and_kept(client, uploader, settings, monkeypatch):
    settings.MAX_USER_BYTES = 100_000
    page = text(client.get(NEW))
    assert f"At most {batches.MOST_LOGS} logs and" in page
    assert "Your account stores" in page

    settings.MAX_USER_BYTES = 1_000
    refused = client.post(NEW, {"log": files_of("cs50-10", "cs50-02")})
    assert refused.status_code == 413
    assert "the limit is 1,000" in text(refused)

    many = [SimpleUploadedFile(f"{n}.log", b"x") for n in range(batches.MOST_LOGS + 1)]
    assert client.post(NEW, {"log": many}).status_code in (400, 413)
    assert not Upload.objects.exists()


def test_the_files_of_another_are_not_found(client, uploader):
    staged = client.post(NEW, {"log": files_of("cs50-10", "cs50-02")}).url
    client.force_login(UserFactory())

    assert client.get(staged).status_code == 404
    assert client.post(staged, {**FACTS, "action": "publish"}).status_code == 404
    assert client.get(f"{staged}1/").status_code == 404


def test_files_that_are_all_bad_are_refused_each_with_its_reason(client, uploader):
    response = client.post(NEW, {"log": [*files_of("cs50-12-all"), SimpleUploadedFile("empty.log", b"")]})

    assert response.status_code == 400
    assert "200 of 200 operations failed" in text(response)
    assert "empty.log is empty" in text(response)
    assert not Upload.objects.exists()


def test_histogram_files_go_with_the_log_of_their_name(client, uploader):
    folder = DATA / "ycsb" / "public" / "scylladb-four-clients"
    names = ("0_run.txt", "0_READ.hdr", "0_UPDATE.hdr")

    staged = client.post(NEW, {"log": [*(uploaded(folder / name) for name in names), *files_of("cs50-10")]}).url

    assert [len(result.parts) for result in client.get(staged).context["results"]] == [3, 1]


def test_large_files_are_read_by_workers_one_by_one(client, uploader, settings):
    settings.IMPORT_IN_REQUEST_BYTES = 1_000
    staged = client.post(NEW, {"log": files_of("cs50-10", "cs50-12-all", "cs50-02")}).url
    assert "0 of 3 files were read" in text(client.get(staged))

    for part in Upload.objects.exclude(batch=None):
        tasks.finish_upload(str(part.pk))

    rows = rows_by_name(client.get(staged))
    assert [bool(row.figures.throughput_ops_s) for row in rows.values()] == [True, False, True]
    assert "200 of 200 operations failed" in " ".join(rows[stress_log("cs50-12-all").name].reasons)


def test_large_files_that_are_trials_of_one_result_become_its_review(client, uploader, settings):
    settings.IMPORT_IN_REQUEST_BYTES = 1_000
    same = stress_log("cs50-10")
    again = SimpleUploadedFile("again.log", same.read_bytes() + b"\n")
    staged = client.post(NEW, {"log": [uploaded(same), again]}).url
    for part in Upload.objects.exclude(batch=None):
        tasks.finish_upload(str(part.pk))

    response = client.get(staged, follow=True)

    assert "Review your result" in text(response)
    assert len(response.context["results"]) == 2
    assert [len(upload.files) for upload in Upload.objects.all()] == [2]


def test_the_same_bytes_twice_are_no_second_trial(client, uploader):
    copy = SimpleUploadedFile("copy.log", stress_log("cs50-10").read_bytes())

    staged = client.post(NEW, {"log": [*files_of("cs50-10", "cs50-02"), copy]}).url
    response = client.get(staged)

    assert [len(result.parts) for result in response.context["results"]] == [1, 1]
    assert rows_by_name(response)["copy.log"].reasons == (f"has the same bytes as {stress_log('cs50-10').name}",)
