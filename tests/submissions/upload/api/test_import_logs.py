"""POST /api/v1/submissions/import/: real logs through the real door."""

import gzip
import json
from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from submissions.models import Submission
from tests.documents import metadata
from tests.factories import PriceFactory
from tests.submissions.caller import BASE
from tests.submissions.logs import LOGS, QUORUM, form, log, zipped


def test_a_log_becomes_a_priced_submission_whose_numbers_are_verified(caller):
    response = caller.upload(form(log(QUORUM)))

    body = response.json()["submissions"][0]
    assert response.status_code == 201
    assert (len(response.json()["submissions"]), response["Location"]) == (1, body["url"])
    # 30,000 good operations in 28.1 s; the log prints 1,069
    assert round(body["throughput_ops_s"]) == 1068
    assert (body["operations"], body["errors"], body["latency_p99_ms"]) == (30_000, 0, 194.6)
    assert (body["replication_factor"], body["consistency_level"], body["threads"]) == (3, "QUORUM", 24)
    assert (body["trust"], body["operation"], body["tool"]) == ("log_verified", "write", "cassandra-stress")
    assert (body["hourly_usd"], body["price_date"]) == ("0.576", "2026-11-20")  # 3 x 0.192, as stated
    assert Decimal(body["ops_per_usd"]) == pytest.approx(
        Decimal(body["throughput_ops_s"]) * 3600 / Decimal("0.576"), rel=Decimal("1e-9")
    )
    assert [artifact["name"] for artifact in body["artifacts"]] == [QUORUM.name, "intervals.json.gz"]


def test_the_price_book_prices_what_is_not_stated(caller):
    PriceFactory(sku="m5.xlarge", usd=Decimal("0.192"))
    meta = metadata({"nodes": [{"role": "database", "count": 3, "instance_type": "m5.xlarge"}]})

    body = caller.upload(form(log(QUORUM), meta=meta)).json()["submissions"][0]

    assert (body["hourly_usd"], body["price_date"], body["is_price_stated"]) == ("0.576", "2015-06-01", False)


def test_the_raw_log_comes_back_byte_for_byte(caller, client):
    body = caller.upload(form(log(QUORUM))).json()["submissions"][0]

    response = client.get(body["artifacts"][0]["download_url"])

    assert response.getvalue() == QUORUM.read_bytes()


def test_the_interval_series_of_the_log_is_there(caller, client):
    body = caller.upload(form(log(QUORUM))).json()["submissions"][0]

    series = json.loads(client.get(f"{BASE}{body['id']}/intervals/").getvalue())

    rows = series["trials"][0]["clients"][0]
    assert len(rows) == QUORUM.read_text().count("\ntotal,")
    assert rows[0][0] == "total"


def test_the_same_log_again_answers_with_the_first(caller):
    first, again = (caller.upload(form(log(QUORUM))) for _ in range(2))

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert Submission.objects.count() == 1


def test_metadata_may_come_as_a_file(caller):
    parts = form(log(QUORUM))
    parts["metadata"] = SimpleUploadedFile("meta.json", parts["metadata"].encode(), "application/json")

    assert caller.upload(parts).status_code == 201


def test_a_packed_log_is_read_and_kept_as_it_was_sent(caller, client):
    packed = gzip.compress(QUORUM.read_bytes())

    body = caller.upload(form(log(packed, "run.log.gz"))).json()["submissions"][0]

    assert round(body["throughput_ops_s"]) == 1068
    assert client.get(body["artifacts"][0]["download_url"]).getvalue() == packed


def test_clients_with_the_same_trial_are_added_up_and_others_are_trials(caller):
    def client_log(n):
        return log(QUORUM.read_bytes() + b"\n" * n, f"client{n}.log")

    together = caller.upload(form(client_log(0), client_log(1), trial=["1", "1"])).json()["submissions"][0]
    apart = caller.upload(form(client_log(2), client_log(3))).json()["submissions"][0]

    assert (together["trials_count"], together["trials"][0]["client_count"], together["operations"]) == (1, 2, 60_000)
    assert apart["trials_count"] == 2
    assert together["throughput_ops_s"] == pytest.approx(2 * apart["throughput_ops_s"])


def test_a_log_of_several_thread_counts_is_one_submission(caller):
    response = caller.upload(form(log(LOGS / "cs50-09-auto-threads.log"), meta=metadata()))

    assert response.status_code == 201, response.json()
    [submission] = response.json()["submissions"]
    assert [trial["threads"] for trial in submission["trials"]] == [4, 8, 16, 24]
    assert (submission["load_mode"], submission["threads"]) == ("curve", None)
    assert Submission.objects.count() == 1


def test_the_sender_states_loads_that_the_logs_do_not(caller):
    logs = [log(QUORUM), log(QUORUM)]
    stated = {"offered_ops_s": ["1000", "2000"], "threads": ["", "24"]}

    response = caller.upload({**form(*logs), **stated}, "?dry_run=true")

    [submission] = response.json()["submissions"]
    assert submission["load_mode"] == "curve"
    assert [(trial["offered_ops_s"], trial["threads"]) for trial in submission["trials"]] == [(1000, 24), (2000, 24)]


@pytest.mark.parametrize(
    ("stated", "pointer", "detail"),
    [
        ({"threads": ["", "32"]}, "#/log/1", "threads: the log says 24, the upload says 32"),
        ({"threads": ["many"]}, "#/threads/0", "Enter a number such as 80000, 80,000, 80k or 1.5M."),
        ({"threads": ["0"]}, "#/threads/0", "must be at least 1"),
        ({"offered_ops_s": ["0"]}, "#/offered_ops_s/0", "must be greater than 0"),
        ({"offered_ops_s": ["1", "2", "3"]}, "#/offered_ops_s", "3 values for 2 files"),
        ({"offered_ops_s": ["nan"]}, "#/offered_ops_s/0", None),
    ],
)
@pytest.mark.usefixtures("nothing_is_stored")
def test_a_stated_load_that_cannot_be_is_refused(caller, stated, pointer, detail):
    response = caller.upload({**form(log(QUORUM), log(QUORUM)), **stated})

    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert error["pointer"] == pointer
    assert detail is None or error["detail"] == detail


@pytest.mark.usefixtures("nothing_is_stored")
def test_a_dry_run_tells_where_each_fact_comes_from(caller, artifacts_folder):
    response = caller.upload(form(log(QUORUM)), "?dry_run=true")

    body = response.json()["submissions"][0]
    sources = {fact["pointer"]: fact["source"] for fact in body["understood"]}
    assert response.status_code == 200
    assert round(body["throughput_ops_s"]) == 1068
    assert sources["#/workload/threads"] == sources["#/trials/0/throughput_ops_s"] == "log"
    assert sources["#/provider"] == sources["#/nodes/0/hourly_usd"] == "uploader"
    assert not artifacts_folder.exists()


@pytest.mark.usefixtures("nothing_is_stored")
def test_a_log_without_a_good_operation_is_refused_with_the_reason(caller, faults):
    response = caller.upload(form(log(LOGS / "cs50-12-all-unavailable-ignored-zero-ops.log")))

    found = faults(response)
    assert list(found) == ["#/log/0"]
    assert "200" in found["#/log/0"]


def test_a_log_that_was_cut_off_is_stored_and_flagged(caller):
    body = caller.upload(form(log(LOGS / "cs50-14-sigterm.log"))).json()["submissions"][0]

    assert "truncated" in body["flags"]
    assert body["trials"][0]["is_truncated"] is True


@pytest.mark.usefixtures("nothing_is_stored")
def test_facts_against_the_log_are_refused_with_both_values(caller, faults):
    meta = metadata()
    meta["workload"] = {"tool": "cassandra-stress", "consistency_level": "ONE"}

    found = faults(caller.upload(form(log(QUORUM), meta=meta)))

    assert list(found) == ["#/workload/consistency_level"]
    assert "ONE" in found["#/workload/consistency_level"]
    assert "QUORUM" in found["#/workload/consistency_level"]


@pytest.mark.usefixtures("nothing_is_stored")
@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"GET / HTTP/1.1\nsome other tool\n", 400),
        (b"\x7fELF\x02\x01\x01" + bytes(2_000), 400),
        (gzip.compress(b"op rate : 1\n" * 4_000_000), 413),
        (zipped("../../etc/cron.d/x", QUORUM.read_bytes()), 400),
        (zipped("/etc/passwd", QUORUM.read_bytes()), 400),
        (gzip.compress(QUORUM.read_bytes())[:500], 400),
        (b"\xff\xfe" + "Op rate : ".encode("utf-16-le"), 400),
    ],
    ids=["empty", "another tool", "a program", "a gzip bomb", "a path", "an absolute path", "half a gzip", "utf-16"],
)
def test_a_file_that_is_no_log_is_refused_at_its_place(caller, faults, content, status):
    found = faults(caller.upload(form(log(content))), status)

    assert list(found) == ["#/log/0"]
    assert found["#/log/0"]


@pytest.mark.usefixtures("nothing_is_stored")
def test_what_is_not_recognised_says_where_the_formats_are_listed(caller, faults):
    found = faults(caller.upload(form(log(b"hello\n" * 100))))

    assert "not a benchmark log that we can read" in found["#/log/0"]
    assert "/submissions/new/" in found["#/log/0"]


@pytest.mark.usefixtures("nothing_is_stored")
@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"log": []}, "#/log"),
        ({"metadata": ""}, "#/metadata"),
        ({"metadata": "{"}, "#/metadata"),
        ({"metadata": "[]"}, "#/metadata"),
        ({"metadata": ["{}", "{}"]}, "#/metadata"),
        ({"metadata": b"\xff\xfe"}, "#/metadata"),
        ({"metadata": "[" * 10_000}, "#/metadata"),
        ({"trial": ["1", "2"]}, "#/trial"),
        ({"trial": ["\x00"]}, "#/trial/0"),
        ({"logs": "x"}, "#/logs"),
    ],
)
def test_a_form_that_is_not_as_it_should_be_names_the_field(caller, faults, fields, pointer):
    parts = {**form(log(QUORUM)), **fields}

    assert pointer in faults(caller.upload(parts))


@pytest.mark.usefixtures("nothing_is_stored")
def test_missing_and_unknown_facts_are_named(caller, faults):
    found = faults(caller.upload(form(log(QUORUM), meta={"nodes": [], "colour": "blue"})))

    assert {"#/provider", "#/nodes", "#/colour"} <= set(found)


@pytest.mark.usefixtures("nothing_is_stored")
@pytest.mark.parametrize("query", ["", "?dry_run=true"])
@pytest.mark.parametrize(
    ("fact", "pointer"),
    [
        ({"notes": "a\x00b"}, "#/notes"),
        ({"jdk": {"version": 10**40}}, "#/jdk/version"),
        ({"notes": "\ud800"}, "#/metadata"),
    ],
)
def test_facts_that_no_column_holds_are_refused(caller, faults, fact, pointer, query, settings):
    settings.IMPORT_IN_REQUEST_BYTES = 0

    assert list(faults(caller.upload(form(log(QUORUM), meta=metadata(fact)), query))) == [pointer]


@pytest.mark.usefixtures("nothing_is_stored")
def test_a_multipart_body_that_is_none_is_refused(caller, faults):
    for body in (b"", b"--x\r\n", b"garbage", b"--x\r\nContent-Disposition: form-data\r\n\r\n"):
        response = caller.post(f"{BASE}import/", body, content_type="multipart/form-data; boundary=x")
        assert faults(response)
    response = caller.post(f"{BASE}import/", b"x", content_type="multipart/form-data")
    assert faults(response)


@pytest.mark.usefixtures("nothing_is_stored")
def test_an_upload_over_the_limit_is_refused_before_it_is_read(caller, faults, monkeypatch):
    from submissions.upload.api.import_logs import LogImport

    monkeypatch.setattr(LogImport, "max_body_bytes", 1_000)

    assert faults(caller.upload(form(log(QUORUM))), 413) == {"#": "the body is over 1,000 bytes"}


@pytest.mark.usefixtures("nothing_is_stored")
def test_json_is_not_for_this_door(caller, faults):
    assert faults(caller.post(f"{BASE}import/", metadata()), 415)
