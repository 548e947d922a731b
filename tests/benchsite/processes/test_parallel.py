"""Work in several processes answers as in one: the answers in their order, and the first error."""

import os
from multiprocessing import get_context

import pytest
from django.db import connection

from benchsite.processes import parallel


def square(number):
    return number * number, os.getpid()


def divide(number):
    return 1 // number


def test_the_answers_come_in_the_order_of_the_parts_from_forks(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    answers = parallel.each(square, range(20))

    assert [answer for answer, _ in answers] == [number * number for number in range(20)]
    assert os.getpid() not in {process for _, process in answers}


def test_an_error_in_a_fork_is_raised_here(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    with pytest.raises(ZeroDivisionError):
        parallel.each(divide, [1, 0, 1])


def _processes(answers):
    answers.put({process for _, process in parallel.each(square, range(5))})


def test_in_a_daemon_as_celery_has_them_its_own_process_works(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    fork = get_context("fork")
    answers = fork.Queue()
    daemon = fork.Process(target=_processes, args=(answers,), daemon=True)

    daemon.start()

    assert answers.get(timeout=60) == {daemon.pid}
    daemon.join()


@pytest.mark.django_db
def test_within_a_transaction_its_own_process_sees_its_rows():
    assert connection.in_atomic_block
    assert {process for _, process in parallel.each(square, range(5))} == {os.getpid()}
