"""A row in memory is what a SELECT gives: every JSON value, in the database's order of keys."""

import json

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.ingest.store.as_stored import as_jsonb

_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
_NUMBERS = st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
_VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=6),
    max_leaves=12,
)


@pytest.mark.django_db
@settings(max_examples=150, deadline=None)
@given(_VALUES)
def test_json_is_as_the_database_keeps_it(value):
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::jsonb::text", [json.dumps(value)])
        (kept,) = cursor.fetchone()

    assert json.dumps(as_jsonb(value)) == json.dumps(json.loads(kept))
