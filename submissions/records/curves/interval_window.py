"""A window of a run that a viewer chose: what was done in it, beside the stored headline, which never changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django import forms
from django.http import QueryDict

from submissions.analysis import steady_state
from submissions.analysis.steady_state import FEWEST_INTERVALS, WarmUp, WindowFigures
from submissions.analysis.trials import Spread
from submissions.records.curves.interval_record import Recorded

MOST_ROWS = 100  # of the table of trials
_NAMES = {"start": "from", "end": "to"}  # in the address
_KEPT = ("s", "scale", "prices_on", "basis")  # of the address, when the window changes
NO_WHOLE_INTERVAL = "No printed interval lies wholly in this window: choose a longer one."
# A cut that changes the throughput by less is none to speak of: MSER-5 also cuts chance.
_LEAST_CHANGE = 0.01


@dataclass(frozen=True, slots=True)
class Asked:
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class TrialFigures:
    number: int  # from 1
    clients: int
    figures: WindowFigures


@dataclass(frozen=True, slots=True)
class Windowed:
    """A submission inside a window; `throughput` is the mean of its trials, as in the headline."""

    trials: tuple[TrialFigures, ...]
    trials_count: int  # of the submission, those without intervals included
    throughput: Spread

    @property
    def operations(self) -> float:
        return sum(trial.figures.operations for trial in self.trials)

    @property
    def seconds(self) -> float:
        return sum(trial.figures.seconds for trial in self.trials)

    @property
    def errors(self) -> int | None:
        errors = [trial.figures.errors for trial in self.trials]
        return None if None in errors else sum(error or 0 for error in errors)

    @property
    def p99_low_ms(self) -> float | None:
        return min((t.figures.p99_low_ms for t in self.trials if t.figures.p99_low_ms is not None), default=None)

    @property
    def p99_high_ms(self) -> float | None:
        return max((t.figures.p99_high_ms for t in self.trials if t.figures.p99_high_ms is not None), default=None)


@dataclass(frozen=True, slots=True)
class Proposal:
    """Where MSER-5 would cut, and what that changes."""

    end_s: float
    change: float  # of the throughput, a fraction
    series: int  # whose mean was tested


class WindowForm(forms.Form):
    """?from=10&to=60, seconds since a trial's start; one bound alone leaves the other open."""

    start = forms.FloatField(label="From, s", required=False, min_value=0)
    end = forms.FloatField(label="To, s", required=False, min_value=0)

    def __init__(self, data: QueryDict, run_ends_s: Sequence[float]):
        """`run_ends_s`: where the series of the submissions end; none where nothing was printed."""
        super().__init__({name: data[name] for name in _NAMES.values() if data.get(name)} or None)
        self.run_end_s = max(run_ends_s, default=None)
        self.kept = [(name, value) for name in _KEPT for value in data.getlist(name)]
        for name, field in self.fields.items():
            field.widget.attrs |= {"step": "any", "min": "0", "id": f"window-{_NAMES[name]}"}

    def add_prefix(self, field_name: str) -> str:
        return _NAMES.get(field_name, field_name)

    @property
    def latest_s(self) -> int:
        """The largest end that is taken: the end of the run, rounded up to what people type."""
        return ceil(self.run_end_s or 0)

    @property
    def asked(self) -> Asked | None:
        """None where nothing was asked for, or nothing sensible."""
        if not self.is_bound or not self.is_valid():
            return None
        start, end = self.cleaned_data["start"], self.cleaned_data["end"]
        return Asked(start or 0.0, self.run_end_s if end is None else end)

    def clean(self) -> None:
        start, end = self.cleaned_data.get("start"), self.cleaned_data.get("end")
        if self.run_end_s is None:
            raise forms.ValidationError("No interval series is known: there is no window of it.")
        if start is not None and end is not None and start >= end:
            self.add_error("start", f"{start:g} s is not before {end:g} s.")
        elif start is not None and start >= self.run_end_s:
            self.add_error("start", f"{start:g} s is outside the run: it ended after {self.run_end_s:g} s.")
        if end is not None and end > self.latest_s:
            self.add_error("end", f"{end:g} s is outside the run: it ended after {self.run_end_s:g} s.")
        elif end == 0:
            self.add_error("end", "A window of no time has no figures.")


def windowed(recorded: Sequence[Recorded], trials_count: int, asked: Asked) -> Windowed | None:
    """None where no trial has a whole interval inside."""
    found = []
    for trial in recorded:
        figures = steady_state.trial_window(trial.clients, start_s=asked.start_s, end_s=asked.end_s)
        if figures is not None:
            found.append(TrialFigures(trial.index + 1, len(trial.clients), figures))
    if not found:
        return None
    return Windowed(tuple(found), trials_count, steady_state.spread([trial.figures for trial in found]))


def proposal(recorded: Sequence[Recorded]) -> Proposal | str:
    """What MSER-5 says of the warm-up: where to cut, or in a sentence why not. Nothing is applied."""
    series = [client for trial in recorded for client in trial.clients]
    end_s = steady_state.warm_up(series)
    if isinstance(end_s, WarmUp):
        return _WHY_NOT[end_s].format(fewest=FEWEST_INTERVALS, found=min(map(len, series)))
    run_end_s = max(trial.end_s for trial in recorded)
    whole = windowed(recorded, len(recorded), Asked(0.0, run_end_s))
    steady = windowed(recorded, len(recorded), Asked(end_s, run_end_s))
    if not end_s or whole is None or steady is None or not whole.throughput.mean:
        return "MSER-5 finds no warm-up."
    change = steady.throughput.mean / whole.throughput.mean - 1
    if abs(change) < _LEAST_CHANGE:
        return f"MSER-5 finds no warm-up to speak of: without the first {end_s:.3g} s the rate changes by under 1 %."
    return Proposal(end_s, change, len(series))


_WHY_NOT = {
    WarmUp.TOO_SHORT: "No search for a warm-up: MSER-5 needs {fewest} intervals, the shortest series has {found}.",
    WarmUp.NEVER_STEADY: "MSER-5 finds no steady state: the rate was still changing halfway through the run.",
    WarmUp.UNEVEN: "No search for a warm-up: the series were not printed at the same steps.",
}
