"""cassandra-stress on a Cassandra cluster, from Cassandra's own distribution.

A plan's `settings` may contain, besides those of on_cassandra.py: "cassandra-stress": {"ops": {"insert": 1, ...}} for
a user profile.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from runners.choices import OutputKind
from runners.databases import cassandra_nodes
from runners.load_tools.base import OPTIONS, Member, OutputFile
from runners.load_tools.cassandra_stress import commands
from runners.load_tools.job_parts import checked_release, clients_of, fixed_rate_ops_s, folder_of, with_java
from runners.load_tools.on_cassandra import OnCassandra
from runners.plan_schema.run_plan import RunPlan
from submissions.ingest.parsers.cassandra_stress import table

# The header of every version that a run can install: the tail of a log has no header.
_HEADER = "type,total ops,op/s,pk/s,row/s,mean,med,.95,.99,.999,max,time,stderr,errors,gc: #,max ms,sum ms,sdv ms,mb"


class CassandraStress(OnCassandra):
    tool = "cassandra-stress"
    settings = (*OnCassandra.settings, "cassandra-stress")
    operations = commands.OPERATIONS
    options = tuple(option for option in OPTIONS if option != "scale")

    def check_load(self, plan: RunPlan) -> None:
        commands.check(plan)

    def tool_version(self, plan: RunPlan) -> str:
        return checked_release(self.downloads.stress_version or plan.service.version)

    def client_cassandra(self, plan: RunPlan) -> str | None:
        return self.tool_version(plan)

    def client_files(self, plan: RunPlan) -> Mapping[str, bytes]:
        profile = commands.profile(plan)
        return {} if profile is None else {commands.PROFILE_PATH: profile}

    def schema_command(self, plan: RunPlan, contacts: Sequence[str]) -> str:
        version = self.tool_version(plan)
        return with_java([_program(version), *commands.schema(plan, contacts, version=version)])

    def rows_to_fill(self, plan: RunPlan, clients: int) -> int:
        if not commands.needs_prefill(plan):
            return 0
        first, last = commands.key_range(plan, 0, clients)
        return (last - first + 1) * clients

    def fill_command(self, plan: RunPlan, client: int, clients: int, contacts: Sequence[str]) -> str:
        version = self.tool_version(plan)
        words = commands.prefill(plan, client, clients, contacts, version=version)
        return with_java([_program(version), *words])

    def trial_words(self, plan: RunPlan, trial: int, client: int, clients: int, contacts: Sequence[str]) -> list[str]:
        version, hdr = self.tool_version(plan), _histogram(trial)
        return [_program(version), *commands.trial(plan, client, clients, contacts, version=version, hdr=hdr)]

    def tool_outputs(self, plan: RunPlan, member: Member, trial: int) -> Sequence[OutputFile]:
        if cassandra_nodes.release(self.tool_version(plan)) < (3, 11):
            return ()
        name = f"trial-{trial + 1}-{member.name}.hdr"
        return [OutputFile(member.name, _histogram(trial), OutputKind.HDR, trial, name)]

    def progress(self, lines: Sequence[str]) -> Sequence[tuple[float, float, float | None]]:
        columns = table.header(_HEADER)
        rows = [row for line in lines if columns and line.startswith("total,") and (row := columns.row(line))]
        return [(row.time, row.rate, row.latency.p99) for row in rows if row.rate is not None]

    def workload_document(self, plan: RunPlan) -> Mapping[str, Any]:
        workload = plan.workload
        is_user = workload.operation == "user"
        return {
            "command": self._command(plan),
            "consistency_level": workload.consistency_level and workload.consistency_level.value,
            "replication_factor": workload.replication_factor,
            "columns": None if is_user else workload.columns,
            "value_bytes": None if is_user else workload.value_bytes,
            "fixed_rate_ops_s": fixed_rate_ops_s(plan),
        }

    def _command(self, plan: RunPlan) -> str:
        """The command line of the first client without the addresses: logs before 5.0 do not contain it."""
        words = commands.trial(plan, 0, clients_of(plan), [], version=self.tool_version(plan), hdr="stress.hdr")
        return " ".join([self.tool, *words[: words.index("-node")]])


WORKLOAD = CassandraStress()


def _program(version: str) -> str:
    return f"dist/apache-cassandra-{version}/tools/bin/cassandra-stress"


def _histogram(trial: int) -> str:
    return f"{folder_of(trial)}/stress.hdr"
