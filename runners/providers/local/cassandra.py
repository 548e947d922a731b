"""What Cassandra on this machine needs, and where it is: a distribution that was fetched, and Java."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from runners.distributions import tools

COMMAND = "make cassandra"


class CassandraHere:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def lacks(self) -> str | None:
        """What to do before any Cassandra can run here; None when one can."""
        wanted = []
        if tools.best_java() is None:
            wanted.append(f"Java {tools.OLDEST_JAVA} or newer (Java {tools.BEST_JAVA} is best)")
        if not tools.versions(self._folder):
            wanted.append(f"a distribution: {COMMAND}")
        if shutil.which("pgrep") is None:
            wanted.append("pgrep (Debian's procps)")
        return f"Cassandra here needs {' and '.join(wanted)}" if wanted else None

    def lacks_version(self, version: str | None) -> str | None:
        """The same for one release; the versions that are here, where the plan names none of them."""
        there = tools.versions(self._folder)
        if (missing := self.lacks()) or version in there:
            return missing
        if version is None:
            return f"name the release of Cassandra: this machine has {', '.join(there)}"
        return f"this machine has Cassandra {', '.join(there)}; for another one: {COMMAND} VERSION={version}"

    def links(self) -> Mapping[str, Path]:
        """What a node finds under tools/; nothing where Cassandra cannot run."""
        java = tools.best_java()
        return {} if java is None or self.lacks() else {"cassandra": self._folder.resolve(), "java": java}
