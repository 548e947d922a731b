"""From an order to a series that waits for its first run: every cell validated and estimated, nothing half-stored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from benchsite.http.refusals import Fault, NotPermitted, RateExceeded, Refusal
from runners import clock, creation
from runners.choices import CellOrder, Clusters
from runners.creation import NOT_ON_THIS_MACHINE, may_run_on
from runners.limits import budget
from runners.models import Run, Series, SeriesCell
from runners.plan_schema.run_plan import RunPlan, as_json
from runners.plans.estimate import Estimate
from runners.plans.order import Notify, notification_of
from runners.plans.sharing import can_share, machines_key
from runners.providers.registry import offered, provider_for
from runners.series.order import Combination, SeriesOrder, combinations_of, order_from, starts_of
from runners.series.paths import cell_words, covers, noun_of
from submissions.formatting.numbers import decimal_text
from submissions.formatting.text import join_and, plural

MOST_OPEN = 5  # series of a user at a time
_MOST_TITLE = 300


@dataclass(frozen=True, slots=True)
class Cell:
    number: int
    values: Mapping[str, Any]
    plan: RunPlan
    cost: Estimate
    later: Estimate | None = None  # of a run on machines that another one of its round had before; None: of no such

    def as_json(self, repetitions: int) -> dict[str, Any]:
        cost = self.cost.as_json()
        names = ("expected_usd", "worst_case_usd", "expected_seconds", "worst_case_seconds", "missing")
        return {"values": dict(self.values), "runs": repetitions, **{name: cost[name] for name in names}}


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything checked, nothing stored."""

    order: SeriesOrder
    cells: tuple[Cell, ...]
    notification: Notify

    @property
    def plan(self) -> dict[str, Any]:
        """The validated plan of the first cell: in the order's own, what each cell replaces may be anything."""
        return {**as_json(self.cells[0].plan), "title": str(self.order.plan.get("title") or "")}

    @property
    def title(self) -> str:
        """That of the plan, or what is varied in which plan."""
        if title := str(self.order.plan.get("title") or ""):
            return title[:_MOST_TITLE]
        plan = self.cells[0].plan.model_copy(update={"title": ""})
        varied = join_and([noun_of(path) for vary in self.order.vary for path in vary.paths])
        return f"{creation.title_of(plan)}, by {varied}"[:_MOST_TITLE]

    @property
    def runs(self) -> int:
        return len(self.cells) * self.order.repetitions

    @property
    def launches(self) -> int:
        """How often machines are launched, or made ready here, if every run ends well."""
        return len(self._by_machines) * self.order.repetitions

    @property
    def expected_seconds(self) -> float:
        """Of all runs, as many beside each other as the user may have; those that share machines in turn."""
        at_once = min(at_once_on(cell.plan.provider) for cell in self.cells)
        in_turn = [sum(cost.expected_seconds for cost in _costs(cells)) for cells in self._by_machines]
        return max(sum(in_turn) / at_once, *in_turn) * self.order.repetitions

    @property
    def expected_usd(self) -> Decimal | None:
        """Of all runs; None where a price is unknown."""
        return self.total_usd(cost.expected.usd for cells in self._by_machines for cost in _costs(cells))

    @property
    def _by_machines(self) -> list[list[Cell]]:
        """The cells of a round that use the same machines, in the order of the combinations."""
        groups: dict[str, list[Cell]] = {}
        is_shared = self.order.clusters == Clusters.SHARED and self.order.order == CellOrder.INTERLEAVED
        for cell in self.cells:
            key = machines_key(as_json(cell.plan)) if is_shared and can_share(cell.plan.provider) else str(cell.number)
            groups.setdefault(key, []).append(cell)
        return list(groups.values())

    def estimate(self) -> dict[str, Any]:
        """A row for each cell, for one of its runs; the totals are of all runs. Money is a string, null if unknown."""
        warnings = dict.fromkeys(warning for cell in self.cells for warning in cell.cost.warnings)
        return {
            "cells": [cell.as_json(self.order.repetitions) for cell in self.cells],
            "runs": self.runs,
            "launches": self.launches,
            "expected_usd": decimal_text(self.expected_usd),
            "worst_case_usd": decimal_text(self.total_usd(cell.cost.worst.usd for cell in self.cells)),
            "expected_seconds": round(self.expected_seconds),
            "warnings": [*warnings, *self._may_stop()],
        }

    def total_usd(self, usd: Iterable[Decimal | None]) -> Decimal | None:
        """Of all runs, from that of one run of each cell; None where any is unknown."""
        known = list(usd)
        if any(each is None for each in known):
            return None
        return sum((each for each in known if each is not None), Decimal(0)) * self.order.repetitions

    def _may_stop(self) -> list[str]:
        worst = self.total_usd(cell.cost.worst.usd for cell in self.cells)
        if worst is None or worst <= self.order.max_usd:
            return []
        return [
            f"if every run took as long as it may, all would cost {worst:.2f} USD: no run starts for which "
            f"the budget of {self.order.max_usd:.2f} USD does not suffice"
        ]


def _costs(cells: Sequence[Cell]) -> list[Estimate]:
    """Of cells on the same machines: the first launches them."""
    return [cell.cost if index == 0 or cell.later is None else cell.later for index, cell in enumerate(cells)]


def at_once_on(provider: str) -> int:
    """How many runs of one user may be beside each other there."""
    limit = provider_for(provider).abilities.runs_at_once if provider in offered() else 1
    allowed: int = min(settings.MAX_USER_OPEN_RUNS, settings.MAX_USER_QUEUED_RUNS)
    return max(1, allowed if limit is None else min(allowed, limit))


def prepare(content: Mapping[str, Any], owner: User) -> Prepared:
    """Raises Refusal, with the value of which field is to blame and why; no cloud is asked before a run starts."""
    order = order_from(content)
    cells = _cells(order)
    for provider in sorted({cell.plan.provider for cell in cells}):
        if not may_run_on(provider, owner):
            raise NotPermitted.at("#/plan/provider", NOT_ON_THIS_MACHINE)
    notify = order.notify.model_dump() if order.notify else None
    prepared = Prepared(order, tuple(cells), notification_of(notify, owner))
    if prepared.notification.url:
        raise Refusal.at("#/notify/url", "is not called at the end of a series: choose email")
    return prepared


def refusal_of(prepared: Prepared, owner: User) -> Refusal | None:
    """Why it may not start now: its budgets and the owner's quotas."""
    order, faults = prepared.order, []
    for cell in prepared.cells:
        if fault := _too_expensive(cell, order):
            faults.append(Fault("#/max_usd", fault))
            break
    expected = prepared.expected_usd
    if not faults and expected is not None:
        if expected > order.max_usd:
            words = f"{plural(prepared.runs, 'run')} are expected to cost {expected:.2f} USD"
            faults.append(Fault("#/max_usd", f"{words}, more than {order.max_usd:.2f}"))
        elif reason := budget.month_refusal(Run.objects.all(), owner.pk, expected):
            faults.append(Fault("#/max_usd", reason))
    minutes = prepared.expected_seconds / 60
    if minutes > order.max_minutes:
        words = f"{plural(prepared.runs, 'run')} are expected to take {minutes:.0f} minutes"
        faults.append(Fault("#/max_minutes", f"{words}, more than {order.max_minutes}"))
    if faults:
        return Refusal(faults)
    if Series.objects.open().filter(owner=owner).count() >= MOST_OPEN:
        return RateExceeded.at("#", f"you have {MOST_OPEN} open series: wait until one ends, or cancel one")
    return None


def create(content: Mapping[str, Any], owner: User) -> Series:
    """A series whose `max_usd` is the confirmation: it starts by itself. Raises Refusal; then nothing is stored."""
    prepared = prepare(content, owner)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=owner.pk)  # two requests must not both take the last place
        if refusal := refusal_of(prepared, owner):
            raise refusal
        return _store(prepared, owner)


def _store(prepared: Prepared, owner: User) -> Series:
    order = prepared.order
    series = Series.objects.create(
        owner=owner,
        title=prepared.title,
        plan=prepared.plan,
        vary=[{"fields": list(vary.paths), "values": [list(row) for row in vary.rows]} for vary in order.vary],
        repetitions=order.repetitions,
        order=order.order.value,
        clusters=order.clusters.value,
        max_usd=order.max_usd,
        max_minutes=order.max_minutes,
        estimate=prepared.estimate(),
        visibility=order.visibility.value,
        embargo_until=order.embargo_until,
        notify_email=prepared.notification.email,
        due_at=clock.now(),
    )
    starts = starts_of(len(prepared.cells), order.repetitions, order.order)
    SeriesCell.objects.bulk_create(
        SeriesCell(
            series=series,
            number=number,
            repetition=repetition,
            values=dict(prepared.cells[number].values),
            plan=as_json(prepared.cells[number].plan),
            place=place,
            round=repetition if order.order == CellOrder.INTERLEAVED else None,
        )
        for place, (number, repetition) in enumerate(starts)
    )
    return series


def _too_expensive(cell: Cell, order: SeriesOrder) -> str | None:
    worst, cap = cell.cost.worst.usd, min(order.max_usd, cell.plan.max_usd)
    where = f"with {cell_words(cell.values)}, the worst case of a run"
    if worst is None:
        return f"{where} is unknown, because a price is missing: {cell.cost.worst.missing}"
    if worst > cap:
        return f"{where}, {worst:.2f} USD, exceeds its budget of {cap:.2f} USD"
    if cell.plan.max_usd > settings.MAX_RUN_USD:
        return f"a run may cost at most {settings.MAX_RUN_USD} USD on this site"
    return None


def _cells(order: SeriesOrder) -> list[Cell]:
    """Raises Refusal with every fault of every cell, each at the value that causes it."""
    cells: list[Cell] = []
    faults: list[tuple[Combination, Fault]] = []
    combinations = combinations_of(order)
    cap = min(order.max_usd, settings.MAX_RUN_USD)
    for combination in combinations:
        content = {"max_usd": str(cap), **combination.content}
        try:
            plan = creation.validated(content)
        except Refusal as error:
            faults += [(combination, fault) for fault in error.faults]
        else:
            title = f"{creation.title_of(plan)}: {cell_words(combination.values)}"[:_MOST_TITLE]
            plan = plan.model_copy(update={"title": title})
            later = creation.estimate_of(plan, has_machines=True) if can_share(plan.provider) else None
            cells.append(Cell(combination.number, combination.values, plan, creation.estimate_of(plan), later))
    if faults:
        raise Refusal(_placed(order, faults, len(combinations)))
    return cells


def _placed(order: SeriesOrder, faults: Sequence[tuple[Combination, Fault]], cells: int) -> list[Fault]:
    """Each fault once for each value that causes it: at "#/vary/0/values/1", or in the plan where all cells have it."""
    placed: dict[tuple[str, str], None] = {}
    by_fault = sorted(faults, key=lambda pair: (pair[1].pointer, pair[1].detail, pair[0].number))
    for fault, group in groupby(by_fault, key=lambda pair: pair[1]):
        combinations = [combination for combination, _ in group]
        for pointer, detail in _places(order, fault, combinations, cells):
            placed[pointer, detail] = None
    return [Fault(*place) for place in placed]


def _places(
    order: SeriesOrder, fault: Fault, combinations: Sequence[Combination], cells: int
) -> Iterable[tuple[str, str]]:
    for index, vary in enumerate(order.vary):
        for path in vary.paths:
            if covers(path, fault.pointer):
                for place in sorted({combination.places[index] for combination in combinations}):
                    yield f"#/vary/{index}/values/{place}", f"{path}: {fault.detail}"
                return
    if len(combinations) == cells:
        yield f"#/plan{fault.pointer.removeprefix('#')}", fault.detail
        return
    # of the plan as a whole, such as more replicas than nodes: the last fact that was set makes it so
    last = len(order.vary) - 1
    for place in sorted({combination.places[last] for combination in combinations}):
        words = cell_words(next(each.values for each in combinations if each.places[last] == place))
        yield f"#/vary/{last}/values/{place}", f"{words}: {fault.detail}"
