"""Documents side by side: every fact once, and only what really differs."""

from submissions.analysis.documents import FactRow, SetDifference, differs, fact_rows, facts

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


def options(*lists, field="settings.jvm_options"):
    return FactRow(field, lists).as_sets


def test_a_list_is_laid_beside_another_as_a_set():
    found = options(["-Xmx8G", "-XX:+UseG1GC", "-ea"], ["-ea", "-Xmx16G", "-XX:+UseG1GC"], None)

    assert found == SetDifference(common=("-XX:+UseG1GC", "-ea"), only=(("-Xmx8G",), ("-Xmx16G",), None))
    assert not found.is_order_only


def test_options_in_one_text_are_options_too():
    found = options("-Xmx8G  -ea", ["-ea"])

    assert found == SetDifference(common=("-ea",), only=(("-Xmx8G",), ()))
    assert options("one text", "another", field="settings.comment") is None


def test_another_order_is_no_other_option():
    assert options(["a", "b"], ["b", "a"]).is_order_only


def test_three_documents_share_only_what_all_have():
    assert options(["a", "b", "b"], ["a", "c"], ["a", "b"]) == SetDifference(("a",), (("b",), ("c",), ("b",)))


def test_what_is_no_list_or_stated_once_is_shown_as_it_is():
    assert options(["a"], None) is None
    assert options(["a"], 3) is None
    assert options([{"kind": "local-ssd"}], [{"kind": "gp3"}]) is None
    assert options(1, 2) is None


def test_of_command_lines_only_the_options_that_differ_are_shown_and_no_addresses_of_hosts():
    commands = [
        f"-db client -s -p hosts=10.0.0.{place} -p fieldcount=10 -p readproportion={share} -threads 20 -node n{place}"
        for place, share in ((1, 0.5), (2, 0.8))
    ]

    found = options(*commands, field="workload.command")

    assert found.only == (("-p readproportion=0.5",), ("-p readproportion=0.8",))
    assert found.common == ("-db client", "-s", "-p fieldcount=10", "-threads 20")


def test_a_command_line_of_other_hosts_is_the_same():
    assert (
        differs(
            {"workload": {"command": "-s -p hosts=10.0.0.1 -t"}},
            {"workload": {"command": "-s -p hosts=10.0.0.2,10.0.0.3 -t"}},
        )
        == []
    )
