"""What a reader types is read as words, phrases and numbers, and never as the language of the database."""

import pytest
from django.db import connection
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from submissions.search.terms import asked, pieces

NASTY = st.text(st.sampled_from("ab1'\"\\&|!<->():*#%_ .-/·×“”\t\nß不é\u200b\ud7ff"), max_size=60)


def texts(search):
    return [term.text for term in search.terms]


def test_words_and_quoted_phrases_are_terms_and_repeated_ones_are_one():
    search = asked('  netflix  "million writes" netflix i4i ')

    assert search.text == 'netflix "million writes" netflix i4i'
    assert texts(search) == ["netflix", '"million writes"', "i4i"]


def test_the_quotes_of_a_word_processor_are_quotes_and_one_that_is_not_closed_is_none():
    assert asked("“million writes”").terms[0].is_quoted
    assert texts(asked('netflix "million writes')) == ["netflix", "million", "writes"]


def test_a_name_with_punctuation_is_a_phrase_of_its_pieces():
    assert pieces("m5.xlarge") == ("m5", "xlarge")
    assert asked("us-east-1").tsquery == "('us' <-> 'east' <-> '1')"
    assert asked("i4i.4x").tsquery == "('i4i' <-> '4x':*)"


def test_the_beginning_of_a_word_is_enough_but_a_number_or_a_letter_is_whole():
    assert asked("netf").tsquery == "('netf':*)"
    assert asked("17").tsquery == "('17')"
    assert asked("a").tsquery == "('a')"
    assert asked('"netf"').tsquery == "('netf')"


@pytest.mark.parametrize("text", ["google", '"Google Cloud"', "goog"])
def test_a_display_name_stands_for_its_slug(text):
    assert "'gce'" in asked(text).tsquery


def test_a_number_may_be_that_of_a_result_and_with_its_sign_it_is_nothing_else():
    assert (asked("72").number, texts(asked("72"))) == (72, ["72"])
    assert (asked(" #72 ").number, texts(asked("#72"))) == (72, [])
    assert asked("72 nodes").number is None


@pytest.mark.parametrize(
    "text", ["0", "#0", "9223372036854775808", "#99999999999999999999", "#", "#x", "٣", "-1", "7.2"]
)
def test_what_no_result_can_have_as_a_number_is_none(text):
    assert asked(text).number is None


def test_names_match_when_they_have_every_term():
    assert asked("apache cas").matches("cassandra", "Apache Cassandra")
    assert not asked("apache redis").matches("cassandra", "Apache Cassandra")
    assert not asked('"value prices"').matches("Value", "Prices")
    assert not asked("").matches("Value")


@pytest.mark.django_db
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(NASTY, st.text(max_size=60).filter(lambda text: "\x00" not in text)))
@example("' | 'x")
@example("a <-> :* & !(b")
@example("\\'")
@example("…")
def test_whatever_is_typed_the_database_reads_it(text):
    text = text.encode("utf-8", "ignore").decode()
    query = asked(text).tsquery

    with connection.cursor() as cursor:
        cursor.execute("SELECT to_tsvector('simple', 'a') @@ to_tsquery('simple', %s)", [query])


@pytest.mark.django_db
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.from_regex(r"[a-z0-9]{1,8}([.\-/_][a-z0-9]{1,6}){0,2}", fullmatch=True), min_size=1, max_size=5))
def test_every_name_is_found_by_itself_and_in_quotes(names):
    with connection.cursor() as cursor:
        for name in names:
            for typed in (name, f'"{name}"'):
                search = asked(typed)
                cursor.execute(
                    "SELECT submissions_search_words(%s) @@ to_tsquery('simple', %s)",
                    [" ".join(names), search.tsquery],
                )
                assert cursor.fetchone() == (True,), (name, names)
