"""What is varied becomes cells, and the cells an order of starts."""

import pytest

from benchsite.http.refusals import Refusal
from runners.choices import CellOrder
from runners.series.order import combinations_of, order_from, starts_of
from runners.series.paths import cell_words, covers, keys_of, with_value
from tests.runners.series.orders import body


def test_cells_are_the_product_of_what_is_varied():
    vary = [
        {"field": "workload.threads", "values": [8, 16]},
        {"field": "settings.cassandra.yaml.concurrent_writes", "values": [32, 64, 128]},
    ]
    cells = combinations_of(order_from(body(vary=vary)))

    assert len(cells) == 6
    last = cells[-1]
    assert last.values == {"workload.threads": 16, "settings.cassandra.yaml.concurrent_writes": 128}
    assert last.content["workload"]["threads"] == 16
    assert last.content["settings"] == {"cassandra.yaml": {"concurrent_writes": 128}}


@pytest.mark.parametrize(
    "vary",
    [
        {"field": "provider+region+instance", "values": [["aws", "us-east-1", "m5.xlarge"], ["gce", "us-c", "n1"]]},
        {
            "fields": ["provider", "region", "database.instance_type"],
            "values": [["aws", "us-east-1", "m5.xlarge"], ["gce", "us-c", "n1"]],
        },
    ],
)
def test_several_facts_vary_together(vary):
    cells = combinations_of(order_from(body(vary=[vary])))

    assert [(cell.content["provider"], cell.content["database"]["instance_type"]) for cell in cells] == [
        ("aws", "m5.xlarge"),
        ("gce", "n1"),
    ]


@pytest.mark.parametrize(
    ("vary", "pointer"),
    [
        ([], "#/vary"),
        ([{"field": "workload.threads", "values": [8]}], "#"),
        ([{"field": "workload.threads", "values": [8, 8]}], "#/vary/0"),
        ([{"field": "provider+region", "values": [["aws"], ["gce"]]}], "#/vary/0"),
        ([{"values": [1, 2]}], "#/vary/0"),
        ([{"field": "a", "fields": ["b"], "values": [1, 2]}], "#/vary/0"),
        ([{"field": "workload.threads", "values": list(range(50))}, {"field": "trials", "values": [1, 2]}], "#"),
        ([{"field": "trials", "values": [1, 2]}, {"field": "trials", "values": [3, 4]}], "#"),
        ([{"field": "provider.name", "values": [1, 2]}], "#/vary/0"),
    ],
)
def test_what_cannot_be_varied_so_is_refused_with_its_place(vary, pointer):
    with pytest.raises(Refusal) as refused:
        combinations_of(order_from(body(vary=vary)))

    assert [fault.pointer for fault in refused.value.faults] == [pointer]


def test_interleaved_rounds_run_forwards_and_backwards():
    assert starts_of(3, 3, CellOrder.INTERLEAVED) == [
        *((0, 1), (1, 1), (2, 1)),
        *((2, 2), (1, 2), (0, 2)),
        *((0, 3), (1, 3), (2, 3)),
    ]


def test_in_turn_a_cell_is_repeated_before_the_next_begins():
    assert starts_of(2, 2, CellOrder.IN_TURN) == [(0, 1), (0, 2), (1, 1), (1, 2)]


def test_a_path_knows_the_names_of_files():
    assert keys_of("settings.postgresql.conf.shared_buffers") == ["settings", "postgresql.conf", "shared_buffers"]
    assert keys_of("settings.cassandra.yaml") == ["settings", "cassandra.yaml"]
    assert covers("jdk", "#/jdk/version")
    assert covers("workload.threads", "#/workload")
    assert not covers("workload.threads", "#/workload/scale")
    assert not covers("jdk", "#")


def test_no_value_is_the_default_and_the_plan_stays_as_it_was():
    plan = {"jdk": {"vendor": "openjdk"}}

    assert with_value(plan, "jdk", None) == {}
    assert plan == {"jdk": {"vendor": "openjdk"}}


def test_a_cell_is_named_by_its_facts():
    values = {
        "jdk": {"vendor": "openjdk", "version": "17"},
        "database.count": 3,
        "settings.jvm_options": ["-XX:+UseZGC"],
    }

    assert cell_words(values) == "jdk openjdk 17, nodes 3, JVM options -XX:+UseZGC"
