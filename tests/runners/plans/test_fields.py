"""Which fields a plan's form has."""

from runners.plans.fields import left_out


def test_a_cpu_profile_is_offered_where_a_profiler_can_be_had(settings):
    assert "cpu_profile" in left_out("aws", "cassandra-stress")
    settings.MAVEN_MIRROR = "https://maven.example"

    assert "cpu_profile" not in left_out("aws", "cassandra-stress")
    assert "cpu_profile" in left_out("aws", "pgbench")
    assert "cpu_profile" in left_out("local", "cassandra-stress")
