"""A removed pack is retracted with its reason, stays removed, and comes back with the same ids."""

import pytest
from django.core.management import CommandError, call_command

from submissions.ingest.changes.retract import retract
from submissions.models import PackEntry, RemovedPack, Submission
from submissions.packs import load, removal, slices
from submissions.packs.load import load_waiting
from submissions.packs.progress import progress
from tests.factories import SubmissionFactory, VerifiedUserFactory
from tests.submissions.packs.tiny import Killed


def published():
    return set(Submission.objects.published().values_list("pk", "title"))


@pytest.fixture
def loaded(tiny):
    load_waiting(tiny)
    return published()


def test_its_results_are_retracted_with_the_reason_and_everything_else_stays(tiny, loaded, client, capsys):
    other = SubmissionFactory()

    call_command("remove_pack", "tiny")

    assert capsys.readouterr().out == "Tiny Measurements: 5 results retracted\n"
    assert {pk for pk, _ in published()} == {other.pk}
    rows = Submission.objects.filter(pack="tiny")
    assert set(rows.values_list("retraction_reason", flat=True)) == {"pack removed"}
    page = client.get(f"/submissions/{rows.first().pk}/").content.decode()
    assert "pack removed" in page


def test_loaded_by_hand_it_comes_back_with_the_same_ids(tiny, loaded):
    for _ in range(2):
        call_command("remove_pack", "tiny")
        assert published() == set()
        call_command("load_pack", "tiny")
        assert published() == loaded

    assert Submission.objects.count() == 5
    assert set(Submission.objects.values_list("retraction_reason", flat=True)) == {""}


def test_no_worker_loads_it_again_until_an_operator_does(tiny, loaded):
    call_command("remove_pack", "tiny")

    assert slices.load_slice() is None
    assert slices.unfinished() is None
    assert load_waiting(tiny).loaded == 0
    assert published() == set()

    load.load_again(tiny)
    assert slices.load_slice() is None
    assert published() == loaded


def test_removal_goes_on_where_it_was_cut_off(tiny, loaded, monkeypatch):
    monkeypatch.setattr(removal, "BATCH", 2)
    remove_some, calls = removal.remove_some, []

    def killed(name):
        if len(calls) == 1:
            raise Killed
        calls.append(name)
        return remove_some(name)

    monkeypatch.setattr(removal, "remove_some", killed)
    with pytest.raises(Killed):
        removal.remove("tiny")
    assert len(published()) == 3
    assert slices.load_slice() is None  # nothing comes back meanwhile
    monkeypatch.setattr(removal, "remove_some", remove_some)

    assert removal.remove("tiny") == 3
    assert removal.remove("tiny") == 0
    assert published() == set()


def test_a_return_goes_on_where_it_was_cut_off(tiny, loaded, monkeypatch):
    monkeypatch.setattr(load, "MOST_ROWS", 2)
    removal.remove("tiny")
    tiny.killed_after = 3
    with pytest.raises(Killed):
        call_command("load_pack", "tiny")
    assert len(published()) == 2
    tiny.killed_after = None

    assert slices.load_slice() is None  # PACKS names it: a worker goes on

    assert published() == loaded


def test_a_removal_in_the_middle_of_a_removal_and_a_return_ends_as_the_last_command_says(tiny, loaded, monkeypatch):
    monkeypatch.setattr(load, "MOST_ROWS", 2)
    monkeypatch.setattr(removal, "BATCH", 2)
    removal.remove("tiny")
    tiny.killed_after = 2
    with pytest.raises(Killed):
        call_command("load_pack", "tiny")
    tiny.killed_after = None

    removal.remove("tiny")
    assert published() == set()
    call_command("load_pack", "tiny")
    assert published() == loaded


def test_a_pack_that_is_removed_while_it_is_loaded_ends_the_loading(tiny, monkeypatch):
    monkeypatch.setattr(load, "MOST_ROWS", 2)
    store_all = load.store_all

    def removed_after(batch, **origin):
        RemovedPack.objects.get_or_create(name="tiny")
        return store_all(batch, **origin)

    monkeypatch.setattr(load, "store_all", removed_after)

    with pytest.raises(CommandError, match="removed meanwhile"):
        call_command("load_pack", "tiny")

    assert Submission.objects.count() == 2  # of the batch that had begun: the removal waits for it


def test_a_removed_pack_can_have_another_version_when_it_comes_back(tiny, loaded):
    removal.remove("tiny")
    tiny.version = "2"
    tiny.rates["machine 1"] += 1

    call_command("load_pack", "tiny")

    back = published()
    assert len(back) == 5
    assert len(back & loaded) == 4
    assert progress([tiny]).loaded == 5


def test_what_a_moderator_retracted_stays_retracted(tiny, loaded):
    retract(Submission.objects.get(title="machine 4"), reason="measured on a broken machine")
    removal.remove("tiny")

    call_command("load_pack", "tiny")

    assert len(published()) == 4
    assert Submission.objects.get(title="machine 4").retraction_reason == "measured on a broken machine"


def test_an_upload_with_the_same_content_stays_when_the_pack_goes(tiny):
    [(_, prepared)] = tiny.prepared({"machine 2"})
    uploaded = load.store_all([prepared], submitted_by=VerifiedUserFactory())[0].submission
    load_waiting(tiny)

    removal.remove("tiny")

    assert {pk for pk, _ in published()} == {uploaded.pk}


def test_a_pack_that_was_never_loaded_can_be_removed(tiny):
    assert removal.remove("tiny") == 0

    assert slices.load_slice() is None
    assert not PackEntry.objects.exists()
