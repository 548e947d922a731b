"""YCSB on a Cassandra cluster: its core from a Maven repository, and the binding of scripts/CassandraBinding.java.

YCSB's own binding is in no Maven repository. This one has the same properties, table and statements, on a newer driver
of the same series. A plan's `settings` may contain, besides those of on_cassandra.py: "ycsb": {"requestdistribution":
"uniform", "readallfields": false, "writeallfields": true}.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from runners.choices import OutputKind
from runners.load_tools.base import OPTIONS, Member, OutputFile
from runners.load_tools.job_parts import clients_of, fixed_rate_ops_s, folder_of, scripts, with_java
from runners.load_tools.on_cassandra import OnCassandra
from runners.load_tools.ycsb import commands
from runners.plan_schema.run_plan import RunPlan
from submissions.ingest.parsers.ycsb.status import StatusSeries

VERSION = "0.17.0"
DRIVER = "3.11.5"
SCRIPTS = ("ycsb.sh", "CassandraBinding.java")
ADDRESSES = "bin/ycsb.jars"  # on a host: an address on each line

# group:artifact:version, or group:artifact:version:classifier. The driver's dependencies are those that it loads here;
# HdrHistogram is newer than YCSB's own, which cannot write its files on Java 11 and newer; ecj compiles the binding
# where only a runtime of Java is installed.
ARTIFACTS = (
    f"site.ycsb:core:{VERSION}",
    "org.apache.htrace:htrace-core4:4.1.0-incubating",
    "org.codehaus.jackson:jackson-mapper-asl:1.9.4",
    "org.codehaus.jackson:jackson-core-asl:1.9.4",
    "org.hdrhistogram:HdrHistogram:2.1.12",
    f"com.datastax.cassandra:cassandra-driver-core:{DRIVER}:shaded",
    "com.google.guava:guava:19.0",
    "io.dropwizard.metrics:metrics-core:3.2.2",
    "org.slf4j:slf4j-api:1.7.25",
    "org.slf4j:slf4j-nop:1.7.25",
    "org.eclipse.jdt:ecj:3.22.0",
)
NOTES = (
    f"YCSB's core {VERSION} with this site's own binding for Cassandra on the Java driver {DRIVER}: the table, the "
    "statements and the properties are those of YCSB's binding, whose own release uses an older driver."
)


class Ycsb(OnCassandra):
    tool = "ycsb"
    settings = (*OnCassandra.settings, commands.KEY)
    operations = commands.OPERATIONS
    usual_columns, usual_value_bytes = commands.DEFAULT_COLUMNS, commands.DEFAULT_VALUE_BYTES
    options = tuple(option for option in OPTIONS if option not in ("scale", "profile"))
    settings_example = '{"ycsb": {"requestdistribution": "uniform"}, "cassandra.yaml": {"concurrent_writes": 128}}'

    def check_load(self, plan: RunPlan) -> None:
        commands.check(plan)

    def write_share(self, plan: RunPlan) -> float:
        return 1 - commands.mix_of(plan).get("read", 0.0)

    def host_refusal(self) -> str | None:
        return None if self.downloads.maven_mirror else "YCSB needs MAVEN_MIRROR: hosts download it from there"

    def tool_version(self, plan: RunPlan) -> str:
        return VERSION

    def client_files(self, plan: RunPlan) -> Mapping[str, bytes]:
        lines = "".join(f"{address}\n" for address in addresses(self.downloads.maven_mirror or ""))
        return {**scripts(SCRIPTS), ADDRESSES: lines.encode()}

    def tool_install(self, plan: RunPlan) -> str | None:
        return "sh bin/ycsb.sh install"

    def schema_command(self, plan: RunPlan, contacts: Sequence[str]) -> str:
        return with_java(["sh", "bin/ycsb.sh", "schema", *commands.schema(plan, contacts)])

    def rows_to_fill(self, plan: RunPlan, clients: int) -> int:
        return commands.rows(plan, clients)

    def fill_command(self, plan: RunPlan, client: int, clients: int, contacts: Sequence[str]) -> str:
        return with_java(["sh", "bin/ycsb.sh", "fill", *commands.fill(plan, client, clients, contacts)])

    def trial_words(self, plan: RunPlan, trial: int, client: int, clients: int, contacts: Sequence[str]) -> list[str]:
        words = commands.trial(plan, client, clients, contacts, folder=folder_of(trial))
        return ["sh", "bin/ycsb.sh", "run", *words]

    def tool_outputs(self, plan: RunPlan, member: Member, trial: int) -> Sequence[OutputFile]:
        """A histogram for each kind of operation, and at a fixed rate another from when it was due."""
        return [
            OutputFile(
                member.name,
                f"{folder_of(trial)}/{name}.hdr",
                OutputKind.HDR,
                trial,
                f"trial-{trial + 1}-{member.name}-{name}.hdr",
            )
            for name in commands.measured_names(plan)
        ]

    def progress(self, lines: Sequence[str]) -> Sequence[tuple[float, float, float | None]]:
        """The rate of each second; its p99 where all operations are of one kind: YCSB has none for all of them."""
        rows: list[tuple[float, float, float | None]] = []
        for line in lines:
            status = StatusSeries()
            if not status.add(line):
                continue
            [total, *kinds] = [*status.intervals(is_intended=False, run_s=None)]
            due = [row for row in status.intervals(is_intended=True, run_s=None) if row.operation != "total"]
            single = (due or kinds) if len(kinds) == 1 else []
            is_new = not rows or total.elapsed_seconds > rows[-1][0]  # the last line is of a part of a second
            if is_new and total.throughput_ops_s is not None:
                rows.append((total.elapsed_seconds, total.throughput_ops_s, single[0].latency.p99 if single else None))
        return rows

    def workload_document(self, plan: RunPlan) -> Mapping[str, Any]:
        return {
            "command": self._command(plan),
            "replication_factor": plan.workload.replication_factor,
            "fixed_rate_ops_s": fixed_rate_ops_s(plan),
        }

    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        document = super().document(plan, facts)
        return {**document, "notes": NOTES}

    def _command(self, plan: RunPlan) -> str:
        """The command line of the first client without the addresses, which are the last of its words."""
        words = commands.trial(plan, 0, clients_of(plan), [], folder="histograms")
        return " ".join([self.tool, *words[:-2]])


WORKLOAD = Ycsb()


def addresses(mirror: str) -> list[str]:
    """Where a Maven repository has the jar of each artifact."""
    return [f"{mirror.rstrip('/')}/{_path(*artifact.split(':'))}" for artifact in ARTIFACTS]


def _path(group: str, name: str, version: str, *classifier: str) -> str:
    return f"{group.replace('.', '/')}/{name}/{version}/{'-'.join([name, version, *classifier])}.jar"
