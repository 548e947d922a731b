"""People type 80k, 80,000 and $5,000; what can be read in two ways is refused with the way to write it."""

from decimal import Decimal

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.test import Client

from submissions.api.number_fields import (
    AmountField,
    NumberField,
    RangeField,
    WholeNumberField,
    ends_of,
    parse_number,
    typed,
)
from tests.pages import text as reader_text
from tests.submissions.questions.recommend.results import cluster


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/history/?like=0", "like: Enter a number of at least 1."),
        ("/recommend/sizes/?equal_to=0", "equal_to: Enter a number of at least 1."),
        ("/workloads/?page=0", "page: Enter a number of at least 1."),
        ("/recommend/sizes/?target_ops_s=0", "target_ops_s: Enter a number above 0."),
        ("/recommend/?target_ops_s=1e11", "target_ops_s: Enter a number of at most 10,000,000,000."),
    ],
)
def test_the_bounds_of_every_number_are_in_plain_words(address: str, words: str) -> None:
    response = Client().get(address)

    assert response.status_code == 400
    assert words in reader_text(response)


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("80000", "ops/s", 80_000),
        ("80k", "ops/s", 80_000),
        ("80 K", "ops/s", 80_000),
        ("80,000", "ops/s", 80_000),
        ("1,234,567.5", "ops/s", Decimal("1234567.5")),
        ("1.5M", "ops/s", 1_500_000),
        ("80k ops/s", "ops/s", 80_000),
        ("1e5", "ops/s", 100_000),
        (".5", "ms", Decimal("0.5")),
        ("10 ms", "ms", 10),
        ("10ms", "ms", 10),
        ("$5,000", "USD/month", 5_000),
        ("$5k", "USD/month", 5_000),
        ("$ 5,000/month", "USD/month", 5_000),
        ("5000 USD", "USD", 5_000),
        ("-3", "", -3),
        ("5 %", "%", 5),
        ("5 GiB", "GiB", 5),
        ("5GiB", "GiB", 5),
        ("5,000 gib", "GiB", 5_000),
        ("5k", "GiB", 5_000),
        ("5 GiB", "bytes", 5 * 2**30),
        ("2 TB", "bytes", 2 * 10**12),
        ("0.1 GiB", "bytes", 107_374_182),
        ("34 B", "bytes", 34),
        ("5G", "bytes", 5 * 10**9),
    ],
)
def test_a_number_is_read_as_it_was_meant(text: str, unit: str, number: Decimal) -> None:
    assert parse_number(text, unit) == number


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("1,5M", "ops/s"),
        ("80,00", "ops/s"),
        ("80.000,5", "ops/s"),
        ("1,2345", "ops/s"),
        ("80 000", "ops/s"),
        ("80m", "ops/s"),
        ("1ek", "ops/s"),
        ("1e3k", "ops/s"),
        ("10 ms", "ops/s"),
        ("1 s", "ms"),
        ("10 us", "ms"),
        ("$10", "ms"),
        ("€5,000", "USD/month"),
        ("5,000 EUR", "USD/month"),
        ("$5,000/day", "USD/month"),
        ("5000 £", "USD"),
        ("500M", "GiB"),
        ("5 G", "GiB"),
        ("5 GiBs", "GiB"),
        ("5 Gib/s", "bytes"),
        ("GiB", "bytes"),
        ("nan", "ops/s"),
        ("inf", "ops/s"),
        ("", "ops/s"),
        ("٨٠", "ops/s"),
        ("9" * 100, "ops/s"),
    ],
)
def test_what_is_no_number_of_the_unit_is_refused_with_an_example(text: str, unit: str) -> None:
    with pytest.raises(ValueError, match=r"^Enter a number such as .+\.$"):
        parse_number(text, unit)


def test_fields_have_numbers_of_their_own_kind() -> None:
    assert NumberField(unit="ops/s").clean("1.5k") == 1500.0
    assert WholeNumberField().clean("1.5k") == 1500
    assert AmountField(unit="USD/month").clean("$5,000") == Decimal(5000)
    assert NumberField(required=False).clean("") is None
    assert NumberField().clean(2.5) == 2.5


def test_a_count_is_whole() -> None:
    with pytest.raises(ValidationError, match="Enter a whole number"):
        WholeNumberField().clean("1.5")


@pytest.mark.parametrize(
    ("least", "text", "message"),
    [
        (1e-6, "0", "Enter a number above 0."),
        (0, "-1", "Enter a number of at least 0."),
        (0, "1e20", "Enter a number of at most 10,000,000,000."),
    ],
)
def test_bounds_are_in_plain_words(least: float, text: str, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        NumberField(unit="ops/s", min_value=least, max_value=1e10).clean(text)
    assert refused.value.messages == [message]


def test_a_number_that_is_too_large_to_be_one_is_refused() -> None:
    with pytest.raises(ValidationError):
        NumberField().clean("1e999")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (80000.0, "80,000"),
        (0.000001, "0.000001"),
        (Decimal("5000.50"), "5,000.5"),
        ("80k", "80k"),
        ("1,5M", "1,5M"),
        (0, "0"),
        (None, ""),
        ("", ""),
    ],
)
def test_a_field_shows_the_number_with_its_thousands_separated(value: object, shown: str) -> None:
    assert typed(value) == shown


def _all_forms(base: type[forms.Form] = forms.Form) -> set[type[forms.Form]]:
    return {base}.union(*(_all_forms(form) for form in base.__subclasses__()))


def test_every_form_of_the_site_reads_numbers_as_people_type_them() -> None:
    """Whole numbers are read so too, where they are counts and no ids."""
    own = [form for form in _all_forms() if form.__module__.startswith(("submissions.", "runners."))]
    fields = [(form, name, field) for form in own for name, field in form.base_fields.items()]
    bare = [
        f"{form.__name__}.{name}"
        for form, name, field in fields
        if isinstance(field, forms.FloatField | forms.DecimalField) and not isinstance(field, NumberField | AmountField)
    ]
    assert len(own) > 20
    assert bare == []


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/api/v1/recommend/", "/recommend/"])
def test_a_page_and_the_api_read_80k_and_refuse_a_decimal_comma(client: Client, address: str) -> None:
    cluster(10_000.0)
    accepted = client.get(address, {"service": "cassandra", "target_ops_s": "80k"})
    with_budget = client.get(address, {"service": "cassandra", "max_p99_ms": "10 ms", "budget_usd_month": "$5,000"})
    refused = client.get(address, {"service": "cassandra", "target_ops_s": "1,5M"})
    assert (accepted.status_code, with_budget.status_code) == (200, 200)
    assert "80,000 ops/s" in accepted.content.decode()
    assert refused.status_code == 400
    assert "Enter a number such as 80000, 80,000, 80k or 1.5M" in refused.content.decode()


@pytest.mark.django_db
def test_a_field_that_was_refused_keeps_what_was_typed(client: Client) -> None:
    page = client.get("/recommend/", {"service": "cassandra", "target_ops_s": "1,5M"}).content.decode()
    assert 'value="1,5M"' in page


@pytest.mark.django_db
def test_limits_of_the_list_are_read_so_too(client: Client) -> None:
    assert client.get("/api/v1/submissions/", {"min_throughput": "80k", "max_p99_ms": "10 ms"}).status_code == 200
    refused = client.get("/api/v1/submissions/", {"min_throughput": "10 ms"})
    assert refused.status_code == 400
    assert "in ops/s" in refused.content.decode()


@pytest.mark.parametrize(
    ("typed_text", "unit", "ends"),
    [
        ("20k-60k", "ops/s", (20_000, 60_000)),
        ("20k – 60k", "ops/s", (20_000, 60_000)),
        ("20,000 to 60,000 ops/s", "ops/s", (20_000, 60_000)),
        ("1e-3-2e-3", "ops/s", (0.001, 0.002)),
        ("1TB-5TB", "GiB", (931.32, 4656.61)),
        ("500-1000", "GiB", (500, 1000)),
        ("80k", "ops/s", (80_000, 80_000)),
        ("1e-3", "ops/s", (0.001, 0.001)),
        ("5-5", "ops/s", (5, 5)),
        ("1 TB", "GiB", (931.32, 931.32)),
        ("2 TiB", "GiB", (2048, 2048)),
        ("64 GiB", "GiB", (64, 64)),
    ],
)
def test_a_range_is_read_from_its_two_ends(typed_text: str, unit: str, ends: tuple[float, float]) -> None:
    assert ends_of(RangeField(unit=unit).clean(typed_text)) == pytest.approx(ends, rel=1e-5)


@pytest.mark.parametrize(
    ("typed_text", "words"),
    [
        ("60k-20k", "Enter the lower end of the range first"),
        ("20-60k", "Write the suffix at both ends of the range"),
        ("1-5 TB", "Write the suffix at both ends of the range"),
        ("20k-", "Enter a number such as"),
        ("1-2-3", "Enter a number such as"),
        ("0-5", "Enter a number of at least 1."),
        ("5-500", "Enter a number of at most 100."),
        ("-5", "Enter a number of at least 1."),
    ],
)
def test_a_range_that_can_be_read_in_two_ways_or_is_out_of_bounds_is_refused(typed_text: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        RangeField(unit="GiB", min_value=1, max_value=100).clean(typed_text)


def test_the_ends_of_a_whole_range_are_whole_numbers() -> None:
    field = RangeField(unit="bytes", is_whole=True)

    assert ends_of(field.clean("100-1000")) == (100, 1_000)
    with pytest.raises(ValidationError, match="Enter a whole number"):
        field.clean("1.5-2")


def test_a_range_is_written_in_addresses_as_it_is_read() -> None:
    field = RangeField()

    assert field.clean(str(field.clean("0.5k-60k"))) == field.clean("0.5k-60k")
