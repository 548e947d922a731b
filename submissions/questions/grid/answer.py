"""A grid as JSON and CSV: a row for each filled cell, in percent of the baseline's throughput."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from submissions.analysis.comparison.grid import Cell, Mean
from submissions.analysis.comparison.noise import NoiseFrom
from submissions.analysis.comparison.verdicts import Verdict
from submissions.api.answers import AnswerSerializer
from submissions.api.fields import credits_field
from submissions.questions.boards.trust_filter import TrustFilter, trust_filter_field, uploaded_field
from submissions.questions.grid import sentences
from submissions.questions.grid.form import GridQuestion
from submissions.questions.grid.parameters import AXES, FactValue, Parameter
from submissions.questions.grid.query import GridResult
from submissions.records.credits import credits_of_workloads

COUNTED = ("trials", "submissions")


@dataclass(frozen=True, slots=True)
class GridAnswer:
    """`result` is None where there is nothing to compare."""

    question: GridQuestion
    result: GridResult | None

    @property
    def vary(self) -> str:
        return self.question.layout.varied.key

    @property
    def rows(self) -> list[str]:
        return [axis.key for axis in self.question.layout.rows]

    @property
    def columns(self) -> str:
        return self.question.layout.columns.key

    @property
    def baseline(self) -> str | None:
        choice = self.question.choice
        return choice.layout.varied.token(choice.baseline) if choice else None

    @property
    def variant(self) -> str | None:
        choice = self.question.choice
        return choice.layout.varied.token(choice.variant) if choice else None

    @property
    def workload(self) -> str | None:
        return self.question.family.fingerprint if self.question.family else None

    @property
    def workload_title(self) -> str | None:
        return self.question.family.title if self.question.family else None

    @property
    def trust_filter(self) -> TrustFilter:
        return self.result.trust_filter if self.result else TrustFilter(self.question.trust, is_historical=False)

    @property
    def finding(self) -> str:
        return sentences.finding(self.result) if self.result else ""

    @property
    def credits(self) -> Sequence[str]:
        return credits_of_workloads(self.result.choice.family.workload_ids) if self.result else ()

    @property
    def caveats(self) -> list[str]:
        return sentences.caveats(self.result) if self.result else []

    @property
    def cells(self) -> Iterator[dict[str, Any]]:
        if self.result is None:
            return
        for row in self.result.rows:
            for column in self.result.columns:
                cell = self.result.cell(row, column)
                if cell is not None:
                    yield {**self._row_facts(row), **self._column_fact(column), **_cell(self.result, cell)}

    @property
    def row_means(self) -> list[dict[str, Any]]:
        if self.result is None:
            return []
        return [{**self._row_facts(row), **_mean(self.result.grid.row_means[row])} for row in self.result.rows]

    @property
    def column_means(self) -> list[dict[str, Any]]:
        if self.result is None:
            return []
        means = self.result.grid.column_means
        return [{**self._column_fact(column), **_mean(means[column])} for column in self.result.columns]

    def _row_facts(self, row: tuple[FactValue, ...]) -> dict[str, Any]:
        return {axis.key: _plain(value) for axis, value in zip(self.question.layout.rows, row, strict=True)}

    def _column_fact(self, column: FactValue) -> dict[str, Any]:
        return {self.question.layout.columns.key: _plain(column)}


class _AxisSerializer(serializers.Serializer[Any]):
    """Begins with the facts of the rows and columns; the schema lists all facts that may occur."""

    def get_fields(self) -> dict[str, Any]:
        answer = self.root.instance
        keys = [axis.key for axis in self.axes(answer)] if isinstance(answer, GridAnswer) else AXES
        axes = {key: serializers.JSONField(required=False, help_text=AXES[key].fact.label) for key in keys}
        return {**axes, **super().get_fields()}

    def axes(self, answer: GridAnswer) -> tuple[Parameter, ...]:
        return answer.question.layout.axes


class GridCell(_AxisSerializer):
    percent = serializers.FloatField(help_text="Of the baseline's throughput; above 0: the variant is faster")
    low_percent = serializers.FloatField(help_text="95 % interval, with the noise between runs")
    high_percent = serializers.FloatField()
    verdict = serializers.ChoiceField(choices=Verdict.pairs(), help_text="Of the variant, the same on every page")
    noise_from = serializers.ChoiceField(choices=NoiseFrom.pairs(), help_text="Where the noise between runs comes from")
    runs_needed = serializers.IntegerField(
        allow_null=True, help_text="More runs of each that would detect this difference; null: detected, or over 100"
    )
    p_value = serializers.FloatField(help_text="Corrected for all pairs of the workload")
    counted = serializers.ChoiceField(choices=COUNTED, help_text="What n counts")
    n_baseline = serializers.IntegerField()
    n_variant = serializers.IntegerField()
    averaged_by_source = serializers.BooleanField(
        help_text="n counts repetitions for which the source gives only the mean, without their spread"
    )
    baseline_submissions = serializers.ListField(child=serializers.IntegerField())
    variant_submissions = serializers.ListField(child=serializers.IntegerField())
    differs = serializers.ListField(child=serializers.CharField(), help_text="Facts known to differ as well")
    not_known = serializers.ListField(child=serializers.CharField(), help_text="Facts not stated on both sides")
    left_out = serializers.IntegerField(help_text="Submissions of the cell that are less similar to the other side")


class GridRowMean(_AxisSerializer):
    percent = serializers.FloatField(help_text="Unweighted mean of the cells")
    n_cells = serializers.IntegerField()

    def axes(self, answer: GridAnswer) -> tuple[Parameter, ...]:
        return answer.question.layout.rows


class GridColumnMean(GridRowMean):
    def axes(self, answer: GridAnswer) -> tuple[Parameter, ...]:
        return (answer.question.layout.columns,)


class GridSerializer(AnswerSerializer):
    """Percent differences of a variant against a baseline."""

    csv_rows = "cells"
    csv_name = "grid"

    vary = serializers.CharField(help_text="The fact that is varied")
    baseline = serializers.CharField(allow_null=True, help_text="null: there is nothing to compare")
    variant = serializers.CharField(allow_null=True)
    workload = serializers.CharField(allow_null=True, help_text="Fingerprint of the most frequent workload")
    workload_title = serializers.CharField(allow_null=True)
    shelf = trust_filter_field()
    uploaded_left_out = uploaded_field()
    rows = serializers.ListField(child=serializers.CharField(), help_text="One fact or two")
    columns = serializers.CharField()
    finding = serializers.CharField()
    caveats = serializers.ListField(child=serializers.CharField())
    credits = credits_field()
    cells = GridCell(many=True)
    row_means = GridRowMean(many=True)
    column_means = GridColumnMean(many=True)


def _cell(result: GridResult, cell: Cell) -> dict[str, Any]:
    low, high = cell.interval
    return {
        "percent": cell.percent,
        "low_percent": low,
        "high_percent": high,
        "verdict": cell.verdict.value,
        "noise_from": cell.judgement.noise_from.value,
        "runs_needed": cell.judgement.runs_needed,
        "p_value": cell.judgement.p_value,
        "counted": COUNTED[0] if cell.counts_trials else COUNTED[1],
        "n_baseline": cell.n[0],
        "n_variant": cell.n[1],
        "averaged_by_source": cell.is_averaged,
        "baseline_submissions": cell.baseline,
        "variant_submissions": cell.variant,
        "differs": result.names(cell.differs),
        "not_known": result.names(cell.unknown),
        "left_out": cell.excluded,
    }


def _mean(mean: Mean) -> dict[str, Any]:
    return {"percent": mean.percent, "n_cells": mean.n}


def _plain(value: FactValue) -> Any:
    """A number stays one; a pair such as the JDK's vendor and version is one text."""
    return value[0] if len(value) == 1 else " ".join(str(part) for part in value if part is not None)
