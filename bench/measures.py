"""What is measured: pages, the API's lists, one submission, many submissions."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench import floors
from bench.timing import WARM_UP, Client, Timing, timed_beside
from submissions.synthetic.documents import document

BULK_LINES = 200
BULK_WARM_UP = 1


@dataclass(frozen=True, slots=True)
class Measure:
    what: str
    size: int
    timing: Timing
    floor: Timing

    @property
    def ratio(self) -> float:
        return self.timing.median_ms / self.floor.median_ms


class Bench:
    """Measures one site at one size after the other; every posted document is new."""

    def __init__(self, client: Client, requests: int):
        self._client = client
        self._requests = requests
        self._warm_up = min(WARM_UP, requests)
        self._seed = time.time_ns()  # of no other run, nor of the dataset
        self._next = 0

    def measure(self, size: int) -> Iterator[Measure]:
        self._client.renew()
        for what, address in pages():
            yield Measure(what, size, *self._get(address))
        yield Measure("POST one submission", size, *self._post_one())
        yield Measure(f"POST bulk, a line of {BULK_LINES}", size, *self._post_bulk())

    def _get(self, address: str) -> tuple[Timing, Timing]:
        def floor() -> None:
            self._client.get("/bench/floor/")

        return timed_beside(lambda: self._client.get(address), floor, self._requests, warm_up=self._warm_up)

    def _post_one(self) -> tuple[Timing, Timing]:
        bodies = iter(self._bodies(self._requests + self._warm_up, 1))

        def post() -> None:
            self._client.post("/api/v1/submissions/", next(bodies), content_type="application/json", expected=201)

        with self._inserter(self._requests + self._warm_up, 1) as insert:
            return timed_beside(post, insert, self._requests, warm_up=self._warm_up)

    def _post_bulk(self) -> tuple[Timing, Timing]:
        times = max(self._requests // 20, 1)
        bodies = iter(self._bodies(times + BULK_WARM_UP, BULK_LINES))

        def post() -> None:
            answer = self._client.post(
                "/api/v1/submissions/bulk/", next(bodies), content_type="application/x-ndjson", expected=200
            )
            refused = [line for line in answer.splitlines() if json.loads(line)["status"] != 201]
            if refused:
                raise SystemExit(f"bench: a line of the bulk was not stored: {refused[0]!r}")

        with self._inserter(times + BULK_WARM_UP, BULK_LINES) as insert:
            timings = timed_beside(post, insert, times, warm_up=BULK_WARM_UP)
        return timings[0].per(BULK_LINES), timings[1].per(BULK_LINES)

    def _bodies(self, count: int, lines: int) -> list[bytes]:
        return ["\n".join(json.dumps(self._new_document()) for _ in range(lines)).encode() for _ in range(count)]

    def _new_document(self) -> dict[str, object]:
        self._next += 1
        return document(self._next, seed=self._seed)

    @contextmanager
    def _inserter(self, calls: int, lines: int) -> Iterator[Callable[[], None]]:
        """The floor of a POST: each call inserts the rows of as many new submissions by psycopg."""
        first = self._next + 1
        self._next += calls * lines
        waiting = iter(list(floors.batches(calls, lines, seed=self._seed, first=first)))
        inserter = floors.Inserter()
        try:
            yield lambda: inserter.insert(next(waiting))
        finally:
            inserter.close()


def pages() -> list[tuple[str, str]]:
    """(what, address); the detail is that of a submission with several trials, its workload that of most."""
    from submissions.models import Submission
    from submissions.questions.workload import choice as workload_choice

    several = Submission.objects.published().filter(trials_count__gte=3).order_by("-id").values_list("pk", flat=True)
    detail = several.first() or Submission.objects.published().values_list("pk", flat=True)[0]
    workload = workload_choice.choices(Submission.objects.listed().with_rate())[0].fingerprint
    rows = Submission.objects.listed().with_rate().filter(workload__fingerprint=workload)
    sides = "&".join(f"s={pk}" for pk in rows.order_by("-id").values_list("pk", flat=True)[:6])
    return [
        ("home", "/"),
        ("list page", "/submissions/"),
        ("list page, filtered", "/submissions/?provider=aws&operation=write"),
        ("list page, by ops per dollar", "/submissions/?ordering=-ops_per_usd"),
        ("detail", f"/submissions/{detail}/"),
        ("value page", f"/value/?workload={workload}"),
        ("value page, today's prices", f"/value/?workload={workload}&prices=today"),
        ("workload page", f"/workloads/{workload}/"),
        ("compare page, six", f"/compare/?{sides}"),
        ("grid page", "/compare/grid/"),
        ("scaling page", f"/scaling/?workload={workload}"),
        ("sizing page", f"/size/?workload={workload}&target_ops_s=100000"),
        ("history page", f"/history/?workload={workload}"),
        ("embedded chart", f"/embed/groups/value/?workload={workload}"),
        ("data page", "/data/"),
        ("feed", "/submissions/feed.atom"),
        ("API list", "/api/v1/submissions/"),
        ("API list, by p99", "/api/v1/submissions/?ordering=latency_p99_ms&max_p99_ms=20"),
        ("API detail", f"/api/v1/submissions/{detail}/"),
        ("API leaderboard", f"/api/v1/leaderboard/?workload={workload}&by=instance_type"),
    ]
