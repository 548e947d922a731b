"""Ages in words."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from submissions.age.drift import Drift
from submissions.age.marks import age_of
from submissions.age.retired import LastList, Sold
from submissions.age.sentences import all_words, caveat, drift_words, meaning, not_known, ordinal, short_words, words_of
from submissions.choices import AgeMark
from submissions.models import Submission

TODAY = date(2026, 11, 23)
GONE = {Sold("aws", "us-east-1", "m1.small"): LastList(date(2026, 7, 20), date(2026, 10, 15))}


def age(retired=None, drift=None, **facts):
    row = Submission(pk=7, **{"measured_at": datetime(2026, 11, 1, tzinfo=UTC), "provider": "aws", **facts})
    return age_of(row, TODAY, retired or {}, {7: drift} if drift else {})


def test_each_mark_says_why():
    old = age(measured_at=datetime(2015, 9, 1, tzinfo=UTC), service="cassandra", service_version="5.0.2")
    unsupported = age(service="cassandra", service_version="3.11.2", jdk_vendor="oracle", jdk_version="7u80")
    older = age(service="cassandra", service_version="2.1.8")
    gone = age(GONE, region="us-east-1", instance_type="m1.small")

    assert all_words(old) == ["measured on 2015-09-01, more than 12 months ago"]
    assert all_words(unsupported) == [
        "support of Apache Cassandra 3.11.2 ended on 2024-09-05; support of JDK oracle 7u80 ended on 2022-07-19"
    ]
    assert all_words(older) == ["support of Apache Cassandra 2.1.8 ended by 2021-07-26"]
    assert all_words(gone) == [
        "m1.small is not in AWS's price list of 2026-10-15 for us-east-1; last seen there on 2026-07-20"
    ]


@pytest.mark.parametrize(
    ("drift", "words"),
    [
        (Drift(Decimal("5.40"), Decimal("4.914")), "$5.40/h when measured, $4.91/h today: −9 %"),
        (Drift(Decimal("5.40"), Decimal("5.40")), "$5.40/h when measured, the same today"),
        (Drift(Decimal("5.40"), None, "no price."), "$5.40/h when measured, not known today: no price"),
    ],
)
def test_both_prices_are_shown(drift, words):
    assert drift_words(drift) == words


def test_a_badge_has_the_only_mark_or_their_number():
    assert short_words(age(service="cassandra", service_version="2.1.8")) == "unsupported version"
    assert short_words(age(drift=Drift(Decimal("5.40"), Decimal("4.914")))) == "price −9 %"
    assert (
        short_words(
            age(GONE, region="us-east-1", instance_type="m1.small", measured_at=datetime(2015, 1, 1, tzinfo=UTC))
        )
        == "2 notes on age"
    )
    assert short_words(age()) == ""


def test_what_is_unknown_is_named():
    unknown = age(
        measured_at=None, service="aerospike", jdk_vendor="corretto", drift=Drift(Decimal(1), None, "no price.")
    )

    assert not_known(unknown) == [
        "when it was measured",
        "the version of Aerospike",
        "the version of JDK corretto",
        "the price today: no price",
    ]
    assert not_known(age(service="aerospike", service_version="6.2")) == ["until when Aerospike 6.2 is supported"]
    assert not_known(age(service="cassandra", service_version="4.1.3")) == [
        "whether Apache Cassandra 4.1.3 is still supported (it was on 2025-02-07)"
    ]
    assert not_known(age(service="postgresql", service_version="17.2")) == []


def test_a_mark_that_it_does_not_have_has_no_words():
    with pytest.raises(ValueError, match="no result has the mark"):
        words_of(age(), AgeMark.UNMARKED)


def test_a_board_says_how_many_of_its_results_are_marked():
    old = age(measured_at=datetime(2015, 9, 1, tzinfo=UTC))

    assert caveat([old, age()]) == "1 of 2 best results have a note on age."
    assert caveat([age()]) == ""


def test_what_makes_a_result_old_is_explained_in_words():
    assert meaning() == (
        "measured over 12 months ago, price changed by over 2 %, version past its end of life or "
        "type no longer in the price list"
    )


@pytest.mark.parametrize(
    ("rank", "words"),
    [
        ("1", "1st"),
        ("2", "2nd"),
        ("3", "3rd"),
        ("4", "4th"),
        ("11", "11th"),
        ("12", "12th"),
        ("21", "21st"),
        ("2-4", "2-4"),
    ],
)
def test_a_rank_is_an_ordinal(rank, words):
    assert ordinal(rank) == words


def test_a_price_that_was_only_rounded_is_the_same_today():
    drift = Drift(Decimal("8.241864"), Decimal("8.2418639971"))

    assert drift_words(drift) == "$8.24/h when measured, the same today"
