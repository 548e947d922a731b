"""A window of a run that a viewer chooses: the figures inside it, beside the stored ones, which never change."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django import forms
from django.http import QueryDict

from submissions.analysis.curves import steady_state
from submissions.analysis.curves.interval_curves import WarmUpTest
from submissions.analysis.curves.steady_state import FEWEST_INTERVALS, WarmUp, WindowFigures
from submissions.analysis.trials import Spread
from submissions.api.number_fields import NumberField
from submissions.records.curves.interval_record import RecordedTrial

MOST_ROWS = 100  # of the table of trials
_NAMES = {"start": "from", "end": "to"}  # in the address
OTHER_PARAMETERS = ("s", "key", "scale", "prices_on", "basis")  # of the address: they stay when the window changes
NO_WHOLE_INTERVAL = "No interval lies entirely inside this window: choose a longer one."
# A cut that changes the throughput by less is negligible: MSER-5 also cuts noise.
_LEAST_CHANGE = 0.01


@dataclass(frozen=True, slots=True)
class Window:
    """Seconds since the start of each trial."""

    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class WindowTrial:
    number: int  # from 1
    clients: int
    figures: WindowFigures


@dataclass(frozen=True, slots=True)
class WindowResult:
    """A submission inside a window; `throughput` is the mean of its trials, as in the headline."""

    trials: tuple[WindowTrial, ...]
    trials_count: int  # of the submission, those without intervals included
    throughput: Spread
    width_s: float | None = None  # the longest stretch in which printed intervals are stored as one

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
    """Where MSER-5 would cut off the warm-up, and how much that changes."""

    end_s: float
    change: float  # of the throughput, a fraction
    series: int  # how many were averaged for the test


class WindowForm(forms.Form):
    """?from=10&to=60, seconds since a trial's start; one bound alone leaves the other open."""

    start = NumberField(unit="s", label="From (s)", required=False, min_value=0)
    end = NumberField(unit="s", label="To (s)", required=False, min_value=0)

    def __init__(self, data: QueryDict, run_ends_s: Sequence[float]):
        """`run_ends_s`: where the series of the submissions end; none where nothing was printed."""
        super().__init__({name: data[name] for name in _NAMES.values() if data.get(name)} or None)
        self.run_end_s = max(run_ends_s, default=None)
        self.other_parameters = [(name, value) for name in OTHER_PARAMETERS for value in data.getlist(name)]
        for name, field in self.fields.items():
            field.widget.attrs |= {"step": "any", "min": "0", "id": f"window-{_NAMES[name]}"}

    def add_prefix(self, field_name: str) -> str:
        return _NAMES.get(field_name, field_name)

    @property
    def latest_s(self) -> int:
        """The largest end that is accepted: the end of the run, rounded up to what people type."""
        return ceil(self.run_end_s or 0)

    @property
    def window(self) -> Window | None:
        """None where no window is given, or no valid one."""
        if self.run_end_s is None or not self.is_bound or not self.is_valid():
            return None
        start, end = self.cleaned_data["start"], self.cleaned_data["end"]
        bound: float = self.run_end_s if end is None else end
        return Window(start or 0.0, bound)

    def clean(self) -> None:
        start, end = self.cleaned_data.get("start"), self.cleaned_data.get("end")
        if self.run_end_s is None:
            raise forms.ValidationError("There is no interval series, and therefore no window.")
        if start is not None and end is not None and start >= end:
            self.add_error("start", f"{start:g} s is not before {end:g} s.")
        elif start is not None and start >= self.run_end_s:
            self.add_error("start", f"{start:g} s is outside the run: it ended after {self.run_end_s:g} s.")
        if end is not None and end > self.latest_s:
            self.add_error("end", f"{end:g} s is outside the run: it ended after {self.run_end_s:g} s.")
        elif end == 0:
            self.add_error("end", "The window is empty.")


@dataclass(frozen=True, slots=True)
class ChosenWindow:
    """`window` and `result` are both None where no valid window with figures is chosen."""

    form: WindowForm
    window: Window | None
    result: WindowResult | None

    @property
    def bounds(self) -> tuple[float, float] | None:
        return (self.window.start_s, self.window.end_s) if self.window else None


def choose_window(form: WindowForm, recorded: Sequence[RecordedTrial], trials_count: int) -> ChosenWindow:
    """The window of the form and the figures in it; adds an error to the form where there are none."""
    window = form.window
    result = window_result(recorded, trials_count, window) if window else None
    if window and result is None:
        form.add_error("start", NO_WHOLE_INTERVAL)
    return ChosenWindow(form, window if result else None, result)


def window_result(recorded: Sequence[RecordedTrial], trials_count: int, window: Window) -> WindowResult | None:
    """None where no trial has a complete interval inside the window."""
    trials = []
    for trial in recorded:
        figures = steady_state.trial_window(trial.clients, start_s=window.start_s, end_s=window.end_s)
        if figures is not None:
            trials.append(WindowTrial(trial.index + 1, len(trial.clients), figures))
    if not trials:
        return None
    return WindowResult(
        trials=tuple(trials),
        trials_count=trials_count,
        throughput=steady_state.spread([trial.figures for trial in trials]),
        width_s=max((trial.width_s for trial in recorded if trial.width_s is not None), default=None),
    )


def warm_up_proposal(test: WarmUpTest) -> Proposal | str:
    """Where MSER-5 would cut off the warm-up, or a sentence why nowhere. Nothing is applied."""
    if test.why is not None:
        return _WHY_NOT[test.why].format(fewest=FEWEST_INTERVALS, found=test.shortest)
    if not test.end_s or test.change is None:
        return "MSER-5 detects no warm-up."
    if abs(test.change) < _LEAST_CHANGE:
        cut = f"without the first {test.end_s:.3g} s"
        return f"MSER-5 detects no relevant warm-up: {cut} the rate changes by less than 1 %."
    return Proposal(test.end_s, test.change, test.series)


def warm_up_s(test: WarmUpTest | None) -> float:
    """What a chart shades: the seconds of the warm-up, 0.0 where none is proposed."""
    proposal = warm_up_proposal(test) if test else ""
    return proposal.end_s if isinstance(proposal, Proposal) else 0.0


_WHY_NOT = {
    WarmUp.TOO_SHORT: "No warm-up detection: MSER-5 needs {fewest} intervals, and the shortest series has {found}.",
    WarmUp.NEVER_STEADY: "MSER-5 detects no steady state: the rate was still changing halfway through the run.",
    WarmUp.UNEVEN: "No warm-up detection: the series have intervals of different lengths.",
}
