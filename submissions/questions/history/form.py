"""The parameters of a history, and the line of results that they choose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms

from submissions.api.forms import BadParameter, QuestionForm
from submissions.api.number_fields import OrdinalField
from submissions.choices import LatencyKind, Trust
from submissions.models import MAX_ID, Submission
from submissions.questions.boards.choice import WorkloadChoice, choose_workload, with_chosen
from submissions.questions.boards.offered import offered_to_open
from submissions.questions.boards.trust_filter import trust_field, trust_of
from submissions.questions.history.aggregate import HISTORY
from submissions.questions.history.query import lines_of
from submissions.records.lines import Line, line_of

FORMATS = ("csv", "json")
KIND_CHOICES = [pair for pair in LatencyKind.pairs() if pair[0] != LatencyKind.UNKNOWN]


class HistoryForm(QuestionForm):
    workload = forms.CharField(
        required=False,
        max_length=16,
        help_text=(
            "Fingerprint; default: of the workloads with a history the newest with raw logs (several machine types "
            "before one), else the one with the longest history"
        ),
    )
    cluster = forms.CharField(
        required=False, max_length=12, help_text="Token of a cluster; default: the one with the most measurements"
    )
    latency_kind = forms.ChoiceField(
        required=False,
        choices=KIND_CHOICES,
        help_text="The latency kind of the p99; default: the most common known kind",
    )
    like = OrdinalField(
        required=False,
        min_value=1,
        max_value=MAX_ID,
        help_text="A submission: the history of its workload on its cluster, instead of workload and cluster",
    )
    trust = trust_field()
    format = forms.ChoiceField(required=False, choices=[(name, name) for name in FORMATS])


@dataclass(frozen=True, slots=True)
class HistoryQuestion:
    """What is asked, with every choice made. `line` is None where there are no dated results."""

    workloads: Sequence[WorkloadChoice]  # with the chosen one
    workload: WorkloadChoice | None
    lines: Sequence[Line]
    line: Line | None
    latency_kind: LatencyKind | None  # None: the most common known one
    trust: Trust | None = None  # the trust filter; None: the default

    @property
    def state(self) -> dict[str, str]:
        """The parameters that lead to this question again."""
        state = {
            "workload": self.workload.fingerprint if self.workload else "",
            "cluster": self.line.token if self.line else "",
            "latency_kind": self.latency_kind.value if self.latency_kind else "",
            "trust": self.trust.value if self.trust else "",
        }
        return {name: value for name, value in state.items() if value}


@dataclass(frozen=True, slots=True)
class HistoryWorkload:
    """The chosen workload, before its lines are read; `line` is the token of one, "" where none is stated."""

    workloads: Sequence[WorkloadChoice]  # with the chosen one
    workload: WorkloadChoice | None
    line: str
    latency_kind: LatencyKind | None
    trust: Trust | None

    @property
    def key(self) -> tuple[object, ...]:
        """What its history depends on beside the results of the workload."""
        fingerprint = self.workload.fingerprint if self.workload else ""
        return fingerprint, self.line, self.latency_kind, self.trust


def history_question(params: Mapping[str, Any], *, may_be_large: bool = False) -> HistoryQuestion:
    """`params` are those of a valid form. Raises BadParameter for what does not exist."""
    return with_line(history_workload(params), may_be_large=may_be_large)


def history_workload(params: Mapping[str, Any]) -> HistoryWorkload:
    """Raises BadParameter."""
    fingerprint, token, trust = params["workload"], params["cluster"], trust_of(params["trust"])
    if params["like"] is not None:
        like = _submission(params["like"])
        fingerprint, token = like.workload.fingerprint, line_of(like).token
        trust = trust or like.trust_filter
    offered = offered_to_open(HISTORY, trust)
    workload = choose_workload(fingerprint, offered)
    kind = LatencyKind(params["latency_kind"]) if params["latency_kind"] else None
    return HistoryWorkload(with_chosen(offered, workload), workload, token, kind, trust)


def with_line(asked: HistoryWorkload, *, may_be_large: bool = False) -> HistoryQuestion:
    """Two queries. Raises BadParameter."""
    workload = asked.workload
    lines = lines_of(workload.pk, asked.trust, may_be_large=may_be_large) if workload else []
    line = _line(asked.line, lines)
    return HistoryQuestion(asked.workloads, workload, lines, line, asked.latency_kind, asked.trust)


def _submission(pk: int) -> Submission:
    like = Submission.objects.listed().filter(pk=pk).select_related("workload").first()
    if like is None:
        raise BadParameter("like", "There is no such submission, or it was retracted.", is_missing=True)
    return like


def _line(token: str, lines: Sequence[Line]) -> Line | None:
    """The one with that token, without one that with the most points."""
    if not token:
        return lines[0] if lines else None
    for line in lines:
        if line.token == token:
            return line
    raise BadParameter("cluster", "No dated measurement of this workload ran on such a cluster.", is_missing=True)
