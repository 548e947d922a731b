"""The costliest addresses that a stranger may ask: CPU now beside what a review measured in November 2026."""

import random
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from bench.siege.heavy import Results
from bench.siege.target import Target

TIMES = 4  # each with a new query; the mean
WARM_TIMES = 4  # before: every web process has loaded what the address needs
MOST_SECONDS = 0.3  # of CPU, with the heavy results stored


@dataclass(frozen=True, slots=True)
class Address:
    name: str
    template: str  # {n}: a number; {x}: letters, both new each time
    old_web_ms: float | None
    old_postgres_ms: float | None = None
    has_goal: bool = True  # one of the ten of the review's table


def addresses(results: Results) -> list[Address]:
    """Old figures as the review has them; where it measured with three heavy results, that one."""
    heavy = results.heavy[0]
    compared = "&".join(f"s={number}" for number in (*results.heavy, *results.light))
    chart = f"/api/v1/chart/?page={quote(f'/submissions/{heavy}/?x=')}{{x}}&key={results.chart}&figure=true"
    leaders = f"/api/v1/leaderboard/?workload={results.workload}&max_p99_ms={{n}}"
    framed = f"/oembed/?url={results.oembed}{quote('?max_p99_ms=')}{{n}}"
    return [
        Address("/api/v1/prices/?format=csv", "/api/v1/prices/?format=csv", 1630, 10),
        Address("/api/v1/prices/?provider=aws&format=csv", "/api/v1/prices/?provider=aws&format=csv", 705, 155),
        Address("/compare/?s= six, three heavy", f"/compare/?{compared}&x={{x}}", 2900, 18),
        Address("/value/?max_p99_ms=", "/value/?max_p99_ms={n}", 157, 37),
        Address("/value/?by=jdk&max_p99_ms=", "/value/?by=jdk&max_p99_ms={n}", 155, 35),
        Address("/api/v1/leaderboard/?max_p99_ms=", leaders, 160, 30),
        Address("/api/v1/value/?max_p99_ms=", "/api/v1/value/?max_p99_ms={n}", 148, 32),
        Address("/value/card.png?max_p99_ms=", "/value/card.png?max_p99_ms={n}", 143, 28),
        Address("/api/v1/chart/?...&figure=true, heavy", chart, 975, 20),
        Address("/oembed/?url=", framed, 100, 22),
        Address("/embed/groups/value/", "/embed/groups/value/?max_p99_ms={n}", 100, 22),
        Address("a heavy result", f"/submissions/{heavy}/?x={{x}}", 1350, has_goal=False),
        Address("its frame", f"/embed/{results.chart}/submissions/{heavy}/?x={{x}}", 1000, has_goal=False),
        Address("its card", f"/submissions/{heavy}/card.png?x={{x}}", 900, has_goal=False),
        Address("its intervals as CSV", f"/api/v1/submissions/{heavy}/intervals/?format=csv", 860, has_goal=False),
    ]


def measure(target: Target, address: Address) -> dict[str, Any]:
    """CPU of the web processes and of PostgreSQL for one request, in ms, and how it was answered."""
    for _ in range(WARM_TIMES):
        ask(target, address)
    before = target.processes.cpu()
    statuses = [ask(target, address) for _ in range(TIMES)]
    spent = (target.processes.cpu() - before).per(TIMES)
    return {"web_ms": spent.python, "postgres_ms": spent.postgres, "statuses": statuses, "is_met": is_met(spent.total)}


def is_met(cpu_ms: float) -> bool:
    return cpu_ms <= MOST_SECONDS * 1000


def ask(target: Target, address: Address) -> str:
    """How one request was answered."""
    letters = "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=12))
    number = f"{random.uniform(5, 500):.4f}"
    path = address.template.replace("{n}", number).replace("{x}", letters)
    return target.read(path, {"Accept-Encoding": "gzip"}).shown
