"""Documents side by side: every fact once, and only what really differs."""

from submissions.analysis.documents import FactRow, differs, fact_rows, facts

A = {
    "service": {"name": "cassandra", "version": "2.1.8"},
    "title": "one",
    "notes": "",
    "provider": "aws",
    "region": "us-east-1",
    "zones": [],
    "nodes": [
        {"role": "database", "count": 3, "instance_type": "m3.2xlarge", "cpu_model": None},
        {"role": "client", "count": 1, "instance_type": "c3.4xlarge"},
    ],
    "jdk": {"vendor": "oracle", "version": "8u51"},
    "network": None,
    "settings": {"cassandra.yaml": {"concurrent_writes": 128}},
    "measured_at": "2015-09-01T12:00:00Z",
    "workload": {"tool": "cassandra-stress", "operations": {"write": 1.0}},
    "trials": [{"throughput_ops_s": 90748}],
}
B = {
    **A,
    "title": "two",
    "provider": "gce",
    "region": None,
    "nodes": [
        {"role": "database", "count": 3, "instance_type": "n1-standard-8", "cpu_model": None},
        {"role": "client", "count": 1, "instance_type": "n1-highcpu-16"},
    ],
    "settings": {},
    "measured_at": "2015-09-02T12:00:00Z",
    "trials": [{"throughput_ops_s": 111394}],
}


def test_facts_are_named_by_where_they_stand_and_groups_by_their_role():
    assert facts(A) == {
        "service.name": "cassandra",
        "service.version": "2.1.8",
        "provider": "aws",
        "region": "us-east-1",
        "jdk.vendor": "oracle",
        "jdk.version": "8u51",
        "settings.cassandra.yaml.concurrent_writes": 128,
        "measured_at": "2015-09-01T12:00:00Z",
        "workload.tool": "cassandra-stress",
        "workload.operations.write": 1.0,
        "nodes.database.count": 3,
        "nodes.database.instance_type": "m3.2xlarge",
        "nodes.client.count": 1,
        "nodes.client.instance_type": "c3.4xlarge",
    }


def test_differs_names_each_fact_with_both_values_and_none_for_not_said():
    assert differs(A, B) == [
        {"field": "provider", "a": "aws", "b": "gce"},
        {"field": "region", "a": "us-east-1", "b": None},
        {"field": "nodes.database.instance_type", "a": "m3.2xlarge", "b": "n1-standard-8"},
        {"field": "nodes.client.instance_type", "a": "c3.4xlarge", "b": "n1-highcpu-16"},
        {"field": "settings.cassandra.yaml.concurrent_writes", "a": 128, "b": None},
        {"field": "measured_at", "a": "2015-09-01T12:00:00Z", "b": "2015-09-02T12:00:00Z"},
    ]


def test_a_document_differs_in_nothing_from_itself():
    assert differs(A, A) == []


def test_two_groups_of_one_role_are_numbered():
    groups = [
        {"role": "database", "count": 2, "instance_type": "small"},
        {"role": "database", "count": 1, "instance_type": "large"},
    ]

    assert facts({"nodes": groups}) == {
        "nodes.database 1.count": 2,
        "nodes.database 1.instance_type": "small",
        "nodes.database 2.count": 1,
        "nodes.database 2.instance_type": "large",
    }


def test_rows_of_three_documents_say_what_is_the_same():
    rows = fact_rows([{"provider": "aws", "region": "x"}, {"provider": "aws"}, {"provider": "aws"}])

    assert rows == [FactRow("provider", ("aws",) * 3), FactRow("region", ("x", None, None))]
    assert [row.is_same for row in rows] == [True, False]


def test_the_order_of_the_rows_does_not_depend_on_that_of_the_keys():
    shuffled = dict(reversed(A.items()))

    assert fact_rows([shuffled]) == fact_rows([A])
