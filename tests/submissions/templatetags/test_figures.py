"""How templates print: the exact value in the title, and unknown said in words."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from submissions.templatetags import figures

UNKNOWN = (
    '<span class="unknown" title="unknown"><span aria-hidden="true">—</span>'
    '<span class="visually-hidden">unknown</span></span>'
)


@pytest.mark.parametrize(
    "print_",
    [
        figures.figure,
        figures.millions,
        figures.money,
        figures.usd,
        figures.exact,
        figures.percent,
        figures.known,
        figures.utc,
        figures.month,
        figures.rate,
        figures.ops_s,
        figures.ops_per_usd,
        figures.ms,
        figures.latency,
        figures.hourly,
        figures.monthly,
        figures.cluster_usd,
        figures.usd_per_million_ops,
    ],
)
@pytest.mark.parametrize("value", [None, ""])
def test_what_is_unknown_is_said_and_is_never_zero(print_, value):
    assert print_(value) == UNKNOWN


def test_zero_is_a_number():
    assert figures.figure(0) == "0"
    assert figures.exact(0) == "0"


def test_a_rounded_figure_has_the_exact_one_in_its_title():
    assert figures.figure(90748.25) == '<span title="90,748.25">90,700</span>'
    assert figures.millions(Decimal("439713157.8947")) == '<span title="439,713,157.8947">440</span>'
    assert figures.usd(Decimal("1.596")) == '<span title="$1.596">$1.60</span>'


def test_a_figure_with_its_unit_has_the_exact_one_with_its_unit_in_the_title():
    assert figures.rate(111034.2) == '<span title="111,034.2">111\u00a0k</span>'
    assert figures.ops_s(111034.2) == '<span title="111,034.2 ops/s">111\u00a0k\u00a0ops/s</span>'
    assert figures.ops_per_usd(Decimal("439713157.8947")) == (
        '<span title="439,713,157.8947 ops/$">440\u00a0M\u00a0ops/$</span>'
    )
    assert figures.hourly(Decimal("0.912")) == '<span title="$0.912/h">$0.91/h</span>'
    assert figures.usd_per_million_ops(Decimal("0.002274")) == (
        '<span title="$0.002274 per M ops">$0.0023 per M ops</span>'
    )
    assert figures.latency(3) == '<span title="3 ms">3.0\u00a0ms</span>'
    assert figures.latency(195) == "195\u00a0ms"


def test_a_month_has_the_exact_time_in_its_title():
    assert figures.month(datetime(2015, 9, 1, 14, tzinfo=UTC)) == (
        '<time class="nowrap" datetime="2015-09-01T14:00:00Z" title="2015-09-01 14:00:00 UTC">Sep 2015</time>'
    )
    assert (
        figures.month(date(2015, 9, 1))
        == '<time class="nowrap" datetime="2015-09-01" title="2015-09-01">Sep 2015</time>'
    )


def test_an_exact_figure_needs_no_title():
    assert figures.figure(195) == "195"


def test_a_moment_is_printed_in_utc_whatever_its_zone():
    evening = datetime(2015, 9, 1, 20, 30, tzinfo=timezone(-timedelta(hours=5)))

    assert figures.utc(evening) == (
        '<time class="nowrap" datetime="2015-09-02T01:30:00Z" title="2015-09-02 01:30:00 UTC">2015-09-02</time>'
    )
    assert figures.utc(datetime(2015, 9, 1, tzinfo=UTC)).endswith(">2015-09-01</time>")
    assert figures.utc(date(2015, 6, 1)) == '<time class="nowrap" datetime="2015-06-01">2015-06-01</time>'


def test_texts_of_others_are_escaped():
    assert figures.known("<b>") == "&lt;b&gt;"


def test_badges_say_what_they_mean():
    assert figures.trust_badge("uploaded") == (
        '<span class="badge trust-uploaded" title="Numbers stated by the submitter, without a raw log.">uploaded</span>'
    )
    assert figures.flag_badges(["short"]) == (
        '<span class="badge flag" title="Less than 60 seconds were measured.">under 60 s</span>'
    )
    assert figures.flag_badges([]) == ""
