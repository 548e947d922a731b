"""What lies between a load tool and the file that people keep: each wrapper makes the bytes of a log into others."""

import json
from collections.abc import Callable, Iterable

Wrapper = Callable[[str], bytes]


def _each(change: Callable[[int, str], str]) -> Wrapper:
    return lambda text: "".join(f"{change(number, line)}\n" for number, line in enumerate(text.splitlines())).encode()


def _prefixed(prefix: Callable[[int], str]) -> Wrapper:
    return _each(lambda number, line: f"{prefix(number)}{line}".rstrip() if not line else f"{prefix(number)}{line}")


def _clock(number: int) -> str:
    return f"{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}"


def _as_json(number: int, line: str) -> str:
    return json.dumps({"log": f"{line}\n", "stream": "stdout", "time": f"2026-11-27T{_clock(number)}.000000001Z"})


def _coloured(number: int, line: str) -> str:
    return f"\x1b[0m\x1b[1;32m{line[:7]}\x1b[0m{line[7:]}\x1b[K"


WRAPPERS: dict[str, Wrapper] = {
    "docker compose": _prefixed(lambda number: "load-1  | "),
    "docker logs -t": _prefixed(lambda number: f"2026-11-27T{_clock(number)}.{number:09}Z "),
    "docker's JSON": _each(_as_json),
    "kubectl logs --prefix": _prefixed(lambda number: "[pod/load-7d4b9-x2x/load] "),
    "kubectl logs --prefix --timestamps": _prefixed(lambda number: f"[pod/load/main] 2026-11-27T{_clock(number)}.1Z "),
    "a container's log file": _prefixed(lambda number: f"2026-11-27T{_clock(number)}.123456789+00:00 stdout F "),
    "Jenkins pipeline": _prefixed(lambda number: f"[2026-11-27T{_clock(number)}.123Z] "),
    "Jenkins timestamps": _prefixed(lambda number: f"{_clock(number)}  "),
    "GitHub Actions": _prefixed(lambda number: f"2026-11-27T{_clock(number)}.1234567Z "),
    "gh run view --log": _prefixed(lambda number: f"bench\tRun it\t2026-11-27T{_clock(number)}.1234567Z "),
    "journald": _prefixed(lambda number: f"Nov 27 {_clock(number)} load-1 stress[4711]: "),
    "syslog": _prefixed(lambda number: f"Nov  7 {_clock(number)} load-1 stress: "),
    "log4j": _prefixed(lambda number: f"2026-11-27 {_clock(number)},123 INFO  [main] org.example.Runner - "),
    "Python's logging": _prefixed(lambda number: f"2026-11-27 {_clock(number)},{number % 1000:03} - runner - DEBUG - "),
    "scylla-cluster-tests": _prefixed(
        lambda number: f"< t:2026-11-27 {_clock(number)},123 f:stress.py l:{number % 900} c:sdcm.stress p:DEBUG > "
    ),
    "pytest": _prefixed(lambda number: "E   "),
    "quoted in a mail": _prefixed(lambda number: "> "),
    "quoted twice": _prefixed(lambda number: "> > "),
    "ts": _prefixed(lambda number: f"Nov 27 {_clock(number)} "),
    "cat -n": _prefixed(lambda number: f"{number + 1:6}\t"),
    "grep -r": _prefixed(lambda number: "results/run-1.log:"),
    "any other text": _prefixed(lambda number: "client says: "),
    "Ansible's list": lambda text: _ansible(text.splitlines()),
    "an indent of one": _prefixed(lambda number: " "),
    "an indent of eight": _prefixed(lambda number: "        "),
    "a tab": _prefixed(lambda number: "\t"),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "colours": _each(_coloured),
    "colours of the last lines": lambda text: _with_coloured_end(text.splitlines()),
    "script": lambda text: (
        "Script started on 2026-11-27 22:00:00+00:00 [TERM=xterm]\n\x1b[?2004h$ ./run\r\n\x1b[?2004l"
        + text.replace("\n", "\r\n")
        + "\x1b[?2004h$ exit\r\n\nScript done on 2026-11-27 22:30:00+00:00\n"
    ).encode(),
    "doubled lines": _each(lambda number, line: f"{line}\n{line}"),
    "doubled lines of docker": _each(lambda number, line: f"load-1  | {line}\nload-1  | {line}"),
    "the same block twice": lambda text: (text.rstrip("\n") + "\n").encode() * 2,
}


def _ansible(lines: Iterable[str]) -> bytes:
    quoted = ",\n".join(f"        {json.dumps(line)}" for line in lines)
    return f'ok: [load-1] => {{\n    "out.stdout_lines": [\n{quoted}\n    ]\n}}\n'.encode()


def _with_coloured_end(lines: list[str]) -> bytes:
    end = max(0, len(lines) - 30)
    return "".join(
        f"{line if number < end else _coloured(number, line)}\n" for number, line in enumerate(lines)
    ).encode()
