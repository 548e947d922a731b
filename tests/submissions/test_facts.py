import pytest
from django.core.exceptions import FieldDoesNotExist

from submissions.facts import BY_COLUMN, BY_PLACE, COMMAND, FACTS, JDK, SERVICE, VALUE_BYTES, Fact
from submissions.ingest.document.submission import SubmissionDocument
from submissions.models import Submission


@pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
def test_the_columns_of_a_fact_are_those_of_a_submission(fact: Fact):
    for column in fact.columns:
        try:
            field = Submission._meta.get_field(column)
        except FieldDoesNotExist:
            pytest.fail(f"{fact.key}: no column {column}")
        if fact.choices and field.choices:
            assert [value for value, _ in field.choices] == [member.value for member in fact.choices]


@pytest.mark.parametrize("fact", [fact for fact in FACTS.values() if fact.place], ids=lambda fact: fact.key)
def test_the_place_of_a_fact_is_one_of_the_document(fact: Fact):
    schema = SubmissionDocument.model_json_schema()
    place = schema
    for key in fact.path:
        place = _resolved(place["properties"][key], schema["$defs"])


def test_labels_places_and_columns_are_unique():
    labels = [fact.label for fact in FACTS.values()]
    assert sorted(labels) == sorted(set(labels))
    assert len(BY_PLACE) == sum(bool(fact.place) for fact in FACTS.values())
    assert len(BY_COLUMN) == sum(len(fact.columns) == 1 for fact in FACTS.values())


def test_a_fact_has_its_words():
    assert (SERVICE.label, SERVICE.noun, SERVICE.column) == ("Database", "database", "service")
    assert JDK.columns == ("jdk_vendor", "jdk_version")
    assert VALUE_BYTES.label_with_unit == "Column size (bytes)"
    assert COMMAND.path == ("workload", "command")


def test_a_pair_has_no_single_column():
    with pytest.raises(ValueError, match="too many values"):
        _ = JDK.column


def _resolved(place: dict, definitions: dict) -> dict:
    """Through optional values, lists and references to the object that has the properties."""
    for option in place.get("anyOf", [place]):
        if "items" in option:
            return _resolved(option["items"], definitions)
        if "$ref" in option:
            return definitions[option["$ref"].rpartition("/")[2]]
    return place
