"""What Cassandra on this machine needs: a fetched distribution, and Java."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from runners.distributions import tools

COMMAND = "make cassandra"


class CassandraHere:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def lacks(self) -> str | None:
        """What is missing before Cassandra can run here; None when nothing is."""
        missing = []
        if tools.best_java() is None:
            missing.append(f"Java {tools.OLDEST_JAVA} or newer (Java {tools.BEST_JAVA} is best)")
        if not tools.versions(self._folder):
            missing.append(f"a distribution: {COMMAND}")
        if shutil.which("pgrep") is None:
            missing.append("pgrep (Debian's procps)")
        return f"Cassandra here needs {' and '.join(missing)}" if missing else None

    def lacks_version(self, version: str | None) -> str | None:
        """The same for one release; lists the installed releases if the plan names none of them."""
        installed = tools.versions(self._folder)
        if (missing := self.lacks()) or version in installed:
            return missing
        if version is None:
            return f"name the release of Cassandra: this machine has {', '.join(installed)}"
        return f"this machine has Cassandra {', '.join(installed)}; for another release: {COMMAND} VERSION={version}"

    def links(self) -> Mapping[str, Path]:
        """The content of tools/ for a node; empty when Cassandra cannot run."""
        java = tools.best_java()
        return {} if java is None or self.lacks() else {"cassandra": self._folder.resolve(), "java": java}
