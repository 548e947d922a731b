"""What a board keeps of one workload stays while others change, and is made anew as soon as its own results change."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from submissions.models import Submission
from submissions.questions.grid import page as grid
from submissions.questions.history import page as history
from submissions.questions.scaling import page as scaling
from submissions.questions.sizing import page as sizing
from tests.factories import NodeGroupFactory, PriceFactory, SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db

FORM = {"service": "cassandra", "operations": {"write": 1.0}, "replication_factor": 3}
BOARDS = {
    "/history/": history,
    "/scaling/": scaling,
    "/recommend/sizes/?target_ops_s=1000": sizing,
    "/compare/grid/?vary=jdk": grid,
}


@pytest.fixture
def workload():
    workload = WorkloadFactory(title="reads", fingerprint="ab" * 8, canonical=FORM)
    for nodes in (3, 6):
        for jdk in ("8u51", "11"):
            add(workload, nodes, jdk)
    return workload


def add(workload, nodes=3, jdk="8u51"):
    row = SubmissionFactory(
        workload=workload,
        node_count=nodes,
        jdk_vendor="openjdk",
        jdk_version=jdk,
        throughput_ops_s=1000.0 * nodes,
        measured_at=datetime(2015, 9, 1, tzinfo=UTC) + timedelta(days=Submission.objects.count()),
    )
    if not row.node_groups.exists():
        NodeGroupFactory(submission=row, count=nodes)
    return row


@pytest.fixture(params=BOARDS.items(), ids=lambda board: board[0].strip("/").partition("/?")[0].replace("/", "_"))
def board(request, workload, client, monkeypatch, clear_cache):
    """Its address, and how often it was made."""
    address, page = request.param
    made, make = [], page.shown_answer
    monkeypatch.setattr(page, "shown_answer", lambda *args: made.append(1) or make(*args))
    address = f"{address}{'&' if '?' in address else '?'}workload={workload.fingerprint}"

    def read():
        response = client.get(address)
        assert response.status_code == 200
        return response.content.decode(), len(made)

    assert read()[1] == 1
    return read


def test_a_result_of_another_workload_leaves_it(board):
    add(WorkloadFactory(title="writes"))

    assert board()[1] == 1


def test_a_result_of_its_own_workload_makes_it_anew(board, workload):
    before, _ = board()
    add(workload)

    after, made = board()

    assert made == 2
    assert after != before


def test_a_retraction_makes_it_anew(board, workload):
    before, _ = board()
    first = Submission.objects.filter(workload=workload).order_by("pk").first()
    Submission.objects.filter(pk=first.pk).update(retracted_at=timezone.now(), retraction_reason="Wrong disk.")

    after, made = board()

    assert made == 2
    assert after != before


def test_what_is_chosen_from_is_that_of_now(board):
    before, _ = board()
    add(other := WorkloadFactory(title="another choice", canonical=FORM | {"replication_factor": 5}), 3, "8u51")
    for nodes in (3, 6):
        add(other, nodes, "11")

    content, made = board()

    assert made == 1
    assert content.count("<option") > before.count("<option")


def test_new_prices_make_a_sizing_anew(workload, client, clear_cache, monkeypatch):
    made, make = [], sizing.shown_answer
    monkeypatch.setattr(sizing, "shown_answer", lambda *args: made.append(1) or make(*args))
    address = f"/recommend/sizes/?target_ops_s=1000&workload={workload.fingerprint}"
    client.get(address)

    PriceFactory()
    client.get(address)

    assert len(made) == 2
