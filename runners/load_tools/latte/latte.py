"""latte on a Cassandra cluster: its program from LATTE_MIRROR, with the requests of scripts/rows.rn.

latte starts its clock when a request is sent, at a fixed rate too: its latency is service time, and its rate a limit.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from runners.load_tools.base import OPTIONS, Member, OutputFile
from runners.load_tools.job_parts import folder_of, scripts, with_java
from runners.load_tools.latte import commands
from runners.load_tools.on_cassandra import OnCassandra
from runners.plan_schema.run_plan import RunPlan

VERSION = "0.29.0"
PROGRAM = "dist/latte"
SCRIPTS = ("rows.rn",)
# Seconds, cycles, errors, rate, then the latencies in ms: min, p25, p50, p75, p90, p99, p99.9, max
_ROW = re.compile(r"\s{1,12}(\d{1,9}\.\d{1,6})\s+\d{1,15}\s+\d{1,15}\s+(\d{1,12})((?:\s+\d{1,12}\.\d{1,6}){8})\s*")
_P99 = 5


class Latte(OnCassandra):
    tool = "latte"
    operations = commands.OPERATIONS
    usual_columns, usual_value_bytes = commands.DEFAULT_COLUMNS, commands.DEFAULT_VALUE_BYTES
    options = tuple(option for option in OPTIONS if option not in ("scale", "profile"))

    def check_load(self, plan: RunPlan) -> None:
        commands.check(plan)

    def host_refusal(self) -> str | None:
        return (
            None if self.downloads.latte_mirror else "latte needs LATTE_MIRROR: hosts download its program from there"
        )

    def tool_version(self, plan: RunPlan) -> str:
        return VERSION

    def client_files(self, plan: RunPlan) -> Mapping[str, bytes]:
        return scripts(SCRIPTS)

    def tool_install(self, plan: RunPlan) -> str | None:
        """The program for the host's processor."""
        address = shlex.quote(program_address(self.downloads.latte_mirror or ""))
        return f'python3 bin/fetch.py {address}-"$(uname -m)" {PROGRAM} "${{PEER:-}}" && chmod 755 {PROGRAM}'

    def schema_command(self, plan: RunPlan, contacts: Sequence[str]) -> str:
        return with_java([PROGRAM, *commands.schema(plan, contacts)])

    def rows_to_fill(self, plan: RunPlan, clients: int) -> int:
        return commands.rows(plan) if commands.needs_fill(plan) else 0

    def fill_command(self, plan: RunPlan, client: int, clients: int, contacts: Sequence[str]) -> str | None:
        return None if client else with_java([PROGRAM, *commands.fill(plan, contacts)])

    def trial_words(self, plan: RunPlan, trial: int, client: int, clients: int, contacts: Sequence[str]) -> list[str]:
        return [PROGRAM, *commands.trial(plan, trial, client, clients, contacts, report=_report(trial))]

    def log_of(self, trial: int) -> str:
        """The report: what is printed has its figures rounded, and no histograms."""
        return _report(trial)

    def tool_outputs(self, plan: RunPlan, member: Member, trial: int) -> Sequence[OutputFile]:
        return ()

    def progress(self, lines: Sequence[str]) -> Sequence[tuple[float, float, float | None]]:
        rows = [match for line in lines if (match := _ROW.fullmatch(line.rstrip("\n")))]
        return [(float(row[1]), float(row[2]), float(row[3].split()[_P99])) for row in rows]

    def workload_document(self, plan: RunPlan) -> Mapping[str, Any]:
        return {
            "command": self._command(plan),
            "replication_factor": plan.workload.replication_factor,
            "columns": commands.columns(plan),
            "value_bytes": commands.value_bytes(plan),
            "key_count": commands.rows(plan),
        }

    def _command(self, plan: RunPlan) -> str:
        """The command line of the first client without the addresses: the report has none."""
        clients = plan.client.count if plan.client else 1
        return " ".join([self.tool, *commands.trial(plan, 0, 0, clients, [], report="report.json")])


WORKLOAD = Latte()


def program_address(mirror: str) -> str:
    """To be followed by - and the name of a processor, as `uname -m` prints it."""
    return f"{mirror.rstrip('/')}/latte-{VERSION}"


def _report(trial: int) -> str:
    return f"{folder_of(trial)}/report.json"
