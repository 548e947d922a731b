"""The same log with other facts: refused with the result that has it, where the sender may know of that one."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchsite.storage.by_hash import names_by_hash
from submissions import tasks
from submissions.models import Artifact, Submission, Upload
from tests.documents import metadata
from tests.factories import UserFactory, bearer
from tests.files import DATA
from tests.submissions.caller import BASE, Caller
from tests.submissions.logs import LOGS, QUORUM, form, log

pytestmark = pytest.mark.django_db

IRELAND = {"region": "eu-west-1"}
OF_NOBODY = QUORUM.read_bytes() + b"\n"


def elsewhere(*logs, **fields):
    return form(*logs, meta=metadata(IRELAND), **fields)


def answered(sender, parts):
    """The answer, and the statements that read or write rows; what was stored is gone.

    The storage keeps equal bytes once, whoever sends them: its own locks are another matter.
    """
    with CaptureQueriesContext(connection) as captured:
        response = sender.upload(parts)
    Submission.objects.filter(submitted_by=sender.user).delete()
    statements = [query["sql"].split(" ")[0:6] for query in captured if "hashtextextended" not in query["sql"]]
    return response, [each for each in statements if each[0] not in ("SAVEPOINT", "RELEASE", "UPDATE")]


@pytest.fixture
def first(caller):
    return caller.upload(form(log(QUORUM))).json()["submissions"][0]


@pytest.fixture
def stranger(client):
    return Caller(client, UserFactory(username="stranger"))


def test_the_same_log_with_other_facts_is_refused_with_the_result_that_has_it(caller, first):
    response = caller.upload(elsewhere(log(QUORUM)))

    assert response.status_code == 409
    [error] = response.json()["errors"]
    assert error["pointer"] == "#/log/0"
    assert error["detail"] == (
        f"{QUORUM.name} is already published as result #{first['id']} (/submissions/{first['id']}/), which differs in:"
        " region. Send ?duplicate=allow to publish it again"
    )
    assert Submission.objects.count() == 1


def test_whoever_wants_it_twice_says_so(caller, first):
    response = caller.upload(elsewhere(log(QUORUM)), "?duplicate=allow")

    assert response.status_code == 201
    assert response.json()["submissions"][0]["id"] != first["id"]
    again = caller.upload(elsewhere(log(QUORUM)))
    assert (again.status_code, again.json()["submissions"][0]["region"]) == (200, "eu-west-1")
    assert caller.upload(form(log(QUORUM)), "?duplicate=no").status_code == 400


def test_the_same_facts_again_are_the_first_result_whatever_is_said_of_duplicates(caller, first):
    for query in ("", "?duplicate=allow"):
        response = caller.upload(form(log(QUORUM)), query)
        assert (response.status_code, response.json()["submissions"][0]["id"]) == (200, first["id"])


def test_a_public_result_of_another_is_named(stranger, first):
    response = stranger.upload(elsewhere(log(QUORUM)))

    assert response.status_code == 409
    assert f"#{first['id']}" in response.json()["errors"][0]["detail"]


@pytest.mark.parametrize(
    "hidden",
    [
        {"visibility": "private"},
        {"visibility": "unlisted", "link_key": "k" * 24},
        {"embargo_until": timezone.now() + timedelta(days=9)},
        {"hidden_at": timezone.now()},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_of_what_a_stranger_may_not_see_the_answer_shows_nothing(caller, stranger, first, hidden):
    Submission.objects.filter(pk=first["id"]).update(**hidden)

    of_new, statements_of_new = answered(stranger, elsewhere(log(OF_NOBODY)))
    of_known, statements_of_known = answered(stranger, elsewhere(log(QUORUM)))

    assert (of_known.status_code, of_new.status_code) == (201, 201)
    assert f"#{first['id']}" not in of_known.content.decode()
    # not one statement more gives the other's log away by the time it takes
    assert statements_of_known == statements_of_new
    mine = caller.upload(elsewhere(log(QUORUM)))
    assert mine.status_code == 409
    assert f"#{first['id']} (/submissions/{first['id']}/" in mine.json()["errors"][0]["detail"]


def test_a_stranger_with_the_same_facts_as_a_private_result_takes_no_statement_more(stranger, first):
    Submission.objects.filter(pk=first["id"]).update(visibility="private")

    of_new, statements_of_new = answered(stranger, form(log(OF_NOBODY)))
    of_known, statements_of_known = answered(stranger, form(log(QUORUM)))

    assert (of_known.status_code, of_new.status_code) == (201, 201)
    assert statements_of_known == statements_of_new


def test_a_refused_log_leaves_nothing_behind(caller, first):
    before = (set(names_by_hash()), Artifact.objects.count(), Upload.objects.count())
    logs = [log(QUORUM), log(QUORUM.read_bytes() + b"\n", "second.log")]

    assert caller.upload(elsewhere(*logs)).status_code == 409

    assert (set(names_by_hash()), Artifact.objects.count(), Upload.objects.count()) == before
    assert Submission.objects.count() == 1


def test_a_retracted_result_does_not_stop_its_log_from_being_published_right(caller, first):
    Submission.objects.filter(pk=first["id"]).update(retracted_at=timezone.now())

    assert caller.upload(elsewhere(log(QUORUM))).status_code == 201


def test_a_log_of_several_results_is_no_duplicate_of_itself(caller):
    several = log(DATA / "redis-benchmark" / "rb70-01-set-get.log")
    meta = metadata({"service": {"name": "redis"}, "workload": {"tool": "redis-benchmark"}})

    stored = caller.upload(form(several, meta=meta))

    assert stored.status_code == 201, stored.content
    assert len(stored.json()["submissions"]) > 1
    # as after a crash between them
    Submission.objects.filter(pk=stored.json()["submissions"][-1]["id"]).delete()
    several.seek(0)
    again = caller.upload(form(several, meta=meta))
    assert (again.status_code, len(again.json()["submissions"])) == (201, len(stored.json()["submissions"]))
    assert Submission.objects.count() == len(stored.json()["submissions"])


def test_a_disk_test_that_several_results_share_is_no_duplicate(caller):
    for content in (b"", b"\n"):
        logs = [log(QUORUM.read_bytes() + content), log(DATA / "fio" / "random_read.json")]
        assert caller.upload(elsewhere(*logs)).status_code == 201


def test_each_file_of_many_has_its_own_answer(caller, first):
    logs = [log(QUORUM), log(LOGS / "cs50-01-write-n20000-t4.log")]

    answer = caller.upload(elsewhere(*logs), "?per_file=true").json()

    assert [file["status"] for file in answer["files"]] == [409, 201]
    assert f"#{first['id']}" in answer["files"][0]["errors"][0]["detail"]


def test_a_dry_run_warns_and_refuses_nothing(caller, first):
    response = caller.upload(elsewhere(log(QUORUM)), "?dry_run=true")

    assert response.status_code == 200
    assert any(f"#{first['id']}" in warning for warning in response.json()["submissions"][0]["warnings"])


def test_a_large_log_is_refused_by_the_worker_and_may_be_sent_again_with_the_word(caller, client, first, settings):
    settings.IMPORT_IN_REQUEST_BYTES = 1

    def finished(query=""):
        accepted = caller.upload(elsewhere(log(QUORUM)), query)
        assert accepted.status_code == 202
        tasks.finish_upload(str(Upload.objects.latest("created_at").pk))
        return client.get(accepted["Location"], **bearer(caller.user)).json()

    refused = finished()
    assert (refused["status"], Submission.objects.count()) == ("failed", 1)
    assert f"#{first['id']}" in refused["errors"][0]["detail"]
    assert finished("?duplicate=allow")["status"] == "done"
    assert finished()["status"] == "done"  # the same facts as before: the second one
    assert Submission.objects.count() == 2


def test_an_upload_that_failed_is_sent_again(caller):
    bad = metadata({"nodes/0/count": 0})

    assert caller.upload(form(log(QUORUM), meta=bad)).status_code == 400
    assert caller.upload(form(log(QUORUM))).status_code == 201


def test_a_bundle_sent_back_is_the_result_that_it_is_of(caller, client):
    """Its document and its logs, with every fact that the logs state."""
    for logs in ([log(QUORUM)], [log(LOGS / "cs50-09-auto-threads.log")]):
        first = caller.upload(form(*logs)).json()["submissions"][0]
        files = [row for row in first["artifacts"] if row["kind"] == "load_log"]
        sent = [log(client.get(row["download_url"]).getvalue(), row["name"]) for row in files]
        meta = {name: value for name, value in first["document"].items() if name not in ("trials", "series")}

        again = caller.upload(form(*sent, meta=meta))

        assert (again.status_code, again.json()["submissions"][0]["id"]) == (200, first["id"])


def test_a_document_without_a_log_is_never_a_duplicate(caller, first):
    document = caller.client.get(f"{BASE}{first['id']}/").json()["document"]

    assert caller.submit(document).status_code == 201
