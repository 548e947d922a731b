"""Whatever is sent, the site answers: no server error, and a problem with its reason where the API refuses.

The suite sends a few of each part; `make fuzz` sends all.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from time import process_time

import pytest

from tests.fuzz import crafted, forms, imports, json_bodies, queries, requests
from tests.fuzz.cases import EXAMPLES, Case, sample
from tests.fuzz.site import Answer, Rows, Site, stored_rows

# all of a part takes minutes, more on a machine with other work
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(3600 if EXAMPLES else 600)]

SAMPLE = 40
PARTS: dict[str, Callable[[Rows], Sequence[Case]]] = {
    "JSON bodies": json_bodies.cases,
    "log imports": imports.cases,
    "lines of JSON": imports.lines,
    "query parameters": queries.cases,
    "headers, methods, paths, links": requests.cases,
    "forms": forms.cases,
}


@pytest.fixture
def site(artifacts_folder, settings):
    settings.RUNS_NEED_PERMISSION = False
    settings.ACCOUNT_RATE_LIMITS = False  # of the sign-in: the hundredth try is to be read like the first
    return Site(stored_rows())


def test_no_kind_of_line_takes_long_to_read(site, record_property):
    statuses: Counter[str] = Counter()
    faults, slowest = [], (0.0, "")
    for case in sample(crafted.cases(site.rows), SAMPLE):
        began = process_time()
        answer = site.answer(case)
        spent = process_time() - began
        statuses[str(answer.status)] += 1
        slowest = max(slowest, (spent, case.name))
        if spent > crafted.MOST_CPU_S_MB * max(1.0, crafted.BYTES / 1e6):
            faults.append(f"{case.name}: {spent:.1f} CPU s")
        if fault := fault_of(case, answer):
            faults.append(f"{case.name}: {fault}")
    record_property("fuzzed", [f"crafted logs, slowest {slowest[0]:.2f} CPU s ({slowest[1]})", dict(statuses)])

    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("part", PARTS)
def test_no_input_is_a_server_error(site, part, record_property):
    statuses: Counter[str] = Counter()
    faults = []
    for case in sample(PARTS[part](site.rows), SAMPLE):
        answer = site.answer(case)
        statuses[str(answer.status)] += 1
        if fault := fault_of(case, answer):
            faults.append(f"{case.method} {case.path[:200]} ({case.name}), {case.who or 'nobody'}: {fault}")
    record_property("fuzzed", [part, dict(statuses)])

    assert not faults, f"{len(faults)} of {statuses.total()}:\n" + "\n".join(faults[:40])


def fault_of(case: Case, answer: Answer) -> str:
    """What is wrong with an answer; "" where nothing is."""
    if answer.status >= 500:
        return f"{answer.status} {answer.error or answer.body[:500]!r}"
    if b"Traceback (most recent call last)" in answer.body:
        return f"{answer.status} with a traceback"
    is_api = case.path.startswith("/api/v1/")
    if is_api and answer.status >= 400 and case.method != "HEAD" and not answer.is_problem:
        return f"{answer.status} is no problem document but {answer.content_type}"
    return ""
