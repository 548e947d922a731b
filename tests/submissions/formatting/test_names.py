from submissions.formatting.names import cluster_name, place_name, provider_name, service_name, system_name, tool_name
from submissions.models import Submission


def test_slugs_have_display_names():
    assert provider_name("aws") == "AWS"
    assert provider_name("gce") == "Google Cloud"
    assert provider_name("local") == "This machine"
    assert service_name("cassandra") == "Apache Cassandra"
    assert tool_name("ycsb") == "YCSB"


def test_an_unknown_slug_is_shown_as_it_is():
    assert provider_name("garage-cloud") == "garage-cloud"
    assert service_name("mydb") == "mydb"
    assert tool_name("cassandra-stress") == "cassandra-stress"


def test_a_system_is_its_cluster_and_its_place():
    assert cluster_name(1200, "m5.xlarge") == "1,200× m5.xlarge"
    assert cluster_name(4, "not stated") == "4 nodes"
    assert place_name("aws") == "AWS"
    submission = Submission(node_count=3, instance_type="m5.xlarge", provider="aws", region="us-east-1")
    assert system_name(submission) == "3× m5.xlarge · AWS us-east-1"
