"""An order becomes a series as a whole, or not at all."""

from decimal import Decimal

import pytest

from benchsite.http.refusals import Refusal
from runners.models import Run, Series, SeriesCell
from runners.series import creation
from tests.factories import UserFactory
from tests.runners.series.orders import body, stored

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def site(make_run):
    return make_run


def refused(**changes):
    with pytest.raises(Refusal) as refusal:
        stored(**changes)
    assert not Series.objects.exists()
    assert not SeriesCell.objects.exists()
    return [(fault.pointer, fault.detail) for fault in refusal.value.faults]


def test_every_cell_is_stored_with_its_plan_and_no_run_begins_with_it():
    series = stored()

    assert series.status == "queued"
    assert [(cell.plan["workload"]["threads"], cell.round) for cell in series.cells.all()] == [
        (8, 1),
        (16, 1),
        (16, 2),
        (8, 2),
    ]
    assert "threads 16" in series.cells.all()[1].plan["title"]
    assert not Run.objects.exists()


def test_a_bad_value_is_named_with_its_field_and_reason():
    faults = refused(vary=[{"field": "workload.threads", "values": [8, 0, 16, -1]}])

    assert [pointer for pointer, _ in faults] == ["#/vary/0/values/1", "#/vary/0/values/3"]
    assert all(detail.startswith("workload.threads: ") and "1" in detail for _, detail in faults)


def test_a_fault_of_the_plan_as_a_whole_is_named_at_the_value_that_makes_it_so():
    [(pointer, detail)] = refused(vary=[{"field": "workload.replication_factor", "values": [3, 5]}])

    assert pointer == "#/vary/0/values/1"
    assert "replication factor 5 needs as many database nodes" in detail


def test_a_fault_of_every_cell_is_one_of_the_plan():
    plan = {**body()["plan"], "region": None}

    assert [pointer for pointer, _ in refused(plan=plan)] == ["#/plan/region"]


def test_an_unknown_field_is_refused():
    assert [pointer for pointer, _ in refused(vary=[{"field": "clowd", "values": ["a", "b"]}])] == [
        "#/vary/0/values/0",
        "#/vary/0/values/1",
    ]


def test_the_estimate_has_a_row_for_each_cell_and_the_sum_of_all_runs():
    prepared = creation.prepare(body(), UserFactory())
    estimate = prepared.estimate()

    assert [row["values"] for row in estimate["cells"]] == [{"workload.threads": 8}, {"workload.threads": 16}]
    assert estimate["runs"] == 4
    rows = sum(Decimal(row["expected_usd"]) * row["runs"] for row in estimate["cells"])
    # each round saves a launch of 120 s and a deletion of 90 s, less 30 s to clear the hosts, of 0.672 USD an hour
    assert estimate["launches"] == 2
    assert round(rows - Decimal(estimate["expected_usd"]), 6) == round(2 * Decimal(180) / 3600 * Decimal("0.672"), 6)
    separate = creation.prepare(body(clusters="separate"), UserFactory()).estimate()
    assert Decimal(separate["expected_usd"]) == rows > 0
    assert separate["launches"] == 4
    assert separate["expected_seconds"] - estimate["expected_seconds"] == 2 * 180


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"max_usd": "0.01"}, "#/max_usd"),
        ({"max_minutes": 1}, "#/max_minutes"),
        ({"repetitions": 0}, "#/repetitions"),
        ({"order": "random"}, "#/order"),
        ({"notify": {"email": True}}, "#/notify/email"),
    ],
)
def test_what_its_budgets_do_not_allow_is_refused(changes, pointer):
    assert next(place for place, _ in refused(**changes)) == pointer


def test_a_month_that_is_spent_allows_no_series(settings):
    settings.MAX_USER_MONTH_USD = Decimal("0.01")

    [(pointer, detail)] = refused()
    assert pointer == "#/max_usd"
    assert "for this month" in detail


def test_an_account_has_few_open_series():
    owner = UserFactory()
    for _ in range(creation.MOST_OPEN):
        stored(owner)

    with pytest.raises(Refusal, match="open series"):
        stored(owner)
    stored(UserFactory())


@pytest.mark.parametrize("base", ["\x00", "password=hunter2xyz", {"version": 1}])
def test_what_every_cell_replaces_is_not_stored(base):
    plan = {**body()["plan"], "jdk": base}
    values = [{"vendor": "openjdk", "version": "17"}, {"vendor": "openjdk", "version": "11"}]
    series = stored(plan=plan, vary=[{"field": "jdk", "values": values}])
    series.refresh_from_db()

    assert series.plan["jdk"] == {"vendor": "openjdk", "version": "17"}


def test_a_secret_in_a_value_is_refused():
    options = [["-Dcassandra.password=hunter2hunter2"], ["-Xmx1G"]]

    assert all(
        "/vary/0" in pointer or "#/plan" in pointer
        for pointer, _ in refused(vary=[{"field": "settings.jvm_options", "values": options}])
    )
