"""JSON with one thing wrong: every field of every body, whole bodies, dates."""

import json
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from tests.documents import document
from tests.fuzz.cases import JSON, Case
from tests.fuzz.site import Rows
from tests.fuzz.values import DATES, JSON_TEXTS
from tests.runners.fake_runs import PLAN

_MARK = "PLACE OF AN ODD VALUE"
_TIMES = ("measured_at", "trials/0/started_at", "embargo_until")
SUBMISSIONS = "/api/v1/submissions/"
Path = tuple[str | int, ...]


def cases(rows: Rows) -> list[Case]:
    submission = f"{SUBMISSIONS}{rows.submission}/"
    bodies: tuple[tuple[str, str, dict[str, Any], Sequence[str]], ...] = (
        ("POST", SUBMISSIONS, whole_document(), JSON_TEXTS),
        ("POST", f"{SUBMISSIONS}?dry_run=true", whole_document(), JSON_TEXTS[::9]),
        ("POST", "/api/v1/runs/estimate/", whole_plan(), JSON_TEXTS[::2]),
        ("POST", "/api/v1/runs/", whole_order(), JSON_TEXTS[1::4]),
        ("PATCH", submission, whole_amendment(rows), JSON_TEXTS),
        ("POST", f"{submission}report/", {"reason": "other", "text": "It is wrong."}, JSON_TEXTS),
        ("POST", f"{submission}retract/", {"reason": "It is wrong."}, JSON_TEXTS),
        ("POST", "/api/v1/tokens/", {"name": "mine", "scopes": ["submit"], "expires_in_days": 30}, JSON_TEXTS),
    )
    made = []
    for method, path, body, texts in bodies:
        made += [
            Case(name, path, method, raw, JSON, who="user" if "/tokens/" in path else "token")
            for name, raw in [*_replaced(body, texts), *_without(body), *_whole(body)]
        ]
    return made + list(_dated())


def whole_document() -> dict[str, Any]:
    """Every field that a submission may have."""
    made = document(
        {
            "visibility": "public",
            "embargo_until": None,
            "source": "An article",
            "relative_base": "",
            "trials/0/threads": 200,
            "trials/0/client_count": 1,
            "trials/0/relative_throughput": None,
            "workload/key_distribution": "uniform",
            "workload/key_count": 1_000_000,
            "workload/fixed_rate_ops_s": None,
            "workload/requested_operations": 2_000_000,
            "workload/requested_duration_s": None,
        }
    )
    made["nodes"][0]["disks"][0] |= {"iops": 3000, "throughput_mibps": 125}
    return made


def whole_plan() -> dict[str, Any]:
    return {
        **deepcopy(PLAN),
        "provider": "local",
        "title": "A run",
        "pricing_model": "on_demand",
        "jdk": {"vendor": "openjdk", "version": "17"},
        "settings": {"cassandra.yaml": {"concurrent_writes": 64}, "jvm_options": ["-Xmx1G"]},
    }


def whole_order() -> dict[str, Any]:
    return {**whole_plan(), "visibility": "private", "embargo_until": None, "notify": {"email": True}}


def whole_amendment(rows: Rows) -> dict[str, Any]:
    return {
        "visibility": "public",
        "embargo_until": None,
        "supersedes": rows.other,
        "jdk": {"vendor": "oracle", "version": "17"},
        "nodes": [{"cpu_model": "A processor"}],
    }


def _places(node: Any, path: Path = ()) -> Iterator[Path]:
    """Of every value below `node`: objects and lists as well as what is in them."""
    if isinstance(node, dict):
        inner: Iterator[tuple[str | int, Any]] = iter(node.items())
    elif isinstance(node, list):
        inner = iter(enumerate(node))
    else:
        return
    for key, value in inner:
        yield (*path, key)
        yield from _places(value, (*path, key))


def _changed(body: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    made = deepcopy(body)
    home: Any = made
    for key in path[:-1]:
        home = home[key]
    if value is ...:
        del home[path[-1]]
    else:
        home[path[-1]] = value
    return made


def _replaced(body: dict[str, Any], texts: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Half of the values for each field, the other half for its neighbour."""
    for number, path in enumerate(_places(body)):
        marked = json.dumps(_changed(body, path, _MARK))
        for text in texts[number % 2 :: 2]:
            yield f"{path} = {text[:30]}", marked.replace(f'"{_MARK}"', text).encode()


def _without(body: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    for path in _places(body):
        yield f"{path} is missing", json.dumps(_changed(body, path, ...)).encode()


def _dated() -> Iterator[Case]:
    for place in _TIMES:
        path = tuple(int(key) if key.isdigit() else key for key in place.split("/"))
        for date in DATES:
            raw = json.dumps(_changed(whole_document(), path, date)).encode()
            yield Case(f"{place} = {date}", SUBMISSIONS, "POST", raw, JSON)


def _whole(body: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    text = json.dumps(body)
    raw = text.encode()
    yield from [(f"the body {value[:30]}", value.encode()) for value in JSON_TEXTS]
    yield "empty", b""
    yield "cut off", raw[: len(raw) // 2]
    yield "twice", raw + raw
    yield "in a list", b"[" + raw + b"]"
    yield "with a byte order mark", b"\xef\xbb\xbf" + raw
    yield from [(encoding, text.encode(encoding)) for encoding in ("utf-16", "utf-16-le", "utf-32", "cp500")]
    yield "no UTF-8", raw[:-1] + b', "a": "\xff\xfe"}'
    yield "with a comment", raw + b" // comment"
    yield "with a comma too many", raw[:-1] + b",}"
    yield "in single quotes", raw.replace(b'"', b"'")
    yield "with a key twice", b"{" + raw[1:-1] + b", " + raw[1:]
    yield "with unknown keys", raw[:-1] + b', "": 1, "a/b~c": 2, "__proto__": {}, "\\u0000": 3}'
    yield "with a thousand keys", raw[:-1] + "".join(f', "k{n}": {n}' for n in range(1_000)).encode() + b"}"
    yield "deep lists", b"[" * 5_000 + b"]" * 5_000
    yield "deep objects", b'{"a":' * 5_000 + b"1" + b"}" * 5_000
    yield "unclosed lists", b"[" * 100_000
    yield "NUL bytes", b"\x00" * 100
    yield "noise", bytes(range(256))
    yield "six megabytes", b'{"notes": "' + b"x" * 6_000_000 + b'"}'
