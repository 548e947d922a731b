"""Cassandra composed from Maven Central with `mvn`, where the official tarball is not available.

Of Cassandra 4.1 and newer only the server's jars are on Maven Central; the newest binary tarball there is 4.0-alpha2.
So the result of `compose` is NOT the official distribution of that version:
  - lib/ has the unmodified jars of the version, so that the server itself is the original;
  - bin/, conf/ and the layout are those of the official 4.0-alpha2 tarball, with the JVM options for Java 17;
  - tools/bin/cassandra-stress calls the unmodified official 4.0-alpha2, which is in tools/4.0-alpha2/ (without its
    documentation).
The settings of `mvn` define where Maven Central is.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

STRESS = "4.0-alpha2"
_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>benchsite</groupId><artifactId>jars</artifactId><version>1</version>
<packaging>pom</packaging><dependencies>
{dependencies}</dependencies></project>
"""
_FOREIGN = re.compile(r"-(osx|windows|linux-aarch_64|linux-riscv64)[-.]|macos")  # native code of other machines
_UNUSED = ("doc", "javadoc", "pylib")
# conf/jvm11-server.options, which the start script reads on Java 11 and newer: the exports and the garbage collector
# of Cassandra 5.0 on Java 17, which no longer has CMS, the collector of 4.0.
_EXPORTS = {
    "java.base": ["jdk.internal.misc"],
    "java.management": ["com.sun.jmx.remote.security"],
    "java.management.rmi": ["com.sun.jmx.remote.internal.rmi"],
    "java.rmi": ["sun.rmi.registry", "sun.rmi.server"],
    "java.sql": ["java.sql"],
    "jdk.attach": ["sun.tools.attach"],
    "jdk.compiler": ["com.sun.tools.javac.file"],
    "jdk.unsupported": ["sun.misc"],
}
_OPENS = {
    "java.base": [
        *("java.io", "java.lang", "java.lang.module", "java.lang.reflect", "java.nio", "java.util", "sun.nio.ch"),
        *("jdk.internal.loader", "jdk.internal.math", "jdk.internal.module", "jdk.internal.ref"),
        *("jdk.internal.reflect", "jdk.internal.util.jar"),
    ],
    "jdk.compiler": ["com.sun.tools.javac"],
    "jdk.management": ["com.sun.management.internal"],
}
_OPTIONS = [
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=300",
    "-Djdk.attach.allowAttachSelf=true",
    "-Dio.netty.tryReflectionSetAccessible=true",
]
# cassandra.yaml: 4.0 and newer want a class with its parameters
_LOGGER = re.compile(r"^( +)logger: (\w+)$", re.MULTILINE)
_NOT_IN_JAVA_17 = ("-XX:-UseBiasedLocking",)
_STRESS_SCRIPT = """#!/bin/sh
# The unmodified official cassandra-stress of {version}.
exec "$(dirname "$0")/../{version}/tools/bin/cassandra-stress" "$@"
"""


class MavenError(Exception):
    """Maven is missing, or does not find an artifact; the text is for the user of the terminal."""


def download(version: str, folder: Path) -> Path:
    """The official binary tarball of a version, if Maven Central has it, copied into `folder`."""
    artifact = f"org.apache.cassandra:apache-cassandra:{version}:tar.gz:bin"
    _maven(f"{_PLUGIN}:get", f"-Dartifact={artifact}", "-Dtransitive=false")
    _maven(f"{_PLUGIN}:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}", "-Dmdep.useBaseVersion=true")
    return folder / f"apache-cassandra-{version}-bin.tar.gz"


def jars(artifacts: Iterable[str], folder: Path) -> None:
    """Copy the jars of `group:artifact:version[:classifier]` into `folder`, and nothing that they need.

    Raises MavenError.
    """
    _copy("".join(_dependency(*artifact.split(":")) for artifact in artifacts), folder, "-DexcludeTransitive=true")


def compose(home: Path, version: str, stress: Path) -> None:
    """Create the folder `home`; `stress` is the tarball of 4.0-alpha2. Raises MavenError."""
    home.mkdir(parents=True)
    unchanged = home / "tools" / STRESS
    unchanged.mkdir(parents=True)
    _run("tar", "--extract", "--file", stress, "--directory", unchanged, "--strip-components=1")
    for name in _UNUSED:
        shutil.rmtree(unchanged / name, ignore_errors=True)
    shutil.copytree(unchanged / "bin", home / "bin")
    shutil.copytree(unchanged / "conf", home / "conf")
    for name in ("LICENSE.txt", "NOTICE.txt"):
        shutil.copy(unchanged / name, home / name)
    (home / "logs").mkdir()
    _jars(home / "lib", version)
    _adapt(home)
    script = home / "tools/bin/cassandra-stress"
    script.parent.mkdir()
    script.write_text(_STRESS_SCRIPT.format(version=STRESS))
    script.chmod(0o755)


def _jars(lib: Path, version: str) -> None:
    _copy(_dependency("org.apache.cassandra", "cassandra-all", version), lib)
    for jar in lib.glob("*.jar"):
        if _FOREIGN.search(jar.name):
            jar.unlink()


def _copy(dependencies: str, folder: Path, *options: str) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as project:
        pom = Path(project) / "pom.xml"
        pom.write_text(_POM.format(dependencies=dependencies))
        _maven("-f", pom, f"{_PLUGIN}:copy-dependencies", f"-DoutputDirectory={folder}", *options)


def _dependency(group: str, artifact: str, version: str, classifier: str = "") -> str:
    return (
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>"
        f"{f'<classifier>{classifier}</classifier>' if classifier else ''}</dependency>\n"
    )


def _adapt(home: Path) -> None:
    """The scripts of 4.0-alpha2 for the jars of the newer version and for Java 17."""
    [agent] = (home / "lib").glob("jamm-*.jar")
    for script in (home / "bin/cassandra.in.sh", home / "conf/cassandra-env.sh"):
        script.write_text(re.sub(r"jamm-[\d.]+\.jar", agent.name, script.read_text()))
    exports = [f"--add-exports {module}/{name}=ALL-UNNAMED" for module, names in _EXPORTS.items() for name in names]
    opens = [f"--add-opens {module}/{name}=ALL-UNNAMED" for module, names in _OPENS.items() for name in names]
    (home / "conf/jvm11-server.options").write_text("\n".join([*_OPTIONS, *exports, *opens]) + "\n")
    common = home / "conf/jvm-server.options"
    lines = [line for line in common.read_text().splitlines() if line.strip() not in _NOT_IN_JAVA_17]
    common.write_text("\n".join(lines) + "\n")
    yaml = home / "conf/cassandra.yaml"
    yaml.write_text(_LOGGER.sub(r"\1logger:\n\1  - class_name: \2", yaml.read_text()))


def _maven(*arguments: object) -> None:
    _run("mvn", "-q", "-B", *arguments)


def _env() -> dict[str, str]:
    """For a program of seconds: the JVM's second compiler, made for hours, would delay it. MAVEN_OPTS is the user's."""
    return {**os.environ, "MAVEN_OPTS": f"-XX:TieredStopAtLevel=1 {os.environ.get('MAVEN_OPTS', '')}".strip()}


def _run(*command: object) -> None:
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=_env())
    except FileNotFoundError:
        raise MavenError(f"{words[0]} is not installed") from None
    if done.returncode:
        raise MavenError(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()[-2000:]}")
