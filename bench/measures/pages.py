"""Pages: of the first reader after an upload, and after a stored row has changed; read again, kept, unchanged, and by
eight readers at a time.
"""

import re
from collections.abc import Callable
from typing import Any

from bench.client import Answer, Requests, crowd
from bench.cpu import Cpu
from bench.measures.setting import Setting, cpu_of, figures, middle

SLOW_MS = 8_000.0  # once is enough
MANY, MANY_SECONDS = 300, 1.5  # the kernel counts in hundredths of a second
CROWD, CROWD_SECONDS = 8, 2.0
LOADS = 2
FLOORS = 5  # requests of the floor beside each page

# The library of the charts, on a page that has some (templates/components/chart_scripts.html)
_LIBRARY = re.compile(rb'id="chart-series" data-library="([^"]+)"')

Say = Callable[[str], None]


def addresses() -> dict[str, str]:
    """By name; of the workload of most rows, and of its newest results."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(_LARGEST)
        workload, fingerprint = cursor.fetchone()
        cursor.execute(_NEWEST, [workload])
        newest = [pk for (pk,) in cursor.fetchall()]
    sides = "&".join(f"s={pk}" for pk in newest)
    return {
        "list": "/submissions/",
        "list, filtered": "/submissions/?provider=aws&operation=write",
        "list, by value": "/submissions/?ordering=-ops_per_usd",
        "list, by nodes": "/submissions/?ordering=node_count",
        "home": "/",
        "value": f"/value/?workload={fingerprint}",
        "value, today": f"/value/?workload={fingerprint}&prices=today",
        "leaderboard": f"/workloads/{fingerprint}/",
        "compare": f"/compare/?{sides}",
        "scaling": f"/scaling/?workload={fingerprint}",
        "grid": "/compare/grid/",
        "history": f"/history/?workload={fingerprint}",
        "sizing": f"/recommend/sizes/?workload={fingerprint}&target_ops_s=100000",
        "recommend": "/recommend/?service=cassandra&target_ops_s=100000&max_p99_ms=50",
        "coverage": "/coverage/",
        "coverage, families": "/coverage/?provider=aws",
        "workloads": "/workloads/",
        "services": "/services/",
        "service": "/services/cassandra/",
        "detail": f"/submissions/{newest[0]}/",
        "prices": "/prices/",
        "search": "/search/?q=cassandra",
        "search, few": "/search/?q=us-east-1+netflix",
        "data": "/data/",
        "feed": "/submissions/feed.atom",
        "API list": "/api/v1/submissions/",
        "API detail": f"/api/v1/submissions/{newest[0]}/",
        "API leaderboard": f"/api/v1/leaderboard/?workload={fingerprint}&by=instance_type",
        "API value": f"/api/v1/value/?workload={fingerprint}",
    }


_LARGEST = """
SELECT workload_id, (SELECT fingerprint FROM submissions_workload WHERE id = workload_id)
FROM submissions_submission WHERE source = 'make_dataset' GROUP BY workload_id ORDER BY count(*) DESC, 1 LIMIT 1
"""
_NEWEST = """
SELECT id FROM submissions_submission
WHERE workload_id = %s AND visibility = 'public' AND retracted_at IS NULL AND hidden_at IS NULL
  AND embargo_until IS NULL AND trust = 'log_verified' AND source = 'make_dataset'
ORDER BY id DESC LIMIT 6
"""


def measure(setting: Setting, names: list[str], say: Say) -> dict[str, Any]:
    """Figures of each page and, measured in between, of the floor."""
    floors: list[Cpu] = []
    _floor(setting)
    found = {}
    for name, address in addresses().items():
        if names and name not in names:
            continue
        floors.append(_floor(setting))
        found[name] = _page(setting, address)
        say(f"{name}: {_in_words(found[name])}")
    # last: a change in a large workload leaves its totals untrue for up to a minute, for all pages
    for name, page in found.items():
        if page["status"] == 200:
            page["changed"] = _changed(setting, addresses()[name])
            say(f"{name}, after a change of a stored row: {page['changed']['ms']:,.0f} ms")
    with_charts = [addresses()[name] for name, page in found.items() if page["has_chart"]]
    return {
        "pages": found,
        "chart_bundle_bytes": _chart_bundle_bytes(setting, with_charts[0]) if with_charts else None,
        "floors": {"table": figures(middle(floors)), **_other_floors(setting)},
    }


def _chart_bundle_bytes(setting: Setting, address: str) -> int:
    """As a browser receives it, by brotli, when its reader touches a chart of this page."""
    library = _LIBRARY.search(setting.anybody.get(address).plain)
    if library is None:
        raise SystemExit(f"bench: {address} has no charts any more")
    return len(setting.anybody.get(library[1].decode(), {"Accept-Encoding": "gzip, br"}).body)


def _in_words(page: dict[str, Any]) -> str:
    states = {state: page[state] for state in ("cold", "warm") if state in page}
    words = ", ".join(
        f"{state} {found['ms']:,.0f} ms ({found['cpu']['python']:.0f} + {found['cpu']['postgres']:.0f} CPU)"
        for state, found in states.items()
    )
    return words if page["status"] == 200 else f"{words}, answered {page['status']}"


def _page(setting: Setting, address: str) -> dict[str, Any]:
    _load(setting, address)
    colds: list[tuple[Cpu, Answer]] = []
    for _ in range(setting.repeat):
        setting.upload()
        colds.append(_once(setting, lambda: setting.anybody.get(address)))
        if colds[-1][1].ms > SLOW_MS:
            break
    answer = colds[-1][1]
    page: dict[str, Any] = {
        "status": answer.status,
        "bytes": len(answer.plain),
        "gzip_bytes": answer.gzip_bytes,
        "has_chart": bool(_LIBRARY.search(answer.plain)),
        "cold": {"cpu": figures(middle([cpu for cpu, _ in colds])), "ms": _middle_ms([each for _, each in colds])},
    }
    if answer.status == 200:
        page |= _warm(setting, address)
        page |= _kept(setting, address)
    return page


def _changed(setting: Setting, address: str) -> dict[str, Any]:
    uploaded = setting.upload()
    setting.anybody.get(address)
    setting.retract(uploaded)
    cpu, answer = _once(setting, lambda: setting.anybody.get(address))
    return {"cpu": figures(cpu), "ms": answer.ms}


def _load(setting: Setting, address: str) -> None:
    """The code that a page needs is loaded, by the process on the same connection; as on every day but the first."""
    for _ in range(LOADS):
        if setting.anybody.get(address, {"Cookie": setting.session}).ms > SLOW_MS / 4:
            break


def _warm(setting: Setting, address: str) -> dict[str, Any]:
    """Of somebody who is signed in: the page is made anew, whatever is kept of its parts."""
    first = setting.reader.get(address)
    answers: list[Answer] = []
    cpu = cpu_of(
        setting.site.processes(), lambda: answers.append(setting.reader.get(address)), MANY // 20, seconds=MANY_SECONDS
    )
    found: dict[str, Any] = {"warm": {"cpu": figures(cpu), "ms": _middle_ms(answers)}}
    if first.ms < SLOW_MS / 4:
        requests = [Requests((f"GET {address}", b""), headers={"Cookie": setting.session}) for _ in range(CROWD)]
        seen = crowd(setting.site.port, requests, CROWD_SECONDS)
        timing = seen.timing
        found["c8"] = {
            "per_second": len(seen.times_ms) / CROWD_SECONDS,
            "ms": timing and timing.median_ms,
            "p99_ms": timing and timing.p99_ms,
            "errors": seen.errors,
        }
    return found


def _kept(setting: Setting, address: str) -> dict[str, Any]:
    """Of anybody again and again, without and with the tag of what they have."""
    first = setting.anybody.get(address)
    web = setting.site.processes()
    again = cpu_of(web, lambda: setting.anybody.get(address), MANY, seconds=MANY_SECONDS)
    found: dict[str, Any] = {"kept": {"cpu": figures(again)}, "unchanged": None}
    if tag := first.headers.get("etag"):
        headers = {"If-None-Match": tag}
        statuses: list[int] = []
        cpu = cpu_of(web, lambda: statuses.append(setting.anybody.get(address, headers).status), MANY, MANY_SECONDS)
        found["unchanged"] = {"cpu": figures(cpu), "share_304": statuses.count(304) / len(statuses)}
    return found


def _once(setting: Setting, call: Callable[[], Answer]) -> tuple[Cpu, Answer]:
    answers: list[Answer] = []
    cpu = cpu_of(setting.site.processes(), lambda: answers.append(call()))
    return cpu, answers[0]


def _middle_ms(answers: list[Answer]) -> float:
    return sorted(answer.ms for answer in answers)[len(answers) // 2]


def _floor(setting: Setting, address: str = "/rows/", times: int = FLOORS) -> Cpu:
    return cpu_of(setting.floor_processes, lambda: setting.of_floor.get(address), times)


def _other_floors(setting: Setting) -> dict[str, Any]:
    """Nothing at all, and the best of each provider by two indexes."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(_LARGEST)
        workload = cursor.fetchone()[0]
    _floor(setting, f"/best/{workload}/")
    return {
        "nothing": figures(_floor(setting, "/nothing/", MANY)),
        "loose scan": figures(_floor(setting, f"/best/{workload}/", MANY // 20)),
    }
