"""The next step of a search for the highest rate that keeps a limit, from the steps so far.

First an unthrottled step (closed loop), whose throughput is the peak. It decides nothing: threads that wait for an
answer hold their load back, so that their latencies keep limits that users would not see kept. Then steps at offered
rates (open loop), which begin higher where the peak kept the limit; a rate that is not reached breaks it. They are
bracketed and bisected in equal ratios, until the limit is kept at a rate and broken at one at most RATIO above it; then
trials that confirm the lower end, and repetitions of the upper one. Every step is a trial that kept or broke the limit,
and a system is not equally fast in all of them. Therefore one trial decides nothing near the edge:

- the lower end of the bracket is the highest rate that kept the limit in all its trials, below all that broke it;
- the upper end is the lowest rate that broke the limit, above all that kept it in any trial. The search goes on until
  BROKEN_TRIALS trials support it; where trials contradict each other, until those are RATIO above all that kept it.

With capacities that vary by 8 % from step to step, the ratios are three times the noise: a rate that is a step below
the edge keeps the limit in four trials of four. tests/runners/load_search/test_search.py simulates it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

RATIO = 1.25  # of the ends of a bracket: finer ones would measure the noise
STEP_DOWN = 1.2  # from a rate that broke the limit
BROKEN_TRIALS = 3  # that support the upper end
USUAL_STEPS = 7  # of a search that ends by itself, beside its confirming trials: test_search.py simulates it
FIRST_SHARE = 0.7  # of the peak, where the plan sets no first rate
FIRST_SHARE_OF_KEPT = 0.85  # where the peak itself kept the limit
LOWEST_SHARE = 0.01  # of the peak: where this breaks the limit, no rate is expected to keep it
_HALVED_ABOVE = 1 / 3  # of the peak; lower rates are quartered
_SAME = 1e-9


class Purpose(StrEnum):
    PEAK = "peak"
    BRACKET = "bracket"
    BISECT = "bisect"
    STEP_DOWN = "step_down"
    CONFIRM = "confirm"
    UPPER_END = "upper_end"


class End(StrEnum):
    """Why a search ended."""

    FOUND = "found"
    NEVER = "never"  # no rate kept it
    STEPS_ENDED = "steps_ended"
    TIME_ENDED = "time_ended"  # no other step fits in before the deadline
    CLIENT_BOUND = "client_bound"  # found, but of the load client, which was saturated


@dataclass(frozen=True, slots=True)
class Step:
    """A trial of the search that has ended."""

    offered_ops_s: float | None  # None: unthrottled
    ops_s: float
    keeps_limit: bool
    is_client_saturated: bool | None = None  # None: unknown, or the client has no host of its own


@dataclass(frozen=True, slots=True)
class Search:
    """`trials`: how many confirm the final rate. They count among the `max_steps`."""

    trials: int
    max_steps: int = 12
    start_ops_s: float | None = None


@dataclass(frozen=True, slots=True)
class NextStep:
    offered_ops_s: float | None  # None: unthrottled
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class Bracket:
    """Rates in ops/s; None where no rate kept, or broke, the limit. Trials: how many are the evidence for each end.

    `contradiction`: inside, the lowest rate that broke the limit, and one as high or higher that kept it in a trial.
    """

    low_ops_s: float | None
    high_ops_s: float | None
    low_trials: int
    high_trials: int
    contradiction: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    end: End
    bracket: Bracket


def next_step(steps: Sequence[Step], search: Search) -> NextStep | Ended:
    """What to run after these steps. Deterministic: any worker that reads the same steps decides the same."""
    if not steps:
        return NextStep(None, Purpose.PEAK)
    peak = next(step for step in steps if step.offered_ops_s is None)
    left = search.max_steps - len(steps)
    trials = _Trials.of(steps)
    if not trials.keeping_rates and trials.broken_rates and trials.broken_rates[0] <= LOWEST_SHARE * peak.ops_s:
        return _ended(End.NEVER, steps)
    if trials.count_at(trials.low) > search.trials and trials.has_upper_end:
        return _ended(End.FOUND, steps)
    if left <= 0:
        return _ended(End.STEPS_ENDED if trials.keeping_rates else End.NEVER, steps)
    return _open_loop(trials, peak, left, search)


def bracket_of(steps: Sequence[Step]) -> Bracket:
    """What the steps at offered rates show so far."""
    trials = _Trials.of(steps)
    low, high = trials.low, trials.lowest_broken_above_all
    if low is None:  # what a higher rate kept by chance does not count
        high = next(iter(trials.broken_rates), None)
    broken = 0 if high is None else sum(1 for rate in trials.broken_rates if rate <= high)
    is_torn = low is not None and trials.contradict
    contradiction = (trials.broken_rates[0], trials.top) if is_torn else None
    return Bracket(low, high, trials.count_at(low), broken, contradiction)


def _open_loop(trials: "_Trials", at_peak: Step, left: int, search: Search) -> NextStep:
    peak = at_peak.ops_s
    low, spare = trials.low, left - max(0, search.trials + 1 - trials.count_at(trials.low))
    if not trials.keeping_rates and not trials.broken_rates:
        share = FIRST_SHARE_OF_KEPT if at_peak.keeps_limit else FIRST_SHARE
        return NextStep(search.start_ops_s or share * peak, Purpose.BRACKET)
    if low is None:
        lowest = trials.broken_rates[0]
        if trials.keeping_rates:
            return NextStep(lowest / STEP_DOWN, Purpose.STEP_DOWN)
        return NextStep(lowest / (2 if lowest > _HALVED_ABOVE * peak else 4), Purpose.BRACKET)
    if trials.count_at(low) > search.trials:
        return NextStep(trials.edge or trials.top * RATIO, Purpose.UPPER_END)
    broken = trials.lowest_broken_above_all
    if broken is None and spare > 0:
        return NextStep(_upwards(trials.top, peak), Purpose.BRACKET)
    if broken is not None and trials.count_at(low) == 1:
        if not trials.contradict and broken / low > RATIO and spare > 1:
            return NextStep(math.sqrt(low * broken), Purpose.BISECT)
        lowest = trials.broken_rates[0]
        is_after_confirming = trials.contradict or (trials.broken_rates.count(lowest) == 1 and lowest != broken)
        if is_after_confirming and lowest / low > STEP_DOWN * (1 + _SAME) and left > search.trials:
            return NextStep(lowest / STEP_DOWN, Purpose.STEP_DOWN)
    return NextStep(low, Purpose.CONFIRM)


def _upwards(top: float, peak: float) -> float:
    """Halfway to the peak in equal ratios; near the peak, whose own trial has noise too, beyond it."""
    return math.sqrt(top * peak) if top * RATIO**2 < peak else top * RATIO


def _ended(end: End, steps: Sequence[Step]) -> Ended:
    bracket = bracket_of(steps)
    if end == End.FOUND and _is_client_bound(steps, bracket):
        end = End.CLIENT_BOUND
    return Ended(end, bracket)


def _is_client_bound(steps: Sequence[Step], bracket: Bracket) -> bool:
    """Whether the client was saturated in every trial that shows the upper end: it may have broken the limit itself."""
    broken = [step for step in steps if not step.keeps_limit and step.offered_ops_s is not None]
    evidence = [step for step in broken if (step.offered_ops_s or 0.0) <= (bracket.high_ops_s or 0.0)]
    return bool(evidence) and all(step.is_client_saturated for step in evidence)


@dataclass(frozen=True, slots=True)
class _Trials:
    """The rates of the open-loop trials, in order; a rate is there once for each of its trials."""

    keeping_rates: tuple[float, ...]
    broken_rates: tuple[float, ...]

    @classmethod
    def of(cls, steps: Sequence[Step]) -> "_Trials":
        rates: dict[bool, list[float]] = {True: [], False: []}
        for step in steps:
            if step.offered_ops_s is not None:
                rates[step.keeps_limit].append(step.offered_ops_s)
        return cls(tuple(sorted(rates[True])), tuple(sorted(rates[False])))

    @property
    def top(self) -> float:
        """The highest rate at which a trial kept the limit; 0 for none."""
        return self.keeping_rates[-1] if self.keeping_rates else 0.0

    @property
    def low(self) -> float | None:
        """The highest rate that kept the limit and is below all that broke it."""
        below = [rate for rate in self.keeping_rates if not self.broken_rates or rate < self.broken_rates[0]]
        return below[-1] if below else None

    @property
    def contradict(self) -> bool:
        """Whether a rate broke the limit although the same, or a higher one, kept it."""
        return bool(self.broken_rates) and self.broken_rates[0] <= self.top

    @property
    def lowest_broken_above_all(self) -> float | None:
        return next((rate for rate in self.broken_rates if rate > self.top), None)

    @property
    def edge(self) -> float | None:
        """The lowest rate that may become the upper end; None for none so far."""
        least = self.top * (RATIO * (1 - _SAME) if self.contradict else 1)
        return next((rate for rate in self.broken_rates if rate > self.top and rate >= least), None)

    @property
    def has_upper_end(self) -> bool:
        """Whether there is an edge, and enough trials support the upper end."""
        return self.edge is not None and len(self.broken_rates) >= BROKEN_TRIALS

    def count_at(self, rate: float | None) -> int:
        return self.keeping_rates.count(rate) if rate is not None else 0
