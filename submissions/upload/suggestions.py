"""Values that the upload form suggests: the price book's regions and instance types, known spellings."""

from submissions.models import InstanceType, priced_places

SERVICES = ("cassandra", "scylladb", "postgresql", "mysql", "mongodb", "redis")
PROVIDERS = ("aws", "gce", "azure", "on-premises", "local")
JDK_VENDORS = ("temurin", "corretto", "oracle", "openjdk", "zulu", "graalvm")
DISK_KINDS = ("local-ssd", "local-hdd", "gp3", "gp2", "io2", "io1", "st1", "pd-ssd", "pd-balanced")


def all_lists() -> dict[str, list[str]]:
    """Each datalist's id and its values; two queries."""
    types = InstanceType.objects.order_by("name").values_list("name", flat=True).distinct()
    return {
        "services": list(SERVICES),
        "providers": list(PROVIDERS),
        "jdk-vendors": list(JDK_VENDORS),
        "disk-kinds": list(DISK_KINDS),
        "regions": sorted({region for _, region in priced_places()}),
        "instance-types": list(types),
    }
