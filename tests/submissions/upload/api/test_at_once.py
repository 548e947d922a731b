"""The same submission from 8 connections at the same moment: one row."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client

from submissions.models import NodeGroup, Submission, Trial, Workload
from tests.documents import document
from tests.factories import UserFactory, bearer
from tests.submissions.caller import BASE

CONNECTIONS = 8


@pytest.mark.django_db(transaction=True)
def test_one_of_8_connections_stores_it_and_all_get_the_same_answer():
    headers = bearer(UserFactory())
    body = json.dumps(document())
    together = Barrier(CONNECTIONS)

    def submit(_):
        try:
            together.wait(timeout=60)
            return Client().post(BASE, body, content_type="application/json", **headers)
        finally:
            connection.close()

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        answers = list(pool.map(submit, range(CONNECTIONS)))

    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert [model.objects.count() for model in (Submission, Trial, NodeGroup, Workload)] == [1, 1, 2, 1]
