"""A pack is loaded in batches, each once, whatever interrupts it; another version replaces what differs."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from submissions.choices import Flag, Trust
from submissions.ingest.checks.outliers import MOST_OPS_S_PER_NODE
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store
from submissions.models import PackEntry, Price, Reproduction, Submission
from submissions.packs import load
from submissions.packs.load import REPLACED, load_waiting
from submissions.packs.progress import progress
from tests.documents import document
from tests.factories import VerifiedUserFactory
from tests.submissions.packs.tiny import ATTRIBUTION, LICENSE, Killed


def ids():
    """Of what is published, by key."""
    rows = PackEntry.objects.filter(submission__retracted_at=None, submission__isnull=False)
    return dict(rows.values_list("key", "submission"))


def test_a_result_of_a_pack_names_it_and_its_licence_and_belongs_to_no_account(tiny):
    load_waiting(tiny)

    rows = Submission.objects.values_list("pack", "license", "attribution", "submitted_by", "trust", "unranked_until")
    assert set(rows) == {("tiny", LICENSE, ATTRIBUTION, None, "log_verified", None)}


def test_what_was_loaded_before_an_end_in_the_middle_is_left_and_the_rest_follows(tiny, monkeypatch):
    monkeypatch.setattr(load, "MOST_ROWS", 2)
    tiny.killed_after = 3
    with pytest.raises(Killed):
        load_waiting(tiny)
    first = ids()
    assert [*first] == ["machine 0", "machine 1"]  # the batch that had begun is lost

    tiny.killed_after = None
    done = load_waiting(tiny)

    assert (done.loaded, done.refused, done.waiting) == (5, 0, 0)
    assert first.items() <= ids().items()
    assert Submission.objects.count() == 5


def test_nothing_is_stored_twice_even_where_nothing_says_that_it_is_loaded(tiny):
    load_waiting(tiny)
    before = ids()

    load_waiting(tiny)
    PackEntry.objects.all().delete()
    load_waiting(tiny)

    assert ids() == before
    assert Submission.objects.count() == 5


def test_a_batch_that_was_begun_in_time_is_finished(tiny, monkeypatch):
    monkeypatch.setattr(load, "MOST_ROWS", 2)

    assert load_waiting(tiny, seconds=0).loaded == 1
    assert load_waiting(tiny, seconds=0).loaded == 2
    assert load_waiting(tiny).waiting == 0


def test_a_batch_takes_as_many_queries_for_each_number_of_results(tiny):
    def queries(size):
        tiny.version = str(size)
        tiny.rates = {f"{size} {number}": 1000.0 * size + number for number in range(size)}
        batch = [*tiny.prepared(tiny.rates)]
        with CaptureQueriesContext(connection) as captured:
            load.load_batch(tiny, batch)
        return len(captured)

    queries(20)  # the workload is new
    assert queries(40) == queries(20 + 1)


def test_postgresql_plans_by_what_was_loaded(tiny, monkeypatch):
    monkeypatch.setattr(load, "MOST_ROWS", 2)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_class SET reltuples = 0 WHERE relname = 'submissions_submission'")
        load_waiting(tiny)
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'submissions_submission'")
        assert cursor.fetchone() == (5,)


def test_what_another_version_reads_differently_replaces_the_result_of_before(tiny):
    load_waiting(tiny)
    before = ids()
    tiny.version = "2"
    tiny.rates["machine 1"] += 1

    load_waiting(tiny)

    old = Submission.objects.get(pk=before["machine 1"])
    assert (old.retraction_reason, old.retracted_at is None) == (REPLACED, False)
    assert [key for key in before if ids()[key] != before[key]] == ["machine 1"]
    tiny.version = "3"  # reads as the first did
    tiny.rates["machine 1"] -= 1
    load_waiting(tiny)
    assert ids() == before
    assert Submission.objects.published().count() == 5


def test_results_that_became_one_are_replaced_by_it(tiny):
    load_waiting(tiny)
    old = {key: pk for key, pk in ids().items() if key in ("machine 0", "machine 1")}
    tiny.version = "2"
    tiny.rates = {"machines 0 and 1": 70_000.0, **{key: tiny.rates[key] for key in tiny.rates if key not in old}}
    tiny.replaces = {"machines 0 and 1": tuple(old)}

    load_waiting(tiny)

    assert set(Submission.objects.exclude(retracted_at=None).values_list("pk", flat=True)) == set(old.values())
    assert Submission.objects.published().count() == 4


def test_a_result_that_is_refused_is_noted_and_the_others_are_loaded(tiny):
    tiny.refused = {"machine 3"}

    done = load_waiting(tiny)

    assert (done.loaded, done.refused, done.waiting) == (4, 1, 0)
    assert "is empty" in PackEntry.objects.get(key="machine 3").problem


def test_what_an_earlier_version_read_is_kept_until_one_that_is_not_refused_replaces_it(tiny):
    load_waiting(tiny)
    before = ids()
    tiny.version, tiny.refused = "2", {"machine 3"}
    load_waiting(tiny)
    assert ids() == before
    tiny.version, tiny.refused = "3", set()
    tiny.rates["machine 3"] += 1

    load_waiting(tiny)

    assert Submission.objects.get(pk=before["machine 3"]).retraction_reason == REPLACED


def test_an_upload_with_the_same_content_stays_its_accounts(tiny):
    user = VerifiedUserFactory()
    [(_, prepared)] = tiny.prepared({"machine 2"})
    uploaded = store(prepared, submitted_by=user).submission

    load_waiting(tiny)

    assert ids()["machine 2"] == uploaded.pk
    uploaded.refresh_from_db()
    assert (uploaded.pack, uploaded.license, uploaded.submitted_by) == ("", "CC-BY-4.0", user)


def test_terms_that_a_version_corrects_are_those_of_the_same_result(tiny, monkeypatch):
    load_waiting(tiny)
    before = ids()
    Submission.objects.update(attribution="", pack="")  # as an earlier release left them
    tiny.version = "2"

    load_waiting(tiny)

    assert ids() == before
    assert set(Submission.objects.values_list("pack", "attribution")) == {("tiny", ATTRIBUTION)}


def test_rates_of_a_pack_are_real_however_high_and_those_of_an_upload_are_flagged(tiny):
    tiny.rates["machine 0"] = 1.7 * MOST_OPS_S_PER_NODE * 3
    load_waiting(tiny)

    assert Flag.RATE_IMPLAUSIBLE not in Submission.objects.get(title="machine 0").flags
    uploaded = store(
        prepare_document(document({"trials/0/throughput_ops_s": tiny.rates["machine 0"]}), trust=Trust.LOG_VERIFIED),
        submitted_by=VerifiedUserFactory(),
    )
    assert Flag.RATE_IMPLAUSIBLE in uploaded.submission.flags


def test_a_result_of_a_pack_reproduces_no_other(tiny, monkeypatch):
    trials = [{"throughput_ops_s": rate, "latency_kind": "unknown"} for rate in (90_000.0, 92_000.0, 91_000.0)]

    def prepared(key, **changes):
        return prepare_document(document({"title": key, "trials": trials, **changes}), trust=Trust.LOG_VERIFIED)

    monkeypatch.setattr(tiny, "prepared_of", lambda key: prepared(key, settings={"name": key}))
    before = store(prepared("before", settings={"name": "an upload"}), submitted_by=VerifiedUserFactory()).submission
    load_waiting(tiny)
    between = Submission.objects.get(pk=before.pk)

    after = store(prepared("after", settings={"name": "another"}), submitted_by=None).submission

    assert not Reproduction.objects.exists()
    assert {between.trust, after.trust} == {Trust.LOG_VERIFIED}


def test_the_command_loads_a_pack_and_says_how_much_of_it(tiny, settings, capsys):
    settings.PACKS = []
    tiny.refused = {"machine 3"}

    call_command("load_pack", "tiny")

    assert capsys.readouterr().out == "Tiny Measurements: 4 of 5 results loaded, 1 refused\n"
    assert progress([tiny]).waiting == 0


@pytest.mark.parametrize("command", ["load_pack", "remove_pack"])
def test_an_unknown_pack_is_refused_with_those_that_there_are(tiny, command):
    with pytest.raises(CommandError, match=r"'large'.*'?public_runs'?.*'?tiny'?"):
        call_command(command, "large")


def test_without_prices_no_pack_is_loaded(tiny):
    Price.objects.all().delete()

    with pytest.raises(CommandError, match="the price book is empty"):
        call_command("load_pack", "tiny")
