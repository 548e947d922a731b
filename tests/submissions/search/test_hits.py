"""The words of a search are marked, and a text stays what it is."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.search.hits import Marker
from submissions.search.terms import asked
from tests.pages import HOSTILE


def test_a_word_is_marked_whole_where_its_beginning_matches():
    assert Marker(asked("net")).marked("Netflix on the internet") == "<mark>Netflix</mark> on the internet"


def test_a_name_is_marked_however_it_is_separated():
    assert (
        Marker(asked("m5.xl")).marked("3× m5.xlarge, M5 xlarge") == "3× <mark>m5.xlarge</mark>, <mark>M5 xlarge</mark>"
    )


def test_a_number_is_marked_alone():
    assert Marker(asked("1")).marked("us-east-1 10") == "us-east-<mark>1</mark> 10"


def test_markup_in_a_text_and_in_a_search_is_text():
    marked = Marker(asked("script <b>")).marked(HOSTILE)

    assert "<mark>script</mark>" in marked
    assert html.unescape(re.sub("</?mark>", "", marked)) == HOSTILE


def test_an_excerpt_is_the_line_around_the_first_match():
    text = "one two " * 40 + "the\nNetflix   article" + " three four" * 40

    excerpt = Marker(asked("netflix")).excerpt(text)

    assert "the <mark>Netflix</mark> article" in excerpt
    assert re.fullmatch(r"… (one|two) .*(three|four) …", excerpt)
    assert len(excerpt) < 250
    assert Marker(asked("mongodb")).excerpt(text) == ""


@given(st.text(max_size=120), st.text(max_size=40))
def test_without_its_marks_every_text_is_what_it_was(text, typed):
    marked = Marker(asked(typed)).marked(text)

    assert html.unescape(re.sub("</?mark>", "", marked)) == html.unescape(html.escape(text))


@pytest.mark.parametrize("typed", ["", "#72", "…"])
def test_a_search_without_words_marks_nothing(typed):
    assert Marker(asked(typed)).marked("72 nodes") == "72 nodes"
