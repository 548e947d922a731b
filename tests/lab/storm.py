"""A storm: many runs at once, while workers die, calls fail, the database goes away and clouds refuse.

`make storm` runs a long one (storm_at_length.py). A seed makes the same storm again, but for runs on this machine:
their processes are real.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import connection

from runners import lifecycle
from runners.hosts.hosts import HostLost
from runners.models import Run, SeriesCell
from tests.factories import UserFactory
from tests.lab.storm_clock import Clock
from tests.lab.storm_clouds import AWAY, FORBIDDEN, LOST, NO_CAPACITY, NO_QUOTA, THROTTLED, Cloud
from tests.lab.storm_runs import CANCEL, HOST_LOST, NOT_ALLOWED, TAKEN_BACK, StormRun, queued
from tests.lab.storm_runs import series as series_of
from tests.lab.storm_worker import BEFORE, DIE, DONE, FAIL, GO, HOST, STORAGE, Worker

WORKERS = 3  # beside those that are left standing
STANDING = 3
SWEEP_SECONDS = 300.0
GRACE_SECONDS = 400.0  # of the sweep, and a little
HOURS = 48.0  # a run that has not ended by then is stuck
SKEWS = (-130.0, -20.0, 0.0, 0.0, 20.0, 130.0)
PAUSES = (5.0, 60.0, 150.0, 900.0, 5000.0)
# Of a hundred stops. Those of a run are about 150.
KILL, STAND, CUT, FAIL_STORAGE, TROUBLE, CANCEL_NOW, STRIKE = 1.2, 0.8, 0.5, 20, 5, 2, 4
RESTART = 15  # of a hundred cuts


@dataclass
class Storm:
    seed: int
    clouds: Sequence[Cloud]
    clock: Clock
    restarts: Mapping[str, Callable[[], None]] = field(default_factory=dict)  # of servers that nobody else uses
    counts: Counter[str] = field(default_factory=Counter)
    kills: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    runs: dict[int, StormRun] = field(default_factory=dict)
    cells: list[tuple[int, Cloud, SeriesCell]] = field(default_factory=list)  # whose runs are not made yet
    is_calm: bool = False  # at the end: nothing more goes wrong

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        self.workers: list[Worker] = []
        self.next_sweep = self.clock.time() + SWEEP_SECONDS

    def rage(self, wanted: Mapping[str, int], series: Mapping[str, int]) -> None:
        """Queue the runs, and let workers do them until all have ended and nothing moves."""
        slugs = [slug for slug, count in wanted.items() for _ in range(count)]
        self.dice.shuffle(slugs)
        by_slug = {cloud.slug: cloud for cloud in self.clouds}
        owners = [UserFactory() for _ in range(3)]
        for number, slug in enumerate(slugs):
            its = queued(number + 1, by_slug[slug], self.dice.choice(owners), self.clock, self.dice)
            self.runs[its.run.pk] = its
        for slug in sorted(wanted):
            for _ in range(series.get(slug, 0)):
                first = 1 + len(self.runs) + len(self.cells)
                cells = series_of(first, by_slug[slug], self.dice.choice(owners), self.clock, self.dice)
                self.cells += [(first + index, by_slug[slug], cell) for index, cell in enumerate(cells)]
        try:
            self._until_all_ended()
            self._calm_down()
        finally:
            for worker in self.workers:
                worker.close()

    def _until_all_ended(self) -> None:
        latest = self.clock.time() + HOURS * 3600
        while self._start_cells() and self.clock.time() < latest:
            self._wake(by=self.clock.time())
            due = list(Run.objects.due(self.clock.now()).order_by("pk").values_list("pk", flat=True))
            if self.clock.time() >= self.next_sweep:
                self.next_sweep = self.clock.time() + SWEEP_SECONDS
                self._deliver("sweep")
            elif due:
                self._deliver("drive", self.dice.choice(due))
            else:
                self._idle()
            if self.dice.random() < 0.05:  # a message that came twice, or late
                self.counts["doubled messages"] += 1
                self._deliver("drive", self.dice.choice(list(self.runs)))

    def _start_cells(self) -> bool:
        """Start the runs whose turn it is in their series, as runners/series does; whether any run is open."""
        for number, cloud, cell in list(self.cells):
            before = SeriesCell.objects.filter(series=cell.series, place=cell.place - 1).select_related("run").first()
            run = before and before.run
            if before and not (run and (run.is_final or run.has_released_machines)):
                continue
            its = queued(number, cloud, cell.series.owner, self.clock, self.dice, cell=cell)
            self.runs[its.run.pk] = its
            self.cells.remove((number, cloud, cell))
        return Run.objects.open().filter(pk__in=self.runs).exists()

    def _idle(self) -> None:
        """To the next moment at which something can happen."""
        times = Run.objects.open().filter(pk__in=self.runs).values_list("due_at", "held_until")
        moments = [max(filter(None, pair)).timestamp() for pair in times if any(pair)]
        moments += [worker.wakes_at for worker in self.workers if worker.wakes_at is not None]
        wait = min(moments, default=0) - self.clock.time()
        self.clock.sleep(min(max(wait, 0.2), SWEEP_SECONDS))

    def _calm_down(self) -> None:
        """Whoever was left standing wakes up in a world that has gone on; then the sweep has its turns."""
        while any(worker.wakes_at is not None for worker in self.workers):
            self._wake(by=float("inf"))
        self.is_calm = True
        found = self.left()
        for wait in (GRACE_SECONDS, 30.0, 30.0, 30.0):
            self.clock.sleep(wait)
            self._deliver("sweep")
        self.counts["left to the sweep"] += len(found)

    def left(self) -> list[str]:
        return [f"{cloud.slug}: {one}" for cloud in self.clouds for one in cloud.left()]

    def faults(self) -> list[str]:
        """What must not be, after the storm."""
        found = [*self.wrong, *(f"left: {one}" for one in self.left())]
        for its in self.runs.values():
            title = f"{its.run.provider} run {its.run.plan['title']} ({its.fate or 'no fate'})"
            found += [f"{title}: {fault}" for fault in its.faults(its.cloud.lives())]
        return found

    def _deliver(self, task: str, run_id: int = 0) -> None:
        idle = [worker for worker in self.workers if not worker.is_busy]
        if len(idle) < WORKERS:
            self.workers.append(Worker(self.clock, self.dice.choice(SKEWS)))
            idle = [self.workers[-1]]
        worker = self.dice.choice(idle)
        self.counts[f"{task} messages"] += 1
        worker.give(task, run_id)
        self._let(worker)

    def _wake(self, by: float) -> None:
        for worker in [one for one in self.workers if one.wakes_at is not None and one.wakes_at <= by]:
            worker.wakes_at = None
            self._say(worker, GO)
            self._let(worker)

    def _let(self, worker: Worker) -> None:
        """The worker goes on until its message is done, or it dies, or is left standing."""
        while True:
            if not worker.pipe.poll(120):
                raise AssertionError(f"seed {self.seed}: a worker hangs")
            kind, what, *more = worker.pipe.recv()
            if kind == DONE:
                worker.is_busy = False
                self._done(what, more[0])
                return
            if kind == HOST:
                worker.pipe.send(self._answer(worker, what, more[0]))
                continue
            worker.stop = kind, what
            word = self._word(worker, kind, what, more[0])
            if word is None:
                worker.wakes_at = self.clock.time() + self.dice.choice(PAUSES)
                return
            self._say(worker, word)
            if word == DIE:
                worker.process.join()
                worker.close()
                self.workers.remove(worker)
                return

    def _done(self, error: str, text: str) -> None:
        if error in ("OperationalError", "InterfaceError"):
            self.counts["messages that ended by the lost database"] += 1
        elif error:
            self.wrong.append(f"a worker raised {error}: {text[-1500:]}")

    def _answer(self, worker: Worker, what: str, args: Sequence[object]) -> object:
        its = self.runs[worker.run_id]
        its.hosts.tag = its.tag
        try:
            return its.hosts.answer(what, *args)
        except HostLost as error:
            return error

    def _word(self, worker: Worker, kind: str, what: str, is_in_transaction: bool) -> str | None:
        """What the worker hears at a stop; None leaves it standing."""
        self.clock.sleep(self.dice.uniform(0.01, 0.15))
        its = self.runs.get(worker.run_id)
        if kind != BEFORE:
            for cloud in self.clouds:
                cloud.calm()
        if self.is_calm:
            return GO
        if its and not is_in_transaction:
            self._befall(its, what)
        if self._happens(KILL):
            self.kills[what, kind] += 1
            return DIE
        standing = sum(one.wakes_at is not None for one in self.workers)
        if not is_in_transaction and standing < STANDING and self._happens(STAND):
            self.counts["workers left standing"] += 1
            return None
        if self._happens(CUT):
            self._restart() if self.restarts and self._happens(RESTART) else self._cut()
        if kind == STORAGE and self._happens(FAIL_STORAGE):
            self.counts["storage errors"] += 1
            return FAIL
        return GO

    def _say(self, worker: Worker, word: str) -> None:
        """Before a call that goes on: does it meet trouble?"""
        kind, what = worker.stop
        its = self.runs.get(worker.run_id)
        is_call = kind == BEFORE and not what.startswith(("host ", "local "))
        if its and word == GO and is_call and not self.is_calm and (trouble := self._trouble(its, what)):
            self.counts[trouble] += 1
            its.cloud.strike(what, trouble)
        worker.pipe.send(word)

    def _trouble(self, its: StormRun, what: str) -> str:
        """What its fate wants for the call, or the weather."""
        now = self.clock.time()
        if its.fate in (NO_CAPACITY, NO_QUOTA) and what == its.cloud.creation and self.dice.random() < 0.7:
            return its.fate
        if its.fate == NOT_ALLOWED and what in its.cloud.deletions:
            its.forbidden_until = its.forbidden_until or now + self.dice.uniform(100, 900)
            if now < its.forbidden_until:
                return FORBIDDEN
        return self.dice.choice((THROTTLED, LOST, AWAY)) if self._happens(TROUBLE) else ""

    def _befall(self, its: StormRun, what: str) -> None:
        """What comes from outside while its worker stands still."""
        if its.fate == CANCEL and self._happens(CANCEL_NOW):
            lifecycle.request_cancel(Run.objects.get(pk=its.run.pk))
            self.counts["cancels"] += 1
        if its.has_struck or not what.startswith("host ") or not self._happens(STRIKE):
            return
        alive = [life for life in its.cloud.lives() if life.tag == its.tag and life.ended is None]
        if alive and its.fate == TAKEN_BACK:
            its.has_struck = True
            its.cloud.take_back(self.dice.choice(alive))
        elif alive and its.fate == HOST_LOST:
            its.has_struck = True
            its.hosts.lost.add(self.dice.choice(alive).name)

    def _cut(self) -> None:
        """PostgreSQL ends the connections of all workers, as when it restarts or fails over."""
        self.counts["database connections ended"] += 1
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )

    def _restart(self) -> None:
        server = self.dice.choice(list(self.restarts))
        self.counts[f"restarts of {server}"] += 1
        connection.close()
        self.restarts[server]()

    def _happens(self, per_cent: float) -> bool:
        return self.dice.random() * 100 < per_cent
