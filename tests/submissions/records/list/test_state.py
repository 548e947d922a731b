"""The state of a list in its address, and back."""

from django.http import QueryDict

from benchsite.http.pagination import SortLink
from submissions.records.list.state import Chip, Limit, ListState


def state(query):
    return ListState(QueryDict(query), "/submissions/")


def test_each_choice_is_a_chip_that_takes_only_itself_away():
    chips = state("provider=aws&provider=gce&trust=log_verified&min_throughput=5").chips({})

    assert chips == [
        Chip("Provider", "AWS", "/submissions/?provider=gce&trust=log_verified&min_throughput=5"),
        Chip(
            "Provider",
            "Google Cloud",
            "/submissions/?provider=aws&trust=log_verified&min_throughput=5",
        ),
        Chip(
            "Trust level",
            "log verified",
            "/submissions/?provider=aws&provider=gce&min_throughput=5",
        ),
        Chip(
            "Minimum throughput (ops/s)",
            "5",
            "/submissions/?provider=aws&provider=gce&trust=log_verified",
        ),
    ]


def test_a_workload_is_shown_by_its_title():
    assert state("workload=abc").chips({"abc": "writes"}) == [Chip("Workload", "writes", "/submissions/")]


def test_what_is_no_filter_is_no_chip_and_empty_fields_are_nothing():
    assert state("ordering=-measured_at&min_throughput=&utm_source=x&cursor=abc").chips({}) == []


def test_a_click_sorts_best_first_and_a_second_one_turns_it_round():
    links = state("provider=aws&ordering=-ops_per_usd&cursor=abc").sort_links()

    assert links["ops_per_usd"] == SortLink("/submissions/?provider=aws&ordering=ops_per_usd", "descending")
    assert links["throughput_ops_s"] == SortLink("/submissions/?provider=aws&ordering=-throughput_ops_s", "")
    assert links["latency_p99_ms"] == SortLink("/submissions/?provider=aws&ordering=latency_p99_ms", "")
    assert links["hourly_usd"] == SortLink("/submissions/?provider=aws&ordering=hourly_usd", "")


def test_an_export_carries_the_filters_and_the_order_and_nothing_else():
    export = state("provider=aws&provider=unknown&ordering=-ops_per_usd&cursor=abc&utm_source=x").export(
        "/api/v1/submissions/", "csv"
    )

    assert export == "/api/v1/submissions/?provider=aws&provider=unknown&ordering=-ops_per_usd&format=csv"


def test_the_form_carries_what_it_has_no_field_for():
    fields = list(state("provider=aws&min_throughput=5&threads=200&ordering=node_count").hidden_fields())

    assert fields == [("threads", "200"), ("ordering", "node_count")]
    assert state("min_throughput=5").limits() == [
        Limit("max_p99_ms", "Maximum p99 (ms), load curves at their peak", ""),
        Limit("max_hourly_usd", "Maximum cluster cost (USD/h)", ""),
        Limit("min_throughput", "Minimum throughput (ops/s)", "5"),
    ]


def test_hostile_values_stay_values():
    [chip, _] = state("provider=a%26b%3D%22%3E&region=x").chips({})

    assert chip == Chip("Provider", 'a&b=">', "/submissions/?region=x")
    assert state("provider=a%26b%3D%22%3E").address(region="y") == "/submissions/?provider=a%26b%3D%22%3E&region=y"
