"""Tarballs of Cassandra for the lab's download mirror, composed from Maven Central and kept in the cache.

`apache-cassandra-<version>-bin.tar.gz` of the lab is NOT the official file of that name: runners/distributions/maven.py
says what it is. Needs `mvn`, installed when it is missing.
"""

import shutil
import tarfile
from pathlib import Path

from runners.distributions import maven
from runners.distributions.maven import STRESS
from tests.lab.image import CACHE, cache_lock, ensure_installed

SERVER = "5.0.9"
RECIPE = 2  # raise it when something else is composed: the cache keeps what it has


def official(version: str = STRESS) -> Path:
    """The official tarball of a version that Maven Central has as one."""
    tarball = CACHE / f"official-{version}" / f"apache-cassandra-{version}-bin.tar.gz"
    with cache_lock(f"official-{version}"):
        if not tarball.exists():
            ensure_installed({"mvn": "maven"})
            fresh = tarball.parent.with_suffix(".unfinished")
            maven.download(version, fresh)
            _replace(tarball.parent, fresh)
    return tarball


def composed(version: str = SERVER) -> Path:
    """The lab's own tarball of a version of the server."""
    tarball = CACHE / f"composed-{version}-{RECIPE}" / f"apache-cassandra-{version}-bin.tar.gz"
    stress = official()
    with cache_lock(f"composed-{version}"):
        if not tarball.exists():
            ensure_installed({"mvn": "maven"})
            fresh = tarball.parent.with_suffix(".unfinished")
            shutil.rmtree(fresh, ignore_errors=True)
            home = fresh / f"apache-cassandra-{version}"
            maven.compose(home, version, stress)
            with tarfile.open(fresh / tarball.name, "w:gz", compresslevel=1) as archive:
                archive.add(home, home.name)
            shutil.rmtree(home)
            _replace(tarball.parent, fresh)
    return tarball


def _replace(folder: Path, fresh: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
