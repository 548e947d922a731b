"""The tests' own pack among those that come with the site, and a price book that is not empty."""

import pytest


@pytest.fixture
def tiny(db, monkeypatch, settings):
    # Django is not set up yet when this file is read
    from submissions.formatting import names
    from submissions.packs import registry, slices
    from tests.factories import PriceFactory
    from tests.submissions.packs.tiny import TinyPack

    pack = TinyPack()
    monkeypatch.setattr(registry, "PACKS", {**registry.PACKS, "tiny": pack})
    monkeypatch.setitem(names.PACKS, "tiny", "Tiny Measurements")
    settings.PACKS = ["tiny"]
    slices.complete_versions.clear()
    PriceFactory()
    yield pack
    slices.complete_versions.clear()
