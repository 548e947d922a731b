"""Where the hosts of a run download from."""

from dataclasses import dataclass

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Downloads:
    """The mirrors, and the version of cassandra-stress if it differs from the server's."""

    cassandra_mirror: str
    stress_version: str | None = None
    jdk_mirror: str | None = None
    maven_mirror: str | None = None
    latte_mirror: str | None = None

    @classmethod
    def of_site(cls) -> "Downloads":
        return cls(
            settings.CASSANDRA_MIRROR,
            settings.CASSANDRA_STRESS_VERSION or None,
            settings.JDK_MIRROR or None,
            settings.MAVEN_MIRROR or None,
            settings.LATTE_MIRROR or None,
        )

    @property
    def histograms(self) -> str:
        """The HdrHistogram library that cassandra.sh installs where the tool's own does not work."""
        if self.maven_mirror is None:
            return "-"
        return f"{self.maven_mirror.rstrip('/')}/org/hdrhistogram/HdrHistogram/2.1.12/HdrHistogram-2.1.12.jar"

    def tarball(self, version: str) -> str:
        return f"{self.cassandra_mirror.rstrip('/')}/{version}/apache-cassandra-{version}-bin.tar.gz"
