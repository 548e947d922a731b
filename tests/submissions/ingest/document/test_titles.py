"""Titles of workloads beside each other."""

from submissions.ingest.document.titles import distinct_titles, group_titles, workload_labels

READS = {"read": 0.95, "update": 0.05}
WRITES = {"insert": 0.9, "read": 0.1}


def form(**facts):
    usual = {"service": "scylladb", "tool": "ycsb", "operations": READS, "replication_factor": 3, "key_count": 1000}
    return {**usual, "columns": 10, "value_bytes": 100, "key_distribution": "uniform", **facts}


def test_what_differs_comes_first_and_what_all_have_in_common_is_stated_once():
    titles = group_titles({"a": form(), "b": form(operations=WRITES), "c": form(operations=WRITES, key_count=5000)})

    assert titles.common == "YCSB, RF 3, 10 × 100 B, uniform"
    assert titles.differing == {
        "a": "95% read + 5% update, 1,000 keys",
        "b": "90% insert + 10% read, 1,000 keys",
        "c": "90% insert + 10% read, 5,000 keys",
    }


def test_after_the_operations_a_fact_whose_value_fewer_share_comes_before_the_others():
    forms = {str(keys): form(key_count=keys, operations=READS if keys == 1 else WRITES) for keys in range(1, 5)}

    titles = group_titles(forms | {"latest": form(key_count=9, key_distribution="latest")})

    assert titles.differing["latest"] == "95% read + 5% update, 9 keys, latest"
    assert titles.differing["4"] == "90% insert + 10% read, 4 keys, uniform"


def test_pipelines_and_the_place_of_the_clients_tell_workloads_apart():
    sets = form(tool="memtier", operations={"set": 1.0}, service="redis")
    titles = group_titles(
        {
            "one": {**sets, "pipeline": 1},
            "many": {**sets, "pipeline": 16},
            "local": {**sets, "pipeline": 16, "client_placement": "on_database"},
        }
    )

    assert titles.differing == {
        "one": "pipeline 1",
        "many": "pipeline 16",
        "local": "pipeline 16, clients on the database's machine",
    }
    assert "set" in titles.common


def test_where_one_states_none_of_the_differing_facts_the_operations_name_them_all():
    titles = group_titles({"a": form(consistency_level=None), "b": form(consistency_level="ONE")})

    assert titles.differing == {"a": "YCSB 95% read + 5% update", "b": "YCSB 95% read + 5% update, ONE"}
    assert titles.common == "RF 3, 10 × 100 B, 1,000 keys, uniform"


def test_operations_have_the_order_of_titles_whatever_that_of_the_stored_form():
    titles = group_titles({"a": form(operations={"read": 0.5, "delete": 0.04, "insert": 0.46}), "b": form()})

    assert titles.differing["a"] == "4% delete + 46% insert + 50% read"


def test_a_single_workload_has_nothing_in_common_with_others():
    titles = group_titles({"a": form()})

    assert (titles.common, titles.differing["a"]) == (
        "",
        "YCSB 95% read + 5% update, RF 3, 10 × 100 B, 1,000 keys, uniform",
    )


def test_titles_that_words_cannot_tell_apart_get_the_start_of_the_fingerprint():
    assert distinct_titles({"aaaaaaaa": "reads", "bbbbbbbb": "reads", "c": "writes"}) == {
        "aaaaaaaa": "reads (aaaaaa)",
        "bbbbbbbb": "reads (bbbbbb)",
        "c": "writes",
    }


def test_a_label_of_a_selector_begins_with_the_database_and_ends_with_what_is_common():
    labels = workload_labels(
        {
            "a": form(),
            "b": form(operations=WRITES),
            "c": form(service="mongodb", replication_factor=None),
        }
    )

    assert labels == {
        "a": "ScyllaDB: 95% read + 5% update, YCSB, RF 3, 10 × 100 B, 1,000 keys, uniform",
        "b": "ScyllaDB: 90% insert + 10% read, YCSB, RF 3, 10 × 100 B, 1,000 keys, uniform",
        "c": "MongoDB: YCSB 95% read + 5% update, 10 × 100 B, 1,000 keys, uniform",
    }


def test_a_form_without_facts_has_no_label():
    assert workload_labels({"a": {"service": "scylladb"}, "b": {"service": "scylladb"}}) == {"a": "", "b": ""}
