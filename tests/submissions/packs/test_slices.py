"""A worker loads the packs of PACKS in slices, and pages say how far it is."""

import pytest

from submissions import operations
from submissions.models import Price, Submission
from submissions.packs import registry, slices
from submissions.packs.progress import progress
from tests.submissions.packs.tiny import TinyPack


@pytest.fixture
def second(tiny, monkeypatch, settings):
    pack = TinyPack(size=20)
    pack.name = "second"
    pack.rates = {f"other {key}": rate + 1000 for key, rate in pack.rates.items()}
    monkeypatch.setattr(registry, "PACKS", {"tiny": tiny, "second": pack})
    settings.PACKS = ["tiny", "second"]
    return pack


def test_a_pack_that_packs_does_not_name_is_left_out(tiny, settings):
    settings.PACKS = []

    assert slices.load_slice() is None
    assert slices.unfinished() is None
    assert not Submission.objects.exists()


def test_the_first_page_says_how_far_all_packs_are_until_all_is_loaded(tiny, second, client):
    assert "0 of\n  25 results" in client.get("/").content.decode()

    assert slices.load_slice() == 0  # one of them

    assert "5 of\n  25 results" in client.get("/").content.decode()
    assert slices.load_slice() is None
    assert "are being loaded" not in client.get("/").content.decode()


def test_of_several_packs_each_has_something_soon(tiny, second, monkeypatch):
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0)  # of one batch of one result
    order = []
    while slices.load_slice() is not None:
        order.append(Submission.objects.latest("pk").pack)

    assert order[:6] == ["tiny", "second", "second", "second", "second", "tiny"]
    assert progress([tiny, second]).waiting == 0


def test_a_second_worker_waits_while_one_loads(tiny):
    slices.cache.add(slices.TAKEN, True, 60)

    assert slices.load_slice() == slices.LOOK_AGAIN_SECONDS

    slices.cache.delete(slices.TAKEN)
    assert slices.load_slice() is None
    assert progress([tiny]).waiting == 0


def test_without_prices_it_waits_for_a_site_that_has_them(tiny):
    Price.objects.all().delete()

    assert slices.load_slice() is None
    assert slices.unfinished().waiting == 5


def test_operators_see_what_waits_and_what_was_refused(tiny):
    tiny.refused = {"machine 1", "machine 2"}
    slices.load_slice()
    tiny.rates["machine 5"] = 1.0

    figures = {figure.name: figure for figure in operations.figures()}

    assert (figures["packs_waiting"].value, figures["packs_refused"].value) == (1, 2)
    assert figures["packs_refused"].alarm
