"""Shell commands that start a detached job on a host once and follow it later; pure text, POSIX sh and util-linux.

A job is a folder: `command` (the shell script), `output`, `pid`, `exit` (written atomically at the end) and `lock`,
which is held while the job runs and which the kernel releases however the job ends.
"""

import re
import shlex

from runners.hosts.hosts import output_of

DIED = 255  # the exit status of a job that ended without writing one
_START_SECONDS = 60  # from creating the folder to holding the lock

_JOB = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}")

# The process that creates the folder starts the job. Nothing is printed after that: the reader may be gone. The lock
# is closed for the job's own children: a database that a job leaves running is not part of it.
_START = """\
mkdir -p jobs || exit 1
mkdir {folder} 2>/dev/null || {{ [ -d {folder} ]; exit; }}
printf %s {command} >{folder}/command
setsid flock --close {folder}/lock sh -c {wrapper} </dev/null >/dev/null 2>&1 &
"""
_WRAPPER = """\
echo $$ >{folder}/pid
sh {folder}/command </dev/null >{output} 2>&1
echo $? >{folder}/exit.new
mv {folder}/exit.new {folder}/exit"""

# One line about the job, then the bytes. `exit` is read again when the lock is free: the job may have ended normally
# in between.
_LOOK = """\
state() {{
  [ -s {folder}/exit ] && {{ echo "exit $(cat {folder}/exit)"; return; }}
  [ -d {folder} ] || {{ echo none; return; }}
  flock --nonblock {folder}/lock true || {{ echo running; return; }}
  [ -s {folder}/exit ] && {{ echo "exit $(cat {folder}/exit)"; return; }}
  [ -e {folder}/pid ] && {{ echo died; return; }}
  [ $(( $(date +%s) - $(stat -c %Y {folder}) )) -lt {start_seconds} ] && echo running || echo died
}}
state
if [ -f {path} ]; then tail -c +{first} {path} | head -c {limit}; fi
"""


def start_command(job: str, command: str) -> str:
    """Starts `command` unless any worker started the job before; to be run in the run's folder."""
    folder = _folder(job)
    wrapper = _WRAPPER.format(folder=folder, output=output_of(job))
    return _START.format(folder=folder, command=shlex.quote(command), wrapper=shlex.quote(wrapper))


def set_aside_command(job: str) -> str:
    """Lets the job be started again; the files of its latest end stay."""
    folder = _folder(job)
    return f"[ ! -d {folder} ] || {{ rm -rf {folder}.ended && mv {folder} {folder}.ended; }}"


def look_command(job: str, path: str, *, offset: int, limit: int) -> str:
    """Prints the state of the job in one line, then at most `limit` bytes of `path` from `offset`."""
    return _LOOK.format(
        folder=_folder(job),
        path=shlex.quote(path),
        first=int(offset) + 1,
        limit=int(limit),
        start_seconds=_START_SECONDS,
    )


def state_of(line: bytes) -> tuple[bool, int | None]:
    """(is running, exit status) from the first line of the look command. Raises ValueError for any other line."""
    word, _, status = line.decode("ascii", errors="replace").strip().partition(" ")
    if word == "exit":
        return False, int(status)
    if word in ("running", "none", "died"):
        return word == "running", DIED if word == "died" else None
    raise ValueError("the host's answer about the job is not valid")


def _folder(job: str) -> str:
    if not _JOB.fullmatch(job):
        raise ValueError(f"{job!r} is not a valid job name: use letters, digits, '.', '-' and '_'")
    return f"jobs/{job}"
