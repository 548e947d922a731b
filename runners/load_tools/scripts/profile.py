"""async-profiler in the Java process of this host's database, attached while it runs: nothing is restarted.

profile.py unpack JAR            its library for this processor, to dist/async-profiler.so
profile.py start PATTERN         begins to sample the process of this folder whose command matches
profile.py stop PATTERN FILE     ends, and writes the collapsed stacks ("frame;frame count" a line) to FILE
"""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import time
import zipfile

LIBRARY = "dist/async-profiler.so"
INTERVAL = "10ms"
SECONDS = 30  # until the process answers
_PROCESSORS = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}


def main(action: str, *arguments: str) -> None:
    if action == "unpack":
        unpack(*arguments)
    elif action == "start":
        # ctimer needs no right of the kernel's perf events, which hosts of clouds do not give
        load(process_of(*arguments), f"start,event=ctimer,interval={INTERVAL}")
    else:
        pattern, path = arguments
        load(process_of(pattern), f"stop,file={os.path.abspath(path)},collapsed")


def unpack(jar: str) -> None:
    name = f"{_PROCESSORS[os.uname().machine]}/libasyncProfiler.so"
    with zipfile.ZipFile(jar) as archive, open(LIBRARY + ".new", "wb") as file:
        file.write(archive.read(name))
    os.chmod(LIBRARY + ".new", 0o755)  # noqa: S103 (the database's own user loads it)
    os.replace(LIBRARY + ".new", LIBRARY)


def process_of(pattern: str) -> int:
    """The process whose command matches and that works in this folder: another node may be on the same machine."""
    here = os.path.realpath(".") + "/"
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                command = file.read().replace(b"\0", b" ").decode(errors="replace")
            if re.search(pattern, command) and (os.readlink(f"/proc/{pid}/cwd") + "/").startswith(here):
                return int(pid)
        except OSError:
            continue  # it ended meanwhile, or is another user's
    sys.exit(f"no process of this folder matches {pattern}")


def load(pid: int, options: str) -> None:
    """Java's dynamic attach, as the process's own user: a file and a signal ask it to listen on a socket in /tmp."""
    status = os.stat(f"/proc/{pid}")
    os.setegid(status.st_gid)
    os.seteuid(status.st_uid)
    address = f"/tmp/.java_pid{pid}"  # noqa: S108 (Java chooses it)
    if not os.path.exists(address):
        ask_to_listen(pid, address)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(SECONDS)
        connection.connect(address)
        words = ("1", "load", os.path.abspath(LIBRARY), "true", options)
        connection.sendall(b"".join(word.encode() + b"\0" for word in words))
        answer = b"".join(iter(lambda: connection.recv(4096), b"")).decode(errors="replace")
    # "0", then what the library returned: "0", or since Java 21 "return code: 0"
    if not re.match(r"0\n(?:return code: )?0\b", answer):
        sys.exit(f"async-profiler cannot be loaded: {answer.strip()[:500]}")


def ask_to_listen(pid: int, address: str) -> None:
    request = f"/tmp/.attach_pid{pid}"  # noqa: S108
    with open(request, "w"):
        pass
    try:
        os.kill(pid, signal.SIGQUIT)
        deadline = time.monotonic() + SECONDS
        while not os.path.exists(address):
            if time.monotonic() > deadline:
                sys.exit("the process does not take connections")
            time.sleep(0.1)
    finally:
        os.unlink(request)


if __name__ == "__main__":
    main(*sys.argv[1:])
