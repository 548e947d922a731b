"""Every level, flag and kind is explained to readers."""

from submissions.choices import Flag, LatencyKind, Trust
from submissions.formatting.meanings import FLAG_MEANINGS, LATENCY_KIND_MEANINGS, TRUST_MEANINGS


def test_no_badge_is_without_its_meaning():
    assert set(TRUST_MEANINGS) == set(Trust)
    assert set(FLAG_MEANINGS) == set(Flag)
    assert set(LATENCY_KIND_MEANINGS) == set(LatencyKind)
