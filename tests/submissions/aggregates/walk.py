"""What may happen to a site, at random: rows come, change and go, time passes, readers and writers meet, some die."""

from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from threading import Event, Thread

from django.db import DatabaseError, connection, connections, transaction
from django.utils import timezone

from submissions.aggregates.read import states_of
from submissions.aggregates.store import refresh, refresh_all
from submissions.choices import Flag, Trust, Visibility
from submissions.models import NodeGroup, Submission
from submissions.questions.aggregates import KINDS
from tests.factories import UserFactory, WorkloadFactory
from tests.submissions.aggregates.rows import any_submission

MOST_ROWS = 40
PAST = datetime(2020, 1, 1, tzinfo=UTC)
SECONDS = 60  # that another thread may take


class KilledError(Exception):
    """A worker that ends at this statement."""


class Walk:
    def __init__(self, random):
        self.random = random
        self.workloads = [WorkloadFactory(title=title) for title in ("reads", "writes")]
        self.user, self.other_user = UserFactory(), UserFactory()
        self.happened = dict.fromkeys(step.__name__ for step, _ in self.steps)
        for _ in range(8):
            self.insert()

    def step(self):
        steps, weights = zip(*self.steps, strict=True)
        [step] = self.random.choices(steps, weights)
        self.happened[step.__name__] = True
        step(self)

    def insert(self, user=None):
        any_submission(self.random, self.rows(), user or self.user, self.workloads)

    def change(self, rows=None):
        now, random = timezone.now(), self.random
        changes = (
            {"retracted_at": now}, {"retracted_at": None}, {"hidden_at": now}, {"hidden_at": None},
            {"unranked_at": now}, {"unranked_at": None}, {"visibility": Visibility.PUBLIC},
            {"visibility": Visibility.PRIVATE}, {"trust": random.choice(list(Trust))}, {"flags": [Flag.ERRORS.value]},
            {"flags": []}, {"embargo_until": None}, {"unranked_until": None}, {"region": "eu-west-1"},
            {"supersedes": None}, {"workload": random.choice(self.workloads)}, {"measured_at": now}, {"node_count": 9},
        )  # fmt: skip
        known = self.rows() if rows is None else rows
        some = [row.pk for row in random.sample(known, min(2, len(known)))]
        Submission.objects.filter(pk__in=some).update(**random.choice(changes))

    def change_machines(self):
        group = NodeGroup.objects.order_by("?").first()
        if group is not None:
            NodeGroup.objects.filter(pk=group.pk).update(instance_type=self.random.choice(("m3.2xlarge", "other")))

    def delete(self):
        rows = self.rows()
        for row in self.random.sample(rows, max(len(rows) - MOST_ROWS, 1)):
            row.delete()

    def time_passes(self):
        """An embargo or a wait ends, which nobody writes."""
        column = self.random.choice(("embargo_until", "unranked_until"))
        row = self.random.choice(self.rows())
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(
                f"UPDATE submissions_submission SET {column} = %s WHERE id = %s AND {column} > now()", [PAST, row.pk]
            )
            if cursor.rowcount:
                cursor.execute("UPDATE submissions_workloadfigures SET valid_until = %s", [PAST])

    def read(self):
        self.random.choice((self.read_one, refresh, refresh_all))()

    def read_one(self):
        states_of(self.random.choice(self.workloads).pk, *KINDS)

    def roll_back(self):
        with transaction.atomic():
            self.insert()
            self.change()
            self.read_one()
            transaction.set_rollback(True)

    def die_while_reading(self):
        """Raised at a statement, or the connection is cut there: the database sees a killed process."""
        at = self.random.randrange(1, 30)
        in_a_thread(lambda: dying(at, refresh, is_cut=self.random.random() < 0.5))

    def read_at_once(self):
        reading = started(refresh)
        refresh()
        finished(reading)

    def write_at_once(self):
        """Another transaction writes, and ends after ours: with a commit, or without."""
        reserved = self.random.sample(self.rows(), 2)
        is_written, may_end = Event(), Event()

        def write():
            try:
                with transaction.atomic():
                    self.insert(self.other_user)
                    self.change(reserved)
                    is_written.set()
                    may_end.wait(SECONDS)
                    transaction.set_rollback(self.random.random() < 0.3)
            finally:
                is_written.set()

        writing = started(write)
        assert is_written.wait(SECONDS)
        try:
            self.insert()
            self.read()
            self.insert()
        finally:
            may_end.set()
            finished(writing)

    def rows(self):
        return list(Submission.objects.order_by("pk"))

    steps = (
        (insert, 8), (change, 8), (change_machines, 1), (delete, 2), (time_passes, 2), (read, 8), (roll_back, 2),
        (die_while_reading, 3), (read_at_once, 2), (write_at_once, 3),
    )  # fmt: skip


def dying(at, work, *, is_cut):
    count = 0

    def die(execute, sql, params, many, context):
        nonlocal count
        count += 1
        if count == at:
            if not is_cut:
                raise KilledError
            context["connection"].connection.close()
        return execute(sql, params, many, context)

    with suppress(KilledError, DatabaseError), connection.execute_wrapper(die):
        work()


def started(work):
    def run():
        try:
            work()
        except BaseException as error:
            thread.error = error
            raise
        finally:
            connections.close_all()

    thread = Thread(target=run)
    thread.error = None
    thread.start()
    return thread


def finished(thread):
    thread.join(SECONDS)
    assert not thread.is_alive()
    if thread.error:
        raise thread.error


def in_a_thread(work):
    finished(started(work))


@contextmanager
def lock_timeout():
    """Who waits for a lock for ever fails the test by name."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '30s'")
    yield
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")
