"""Badges of age."""

from datetime import UTC, date, datetime

from submissions.age.marks import age_of
from submissions.models import Submission
from submissions.templatetags.age import age_badge, age_lines
from tests.pages import HOSTILE

TODAY = date(2026, 11, 23)


def row(**facts):
    return Submission(pk=7, **{"measured_at": datetime(2026, 11, 1, tzinfo=UTC), **facts})


def badge(**facts):
    return age_badge({7: age_of(row(**facts), TODAY, {}, {})}, row(**facts))


def test_a_badge_says_its_words_to_those_who_cannot_see_its_title():
    html = badge(measured_at=datetime(2015, 9, 1, tzinfo=UTC))

    assert html.count("measured on 2015-09-01, more than 12 months ago") == 2
    assert '<span class="visually-hidden">' in html
    assert ">old<" in html


def test_no_mark_is_no_badge():
    assert badge() == age_badge({}, row()) == age_badge(None, row()) == ""


def test_what_an_uploader_wrote_is_escaped():
    html = badge(service="cassandra", service_version=f"2.1{HOSTILE}")

    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_the_lines_of_a_page_have_what_is_not_known():
    lines = age_lines(age_of(row(service="aerospike"), TODAY, {}, {}))

    assert (lines.marks, lines.price) == ((), "")
    assert lines.not_known == ("the version of Aerospike",)
