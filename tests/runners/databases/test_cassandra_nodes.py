"""A node's own settings."""

import json
from itertools import pairwise

import pytest

from runners.databases import cassandra_nodes
from tests.runners.databases.cassandra_plans import cluster, plan


def test_a_nodes_overrides():
    made = plan(zones=["za", "zb", "zc"], settings={"cassandra.yaml": {"concurrent_writes": 128, "num_tokens": 2}})

    assert json.loads(cassandra_nodes.overrides(made, cluster(made)[:3], 1)) == {
        "known": {
            "auto_snapshot": False,
            "enable_scripted_user_defined_functions": False,
            "enable_user_defined_functions": False,
            "scripted_user_defined_functions_enabled": False,
            "user_defined_functions_enabled": False,
        },
        "yaml": {
            "cluster_name": "benchsite",
            "listen_address": "10.0.0.2",
            "rpc_address": "10.0.0.2",
            "endpoint_snitch": "GossipingPropertyFileSnitch",
            "seed_provider": [
                {
                    "class_name": "org.apache.cassandra.locator.SimpleSeedProvider",
                    "parameters": [{"seeds": "10.0.0.1,10.0.0.2,10.0.0.3"}],
                }
            ],
            "num_tokens": 2,
            "initial_token": "-6148914691236517206,3074457345618258600",
            "auto_bootstrap": False,
            "concurrent_writes": 128,
        },
        "rackdc": {"dc": "dc1", "rack": "zb"},
    }


@pytest.mark.parametrize(("nodes", "count"), [(1, 16), (3, 1), (3, 16), (48, 16), (288, 256)])
def test_the_ring_is_divided_evenly_and_neighbours_are_on_different_nodes(nodes, count):
    ring = sorted(
        (int(token), node) for node in range(nodes) for token in cassandra_nodes.tokens(node, nodes, count).split(",")
    )

    assert [node for _, node in ring] == list(range(nodes)) * count
    gaps = {later[0] - earlier[0] for earlier, later in pairwise(ring)}
    assert gaps == ({2**64 // (nodes * count)} if len(ring) > 1 else set())
    assert ring[0][0] >= -(2**63)
    assert ring[-1][0] < 2**63


def test_seeds_are_of_different_zones():
    made = plan(databases=6, zones=["za", "zb"])
    alone = plan(databases=5)

    assert [m.name for m in cassandra_nodes.seeds_of(cluster(made)[:6])] == ["db-0", "db-1", "db-2"]
    assert [m.name for m in cassandra_nodes.seeds_of(cluster(alone)[:5])] == ["db-0", "db-1", "db-2"]
    four = plan(databases=8, zones=["za", "zb", "zc", "zd"])
    assert [m.zone for m in cassandra_nodes.seeds_of(cluster(four)[:8])] == ["za", "zb", "zc"]


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ({"cassandra.yaml": {"listen_address": "0.0.0.0"}}, "'listen_address' is not a setting"),
        ({"cassandra.yaml": ["a"]}, "must be an object"),
        ({"cassandra.yaml": {"a: b\nc": 1}}, "is not a setting that a run may change"),
        ({"cassandra.yaml": {"num_tokens": 0}}, "num_tokens must be 1 to 256"),
    ],
)
def test_settings_that_would_make_another_cluster_are_refused(stated, reason):
    made = plan(settings=stated)

    with pytest.raises(ValueError, match=reason):
        cassandra_nodes.overrides(made, cluster(made)[:3], 0)


def test_heap_and_jvm_options():
    made = plan(settings={"heap": "8G", "jvm_options": ["-XX:+UseG1GC", "-XX:MaxGCPauseMillis=300"]})

    assert cassandra_nodes.environment(made).decode() == (
        "MAX_HEAP_SIZE=8192M\nHEAP_NEWSIZE=2048M\nJVM_EXTRA_OPTS='-XX:+UseG1GC -XX:MaxGCPauseMillis=300'\n"
    )
    assert cassandra_nodes.environment(plan()) == b""


@pytest.mark.parametrize(
    "stated",
    [{"heap": "8"}, {"heap": "8G; rm"}, {"jvm_options": "-Xmx"}, {"jvm_options": ["-a b"]}, {"jvm_options": ["x"]}],
)
def test_options_that_are_none_are_refused(stated):
    with pytest.raises(ValueError, match="settings: "):
        cassandra_nodes.environment(plan(settings=stated))


@pytest.mark.parametrize(
    ("jdk", "version", "found"),
    [
        (None, "5.0.4", {"JAVA_MAJOR": "17"}),
        (None, "4.1.7", {"JAVA_MAJOR": "11"}),
        (None, "3.11.5", {"JAVA_MAJOR": "8"}),
        ({"vendor": "openjdk", "version": "11.0.22"}, "4.0.13", {"JAVA_MAJOR": "11"}),
        ({"version": "8u292"}, "4.0.13", {"JAVA_MAJOR": "8"}),
        ({"version": "1.8.0_292"}, "4.0.13", {"JAVA_MAJOR": "8"}),
        ({"vendor": "azul", "version": "17.0.9"}, "5.0.4", {"JAVA_URL": "http://m/jdk/zulu/zulu-17.0.9.tar.gz"}),
    ],
)
def test_java(jdk, version, found):
    assert cassandra_nodes.java(plan(jdk=jdk, version=version), "http://m/jdk/") == found


def test_another_vendors_jdk_needs_a_mirror():
    with pytest.raises(ValueError, match="the JDK of corretto needs JDK_MIRROR"):
        cassandra_nodes.java(plan(jdk={"vendor": "corretto", "version": "17"}), None)


def test_a_large_cluster_is_contacted_at_sixteen_nodes_spread_over_it():
    addresses = [f"10.0.{index // 250}.{index % 250}" for index in range(288)]

    found = cassandra_nodes.contacts(addresses)

    assert len(found) == 16
    assert found[:3] == ["10.0.0.0", "10.0.0.18", "10.0.0.36"]
    assert found[-1] == "10.0.1.20"
