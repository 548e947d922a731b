"""Tarballs of Cassandra for the lab's download mirror, composed from Maven Central and kept in the cache.

`apache-cassandra-<version>-bin.tar.gz` of the lab is NOT the official file of that name: runners/distributions/maven.py
says what it is. Needs `mvn`, installed when it is missing.
"""

import hashlib
import shutil
import tarfile
from pathlib import Path

from runners.distributions import load_tools, maven
from runners.distributions.maven import STRESS
from runners.load_tools import job_parts
from runners.load_tools.ycsb import ycsb as tool
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


def ycsb() -> Path:
    """YCSB as a site fetches it; the folder is that of load_tools.py."""
    made_of = [*tool.ARTIFACTS, *(text.decode() for text in job_parts.scripts(tool.SCRIPTS).values())]
    recipe = hashlib.sha256("".join(made_of).encode()).hexdigest()[:8]
    home = CACHE / f"ycsb-{recipe}" / load_tools.FOLDERS["ycsb"][0]
    with cache_lock("ycsb"):
        if not home.exists():
            ensure_installed({"mvn": "maven"})
            fresh = home.parent.with_suffix(".unfinished")
            shutil.rmtree(fresh, ignore_errors=True)
            load_tools.fetch_ycsb(fresh, None)
            _replace(home.parent, fresh)
    return home


def latte() -> Path | None:
    """latte as `make latte` builds it; None where nobody has put it in the cache: that takes cargo minutes."""
    home = CACHE / load_tools.FOLDERS["latte"][0]
    return home if (home / "latte").exists() else None


def _replace(folder: Path, fresh: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
