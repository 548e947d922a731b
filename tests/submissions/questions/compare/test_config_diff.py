"""The configurations of two to six submissions side by side: what differs, options as sets, the rest one click away."""

import pytest

from tests.factories import SubmissionFactory
from tests.pages import HOSTILE, faults, text

pytestmark = pytest.mark.django_db


def configured(**changes):
    """A submission whose document states a whole configuration, as a run writes it."""
    submission = SubmissionFactory()
    settings = {
        "cassandra.yaml": {"concurrent_writes": 128, "num_tokens": 16},
        "jvm_options": ["-Xms8G", "-Xmx8G", "-XX:+UseG1GC"],
        "kernel": "6.1.0-18-amd64",
        "os": "Debian GNU/Linux 12",
    }
    submission.document["settings"] = {**settings, **changes.pop("settings", {})}
    submission.document["nodes"][0] |= {"cpu_model": "Intel Xeon E5-2670", **changes.pop("node", {})}
    submission.document |= changes
    submission.save()
    return submission


def page(client, *submissions):
    return client.get("/compare/", {"s": [one.pk for one in submissions]})


def test_yaml_jvm_hardware_kernel_and_jdk_are_compared(client):
    one = configured()
    other = configured(
        settings={"cassandra.yaml": {"concurrent_writes": 64, "num_tokens": 16}, "kernel": "5.10.0"},
        node={"cpu_model": "AMD EPYC 7571"},
        jdk={"vendor": "temurin", "version": "17.0.9"},
    )

    result = page(client, one, other).context["result"]

    assert {row.field: row.values for row in result.differing} == {
        "nodes.database.cpu_model": ("Intel Xeon E5-2670", "AMD EPYC 7571"),
        "jdk.vendor": ("oracle", "temurin"),
        "jdk.version": ("8u51", "17.0.9"),
        "settings.cassandra.yaml.concurrent_writes": (128, 64),
        "settings.kernel": ("6.1.0-18-amd64", "5.10.0"),
    }
    same = {row.field for row in result.same}
    assert {"settings.cassandra.yaml.num_tokens", "settings.os", "settings.jvm_options"} <= same


def test_options_show_what_only_one_side_has(client):
    submissions = [
        configured(),
        configured(settings={"jvm_options": ["-Xms8G", "-Xmx16G", "-XX:+UseZGC", HOSTILE]}),
        configured(settings={"jvm_options": ["-Xms8G"]}),
    ]

    response = page(client, *submissions)

    content = text(response).split("Configuration differences")[1]
    assert "differences only; shared: -Xms8G" in content
    assert "-Xmx8G-XX:+UseG1GC" in content
    assert "-Xmx16G-XX:+UseZGC" in content
    assert "nothing else" in content
    assert faults(response) == []


def test_options_in_another_order_are_the_same(client):
    one, other = configured(), configured(settings={"jvm_options": ["-XX:+UseG1GC", "-Xmx8G", "-Xms8G"]})

    assert "same items, different order" in text(page(client, one, other))


def test_what_one_side_does_not_state_is_unknown(client):
    one, other = configured(), configured(settings={"jvm_options": None})

    [row] = [row for row in page(client, one, other).context["result"].differing if row.field == "settings.jvm_options"]

    assert row.values == (["-Xms8G", "-Xmx8G", "-XX:+UseG1GC"], None)
    assert row.as_sets is None


@pytest.mark.parametrize("count", [2, 6])
def test_all_the_facts_are_one_click_away(client, count):
    response = page(client, *[configured() for _ in range(count)])

    assert "identical facts" in text(response)
    assert {"service.name", "settings.kernel"} <= {row.field for row in response.context["result"].same}
