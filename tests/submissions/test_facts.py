import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.exceptions import FieldDoesNotExist

from submissions.dataset.schema import TABLES
from submissions.facts import BY_COLUMN, BY_PLACE, COMMAND, FACTS, JDK, SERVICE, VALUE_BYTES, Fact
from submissions.ingest.document.submission import SubmissionDocument
from submissions.models import Submission
from submissions.questions.grid.parameters import VARIED
from submissions.records.api.serializers import SubmissionSerializer
from submissions.records.list.facet_order import FACET_COLUMNS
from submissions.records.list.filters import SubmissionFilter
from submissions.records.table import OWN_CELLS, SHARED_CELLS
from submissions.upload.form import FactsForm, GroupForm

ROOT = Path(__file__).parents[2]


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


@pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
def test_what_is_made_of_a_fact_can_be_made_of_it(fact: Fact):
    if fact.is_counted:
        assert fact.is_filter
    if fact.in_form:
        assert fact.place
    if fact.in_table or fact.in_configuration:
        assert fact.column
    if fact.is_varied:
        assert fact.columns


def test_a_form_has_the_facts_that_are_in_it():
    drawn = {*FactsForm.base_fields, *GroupForm.base_fields}

    assert drawn == {fact.key for fact in FACTS.values() if fact.in_form}


def test_a_list_has_the_facts_that_are_in_it():
    keys = {fact.key for fact in FACTS.values() if fact.in_table}

    assert keys == SHARED_CELLS | {fact.key for fact in OWN_CELLS}
    assert {fact.key for fact in FACTS.values() if fact.is_filter} <= SubmissionFilter.base_filters.keys()
    assert {fact.key for fact in FACTS.values() if fact.is_counted} == FACET_COLUMNS.keys()
    assert {fact.key for fact in FACTS.values() if fact.is_varied} == VARIED.keys()


def test_the_api_and_the_dump_have_every_column_of_a_fact():
    [submissions] = [table for table in TABLES if table.name == "submissions"]

    assert BY_COLUMN.keys() <= set(SubmissionSerializer.Meta.fields)
    assert {column for column, fact in BY_COLUMN.items() if fact.in_dump} <= {
        column.name for column in submissions.columns
    }


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


def test_no_label_is_written_a_second_time():
    """Python takes it from facts.py, a template from {{ "latency_kind"|fact_heading }}.

    A label of one word, "Operations", is also a word of log formats, headings and sentences: it counts
    only where it labels something.
    """
    labels = {label for fact in FACTS.values() for label in (fact.label, fact.label_with_unit)}
    offenders = [
        f"{path}:{line}: {label}" for path in _sources("*.py") for line, label in _literals(path) if label in labels
    ]
    long = "|".join(re.escape(label) for label in labels if " " in label)
    written = re.compile(rf">\s*({long})\s*<|\"({long})\"")
    offenders += [
        f"{path}:{number}: {line.strip()}"
        for path in (ROOT / "templates").rglob("*.html")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if written.search(line)
    ]
    assert offenders == []


def _sources(pattern: str) -> Iterator[Path]:
    for package in ("submissions", "runners"):
        for path in (ROOT / package).rglob(pattern):
            if "migrations" not in path.parts and path != ROOT / "submissions" / "facts.py":
                yield path


def _literals(path: Path) -> Iterator[tuple[int, str]]:
    """Texts of two words or more, and those that are the argument `label`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value
        if isinstance(node, ast.keyword) and node.arg == "label" and isinstance(node.value, ast.Constant):
            yield node.value.lineno, str(node.value.value)


def _resolved(place: dict, definitions: dict) -> dict:
    """Through optional values, lists and references to the object that has the properties."""
    for option in place.get("anyOf", [place]):
        if "items" in option:
            return _resolved(option["items"], definitions)
        if "$ref" in option:
            return definitions[option["$ref"].rpartition("/")[2]]
    return place
