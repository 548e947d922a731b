"""How the database of a result runs: as its nodes say, as stated, or as the name of their type says."""

import importlib

import pytest
from django.db import connection

from submissions.models import Submission
from tests.documents import document

pytestmark = pytest.mark.django_db

# (provider, type, kind of the nodes, stated) -> deployment
CASES = {
    ("aws", "m3.2xlarge", None, None): "vm",
    ("aws", "i3.metal", None, None): "bare_metal",
    ("aws", "m3.2xlarge", None, "kubernetes"): "kubernetes",
    ("mongodb-atlas", "M80", "managed", None): "managed",
    ("aws", "db.r6g.large", "managed", "managed"): "managed",
    ("on-premises", "r720", None, None): None,
    ("on-premises", "r720", None, "bare_metal"): "bare_metal",
}


def changes(provider, name, kind, stated):
    changed = {"provider": provider, "nodes/0/instance_type": name}
    if kind:
        changed["nodes/0/kind"] = kind
    return {**changed, "deployment": stated} if stated else changed


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_result_gets_its_deployment(caller, case):
    answer = caller.submit(document(changes(*case)))

    assert answer.status_code == 201, answer.content
    assert answer.json()["deployment"] == CASES[case]


def test_a_managed_database_cannot_run_otherwise(caller, faults):
    answer = caller.submit(document(changes("aws", "db.r6g.large", "managed", "vm")))

    assert 'the database nodes are managed, so deployment cannot be "vm"' in str(faults(answer))


def test_a_document_that_does_not_state_it_has_the_sum_that_it_had_before(caller):
    row = Submission.objects.get(pk=caller.submit(document()).json()["id"])

    assert row.deployment == "vm"
    assert "deployment" not in row.document


def test_results_that_were_stored_before_get_the_same(caller):
    migration = importlib.import_module("submissions.migrations.0004_machines")
    expected = {}
    for number, case in enumerate(case for case in CASES if case[3] in (None, "managed")):
        pk = caller.submit(document({**changes(*case), "trials/0/throughput_ops_s": 90_000 + number})).json()["id"]
        expected[pk] = CASES[case]
    Submission.objects.update(deployment=None)

    with connection.cursor() as cursor:
        cursor.execute(migration.DERIVED)

    assert dict(Submission.objects.values_list("pk", "deployment")) == expected
