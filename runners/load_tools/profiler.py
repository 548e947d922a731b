"""The CPU profile of one database node: async-profiler, in a trial of its own whose figures do not count.

Its library comes from the Maven repository of the site (tools.profiler:async-profiler, Apache License 2.0).
"""

import shlex
from dataclasses import replace

from runners.choices import OutputKind
from runners.hosts.hosts import output_of
from runners.load_tools.base import Job, OutputFile, Traces

VERSION = "3.0"
NAME = "profile"
SECONDS = 60  # of a workload with a duration: more seconds show the same
_FOLDER = f"tools/profiler/async-profiler/{VERSION}"
_FILE = "log/profile.collapsed"  # the process of the database writes it


def refusal(mirror: str | None) -> str | None:
    """Why hosts with this Maven repository cannot be profiled; None when they can."""
    return None if mirror else "cpu_profile needs MAVEN_MIRROR: the profiler is downloaded from there"


def install(host: str, mirror: str, script: bytes) -> Job:
    """Fetches the library for the host's processor."""
    jar = f"{mirror.rstrip('/')}/{_FOLDER}/async-profiler-{VERSION}-linux-"
    command = (
        "case $(uname -m) in\n"
        "  x86_64) kind=x64 ;;\n"
        "  aarch64) kind=arm64 ;;\n"
        "  *) echo there is no profiler for $(uname -m); exit 1 ;;\n"
        "esac\n"
        f'python3 bin/fetch.py {shlex.quote(jar)}"$kind.jar" dist/async-profiler.jar\n'
        "python3 bin/profile.py unpack dist/async-profiler.jar"
    )
    files = {host: {"bin/profile.py": script}}
    return Job("profiler", {host: f"set -e\n{command}"}, files, 5, 600, output_of("profiler"))


def around(trial: Job, host: str, traces: Traces) -> Job:
    """The trial with the profiler in the database process of `host`."""
    pattern = shlex.quote(traces.process)
    command = (
        f"python3 bin/profile.py start {pattern} && started=yes\n({trial.commands[host]})\nstatus=$?\n"
        f'[ -n "${{started:-}}" ] && python3 bin/profile.py stop {pattern} {_FILE} && exit $status\nexit 1'
    )
    commands = {**trial.commands, host: command}
    return replace(trial, name=NAME, commands=commands, log_path=output_of(NAME))


def output(host: str) -> OutputFile:
    return OutputFile(host, _FILE, OutputKind.PROFILE, None, f"profile-{host}.collapsed")
